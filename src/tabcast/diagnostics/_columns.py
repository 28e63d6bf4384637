"""Which columns the model needs, and which differ between labeled and unlabeled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import t as student
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import StratifiedKFold

from tabcast.diagnostics._base import Diagnostic
from tabcast.self_training._fitter import predict_classes
from tabcast.statistics import area_under_curve
from tabcast.statistics._intervals import Area
from tabcast.table import Floats, Index, Mask
from tabcast.table._encoders import TableCodes
from tabcast.table._tables import column_names, take_rows

# Importance: limits on the rows and the calls of predict_proba, which bound the time.
MOST_PREDICTED, MOST_REPEATS = 50_000, 5
LEVEL = 0.95
MOST_ROWS = 3_000  # of a shift, labeled and unlabeled together: areas are then known to about two hundredths
UNLABELED_EACH = 5  # unlabeled rows for each labeled one, at least FEW_UNLABELED: more would not narrow the interval
FEW_UNLABELED = 400
MOST_COLUMNS = 10  # that are looked at one by one
N_FOLDS, N_TREES, N_PERMUTATIONS = 4, 50, 3
SMALLEST_AREA = 0.55  # below, a shift is of no consequence even where it is certain
STRONG_AREA = 0.65  # that the lower end of the interval reaches
SMALLEST_IMPORTANCE = 0.01
SMALLEST_PART = 0.05  # of the most important column's importance
WORTH_SAYING = 0.05  # difference in the proportion of missing values
LONGEST = 40  # characters of a level


@dataclass(frozen=True, eq=False, repr=False)
class Importance(Diagnostic):
    """How much worse predictions of held-out rows become when a column is shuffled; see `importance`."""

    columns: pd.DataFrame
    whole: float
    n_rows: int
    n_repeats: int


def importance(
    models: Sequence[Any], X: Any, codes: Index, splits: Sequence[tuple[Index, Index]], *, random_state: int = 0
) -> Importance:
    """Measure how much a kind of model needs each column.

    Parameters
    ----------
    models : sequence of classifier
        One per split, fitted on its training rows; the columns of `predict_proba` are the classes found there.
    X : ndarray or DataFrame of shape (n_rows, n_columns)
        The rows.
    codes : ndarray of int of shape (n_rows,)
        Index of the true class, for the rows of the splits.
    splits : sequence of (ndarray of int, ndarray of int)
        Positions of the training rows and of the held-out rows of each split.
    random_state : int, default=0
        Seed of the shuffling and of the drawn rows.

    Returns
    -------
    Importance
        `columns` has one row per column, the most important first: `name`, `importance` (decrease of the probability of
        the true class, mean over the classes, so that rare classes count as much as frequent ones) and its 95%
        interval over splits, `low` to `high`. `whole` is that probability with no column shuffled.

    Notes
    -----
    The values of a column are shuffled among the held-out rows of each split, as in
    :func:`sklearn.inspection.permutation_importance`, but all columns are predicted at once, which takes a fraction of
    the time. Redundant columns share their importance: shuffling one of them changes little.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from tabcast.diagnostics import importance
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> codes, rows = (X[:, 1] > 0).astype(int), np.arange(200)
    >>> splits = [(rows[rows % 4 != fold], rows[rows % 4 == fold]) for fold in range(4)]
    >>> models = [LogisticRegression().fit(X[train], codes[train]) for train, _ in splits]
    >>> found = importance(models, X, codes, splits)
    >>> found.columns["name"].tolist()[0], bool(found.columns["low"][0] > 0.2)
    (1, True)
    """
    random = np.random.default_rng(random_state)
    names = column_names(X)
    n_repeats = int(np.clip(MOST_PREDICTED // (len(names) * sum(len(rows) for _, rows in splits)), 1, MOST_REPEATS))
    most = max(1, MOST_PREDICTED // (len(names) * len(splits) * n_repeats))
    n_classes, whole, lost, n_rows = int(codes.max()) + 1, [], [], 0
    for model, (train, held_out) in zip(models, splits, strict=True):
        rows = random.permutation(held_out)[:most]
        truth, shuffled = codes[rows], _shuffle_each(take_rows(X, rows), n_repeats, random)
        right = predict_classes(model, shuffled, n_classes, np.unique(codes[train]))[
            np.arange(len(shuffled)), np.tile(truth, len(shuffled) // len(truth))
        ]
        by_class = pd.DataFrame(right.reshape(-1, len(truth)).T).groupby(truth).mean()
        score, *others = by_class.mean()  # of the rows as they are, and with each column shuffled
        whole.append(score)
        lost.append(score - np.reshape(others, (len(names), n_repeats)).mean(axis=1))
        n_rows += len(rows)
    mean = np.mean(lost, axis=0)
    half = student.ppf((1 + LEVEL) / 2, len(lost) - 1) * np.std(lost, axis=0, ddof=1) / np.sqrt(len(lost))
    table = pd.DataFrame({"name": names, "importance": mean, "low": mean - half, "high": mean + half})
    table = table.sort_values("importance", ascending=False, kind="stable").reset_index(drop=True)
    return Importance(table, float(np.mean(whole)), n_rows, n_repeats)


def _shuffle_each(table: Any, n_repeats: int, random: np.random.Generator) -> Any:
    """The table, and below it copies in which one column after the other is shuffled, several times each."""
    n, n_columns = table.shape
    places = np.tile(np.arange(n), (1 + n_columns * n_repeats, 1))
    shuffled = take_rows(table, places.ravel())
    for column in range(n_columns):
        order = places.copy()
        for repeat in range(n_repeats):
            order[1 + column * n_repeats + repeat] = random.permutation(n)
        if isinstance(table, pd.DataFrame):
            shuffled.isetitem(column, table.iloc[order.ravel(), column].to_numpy())
        else:
            shuffled[:, column] = table[order.ravel(), column]
    return shuffled


@dataclass(frozen=True, eq=False, repr=False)
class CovariateShift(Diagnostic):
    """How well labeled and unlabeled rows can be distinguished, and by which columns; see `covariate_shift`."""

    auc: float
    low: float
    high: float
    strength: str
    columns: pd.DataFrame
    n_labeled: int
    n_unlabeled: int


def covariate_shift(
    X: Any, labeled: Mask, *, categorical_features: ArrayLike | None = None, random_state: int = 0
) -> CovariateShift | None:
    """Test whether labeled and unlabeled rows come from the same population.

    Parameters
    ----------
    X : ndarray or DataFrame of shape (n_rows, n_columns)
        Labeled and unlabeled rows.
    labeled : ndarray of bool of shape (n_rows,)
        Which of them are labeled.
    categorical_features : array-like of str, int or bool, default=None
        Names, positions or mask of the categorical columns. None infers them from the types.
    random_state : int, default=0
        Seed of the drawn rows, the folds, the trees and the shuffling.

    Returns
    -------
    CovariateShift or None
        `auc` is the cross-validated area under the ROC curve of a classifier that separates unlabeled from labeled
        rows (0.5 not at all, 1 perfectly), `low` to `high` its 95% interval. `strength` is "none" if the interval
        contains 0.5 or the area is below 0.55, "strong" if the interval is above 0.65, else "some". `columns`, empty
        without shift, are the most important first: `name`, `importance` (decrease of the area when the column is
        shuffled), and `labeled` and `unlabeled`, short descriptions of it. None with fewer than two labeled or two
        unlabeled rows.

    Notes
    -----
    The classifier is a forest of extremely randomized trees with balanced class weights, evaluated by cross-validation
    (four folds, fewer with few rows) on at most 3,000 rows, drawn at random. Rows are compared within their fold; the
    interval is that of DeLong, DeLong and Clarke-Pearson (1988) with Student's t. Without shift the answer was "none"
    in 195 of 200 draws (`benchmarks/diagnostics.py`).

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import covariate_shift
    >>> random = np.random.default_rng(0)
    >>> X, labeled = random.normal(size=(600, 3)), np.arange(600) < 200
    >>> covariate_shift(X, labeled).strength
    'none'
    >>> X[labeled, 1] += 2
    >>> shifted = covariate_shift(X, labeled)
    >>> shifted.strength, shifted.columns["name"].tolist()
    ('strong', [1])
    """
    random = np.random.default_rng(random_state)
    rows, is_pool = _draw(np.asarray(labeled, dtype=bool), random)
    n_unlabeled = int(is_pool.sum())
    n_labeled = len(rows) - n_unlabeled
    if min(n_labeled, n_unlabeled) < 2:
        return None
    table = take_rows(X, rows)
    codes = TableCodes(categorical_features).fit(table)
    categorical = [column.name for column in codes.columns_.categorical]
    names = [*(column.name for column in codes.columns_.continuous), *categorical]
    array, seed = codes.transform(table), int(random.integers(2**31))
    with np.errstate(over="ignore", invalid="ignore"):  # huge numbers, whose sums scikit-learn looks at
        area, used = _tell_apart(array, is_pool, seed)
        strength = _grade(area)
        lost = _decreases(array[:, used], is_pool, seed) if strength != "none" else np.empty(0)
    frame = pd.DataFrame(table) if isinstance(table, np.ndarray) else table
    found = []
    for place in np.argsort(-lost, kind="stable"):
        if lost[place] >= max(SMALLEST_IMPORTANCE, SMALLEST_PART * lost.max()):
            name = names[used[place]]
            column = pd.Series(frame[name]).reset_index(drop=True)
            words = _describe(column[~is_pool], column[is_pool], categorical=name in categorical)
            found.append((name, float(lost[place]), *words))
    columns = pd.DataFrame(found, columns=["name", "importance", "labeled", "unlabeled"])
    return CovariateShift(*area, strength, columns, n_labeled, n_unlabeled)


def _grade(area: Area) -> str:
    """What the area under the curve means."""
    if area.low <= 0.5 or area.auc < SMALLEST_AREA:
        return "none"
    return "strong" if area.low >= STRONG_AREA else "some"


def _draw(labeled: Mask, random: np.random.Generator) -> tuple[Index, Mask]:
    """Positions of at most MOST_ROWS rows, half of them from either side, and which are unlabeled."""
    ours, theirs = np.flatnonzero(labeled), np.flatnonzero(~labeled)
    n_ours = min(len(ours), max(MOST_ROWS // 2, MOST_ROWS - len(theirs)))
    n_theirs = min(len(theirs), MOST_ROWS - n_ours, max(FEW_UNLABELED, UNLABELED_EACH * n_ours))
    kept = [random.permutation(ours)[:n_ours], random.permutation(theirs)[:n_theirs]]
    return np.concatenate(kept), np.repeat([False, True], [n_ours, n_theirs])


def _split(is_pool: Mask, seed: int) -> list[tuple[Index, Index]]:
    """Folds with rows of both sides."""
    fewest = int(min(is_pool.sum(), (~is_pool).sum()))
    splitter = StratifiedKFold(int(np.clip(fewest // 2, 2, N_FOLDS)), shuffle=True, random_state=seed)
    return list(splitter.split(is_pool, is_pool))


def _fit_forest(array: Floats, is_pool: Mask, seed: int) -> ExtraTreesClassifier:
    """A forest that separates the sides."""
    balance = {"class_weight": "balanced", "random_state": seed}
    return ExtraTreesClassifier(N_TREES, min_samples_leaf=5, max_features=0.5, **balance).fit(array, is_pool)


def _tell_apart(array: Floats, is_pool: Mask, seed: int) -> tuple[Area, Index]:
    """How well held-out rows of the sides are separated, and the columns that the forests use most."""
    scores, folds, used = np.empty(len(array)), np.empty(len(array), dtype=np.intp), np.zeros(array.shape[1])
    for number, (train, test) in enumerate(_split(is_pool, seed)):
        forest = _fit_forest(array[train], is_pool[train], seed + number)
        scores[test], folds[test] = forest.predict_proba(array[test])[:, 1], number
        used += forest.feature_importances_
    return area_under_curve(scores, is_pool, folds), np.argsort(-used, kind="stable")[:MOST_COLUMNS]


def _decreases(array: Floats, is_pool: Mask, seed: int) -> Floats:
    """Decrease of the area with a column's held-out values shuffled."""
    lost = np.zeros(array.shape[1])
    for number, (train, test) in enumerate(_split(is_pool, seed)):
        forest = _fit_forest(array[train], is_pool[train], seed + number)
        how = {"scoring": "roc_auc", "n_repeats": N_PERMUTATIONS, "random_state": seed}
        found = permutation_importance(forest, array[test], is_pool[test], **how)
        lost += len(test) / len(array) * found.importances_mean
    return lost


