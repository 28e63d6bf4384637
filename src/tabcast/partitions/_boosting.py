"""XGBoost on codes: rows come a partition at a time, and trees do not depend on how rows are partitioned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from tabcast.partitions._cuts import NO_VALUE, Codes
from tabcast.table import Floats, Mask

GRID = 2.0**-24  # gradients are multiples of it, so that their sums in double precision are exact up to 2**29 rows
BLOCK = 65_536  # rows whose gradients are computed at a time
Single = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Rows of a partition to train on.

    Attributes
    ----------
    codes : ndarray of uint8 of shape (n_rows, n_columns)
        All rows of the partition.
    chosen : ndarray of bool of shape (n_rows,) or None
        Which of them train. None: all.
    labels : ndarray of int of shape (n_rows,) or None
        Class index of each row, or None if rows have `shares`.
    shares : ndarray of float32 of shape (n_rows, n_classes) or None
        Proportions of the classes in each row.
    weight : ndarray of shape (n_rows,) or float
        Weight of each row, or of every row.
    first : int
        Number of the first row, counted through all partitions; by their numbers rows are drawn.
    """

    codes: Codes
    chosen: Mask | None = None
    labels: NDArray[Any] | None = None
    shares: Single | None = None
    weight: Floats | float = 1.0
    first: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows that train."""
        return len(self.codes) if self.chosen is None else int(self.chosen.sum())

    def blocks(self) -> Iterator[Codes]:
        """The codes of the rows that train, some at a time.

        Yields
        ------
        ndarray of uint8
            At least one row.
        """
        for first in range(0, len(self.codes), BLOCK):
            some = self.codes[first : first + BLOCK]
            if self.chosen is not None:
                mask = self.chosen[first : first + BLOCK]
                some = some if mask.all() else some[mask]
            if len(some):
                yield some

    def take(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the rows that train.

        Parameters
        ----------
        values : ndarray of shape (n_rows, ...)
            One entry per row.

        Returns
        -------
        ndarray
            Some of them.
        """
        return values if self.chosen is None else values[self.chosen]


@dataclass(frozen=True)
class Boosting:
    """How XGBoost is trained.

    Attributes
    ----------
    n_classes : int
        Number of classes.
    n_trees : int
        Number of boosting rounds.
    feature_types : list of str
        "q" or "c" per column.
    parameters : mapping
        XGBoost's.
    prior : tuple of float
        Proportion of each class among the rows, where boosting starts.
    heaviest : float
        The largest weight of a row.
    scale_positive : float
        Factor of the weight of the second of two classes.
    subsample : float
        Proportion of the rows that each boosting round draws.
    """

    n_classes: int
    n_trees: int
    feature_types: list[str]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    prior: tuple[float, ...] = ()
    heaviest: float = 1.0
    scale_positive: float = 1.0
    subsample: float = 1.0

    @property
    def grid(self) -> float:
        """What gradients are rounded to."""
        return GRID * 2.0 ** ceil(log2(max(self.heaviest * max(1.0, self.scale_positive), 1e-300)))

    @property
    def all_parameters(self) -> dict[str, Any]:
        """With the objective, which is used to predict."""
        own: dict[str, Any] = {"tree_method": "hist", "max_bin": 256, "disable_default_eval_metric": True}
        if self.n_classes == 2:
            own |= {"objective": "binary:logistic", "base_score": start_of(self.prior[1])}
        else:
            starts = [start_of(share) for share in self.prior]
            own |= {"objective": "multi:softprob", "num_class": self.n_classes, "base_score": starts}
        return {**self.parameters, **own}


def start_of(share: float) -> float:
    """A proportion that has a logarithm."""
    return float(np.clip(share, 1e-6, 1 - 1e-6))


