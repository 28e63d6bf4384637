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
from sklearn.utils.validation import check_is_fitted

from tabcast.checks import check_choice, check_integer
from tabcast.confidence import smoothed_shares
from tabcast.exceptions import SmallClassWarning
from tabcast.models._adapted import AdaptedClassifier, weight_parameter
from tabcast.models._catalog import PACKAGES, make_model
from tabcast.table import Floats, Index, take_rows
from tabcast.validation import CrossValidation

# The simplest first: of two kinds that are about as good, the earlier one is chosen.
KINDS = ("logistic_regression", "extra_trees", "hist_gradient_boosting", "xgboost", "lightgbm", "catboost")
IN_FOLDS: dict[str, dict[str, Any]] = {"extra_trees": {"forest__n_estimators": 60}}
PRIOR_PART = 0.05  # weight of the class proportions mixed into probabilities, so that none is 0


@dataclass(frozen=True, eq=False)
class Choice:
    """What was chosen, and why.

    Attributes
    ----------
    name : str
        The chosen kind.
    scores : DataFrame
        One row per kind, the simplest first: `model`, `log_loss`, `std_error` of the difference to the best, `chosen`.
    """

    name: str
    scores: pd.DataFrame


class Portfolio(ClassifierMixin, BaseEstimator):
    """Choose a kind of model by repeated cross-validation on the labeled rows, and fit it.

    With few labels a linear model or a forest is often better than boosting, and the labeled rows can tell. The kind
    with the smallest out-of-fold log-loss is the best; the simplest kind within one standard error of it is chosen.
    As the base estimator of a self-training classifier it chooses once per fit, on the labeled rows.

    Parameters
    ----------
    members : sequence of str or None, default=None
        Names among `tabcast.models.MODEL_NAMES`, the simplest first. None: logistic regression, extra trees,
        scikit-learn's gradient boosting, and XGBoost, LightGBM and CatBoost where they are installed.
    n_splits : int, default=5
        Number of folds.
    n_repeats : int, default=2
        How many times the rows are divided into folds.
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
    proportion s, mean over the repeats. The standard error is that of the paired differences over rows.

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
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.members = members
        self.n_splits = n_splits
        self.n_repeats = n_repeats
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
        model = AdaptedClassifier(self.build(self.choice_.name))
        self.estimator_ = model.fit(X, self.classes_[codes], **_weights(model.estimator, weight))
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Predict probabilities with the chosen model.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_rows, n_columns)
            The table.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities.
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
        """Make the chosen model.

        Parameters
        ----------
        name : str
            Its kind.

        Returns
        -------
        classifier
            Not fitted.
        """
        return make_model(name, seed=self.random_state if isinstance(self.random_state, int) else None)

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
        names = self._read_members()
        if len(names) == 1 or np.bincount(y).max() < 2:
            return _choose(names, np.zeros((0, len(names))))
        random_state = np.random.RandomState(self.random_state if isinstance(self.random_state, int) else 0)
        with warnings.catch_warnings():
            for category in (SmallClassWarning, ConvergenceWarning):
                warnings.simplefilter("ignore", category)
            folds = CrossValidation(self.n_splits, n_repeats=self.n_repeats).split(y, random_state)
            models = [self.build(name).set_params(**IN_FOLDS.get(name, {})) for name in names]
            losses = [_losses(model, X, y, sample_weight, folds) for model in models]
        return _choose(names, np.column_stack(losses))

    def _read_members(self) -> list[str]:
        """The kinds to choose from."""
        check_integer(self.n_splits, "n_splits", "Portfolio", 2)
        check_integer(self.n_repeats, "n_repeats", "Portfolio", 1)
        if self.members is None:
            return [name for name in KINDS if name not in PACKAGES or find_spec(name) is not None]
        if isinstance(self.members, str) or len(self.members) == 0:
            raise ValueError(f"`members` of Portfolio must be a list of model names; got {self.members!r}.")
        for name in self.members:
            check_choice(name, KINDS, "member of Portfolio")
        return list(self.members)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _weights(model: Any, weight: Floats | None) -> dict[str, Floats]:
    """Weights under the name that a model takes them by."""
    return {} if weight is None else {str(weight_parameter(model)): weight}


def _losses(model: Any, X: Any, y: Index, weight: Floats | None, folds: Sequence[tuple[Index, Index]]) -> Floats:
    """Log-loss of each row, out of fold; mean over the repeats, NaN for a row that is never held out."""
    n_classes = int(y.max()) + 1
    total, n_times = np.zeros(len(y)), np.zeros(len(y))
    for train, held_out in folds:
        present = np.unique(y[train])
        inner = None if weight is None else weight[train]
        fitted = AdaptedClassifier(model).fit(take_rows(X, train), y[train], **_weights(model, inner))
        proba = np.zeros((len(held_out), n_classes))
        proba[:, present] = fitted.predict_proba(take_rows(X, held_out))
        shares = smoothed_shares(y[train], n_classes)
        likely = (1 - PRIOR_PART) * proba[np.arange(len(held_out)), y[held_out]] + PRIOR_PART * shares[y[held_out]]
        total[held_out] -= np.log(likely)
        n_times[held_out] += 1
    with np.errstate(invalid="ignore"):
        return total / n_times


def _choose(names: Sequence[str], losses: Floats) -> Choice:
    """The simplest kind within one standard error of the best."""
    known = losses[np.isfinite(losses).all(axis=1)]
    means = known.mean(axis=0) if len(known) else np.zeros(len(names))
    above = known - known[:, [int(means.argmin())]]
    error = above.std(axis=0, ddof=1) / np.sqrt(len(known)) if len(known) > 1 else np.zeros(len(names))
    chosen = int(np.flatnonzero(means - means.min() <= error)[0])
    table = {"model": list(names), "log_loss": means, "std_error": error, "chosen": np.arange(len(names)) == chosen}
    return Choice(names[chosen], pd.DataFrame(table))
