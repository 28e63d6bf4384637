"""A few kinds of models, and the choice among them on the labeled rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from tabcast.checks import check_choice, check_integer
from tabcast.confidence import smoothed_shares
from tabcast.exceptions import SmallClassWarning
from tabcast.models._adapted import Adaptation, AdaptedClassifier, adapt, weight_parameter
from tabcast.models._catalog import PACKAGES, make_model
from tabcast.models._default import default_classifier
from tabcast.models._lean_forest import make_lean
from tabcast.table import Floats, Index, take_rows
from tabcast.validation import CrossValidation

# The simplest first: of two kinds that are about as good, the earlier one is chosen.
KINDS = ("logistic_regression", "extra_trees", "hist_gradient_boosting", "xgboost", "lightgbm", "catboost")
BOOSTING = KINDS[2:]
FEWEST_FOR_BOOSTING = 50  # labeled rows; docs/benchmarks.md
IN_FOLDS: dict[str, dict[str, Any]] = {"extra_trees": {"forest__n_estimators": 60}}
PRIOR_PART = 0.05  # weight of the class proportions mixed into probabilities, so that none is 0
CLEARLY = 2.0  # standard errors by which a kind must be worse to get no further repeat


@dataclass(frozen=True, eq=False)
class Choice:
    """What was chosen, and why.

    Attributes
    ----------
    name : str
        The chosen kind.
    scores : DataFrame
        One row per kind, the simplest first: `model`, `log_loss`, `std_error` of the difference to the best,
        `n_repeats` of the cross-validation, `chosen`. Without any row that could be held out, scores are NaN.
    n_rows : int, default=0
        Number of labeled rows.
    left_out : tuple of str, default=()
        Kinds that are compared with more labeled rows only.

    See Also
    --------
    Portfolio : Makes it, on the labeled rows.
    """

    name: str
    scores: pd.DataFrame
    n_rows: int = 0
    left_out: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the choice as plain data.

        Returns
        -------
        dict
            As the attributes; `scores` is a list with one dict per kind, in which NaN is None.
        """
        known = self.scores.astype(object).where(self.scores.notna(), None)
        scores = known.to_dict(orient="records")
        return {"name": self.name, "scores": scores, "n_rows": self.n_rows, "left_out": list(self.left_out)}