def boost(rows: Sequence[TrainingRows], plan: Boosting) -> bytes:
    """Train XGBoost on the rows of some partitions.

    Gradients are computed here and rounded to a grid: sums of histograms are then exact, and trees are the same
    whatever the order and the grouping of rows, the number of threads or of workers.

    Parameters
    ----------
    rows : sequence of TrainingRows
        The rows.
    plan : Boosting
        How to train.

    Returns
    -------
    bytes
        An ordinary model with the objective binary:logistic or multi:softprob, in UBJSON.
    """
    import xgboost

    kept = [one for one in rows if one.n_rows]
    threads = plan.parameters.get("nthread")
    matrix = xgboost.QuantileDMatrix(
        _make_iterator(kept, plan.feature_types),
        missing=NO_VALUE,
        max_bin=256,
        enable_categorical=True,
        nthread=threads,
    )
    booster = xgboost.Booster(plan.all_parameters, [matrix])
    objective = make_objective(kept, plan)
    for number in range(plan.n_trees):
        booster.update(matrix, number, fobj=objective)
    return bytes(booster.save_raw(raw_format="ubj"))


def _make_iterator(rows: Sequence[TrainingRows], feature_types: list[str]) -> Any:
    """The blocks of some rows, as often as XGBoost asks for them."""
    import xgboost

    class Blocks(xgboost.DataIter):
        def __init__(self) -> None:
            super().__init__()
            self.reset()

        def reset(self) -> None:
            self.left = (block for one in rows for block in one.blocks())

        def next(self, input_data: Callable[..., Any]) -> bool:
            block = next(self.left, None)
            if block is None:
                return False
            input_data(data=block, feature_types=feature_types)
            return True

    return Blocks()


def make_objective(rows: Sequence[TrainingRows], plan: Boosting) -> Callable[[Any, Any], tuple[Single, Single]]:
    """The gradient of the log loss and its second derivative, rounded to the grid.

    Parameters
    ----------
    rows : sequence of TrainingRows
        The rows, in the order of the matrix.
    plan : Boosting
        Number of classes, and the grid.

    Returns
    -------
    callable
        As XGBoost calls it.
    """
    targets = _join_targets(rows, plan.n_classes)
    weight = _join_weights(rows)
    numbers = _join_numbers(rows) if plan.subsample < 1 else None
    seed, boosting_rounds = int(plan.parameters.get("seed", 0)), count()
    find = _binary_gradient if plan.n_classes == 2 else _softmax_gradient

    def objective(margins: Any, _: Any) -> tuple[Single, Single]:
        draw = next(boosting_rounds)
        margins = np.asarray(margins, dtype=np.float32).reshape(len(targets), -1)
        gradient, hessian = np.empty_like(margins), np.empty_like(margins)
        for first in range(0, len(targets), BLOCK):
            some = slice(first, first + BLOCK)
            slope, bend = find(margins[some], targets[some], plan)
            factor = 1 / plan.grid
            heavy = factor if weight is None else (weight[some, None] * np.float32(factor))
            gradient[some] = np.rint(slope * heavy) * np.float32(plan.grid)
            hessian[some] = np.rint(bend * heavy) * np.float32(plan.grid)
            if numbers is not None:  # rows that are not drawn do not count
                left_out = ~is_drawn(numbers[some], seed, draw, plan.subsample)
                gradient[some][left_out] = hessian[some][left_out] = 0
        return (gradient[:, 0], hessian[:, 0]) if plan.n_classes == 2 else (gradient, hessian)

    return objective


def _join_targets(rows: Sequence[TrainingRows], n_classes: int) -> NDArray[Any]:
    """What rows are trained on: with two classes the proportion of the second, else class indices or proportions."""
    soft = any(one.shares is not None for one in rows)
    targets = []
    for one in rows:
        if one.shares is not None:
            taken = one.take(one.shares)
            targets.append(taken[:, 1] if n_classes == 2 else taken)
        else:
            assert one.labels is not None
            labels = one.take(one.labels)
            if n_classes == 2:
                targets.append(labels.astype(np.float32) if soft else labels.astype(np.uint8))
            else:
                targets.append(np.eye(n_classes, dtype=np.float32)[labels] if soft else labels)
    return np.concatenate(targets)


