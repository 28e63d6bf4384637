"""Whether labeled and unlabeled rows come from the same population: can a classifier distinguish them?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import StratifiedKFold

from tabcast.diagnostics._base import Diagnostic
from tabcast.diagnostics._column_words import describe_sides
from tabcast.statistics import Area, area_under_curve
from tabcast.table import Floats, Index, Mask, take_rows
from tabcast.teachers import TableCodes

MOST_ROWS = 3_000  # labeled and unlabeled together: areas are then known to about two hundredths
UNLABELED_EACH = 5  # unlabeled rows for each labeled one, at least FEW_UNLABELED: more would not narrow the interval
FEW_UNLABELED = 1_000
MOST_COLUMNS = 10  # that are looked at one by one
N_FOLDS = 4
N_TREES = 50
N_PERMUTATIONS = 3
SMALLEST_AREA = 0.55  # below, a shift is of no consequence even where it is certain
STRONG_AREA = 0.65  # that the lower end of the interval reaches
SMALLEST_IMPORTANCE = 0.01
SMALLEST_PART = 0.05  # of the most important column's importance


@dataclass(frozen=True, eq=False)
class CovariateShift(Diagnostic):
    """How well labeled and unlabeled rows can be distinguished, and by which columns.

    Attributes
    ----------
    auc : float
        Cross-validated area under the ROC curve of a classifier that separates unlabeled from labeled rows; 0.5 means
        not at all, 1 perfectly.
    low : float
        Lower end of its 95% interval.
    high : float
        Upper end of its 95% interval.
    strength : str
        "none" if the interval contains 0.5 or the area is below 0.55, "strong" if the interval is above 0.65, else
        "some".
    columns : DataFrame
        Most important first, empty without shift: `name`, `importance` (decrease of the area when the column's values
        are shuffled among held-out rows), `labeled` and `unlabeled` (short descriptions of the column). Redundant
        columns share their importance.
    n_labeled : int
        Number of labeled rows that were used, drawn at random; at most 3,000 rows in all.
    n_unlabeled : int
        Number of unlabeled rows that were used, at most 1,000 or five per labeled one.

    See Also
    --------
    covariate_shift : Computes it.
    """

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
    X : array-like or DataFrame of shape (n_rows, n_columns)
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
        The area and the columns. None with fewer than two labeled or two unlabeled rows.

    Notes
    -----
    The classifier is a forest of extremely randomized trees with balanced class weights, evaluated by cross-validation
    (four folds, fewer with few rows). Rows are compared within their fold; the interval is that of DeLong, DeLong and
    Clarke-Pearson (1988) with Student's t. Without shift the answer was "none" in 195 of 200 draws
    (`benchmarks/diagnostics.py`).

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
    names = [*(one.name for one in codes.columns_.continuous), *(one.name for one in codes.columns_.categorical)]
    array = codes.transform(table)
    domain = _Domain.learn(array, is_pool, int(random.integers(2**31)))
    strength = _grade(domain.area)
    importance = domain.importance(random) if strength != "none" else {}
    found = [
        (names[position], drop, *describe_sides(table, codes.columns_, names[position], is_pool))
        for position, drop in sorted(importance.items(), key=lambda pair: -pair[1])
        if drop >= max(SMALLEST_IMPORTANCE, SMALLEST_PART * max(importance.values()))
    ]
    columns = pd.DataFrame(found, columns=["name", "importance", "labeled", "unlabeled"])
    return CovariateShift(*domain.area, strength, columns, n_labeled, n_unlabeled)


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


@dataclass(frozen=True, eq=False)
class _Domain:
    """Forests that separate the sides, each with the rows that it was not trained on."""

    array: Floats
    is_pool: Mask
    forests: list[tuple[ExtraTreesClassifier, Index]]
    area: Area

    @classmethod
    def learn(cls, array: Floats, is_pool: Mask, seed: int) -> _Domain:
        """Fit, and evaluate by cross-validation."""
        fewest = int(min(is_pool.sum(), (~is_pool).sum()))
        splitter = StratifiedKFold(int(np.clip(fewest // 2, 2, N_FOLDS)), shuffle=True, random_state=seed)
        forests, scores, folds = [], np.empty(len(array)), np.empty(len(array), dtype=np.intp)
        for number, (train, test) in enumerate(splitter.split(array, is_pool)):
            forest = ExtraTreesClassifier(
                N_TREES, min_samples_leaf=5, max_features=0.5, class_weight="balanced", random_state=seed + number
            )
            with np.errstate(over="ignore", invalid="ignore"):  # huge numbers, whose sums scikit-learn looks at
                forests.append((forest.fit(array[train], is_pool[train]), test))
            scores[test], folds[test] = _predict(forest, array[test]), number
        return cls(array, is_pool, forests, area_under_curve(scores, is_pool, folds))

    def importance(self, random: np.random.Generator) -> dict[int, float]:
        """Decrease of the area with a column's held-out values shuffled, for the columns that the forests use most."""
        used = np.mean([forest.feature_importances_ for forest, _ in self.forests], axis=0)
        candidates = np.argsort(-used, kind="stable")[:MOST_COLUMNS]
        lost = np.zeros(len(candidates))
        for forest, test in self.forests:
            rows, sides = self.array[test], self.is_pool[test]
            whole = area_under_curve(_predict(forest, rows), sides).auc
            shuffled = np.tile(rows, (len(candidates) * N_PERMUTATIONS, 1, 1))
            for copy, position in enumerate(np.repeat(candidates, N_PERMUTATIONS)):
                shuffled[copy, :, position] = random.permutation(rows[:, position])
            scores = _predict(forest, shuffled.reshape(-1, rows.shape[1])).reshape(len(shuffled), -1)
            areas = np.array([area_under_curve(some, sides).auc for some in scores])
            lost += len(test) / len(self.array) * (whole - areas.reshape(len(candidates), -1).mean(axis=1))
        return dict(zip(candidates.tolist(), lost.tolist(), strict=True))


def _predict(forest: ExtraTreesClassifier, array: Floats) -> Floats:
    """Probability of being unlabeled."""
    with np.errstate(over="ignore", invalid="ignore"):
        return forest.predict_proba(array)[:, 1]
