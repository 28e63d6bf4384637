"""Which columns matter for the class: all, or those that repeatedly beat shuffled copies of columns (Boruta)."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from tabcast.checks import check_integer, check_number
from tabcast.exceptions import NoFeatureConfirmedWarning
from tabcast.feature_selection._shap_importance import default_forest, find_explainer, shap_importance
from tabcast.progress import show_progress
from tabcast.table import Floats, Index, Mask
from tabcast.table._columns import learn_columns
from tabcast.table._tables import column_names, take_columns


class FeatureSelection(BaseEstimator, ABC):
    """Base class of feature selections: which columns the density uses; the classifier always sees all of them.

    A member implements `fit`, which sets `support_`.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_columns,)
        Mask of the selected columns.

    See Also
    --------
    tabcast.testing.check_feature_selection : Checks of the contract, also for members of your own.
    """

    support_: Mask

    @abstractmethod
    def fit(self, X: Any, y: Index, categorical_features: ArrayLike | None = None) -> FeatureSelection:
        """Learn from the labeled rows which columns matter for the class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            Rows with a label.
        y : ndarray of int of shape (n_rows,)
            Their class indices.
        categorical_features : array-like of str, int or bool, default=None
            The categorical columns by name, position or mask. None infers them from the types.

        Returns
        -------
        FeatureSelection
            The fitted selection itself.
        """

    def transform(self, X: Any) -> Any:
        """Return the selected columns of a table.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_rows, n_columns)
            A table with the columns of `fit`.

        Returns
        -------
        ndarray or DataFrame
            The same kind of table with fewer columns.
        """
        return X if self.support_.all() else take_columns(X, np.flatnonzero(self.support_))


class KeepAll(FeatureSelection):
    """Keep every column: the do-nothing member.

    See Also
    --------
    BorutaShap : Keeps the columns that matter for the class.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.feature_selection import KeepAll
    >>> KeepAll().fit(np.zeros((2, 3)), np.array([0, 1])).support_
    array([ True,  True,  True])
    """

    def fit(self, X: Any, y: Index, categorical_features: ArrayLike | None = None) -> KeepAll:
        """Select all columns."""
        self.support_ = np.ones(len(column_names(X)), dtype=bool)
        return self


CONFIRMED, TENTATIVE, REJECTED = 1, 0, -1
MIN_SHADOWS = 30  # with ten, 7% of all irrelevant columns would pass
MAX_ROWS_EXPLAINED = 500  # SHAP values are averaged over at most this many rows, drawn anew in each iteration
N_FALLBACK = 5  # columns to keep, by importance, when none is confirmed


def two_sided_p_values(hits: Index, n_trials: int) -> Floats:
    """P-values of `hits` in `n_trials` fair coin tosses: twice the smaller tail, at most 1."""
    lower, upper = binom.cdf(hits, n_trials, 0.5), binom.sf(hits - 1, n_trials, 0.5)
    return np.minimum(1.0, 2 * np.minimum(lower, upper))


def find_significant(p_values: Floats, alpha: float, n_trials: int) -> Mask:
    """Benjamini-Hochberg over the undecided columns, and Bonferroni over the iterations made so far.

    The first step corrects for testing many columns at once, the second for testing each of them again after every
    iteration: p <= alpha / n_trials.
    """
    order = np.argsort(p_values, kind="stable")
    rank = np.arange(1, len(p_values) + 1)
    below = np.flatnonzero(p_values[order] <= alpha * rank / len(p_values))
    significant = np.zeros(len(p_values), dtype=bool)
    if len(below):
        significant[order[: below[-1] + 1]] = True
    return significant & (p_values <= alpha / n_trials)


def draw_shadows(columns: Index, n_columns: int, random: np.random.Generator) -> Index:
    """Which columns to shuffle: those not rejected, and further ones drawn from all if those are too few."""
    missing = max(0, MIN_SHADOWS - len(columns))
    return np.concatenate([columns, random.integers(n_columns, size=missing)])


@dataclass
class Trials:
    """Results of the iterations so far, one entry per column."""

    decision: NDArray[np.int8]
    hits: Index
    importance: list[Floats] = field(default_factory=list)
    best_shadow: list[float] = field(default_factory=list)

    @property
    def in_play(self) -> Index:
        """Columns that are not rejected."""
        return np.flatnonzero(self.decision != REJECTED)

    @property
    def undecided(self) -> Index:
        """Columns that are neither confirmed nor rejected."""
        return np.flatnonzero(self.decision == TENTATIVE)

    def record(self, columns: Index, importance: Floats, threshold: float) -> None:
        """Record one iteration: which columns beat the shadows."""
        self.hits[columns] += importance > threshold
        row = np.full(len(self.hits), np.nan)
        row[columns] = importance
        self.importance.append(row)
        self.best_shadow.append(threshold)

    def decide(self, alpha: float) -> None:
        """Confirm or reject the columns whose number of hits is not due to chance."""
        columns, n_trials = self.undecided, len(self.best_shadow)
        p_values = two_sided_p_values(self.hits[columns], n_trials)
        sure = columns[find_significant(p_values, alpha, n_trials)]
        self.decision[sure] = np.where(2 * self.hits[sure] > n_trials, CONFIRMED, REJECTED)

    def resolve(self) -> Mask:
        """Confirmed columns, and tentative ones whose median importance is above the median of the best shadows."""
        tentative = self.undecided
        chosen = self.decision == CONFIRMED
        if len(tentative):
            usual = np.median(np.array(self.importance)[:, tentative], axis=0)
            chosen[tentative] = usual > np.median(self.best_shadow)
        return chosen


class BorutaShap(FeatureSelection):
    """Keep every column that is relevant for the class, by Boruta's test with SHAP importances.

    The selection of the paper's Appendix on prior knowledge. Choose it when many columns are irrelevant and would
    dominate the density: it keeps *all* relevant columns, redundant ones included, and not a smallest set. Its trees
    have to give SHAP values: those of XGBoost and LightGBM do.

    Parameters
    ----------
    estimator : classifier, default=None
        Classifier of XGBoost or LightGBM that is refitted in each iteration. None means a random forest of trees of
        depth 4, by XGBoost; without it `fit` raises an ImportError.
    max_iter : int, default=50
        Maximum number of iterations; columns still undecided then are tentative.
    alpha : float, default=0.05
        Level of the test, which is corrected for the number of undecided columns (Benjamini-Hochberg) and for the
        number of iterations (Bonferroni).
    percentile : float, default=100
        A column must beat this percentile of the shadows' importances; 100 is the best shadow. Lower values keep more
        columns, also irrelevant ones.
    max_features : int, default=None
        Maximum number of columns to keep, by importance. None means no limit. When no column is confirmed, the five
        most important ones are kept.
    n_jobs : int, default=None
        Threads of each fit. None keeps the estimator's own setting, and means one thread where `estimator` is None.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling and of the estimator.
    verbose : int, default=0
        With 1, a progress bar is shown.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_columns,)
        Mask of the selected columns.
    decision_ : ndarray of str of shape (n_columns,)
        "confirmed", "tentative" (undecided after `max_iter`) or "rejected".
    tentative_ : ndarray of bool of shape (n_columns,)
        Mask of the tentative columns; those in `support_` were resolved in their favor.
    importance_ : ndarray of shape (n_columns,)
        Mean importance of each column over the iterations it took part in.
    hits_ : ndarray of int of shape (n_columns,)
        Number of iterations in which each column beat the shadows.
    shadow_importance_ : ndarray of shape (n_iterations,)
        The importance to beat in each iteration.
    n_iter_ : int
        Number of iterations.

    See Also
    --------
    KeepAll : No selection.

    Notes
    -----
    An iteration shuffles copies of the columns (shadows, which carry no information about the class), fits the
    estimator to columns and shadows, and counts a hit for each column whose importance is above that of the best
    shadow. The importance is the mean absolute SHAP value over rows and classes. After
    n iterations a column that is as good as the best shadow has Binomial(n, 1/2) hits; a two-sided test confirms
    columns with too many hits and rejects those with too few, which are removed together with their shadows. Tentative
    columns are kept if the median of their importances is above the median of the best shadows'.

    A column without information still differs by chance in the given rows: it beats the best of m shadows in more than
    half of the iterations with probability 1 - 2^(-1/m), about 0.69 / m. Hence there are at least 30 shadows, where
    needed of columns drawn anew: as columns are removed, the bar would fall, and 7% of all irrelevant columns would
    pass at ten shadows.

    Categories are passed on as such to XGBoost and LightGBM, and as positions of levels to scikit-learn; missing values
    stay missing, so that an estimator which does not support them raises its own error.

    References
    ----------
    Kursa and Rudnicki, "Feature selection with the Boruta package", Journal of Statistical Software 36 (2010).
    Lundberg et al., "From local explanations to global understanding with explainable AI for trees", Nature Machine
    Intelligence 2 (2020).

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.feature_selection import BorutaShap
    >>> X = np.random.default_rng(0).normal(size=(200, 6))
    >>> y = (X[:, 1] + X[:, 4] > 0).astype(int)
    >>> selection = BorutaShap(max_iter=15, random_state=0).fit(X, y)
    >>> selection.support_
    array([False,  True, False, False,  True, False])
    >>> selection.decision_[1]
    'confirmed'
    >>> selection.transform(X).shape
    (200, 2)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        max_iter: int = 50,
        alpha: float = 0.05,
        percentile: float = 100,
        max_features: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.max_iter = max_iter
        self.alpha = alpha
        self.percentile = percentile
        self.max_features = max_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Index, categorical_features: ArrayLike | None = None) -> BorutaShap:
        """Learn from the labeled rows which columns matter for the class."""
        self._check()
        values, categorical = _as_numbers(X, categorical_features)
        check_consistent_length(values, y)
        present, classes = np.unique(np.asarray(y), return_inverse=True)
        if len(present) < 2:
            raise ValueError(f"BorutaShap needs labeled rows of at least two classes; got {len(present)}.")
        self._conclude(self._run(values, classes, categorical))
        return self

    def _run(self, values: Floats, classes: Index, categorical: Mask) -> Trials:
        """Iterate until every column is decided, or `max_iter`."""
        random = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        n_columns = values.shape[1]
        trials = Trials(np.zeros(n_columns, dtype=np.int8), np.zeros(n_columns, dtype=np.intp))
        with show_progress("Boruta", self.max_iter, self.verbose) as bar:
            for _ in range(self.max_iter):
                columns = trials.in_play
                shadows = draw_shadows(columns, n_columns, random)
                importance = shap_importance(
                    self._new_model(len(columns) + len(shadows), int(random.integers(2**31))),
                    np.hstack([values[:, columns], random.permuted(values[:, shadows], axis=0)]),
                    classes,
                    categorical=np.concatenate([categorical[columns], categorical[shadows]]),
                    explained=_draw_rows(len(values), random),
                )
                threshold = float(np.percentile(importance[len(columns) :], self.percentile))
                trials.record(columns, importance[: len(columns)], threshold)
                trials.decide(self.alpha)
                bar.advance()
                bar.describe(f"{(trials.decision == CONFIRMED).sum()} confirmed, {len(trials.undecided)} undecided")
                if not len(trials.undecided):
                    break
        return trials

    def _new_model(self, n_columns: int, seed: int) -> Any:
        """An unfitted model for this many columns."""
        if self.estimator is None:
            return default_forest(n_columns, random_state=seed, n_jobs=1 if self.n_jobs is None else self.n_jobs)
        model = clone(self.estimator)
        known = model.get_params(deep=False)
        wanted = {"random_state": seed} if self.n_jobs is None else {"random_state": seed, "n_jobs": self.n_jobs}
        return model.set_params(**{name: value for name, value in wanted.items() if name in known})

    def _conclude(self, trials: Trials) -> None:
        """Say which columns are chosen, and what led to it."""
        self.n_iter_ = len(trials.best_shadow)
        self.hits_ = trials.hits
        self.importance_ = np.nanmean(np.array(trials.importance), axis=0)
        self.shadow_importance_ = np.array(trials.best_shadow)
        self.tentative_ = trials.decision == TENTATIVE
        self.decision_ = np.array(["tentative", "confirmed", "rejected"], dtype=object)[trials.decision]
        self.support_ = trials.resolve()
        if not self.support_.any():
            limit = min(N_FALLBACK, self.max_features or N_FALLBACK)
            self.support_ = _most_important(self.importance_, np.ones(len(self.support_), dtype=bool), limit)
            warnings.warn(
                f"BorutaShap could not confirm that any of the {len(self.support_)} columns matters for the class: it "
                f"keeps the {self.support_.sum()} most important ones. More labeled rows may help.",
                NoFeatureConfirmedWarning,
                stacklevel=3,
            )
        elif self.max_features is not None:
            self.support_ = _most_important(self.importance_, self.support_, self.max_features)

    def _check(self) -> None:
        """Every parameter is in its range."""
        if self.estimator is not None:
            find_explainer(self.estimator)
        check_integer(self.max_iter, "max_iter", "BorutaShap", 1)
        check_integer(self.max_features, "max_features", "BorutaShap", 1, allowed=[None])
        check_number(self.alpha, "alpha", "BorutaShap", "(0, 1)")
        check_number(self.percentile, "percentile", "BorutaShap", "(0, 100]")


def _draw_rows(n_rows: int, random: np.random.Generator) -> Index:
    """Rows to explain."""
    if n_rows <= MAX_ROWS_EXPLAINED:
        return np.arange(n_rows)
    return np.sort(random.choice(n_rows, MAX_ROWS_EXPLAINED, replace=False))


def _as_numbers(X: Any, categorical_features: ArrayLike | None) -> tuple[Floats, Mask]:
    """The table as one matrix, in its own order: numbers, levels by position, missing as NaN; and which are levels."""
    columns = learn_columns(X, categorical_features)
    table = columns.encode(X)
    values = np.empty((len(table), len(columns.names)))
    values[:, columns.continuous_index] = table.continuous
    values[:, columns.categorical_index] = np.where(table.codes >= 0, table.codes, np.nan)
    categorical = np.zeros(len(columns.names), dtype=bool)
    categorical[columns.categorical_index] = True
    return values, categorical


def _most_important(importance: Floats, among: Mask, count: int) -> Mask:
    """Mask of the `count` most important columns among some; the first ones where they tie."""
    order = np.argsort(np.where(among, -importance, np.inf), kind="stable")
    chosen = np.zeros(len(among), dtype=bool)
    chosen[order[: min(count, int(among.sum()))]] = True
    return chosen