def _join_weights(rows: Sequence[TrainingRows]) -> Single | None:
    """Weights of all rows; None if all are 1."""
    if all(np.ndim(one.weight) == 0 and one.weight == 1 for one in rows):
        return None
    return np.concatenate(
        [
            np.full(one.n_rows, one.weight, dtype=np.float32)
            if np.ndim(one.weight) == 0
            else one.take(np.asarray(one.weight, dtype=np.float32))
            for one in rows
        ]
    )


def _join_numbers(rows: Sequence[TrainingRows]) -> NDArray[np.uint64]:
    """Numbers of all rows that train."""
    numbers = [
        np.uint64(one.first)
        + (np.arange(len(one.codes)) if one.chosen is None else np.flatnonzero(one.chosen)).astype(np.uint64)
        for one in rows
    ]
    return np.concatenate(numbers)


def is_drawn(numbers: NDArray[np.uint64], seed: int, draw: int, share: float) -> Mask:
    """Draw rows by their numbers, so that it does not matter where they are: splitmix64 of the number, seed and draw.

    Parameters
    ----------
    numbers : ndarray of uint64
        Numbers of rows.
    seed : int
        Seed of all draws.
    draw : int
        Which draw.
    share : float
        Proportion of the rows.

    Returns
    -------
    ndarray of bool
        Whether each row is drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.partitions._boosting import is_drawn
    >>> round(is_drawn(np.arange(100_000, dtype=np.uint64), 0, 1, 0.8).mean(), 2)
    np.float64(0.8)
    """
    step = np.uint64(0x9E3779B97F4A7C15)
    start = np.array([seed * 0x2545F4914F6CDD1D + draw * 0xD1342543DE82EF95 & (2**64 - 1)], dtype=np.uint64)
    mixed = (numbers + start) * step
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed >> np.uint64(11) < np.uint64(share * 2**53)


def _binary_gradient(margins: Single, targets: NDArray[Any], plan: Boosting) -> tuple[Single, Single]:
    """Of binary:logistic."""
    proba, target = expit(margins), targets.astype(np.float32)[:, None]
    slope, bend = proba - target, proba * (1 - proba)
    if plan.scale_positive != 1:
        heavier = 1 + target * np.float32(plan.scale_positive - 1)
        slope, bend = slope * heavier, bend * heavier
    return slope, bend


def _softmax_gradient(margins: Single, targets: NDArray[Any], plan: Boosting) -> tuple[Single, Single]:
    """Of multi:softprob."""
    proba = softmax(margins, axis=1)
    slope = proba.copy()
    if targets.ndim == 1:
        slope[np.arange(len(targets)), targets] -= 1
    else:
        slope -= targets
    return slope, 2 * proba * (1 - proba)


def predict_codes(booster: Any, codes: Codes, n_classes: int) -> Floats:
    """Predict probabilities of rows that are codes, as XGBClassifier does.

    Parameters
    ----------
    booster : xgboost.Booster
        The trained model.
    codes : ndarray of uint8 of shape (n_rows, n_columns)
        The rows.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        The probabilities.
    """
    found = np.asarray(booster.inplace_predict(codes, missing=NO_VALUE))
    if n_classes == 2:
        found = np.column_stack([1.0 - found, found])
    return found.astype(float)


def load_booster(model: bytes, threads: int | None = None) -> Any:
    """A booster from its bytes.

    Parameters
    ----------
    model : bytes
        From :func:`boost`.
    threads : int, default=None
        Threads to predict with. None: all.

    Returns
    -------
    xgboost.Booster
        The booster.
    """
    import xgboost

    booster = xgboost.Booster({"nthread": threads} if threads else None)
    booster.load_model(bytearray(model))
    return booster
