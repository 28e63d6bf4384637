"""Several kinds of models together: what one gets wrong the others may get right."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from tabcast.checks import check_choice, check_integer
from tabcast.models._adapted import AdaptedClassifier, adapt, seeded, weight_parameter
from tabcast.models._catalog import default_classifier
from tabcast.statistics._intervals import smoothed_shares
from tabcast.table import Floats, Index, Mask
from tabcast.table._encoders import NormalScores, TableCodes
from tabcast.table._tables import take_rows
from tabcast.table._types import stack_rows
from tabcast.teachers._teachers import Folds, Lesson, SelfTeacher, Teacher, proba_of

OWN = "own"
MOST_ENCODED = 50_000  # unlabeled rows that an encoding is learned from, 800 bytes each while it is
MOST_PER_TREE = 10_000  # of more rows, each tree is trained on so many, drawn at random
PRIOR_PART = 0.05  # weight of the class proportions mixed into each member while weights are estimated
PRIOR_STRENGTH = 2.0  # rows that each member is given beforehand


class IndicatorTrees(ExtraTreesRegressor):
    """Extra trees on the proportions of the classes: as the classifier's, and fitted in a fraction of the time."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> IndicatorTrees:
        """Fit on class labels, or on the proportions of the classes 0, 1, ... in each row."""
        if np.ndim(y) == 1:
            self.classes_, codes = np.unique(y, return_inverse=True)
            shares = np.eye(len(self.classes_))[codes]
        else:
            self.classes_, shares = np.arange(np.shape(y)[1]), y
        super().fit(X, shares if shares.shape[1] > 1 else np.repeat(shares, 2, axis=1), sample_weight)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Predict the mean of the trees."""
        return np.asarray(self.predict(X), dtype=float)[:, : len(self.classes_)]


@dataclass(frozen=True)
class Recipe:
    """How a member is built: the encoding of the table, the classifier, and another one while weights are estimated.

    Without an encoding the classifier gets the table as it is.
    """

    encoding: type[Any] | None
    build: Callable[[], Any]
    build_in_folds: Callable[[], Any] | None = None


MEMBERS = {
    "trees": Recipe(
        TableCodes,
        lambda: IndicatorTrees(n_estimators=200, max_features="sqrt"),
        lambda: IndicatorTrees(n_estimators=100, max_features="sqrt"),
    ),
    "linear": Recipe(NormalScores, lambda: LogisticRegression(C=0.3, max_iter=1000)),
    "boosting": Recipe(None, lambda: AdaptedClassifier(default_classifier())),
}


class Committee(Teacher):
    """Average the user's own estimator and classifiers of other kinds, with weights estimated out of fold.

    Choose it (it is the default) unless the user's estimator is known to be much better than the others. The
    weights maximize the out-of-fold log-likelihood of the labeled rows.

    Parameters
    ----------
    members : sequence of str or classifier, default=("own", "trees", "linear")
        Names among "own" (the user's estimator), "trees" (200 extremely randomized trees; half as many while weights
        are estimated), "linear" (logistic regression on normal scores and indicators) and "boosting"; or classifiers,
        for which the table is encoded if they cannot take it.
    n_folds : int, default=5
        Number of folds of the labeled rows from which weights are estimated. A class with one row is never held out;
        where no class has two, all members have equal weights.
    weights : array-like of shape (n_members,), default=None
        Weights to use instead of estimating them; then no row is held out.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
        Weight of each member; they sum to 1.
    members_ : list
        The fitted members, in the order of `members`.
    n_classes_ : int
        Number of classes.
    held_out_ : ndarray of int
        Positions of the labeled rows that were held out in a fold: all but those alone in their class.
    out_of_fold_ : ndarray of shape (n_held_out, n_classes) or None
        Probabilities of these rows, predicted by members trained without them, in the same mixture; None without any.
    by_member_ : ndarray of shape (n_members, n_held_out, n_classes)
        The same of each member.

    See Also
    --------
    SelfTeacher : The user's estimator alone.

    Notes
    -----
    The weights w maximize ``sum_i log(sum_m w_m p_im) + 2 * sum_m log w_m`` over the labeled rows i, where p_im is the
    probability that member m, trained without row i, gives the row's class, with 5% of the class proportions mixed in.
    Ranks and levels of the members' encodings are learned from labeled and unlabeled rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from tabcast import SoftSelfTrainingClassifier
    >>> from tabcast.teachers import Committee
    >>> X, y = load_iris(return_X_y=True)
    >>> y[y.argsort(kind="stable") % 5 != 0] = -1
    >>> teacher = Committee(["own", "linear"])
    >>> model = SoftSelfTrainingClassifier(DecisionTreeClassifier(), teacher=teacher, random_state=0).fit(X, y)
    >>> model.teacher_.weights_.round(1)  # the tree has more weight than the linear model
    array([0.7, 0.3])
    """

    temperature: ClassVar[float] = 0.5
    predicts_out_of_fold: ClassVar[bool] = True

    def __init__(
        self, members: Sequence[Any] = (OWN, "trees", "linear"), *, n_folds: int = 5, weights: ArrayLike | None = None
    ) -> None:
        self.members = members
        self.n_folds = n_folds
        self.weights = weights

    @property
    def n_own_fits(self) -> int:
        """One per fold, if the user's estimator is a member."""
        return self.n_folds * sum(map(_is_own, self.members)) if self.weights is None else 0

    def check(self) -> None:
        """Check that members are known and folds are at least two."""
        if not isinstance(self.members, list | tuple) or len(self.members) == 0:
            raise ValueError(f"`members` of Committee must be a list of at least one member; got {self.members!r}.")
        for member in self.members:
            if isinstance(member, str):
                check_choice(member, (OWN, *MEMBERS), "member of Committee")
            elif not is_classifier(member):
                raise ValueError(
                    f"`members` of Committee must be names or classifiers with predict_proba; got {member!r}."
                )
        check_integer(self.n_folds, "n_folds", "Committee", 2)
        if self.weights is not None and np.shape(self.weights) != (len(self.members),):
            raise ValueError(
                f"`weights` of Committee must be a number for each of the {len(self.members)} members, or None; "
                f"got {self.weights!r}."
            )

    def fit(self, lesson: Lesson) -> Committee:
        """Fit every member on the labeled rows, and estimate the weights."""
        self.check()
        folds = lesson.folds
        if folds is None:
            folds = make_folds(lesson.y, self.n_folds, lesson.random_state, lesson.chosen)
        folds = folds if self.weights is None else []
        by_fold: list[list[Any]] = [[] for _ in folds]
        self.n_classes_ = lesson.n_classes
        self.members_, out_of_fold = [], []
        nothing = np.zeros((len(lesson.y), lesson.n_classes))
        encodings: dict[type[Any], Any] = {}
        n_pool = len(lesson.X_pool)
        some = np.arange(0, n_pool, max(1, -(-n_pool // MOST_ENCODED)))
        rows = stack_rows(lesson.X, take_rows(lesson.X_pool, some))
        for member in self.members:
            if _is_own(member):
                self.members_.append(lesson.own)
                for one in by_fold:
                    one.append(None)
                out_of_fold.append(lesson.own_out_of_fold(folds) if folds else nothing)
                continue
            recipe = MEMBERS[member] if isinstance(member, str) else _adapted_recipe(member, rows, lesson)
            if recipe.encoding is not None and recipe.encoding not in encodings:  # learned without labels
                encodings[recipe.encoding] = recipe.encoding(lesson.categorical_features).fit(rows)
            encoding = None if recipe.encoding is None else encodings[recipe.encoding]
            X = lesson.X if encoding is None else encoding.transform(lesson.X)
            model, in_folds = (
                seeded(build(), lesson.random_state) for build in (recipe.build, recipe.build_in_folds or recipe.build)
            )
            proba, fitted = _predict_out_of_fold(in_folds, X, lesson, folds)
            out_of_fold.append(proba)
            for one, of_fold in zip(by_fold, fitted, strict=True):
                one.append(_with_encoding(encoding, of_fold))
            self.members_.append(_with_encoding(encoding, _fit(model, X, lesson.y, lesson.sample_weight)))
        seen = np.sort(np.concatenate([np.empty(0, dtype=np.intp), *(held_out for _, held_out in folds)]))
        self.held_out_, self.by_member_ = seen, np.stack(out_of_fold)[:, seen]
        self._known = lesson.y, lesson.sample_weight
        self._by_fold = None if lesson.folds is None else by_fold
        self.weights_, mixed, _ = self.weigh(np.ones(len(lesson.y), dtype=bool))
        self.out_of_fold_ = mixed if len(seen) else None
        self._predict_pool(lesson)
        return self

    def _predict_pool(self, lesson: Lesson) -> None:
        """Probabilities of the unlabeled rows; those of the user's estimator come from outside."""
        self._pool = [
            None if member is lesson.own else proba_of(member, lesson.X_pool, lesson.n_classes)
            for member in self.members_
        ]

    @property
    def knows_folds(self) -> bool:
        """Whether the folds were those of the lesson, so that `of_fold` gives their members."""
        return self._by_fold is not None

    def forget_folds(self) -> None:
        """Drop the members of the folds, once the comparison that they are for is over."""
        self._by_fold = None

    def of_fold(self, number: int, training: Mask) -> FoldCommittee:
        """Return the committee of the rows outside a fold of the lesson.

        Parameters
        ----------
        number : int
            The fold.
        training : ndarray of bool of shape (n_rows,)
            Mask of the rows outside it.

        Returns
        -------
        FoldCommittee
            Its members are fitted already.
        """
        assert self._by_fold is not None
        members = [None if one is None else FrozenEstimator(one) for one in self._by_fold[number]]
        return FoldCommittee(self.members, self.weigh(training)[0].tolist(), members)

    def weigh(self, training: Mask) -> tuple[Floats, Floats, Index]:
        """Estimate the weights from some of the labeled rows, as they are predicted out of fold.

        Parameters
        ----------
        training : ndarray of bool of shape (n_rows,)
            Mask of the labeled rows.

        Returns
        -------
        weights : ndarray of shape (n_members,)
            The given weights, if there are some.
        proba : ndarray of shape (n_held_out, n_classes)
            The members' out-of-fold probabilities of these rows, as far as they were held out, in that mixture.
        y : ndarray of int of shape (n_held_out,)
            Their classes.
        """
        y, sample_weight = self._known
        known = training[self.held_out_]
        rows = self.held_out_[known]
        shares = smoothed_shares(y[training], self.n_classes_)
        mixed = with_prior(self.by_member_[:, known], shares, PRIOR_PART)
        likelihood = mixed[:, np.arange(len(rows)), y[rows]].T
        row_weight = None
        if sample_weight is not None and sample_weight[rows].sum() > 0:  # a row counts 1 on average
            row_weight = sample_weight[rows] / sample_weight[rows].mean()
        if self.weights is None:
            weights = mixture_weights(likelihood, strength=PRIOR_STRENGTH, row_weight=row_weight)
        else:
            weights = np.asarray(self.weights, dtype=float)
        return weights, np.tensordot(weights, self.by_member_[:, known], axes=1), y[rows]

    def teach(self, own_proba: Floats) -> Floats:
        """Return the members' weighted mean, with the given probabilities for the user's estimator."""
        return self._mix([own_proba if proba is None else proba for proba in self._pool])

    def predict_proba(self, X: Any) -> Floats:
        """Return the members' weighted mean for other rows."""
        return self._mix([proba_of(member, X, self.n_classes_) for member in self.members_])

    def list_classifiers(self, own: Any) -> list[Any]:
        """The fitted members, with `own` in the place of the user's estimator.

        Parameters
        ----------
        own : classifier
            The user's estimator, for tables as the user has them.

        Returns
        -------
        list of classifier
            In the order of `weights_`.
        """
        return [own if _is_own(name) else one for name, one in zip(self.members, self.members_, strict=True)]

    def retrain(self, own: Any, X: Any, soft: Floats, row_weight: Floats | None, random_state: int) -> list[Any]:
        """Train the members once more, on soft labels.

        Parameters
        ----------
        own : classifier
            The user's estimator, trained on the soft labels already.
        X : ndarray or DataFrame of shape (n_rows, n_columns)
            Labeled and unlabeled rows.
        soft : ndarray of shape (n_rows, n_classes)
            Proportions of the classes in each row; rows sum to 1.
        row_weight : ndarray of shape (n_rows,) or None
            Weight of each row. None means equal weights.
        random_state : int
            Seed of everything random.

        Returns
        -------
        list of classifier
            As :meth:`list_classifiers`. A member that takes no weights is trained on the most likely classes.
        """
        rows, codes = np.nonzero(soft)
        weight = soft[rows, codes] if row_weight is None else soft[rows, codes] * row_weight[rows]
        retrained = []
        for name, one in zip(self.members, self.members_, strict=True):
            if _is_own(name):
                retrained.append(own)
                continue
            is_encoded = isinstance(name, str) and MEMBERS[name].encoding is not None
            encoding, fitted = (one[0], one[1]) if is_encoded else (None, one)
            model, encoded = seeded(clone(fitted), random_state), X if encoding is None else encoding.transform(X)
            if isinstance(model, IndicatorTrees):
                most = MOST_PER_TREE if len(encoded) > MOST_PER_TREE else None
                model.set_params(bootstrap=most is not None, max_samples=most)
                fitted = model.fit(encoded, soft, row_weight)
            elif weight_parameter(model) is None:
                fitted = _fit(model, encoded, soft.argmax(axis=1), None)
            else:
                fitted = _fit(model, take_rows(encoded, rows), codes, weight)
            retrained.append(_with_encoding(encoding, fitted))
        return retrained

    def _mix(self, probas: list[Floats]) -> Floats:
        return np.tensordot(self.weights_, np.stack(probas), axes=1)


class FoldCommittee(Committee):
    """A committee of the training rows of a fold, the members of which were fitted when their weights were estimated.

    Parameters
    ----------
    members : sequence of str or classifier
        As in :class:`Committee`.
    weights : array-like of shape (n_members,)
        Their weights, estimated from the other folds.
    fitted : sequence of FrozenEstimator or None
        The fitted members; None for the user's estimator.

    See Also
    --------
    Committee : Makes one of these per fold.
    """

    def __init__(self, members: Sequence[Any], weights: ArrayLike, fitted: Sequence[Any]) -> None:
        super().__init__(members, weights=weights)
        self.fitted = fitted

    def fit(self, lesson: Lesson) -> FoldCommittee:
        """Take the members as they are, and the user's estimator of the lesson."""
        self.n_classes_, self.weights_ = lesson.n_classes, np.asarray(self.weights, dtype=float)
        self.members_ = [lesson.own if one is None else one.estimator for one in self.fitted]
        self._predict_pool(lesson)
        return self


def resolve_teacher(given: Any, owner: str) -> Teacher:
    """The teacher that a user passed, or that a short name or a classifier stands for."""
    if given is None or isinstance(given, str):
        check_choice("committee" if given is None else given, ("committee", "self"), f"`teacher` of {owner}")
        return SelfTeacher() if given == "self" else Committee()
    if isinstance(given, Teacher):
        return given
    if is_classifier(given):
        return Committee([given])
    raise TypeError(
        f"`teacher` of {owner} must be 'committee', 'self', a classifier with predict_proba or a member of "
        f"tabcast.teachers; got {given!r}."
    )


def is_classifier(given: Any) -> bool:
    """Whether an object can be fitted and predicts probabilities."""
    return not isinstance(given, type) and hasattr(given, "fit") and hasattr(given, "predict_proba")


def _is_own(member: Any) -> bool:
    """Whether a member is the user's estimator."""
    return isinstance(member, str) and member == OWN


def _adapted_recipe(member: Any, rows: Any, lesson: Lesson) -> Recipe:
    """How a user's classifier is built, with an encoding learned from all rows where it cannot take the table."""
    adaptation = adapt(member, rows, np.arange(lesson.n_classes), lesson.categorical_features)
    return Recipe(None, partial(AdaptedClassifier, member, adaptation) if adaptation.needed else partial(clone, member))


def _with_encoding(encoding: Any, model: Any) -> Any:
    """A fitted classifier behind its fitted encoding."""
    return model if encoding is None else Pipeline([("columns", encoding), ("model", model)])


def make_folds(y: Index, n_folds: int, random_state: int, chosen: Mask | None = None) -> Folds:
    """Stratified folds of the labeled rows; chosen rows, and rows that are alone in their class, always train."""
    several = np.flatnonzero((np.bincount(y)[y] > 1) & (True if chosen is None else ~chosen))
    n_folds = min(n_folds, int(np.bincount(y[several]).max(initial=0)))
    if n_folds < 2:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes with fewer rows than folds are in some of them
        cuts = StratifiedKFold(n_folds, shuffle=True, random_state=random_state).split(several, y[several])
        held_out = [several[rows] for _, rows in cuts]
    return [(np.setdiff1d(np.arange(len(y)), rows), rows) for rows in held_out]


def _predict_out_of_fold(model: Any, X: Any, lesson: Lesson, folds: Folds) -> tuple[Floats, list[Any]]:
    """Probabilities of held-out rows, zeros for rows that are never held out; and the fitted models, one per fold."""
    proba = np.zeros((len(lesson.y), lesson.n_classes))
    weight, fitted = lesson.sample_weight, []
    for train, held_out in folds:
        fitted.append(_fit(model, take_rows(X, train), lesson.y[train], None if weight is None else weight[train]))
        proba[held_out] = proba_of(fitted[-1], take_rows(X, held_out), lesson.n_classes)
    return proba, fitted


def _fit(model: Any, X: Any, y: Index, weight: Floats | None) -> Any:
    """A fitted copy; weights where it takes them."""
    name = weight_parameter(model) if weight is not None else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # nearly there is good enough for a member
        return clone(model).fit(X, y, **({name: weight} if name else {}))


def with_prior(proba: Floats, shares: Floats, part: float) -> Floats:
    """Probabilities with a part of the class proportions mixed in, so that no class has probability 0."""
    return (1 - part) * proba + part * shares


def mixture_weights(
    likelihood: Floats,
    *,
    strength: float = 2.0,
    row_weight: Floats | None = None,
    tolerance: float = 1e-10,
    max_steps: int = 100_000,
) -> Floats:
    """Estimate the weights of the members of a mixture by EM.

    They maximize ``sum_i log(sum_m w_m L_im) + strength * sum_m log w_m``: the log-likelihood of the rows, and a prior
    that keeps every member in. Each step divides every row among the members in proportion to its likelihood under
    them, and updates the weights by the sums and the prior.
    """
    n_rows, n_members = likelihood.shape
    counts = np.ones(n_rows) if row_weight is None else row_weight
    total = counts.sum() + strength * n_members
    weights = np.full(n_members, 1 / n_members)
    for _ in range(max_steps):
        explained = likelihood * weights
        explained *= (counts / explained.sum(axis=1))[:, None]
        updated = (explained.sum(axis=0) + strength) / total
        moved = np.abs(updated - weights).max()
        weights = updated
        if moved <= tolerance:
            break
    return weights
