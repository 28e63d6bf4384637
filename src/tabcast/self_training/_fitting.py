"""One refit: the rows of a run, what a round adds to the labeled ones, and the classifier fitted on both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tabcast.models import Adaptation, weight_parameter
from tabcast.table import UNLABELED, Labels, column_names, find_categorical, take_rows
from tabcast.validation import Validation

Index = NDArray[np.intp]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Scorer = Callable[[Any, Any, Any], float]


@dataclass(frozen=True)
class TrainingData:
    """Everything `fit` was given, read and checked.

    Attributes
    ----------
    X : all rows, labeled and unlabeled.
    labels : their classes.
    labeled, pool : positions of the labeled and of the unlabeled rows.
    X_pool : the unlabeled rows.
    sample_weight : one per row, or None.
    row_params, other_params : fit parameters with one entry per row, and the others.
    validation : (X, class indices) that the user set apart for judging, or None.
    categorical_features : what the user said about columns.
    """

    X: Any
    labels: Labels
    labeled: Index
    pool: Index
    X_pool: Any
    sample_weight: Floats | None = None
    row_params: Mapping[str, Any] = field(default_factory=dict)
    other_params: Mapping[str, Any] = field(default_factory=dict)
    validation: tuple[Any, Index] | None = None
    categorical_features: ArrayLike | None = None

    def encoded(self, adaptation: Adaptation) -> TrainingData:
        """The same with tables as an estimator takes them."""
        if adaptation.columns is None:
            return self
        validation = None if self.validation is None else (adaptation.encode(self.validation[0]), self.validation[1])
        X = adaptation.encode(self.X)
        return replace(self, X=X, X_pool=take_rows(X, self.pool), validation=validation)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.labels.classes)


@dataclass(frozen=True, eq=False)
class Split:
    """Labeled rows that train (positions), and labeled rows that judge: a table and class indices, or None.

    `judges` are the positions of the latter where they are rows of the table.
    """

    train: Index
    held_out: tuple[Any, Index] | None = None
    judges: Index = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    @cached_property
    def key(self) -> bytes:
        """Equal exactly if the same rows train and the same judge."""
        digest = blake2b(np.sort(self.train).tobytes() + b"|" + np.sort(self.judges).tobytes())
        return digest.digest()


@dataclass(frozen=True)
class PseudoLabels:
    """What a round adds to the labeled rows. All arrays have one entry per unlabeled row.

    Attributes
    ----------
    labels : class index.
    raw_labels : class index that the classifier alone would give.
    chosen : whether the row is used.
    confidence, raw_confidence : in `labels`, after and before adjusting.
    weight : what a chosen row counts, 1 being a labeled row.
    soft : (n_unlabeled, n_classes) how a row is divided among the classes; None: it is its label's alone.
    """

    labels: Index
    raw_labels: Index
    chosen: Mask
    confidence: Floats
    raw_confidence: Floats
    weight: Floats
    soft: Floats | None = None

    @classmethod
    def none(cls, n_rows: int) -> PseudoLabels:
        """No row is used: the supervised model."""
        nobody, nothing = np.zeros(n_rows, dtype=np.intp), np.zeros(n_rows)
        return cls(nobody, nobody, np.zeros(n_rows, dtype=bool), nothing, nothing, nothing)

    def class_counts(self, n_classes: int) -> Floats:
        """Rows in use of each class; divided ones count as they are divided."""
        if self.soft is not None:
            return self.soft[self.chosen].sum(axis=0)
        return np.bincount(self.labels[self.chosen], minlength=n_classes).astype(float)

    @cached_property
    def key(self) -> bytes:
        """Equal exactly if the same rows are used with the same labels and weights."""
        digest = blake2b(np.packbits(self.chosen).tobytes())
        digest.update(self.labels[self.chosen].tobytes())
        digest.update(self.weight[self.chosen].tobytes())
        if self.soft is not None:
            digest.update(self.soft[self.chosen].tobytes())
        return digest.digest()


@dataclass(frozen=True)
class Fitted:
    """A fitted classifier and what it says.

    Attributes
    ----------
    estimator : the classifier.
    pool_proba, held_out_proba : probabilities of the unlabeled and of the held-out rows; empty where nobody asked.
    score : on the held-out rows, NaN without any.
    seconds : time of fitting and speaking.
    """

    estimator: Any
    pool_proba: Floats
    held_out_proba: Floats
    score: float
    seconds: float = 0.0


def make_splits(data: TrainingData, validation: Validation, random_state: np.random.RandomState) -> list[Split]:
    """Which labeled rows train and which judge, for each split."""
    if data.validation is not None:
        return [Split(data.labeled, data.validation)]
    codes = data.labels.codes[data.labeled]
    splits = []
    for train, held_out in validation.split(codes, random_state):
        if len(np.unique(codes[train])) < 2:
            raise ValueError(
                "A split of `validation` trains on one class only; use stratified splits or fewer of them."
            )
        rows = data.labeled[held_out]
        table = (take_rows(data.X, rows), data.labels.codes[rows]) if len(rows) else None
        splits.append(Split(data.labeled[train], table, rows))
    return splits


def fit_classifier(
    estimator: Any,
    adaptation: Adaptation,
    data: TrainingData,
    split: Split,
    pseudo: PseudoLabels,
    *,
    scorer: Scorer,
    predict_pool: bool,
    predict_held_out: bool,
) -> Fitted:
    """Fit a copy of the estimator on the labeled rows of a split plus pseudo-labels, and let it speak."""
    start = perf_counter()
    rows, codes, weight = training_rows(data, split, pseudo)
    X, classes = take_rows(data.X, rows), data.labels.classes
    try:
        model = adaptation.fit(estimator, X, codes, classes, _fit_params(estimator, data, rows, weight))
    except (TypeError, ValueError) as error:
        levels = [repr(name) for name, text in zip(column_names(X), find_categorical(X), strict=True) if text]
        if levels and not adaptation.needed:
            error.add_note(
                f"The table has columns that are not numbers ({', '.join(levels[:10])}), and the estimator got them as "
                "they are. If it cannot take them, put an encoder before it in a Pipeline, or use estimator=None, "
                "XGBoost, LightGBM or CatBoost, for which tabcast encodes them."
            )
        raise
    held_out, nothing = split.held_out, np.empty((0, data.n_classes))
    present = np.flatnonzero(np.bincount(codes))
    return Fitted(
        model,
        predict_proba(model, data.X_pool, data.n_classes, present) if predict_pool and len(data.pool) else nothing,
        predict_proba(model, held_out[0], data.n_classes, present) if predict_held_out and held_out else nothing,
        judge(model, scorer, held_out[0], classes[held_out[1]]) if held_out else np.nan,
        perf_counter() - start,
    )


def judge(model: Any, scorer: Scorer, X: Any, y: NDArray[Any]) -> float:
    """Score of a model on held-out rows; a score that cannot be computed is an error, not a guess."""
    try:
        score = float(scorer(model, X, y))
    except ValueError as error:
        raise ValueError(f"`scoring` failed on {len(y)} held-out rows ({error}). {_ADVICE}") from error
    if np.isnan(score):
        raise ValueError(f"`scoring` gave no number on {len(y)} held-out rows. {_ADVICE}")
    return score


_ADVICE = (
    "It may need every class among the rows that judge: label more rows of rare classes, hold out more "
    "(fewer splits), or choose another score."
)


def predict_proba(model: Any, X: Any, n_classes: int, present: Index) -> Floats:
    """Probabilities of all classes; those without a training row (not in `present`) have probability 0."""
    proba = np.asarray(model.predict_proba(X), dtype=float)
    if proba.shape[1] == n_classes:
        return proba
    full = np.zeros((len(proba), n_classes))
    full[:, present] = proba
    return full


def training_rows(data: TrainingData, split: Split, pseudo: PseudoLabels) -> tuple[Index, Index, Floats | None]:
    """Rows to train on (positions in the table), their class indices, and what they count; None: 1 each.

    A row that is divided among classes comes once for each class that it has a share of, with that share as weight.
    """
    chosen = data.pool[pseudo.chosen]
    if pseudo.soft is None:
        codes = np.full(len(data.labels.codes), UNLABELED, dtype=np.intp)
        codes[split.train] = data.labels.codes[split.train]
        codes[chosen] = pseudo.labels[pseudo.chosen]
        rows = np.flatnonzero(codes != UNLABELED)
        codes, share = codes[rows], None
    else:
        labeled = np.sort(split.train)
        copies, of_class = np.nonzero(pseudo.soft[pseudo.chosen])
        rows = np.concatenate([labeled, chosen[copies]])
        codes = np.concatenate([data.labels.codes[labeled], of_class])
        share = np.concatenate([np.ones(len(labeled)), pseudo.soft[pseudo.chosen][copies, of_class]])
    if share is None and data.sample_weight is None and (pseudo.weight[pseudo.chosen] == 1).all():
        return rows, codes, None
    weight = np.ones(len(data.labels.codes)) if data.sample_weight is None else data.sample_weight.copy()
    weight[data.pool] *= pseudo.weight
    return rows, codes, weight[rows] if share is None else weight[rows] * share


def _fit_params(estimator: Any, data: TrainingData, rows: Index, weight: Floats | None) -> dict[str, Any]:
    """Fit parameters of these rows: the user's, and weights where somebody asked for weights."""
    params = dict(data.other_params)
    params |= {name: _take(values, rows) for name, values in data.row_params.items()}
    if weight is not None:
        name = weight_parameter(estimator)
        assert name is not None  # checked before the first fit
        params[name] = weight
    return params


def _take(values: Any, rows: Index) -> Any:
    """Entries of a per-row parameter, whatever holds them."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if isinstance(values, list | tuple):
        return [values[row] for row in rows]
    return values[rows]