class Portfolio(ClassifierMixin, BaseEstimator):
    """Choose a kind of model by repeated cross-validation on the labeled rows, and fit it.

    With few labels a linear model or a forest is often better than boosting, and the labeled rows can tell. The kind
    with the smallest out-of-fold log-loss is the best; the simplest kind within one standard error of it is chosen.
    As the base estimator of a self-training classifier, where ``estimator="auto"`` stands for it, it chooses once per
    fit, on the labeled rows.

    Parameters
    ----------
    members : sequence of str or None, default=None
        Names among `tabcast.models.MODEL_NAMES`, the simplest first. None: logistic regression and extra trees, and
        from 50 labeled rows on scikit-learn's gradient boosting, and XGBoost, LightGBM and CatBoost where they are
        installed.
    n_splits : int, default=5
        Number of folds.
    n_repeats : int, default=2
        How many times the rows are divided into folds at most. A kind that is worse than the best by more than two
        standard errors is not evaluated again.
    n_jobs : int, default=None
        Number of threads of a model; see :func:`make_model`.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and the models.

    Attributes
    ----------
    choice_ : Choice
        The chosen kind, and the scores of all.
    estimator_ : classifier
        The fitted model.
    classes_ : ndarray
        The classes.

    See Also
    --------
    make_model : One kind by its name.

    Notes
    -----
    The loss of a row is ``-log(0.95 p + 0.05 s)`` with the out-of-fold probability p of its class and the class
    proportion s, mean over the repeats. The standard error is that of the paired differences over rows. Tables are
    encoded once for all folds, without labels; forests have 60 trees in folds.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from tabcast.models import Portfolio
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = Portfolio(["logistic_regression", "hist_gradient_boosting"], random_state=0).fit(X[::12], y[::12])
    >>> model.choice_.name
    'logistic_regression'
    """

    estimator_: Any
    choice_: Choice

    def __init__(
        self,
        members: Sequence[str] | None = None,
        *,
        n_splits: int = 5,
        n_repeats: int = 2,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.members = members
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Portfolio:
        """Choose, and fit the chosen kind on all rows.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,)
            The classes.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row.

        Returns
        -------
        Portfolio
            The fitted classifier itself.
        """
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        self.choice_ = self.choose(X, codes, weight)
        model = self.build(self.choice_.name)
        params = {} if weight is None else {str(weight_parameter(model)): weight}
        self.estimator_ = AdaptedClassifier(model).fit(X, self.classes_[codes], **params)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Predict probabilities with the chosen model.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_rows, n_columns)
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities; columns as in `classes_`.
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.predict_proba(X), dtype=float)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes with the chosen model.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_rows, n_columns)
            The table.

        Returns
        -------
        ndarray of shape (n_rows,)
            The classes.
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.predict(X))

    def build(self, name: str) -> Any:
        """Make a model of a kind.

        Parameters
        ----------
        name : str
            Its kind.

        Returns
        -------
        classifier
            Not fitted.
        """
        seed = self.random_state if isinstance(self.random_state, int) else None
        return make_model(name, seed=seed, n_jobs=self.n_jobs)

    def choose(self, X: Any, y: Index, sample_weight: Floats | None = None) -> Choice:
        """Choose a kind of model.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_rows, n_columns)
            The labeled rows.
        y : ndarray of int of shape (n_rows,)
            Class indices; every class occurs.
        sample_weight : ndarray of shape (n_rows,), default=None
            Weight of each row.

        Returns
        -------
        Choice
            The kind. The simplest one where every class has a single row, because none can be held out.
        """
        names, left_out = self._read_members(len(y))
        n_kinds = len(names)
        scores: dict[str, Any] = {"log_loss": np.nan, "std_error": np.nan, "n_repeats": np.zeros(n_kinds, dtype=int)}
        chosen = 0
        if n_kinds > 1 and np.bincount(y).max() > 1:
            scores, chosen = self._race(names, X, y, sample_weight)
        table = pd.DataFrame({"model": names, **scores, "chosen": np.arange(n_kinds) == chosen})
        return Choice(names[chosen], table, len(y), left_out)

    def _race(self, names: list[str], X: Any, y: Index, weight: Floats | None) -> tuple[dict[str, Any], int]:
        """Mean losses, and the position of the choice; kinds that are clearly worse drop out after a repeat."""
        random_state = np.random.RandomState(self.random_state if isinstance(self.random_state, int) else 0)
        total, left = np.zeros((len(names), len(y))), np.arange(len(names))
        means, errors = np.full((2, len(names)), np.nan)
        n_repeats = np.zeros(len(names), dtype=int)
        with warnings.catch_warnings():
            for category in (SmallClassWarning, ConvergenceWarning):
                warnings.simplefilter("ignore", category)
            models = [self.build(name).set_params(**IN_FOLDS.get(name, {})) for name in names]
            kinds = [encode_kind(model, X, int(y.max()) + 1) for model in models]
            for repeat in range(1, self.n_repeats + 1):
                folds = CrossValidation(self.n_splits, n_repeats=1).split(y, random_state)
                for kind in left:
                    total[kind] += out_of_fold_losses(kinds[kind], y, weight, folds)
                means[left], errors[left] = compare_losses(total[left] / repeat)
                n_repeats[left] = repeat
                left = left[means[left] - means[left].min() <= CLEARLY * errors[left]]
                if len(left) == 1:
                    break
        chosen = int(left[find_simplest(means[left], errors[left])])
        return {"log_loss": means, "std_error": errors, "n_repeats": n_repeats}, chosen

    def _read_members(self, n_labeled: int) -> tuple[list[str], tuple[str, ...]]:
        """The kinds to choose from, and those that need more rows."""
        check_integer(self.n_splits, "n_splits", "Portfolio", 2)
        check_integer(self.n_repeats, "n_repeats", "Portfolio", 1)
        if self.members is None:
            names = [name for name in KINDS if name not in PACKAGES or find_spec(name) is not None]
            left_out = tuple(name for name in names if n_labeled < FEWEST_FOR_BOOSTING and name in BOOSTING)
            return [name for name in names if name not in left_out], left_out
        if isinstance(self.members, str) or len(self.members) == 0:
            raise ValueError(f"`members` of Portfolio must be a list of model names; got {self.members!r}.")
        for name in self.members:
            check_choice(name, KINDS, "member of Portfolio")
        return list(self.members), ()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def resolve_estimator(estimator: Any, owner: str) -> Any:
    """Return the base estimator that a parameter stands for.

    Parameters
    ----------
    estimator : classifier, "auto" or None
        A classifier stands for itself, "auto" for :class:`Portfolio`, None for :func:`default_classifier`.
    owner : str
        Class that has the parameter, for errors.

    Returns
    -------
    classifier
        Not fitted.

    Examples
    --------
    >>> from tabcast.models import resolve_estimator
    >>> resolve_estimator(None, "CASTClassifier")
    HistGradientBoostingClassifier(min_samples_leaf=8)
    """
    if estimator is None:
        return default_classifier()
    if not isinstance(estimator, str):
        return estimator
    if estimator != "auto":
        raise ValueError(
            f"`estimator` of {owner} must be a classifier, None or 'auto'; got {estimator!r}. "
            "tabcast.models.make_model returns one by its name."
        )
    return Portfolio()