def _describe(ours: pd.Series, theirs: pd.Series, *, categorical: bool) -> tuple[str, str]:
    """A column in labeled and in unlabeled rows: medians with middle halves, or the level that differs most."""
    missing = [float(side.isna().mean()) for side in (ours, theirs)]
    if categorical or max(missing) == 1:
        levels = [
            side.astype(object).map(str, na_action="ignore").astype(object).fillna("missing") for side in (ours, theirs)
        ]
        shares = [side.value_counts(normalize=True) for side in levels]
        name = str(shares[0].sub(shares[1], fill_value=0.0).abs().idxmax())
        short = name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
        first, second = (f"{short} {_percent(float(share.get(name, 0.0)))}" for share in shares)
        return first, second
    dates = pd.api.types.is_datetime64_any_dtype(ours)
    words = []
    for side, gone in zip((ours, theirs), missing, strict=True):
        known = side.dropna() if dates else side.dropna().astype(float)
        quartiles: list[Any] = known.quantile([0.5, 0.25, 0.75]).tolist()
        shown = [one.date().isoformat() if dates else _number(one) for one in quartiles]
        tail = f", missing {_percent(gone)}" if abs(missing[0] - missing[1]) >= WORTH_SAYING else ""
        words.append(f"median {shown[0]} ({shown[1]} to {shown[2]}){tail}")
    return words[0], words[1]


def _number(value: float) -> str:
    """A number with at most four significant digits, or all before the decimal point."""
    if value == 0 or 1e-4 <= abs(value) < 1e4:
        return f"{value:.4g}"
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e12 else f"{value:.3g}"


def _percent(share: float) -> str:
    """A proportion as percent."""
    return f"{100 * share:.0f}%" if share >= 0.01 or share == 0 else "under 1%"