@dataclass(frozen=True, eq=False)
class EncodedKind:
    """A kind of model, and the labeled rows in the form that it takes: encoded once, for all folds.

    Attributes
    ----------
    model : classifier
        The classifier; of a pipeline its last step.
    X : ndarray or DataFrame
        The labeled rows, encoded.
    adaptation : Adaptation
        What is still to be encoded around it.
    """

    model: Any
    X: Any
    adaptation: Adaptation


def encode_kind(model: Any, X: Any, n_classes: int) -> EncodedKind:
    """Encode the labeled rows for a kind of model, without labels."""
    if isinstance(model, Pipeline):
        return EncodedKind(make_lean(model[-1]), model[:-1].fit_transform(X), Adaptation())
    adaptation = adapt(model, X, np.arange(n_classes))
    return EncodedKind(model, adaptation.encode(X), adaptation)


def out_of_fold_losses(
    kind: EncodedKind, y: Index, weight: Floats | None, folds: Sequence[tuple[Index, Index]]
) -> Floats:
    """Log-loss of each row, out of fold; NaN for a row that is never held out."""
    losses, n_classes = np.full(len(y), np.nan), int(y.max()) + 1
    for train, held_out in folds:
        present, codes = np.unique(y[train], return_inverse=True)
        params = {} if weight is None else {"sample_weight": weight[train]}
        classes = np.arange(len(present))
        fitted = kind.adaptation.fit(kind.model, take_rows(kind.X, train), codes, classes, params)
        proba = np.zeros((len(held_out), n_classes))
        proba[:, present] = fitted.predict_proba(take_rows(kind.X, held_out))
        shares = smoothed_shares(y[train], n_classes)
        likely = (1 - PRIOR_PART) * proba[np.arange(len(held_out)), y[held_out]] + PRIOR_PART * shares[y[held_out]]
        losses[held_out] = -np.log(likely)
    return losses


def compare_losses(losses: Floats) -> tuple[Floats, Floats]:
    """Compare kinds on the rows for which all have a loss.

    Parameters
    ----------
    losses : ndarray of shape (n_kinds, n_rows)
        Losses; NaN where there is none.

    Returns
    -------
    means : ndarray of shape (n_kinds,)
        Mean losses; zeros without a row.
    errors : ndarray of shape (n_kinds,)
        Standard errors of the paired differences to the smallest mean.
    """
    known = losses[:, np.isfinite(losses).all(axis=0)]
    n_rows = known.shape[1]
    if n_rows < 2:
        return (known.mean(axis=1) if n_rows else np.zeros(len(losses))), np.zeros(len(losses))
    means = known.mean(axis=1)
    above = known - known[int(means.argmin())]
    return means, above.std(axis=1, ddof=1) / np.sqrt(n_rows)


def find_simplest(means: Floats, errors: Floats) -> int:
    """Position of the first mean loss within one standard error of the smallest."""
    return int(np.argmax(means - means.min() <= errors))
