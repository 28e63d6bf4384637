"""Several kinds of models together: what one gets wrong the others may get right."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from tabcast.checks import check_choice, check_integer
from tabcast.confidence import smoothed_shares
from tabcast.models import AdaptedClassifier, default_classifier, seeded, weight_parameter
from tabcast.models._lean_forest import make_lean
from tabcast.table import (
    MANY_ROWS,
    Floats,
    Index,
    NormalScores,
    TableCodes,
    map_rows,
    n_rows,
    stack_rows,
    take_rows,
)
from tabcast.teachers._base import Folds, Lesson, Teacher, proba_of
from tabcast.teachers._foundation_classifier import ContextColumns, FoundationClassifier
from tabcast.teachers._mixing import mixture_weights, with_prior

OWN = "own"
PRIOR_PART = 0.05  # weight of the class proportions mixed into each member while weights are estimated
PRIOR_STRENGTH = 2.0  # rows that each member is given beforehand


class Neighbors(KNeighborsClassifier):
    """Nearest neighbors that accept fewer training rows than `n_neighbors`."""

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Return at most as many neighbors as there are training rows."""
        return super().kneighbors(X, min(n_neighbors or self.n_neighbors, self.n_samples_fit_), return_distance)


@dataclass(frozen=True)
class Recipe:
    """How a member is built.

    Attributes
    ----------
    encoding : type
        How the table is encoded for it.
    build : callable
        Returns the classifier.
    in_folds : mapping
        Parameters of the classifier while weights are estimated.
    """

    encoding: type[Any]
    build: Callable[[], Any]
    in_folds: Mapping[str, Any] = field(default_factory=dict)


MEMBERS = {
    "trees": Recipe(TableCodes, lambda: ExtraTreesClassifier(n_estimators=200), {"n_estimators": 100}),
    "linear": Recipe(NormalScores, lambda: LogisticRegression(C=0.3, max_iter=1000)),
    # Without a search tree, which model files cannot hold.
    "neighbors": Recipe(NormalScores, lambda: Neighbors(10, weights="distance", algorithm="brute")),
    "network": Recipe(NormalScores, lambda: MLPClassifier((32,), alpha=0.1, max_iter=300)),
    "boosting": Recipe(FunctionTransformer, lambda: AdaptedClassifier(default_classifier())),
    "tabpfn": Recipe(ContextColumns, lambda: FoundationClassifier("tabpfn")),
    "tabicl": Recipe(ContextColumns, lambda: FoundationClassifier("tabicl")),
}


@dataclass(frozen=True, eq=False)
class Member:
    """A fitted member: encodes a table and predicts."""

    encoding: Any
    model: Any

    def predict_proba(self, X: Any) -> Floats:
        """Predict probabilities for a table like the user's."""
        return np.asarray(self.model.predict_proba(self.encoding.transform(X)), dtype=float)

    def as_classifier(self) -> Any:
        """The same in types of scikit-learn, which model files hold."""
        model = self.model
        if isinstance(model, Neighbors):
            model = KNeighborsClassifier()
            vars(model).update(vars(self.model), n_neighbors=min(self.model.n_neighbors, self.model.n_samples_fit_))
        if isinstance(self.encoding, FunctionTransformer):
            return model
        return Pipeline([("columns", self.encoding), ("model", model)])

    def retrain(self, X: Any, soft: Floats, row_weight: Floats | None, random_state: int) -> Member:
        """A member of the same kind, trained on soft labels; on the most likely classes if it takes no weights."""
        model, X = seeded(clone(self.model), random_state), self.encoding.transform(X)
        if weight_parameter(model) is None:
            return Member(self.encoding, _fit(model, X, soft.argmax(axis=1), None))
        rows, codes = np.nonzero(soft)
        weight = soft[rows, codes] if row_weight is None else soft[rows, codes] * row_weight[rows]
        return Member(self.encoding, _fit(model, take_rows(X, rows), codes, weight))


class Committee(Teacher):
    """Average the user's own estimator and classifiers of other kinds, with weights estimated out of fold.

    Choose it (it is the default) unless the user's estimator is known to be much better than the others. The
    weights maximize the out-of-fold log-likelihood of the labeled rows.

    Parameters
    ----------
    members : sequence of str, classifier or FoundationModel, default=("own", "trees", "linear")
        Names among "own" (the user's estimator), "trees" (200 extremely randomized trees; half as many while weights
        are estimated), "linear" (logistic regression on normal scores and indicators), "neighbors", "network",
        "boosting", "tabpfn", "tabicl" (as `FoundationModel` with default parameters); or classifiers, which are given
        the table as it is; or a `FoundationModel`.
    n_folds : int, default=5
        Number of folds of the labeled rows from which weights are estimated. A class with one row is never held out;
        where no class has two, all members have equal weights.

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

    See Also
    --------
    SelfTeacher : The user's estimator alone.
    FoundationModel : A pretrained model, alone or as a member.
    mixture_weights : How the weights are estimated.

    Notes
    -----
    The weights w maximize ``sum_i log(sum_m w_m p_im) + 2 * sum_m log w_m`` over the labeled rows i, where p_im is the
    probability that member m, trained without row i, gives the row's class, with 5% of the class proportions mixed in.
    Ranks and levels of the members' encodings are learned from the labeled and at most 50,000 unlabeled rows.

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
    can_retrain: ClassVar[bool] = True

    def __init__(self, members: Sequence[Any] = (OWN, "trees", "linear"), *, n_folds: int = 5) -> None:
        self.members = members
        self.n_folds = n_folds

    @property
    def n_own_fits(self) -> int:
        """One per fold, if the user's estimator is a member."""
        return self.n_folds * sum(map(_is_own, self.members))

    def check(self) -> None:
        """Check that members are known and folds are at least two."""
        if not isinstance(self.members, list | tuple) or len(self.members) == 0:
            raise ValueError(f"`members` of Committee must be a list of at least one member; got {self.members!r}.")
        for member in self.members:
            if isinstance(member, str):
                check_choice(member, (OWN, *MEMBERS), "member of Committee")
            elif not _can_be_member(member):
                raise ValueError(
                    "`members` of Committee must be names or classifiers with predict_proba, or a FoundationModel; "
                    f"got {member!r}."
                )
        check_integer(self.n_folds, "n_folds", "Committee", 2)
        for member in self.members:
            if not _is_own(member) and _find_recipe(member).encoding is ContextColumns:
                _find_recipe(member).build().check()  # its library and its weights

    def fit(self, lesson: Lesson) -> Committee:
        """Fit every member on the labeled rows, and estimate the weights."""
        self.check()
        folds = make_folds(lesson.y, self.n_folds, lesson.random_state)
        shares = smoothed_shares(lesson.y, lesson.n_classes)
        self.n_classes_ = lesson.n_classes
        self.members_, out_of_fold = [], []
        tables: dict[type[Any], tuple[Any, Any]] = {}
        for member in self.members:
            if _is_own(member):
                self.members_.append(lesson.own)
                out_of_fold.append(lesson.own_out_of_fold(folds))
                continue
            recipe = _find_recipe(member)
            if recipe.encoding not in tables:
                tables[recipe.encoding] = _write_table(recipe.encoding, lesson)
            encoding, X = tables[recipe.encoding]
            model = seeded(recipe.build(), lesson.random_state)
            in_folds = make_lean(clone(model).set_params(**recipe.in_folds))
            out_of_fold.append(_predict_out_of_fold(in_folds, X, lesson, folds))
            self.members_.append(Member(encoding, _fit(model, X, lesson.y, lesson.sample_weight)))
        seen = np.sort(np.concatenate([np.empty(0, dtype=np.intp), *(held_out for _, held_out in folds)]))
        likelihood = np.column_stack(
            [with_prior(proba, shares, PRIOR_PART)[seen, lesson.y[seen]] for proba in out_of_fold]
        )
        row_weight = None
        if lesson.sample_weight is not None and lesson.sample_weight[seen].sum() > 0:  # a row counts 1 on average
            row_weight = lesson.sample_weight[seen] / lesson.sample_weight[seen].mean()
        self.weights_ = mixture_weights(likelihood, strength=PRIOR_STRENGTH, row_weight=row_weight)
        self.held_out_ = seen
        self.out_of_fold_ = self._mix([proba[seen] for proba in out_of_fold]) if len(seen) else None
        predict = partial(proba_of, n_classes=lesson.n_classes)
        self._pool = [
            None if member is lesson.own else map_rows(partial(predict, member), lesson.X_pool)
            for member in self.members_
        ]
        return self

    def teach(self, own_proba: Floats) -> Floats:
        """Return the members' weighted mean, with the given probabilities for the user's estimator."""
        probas = [own_proba if proba is None else proba for proba in self._pool]
        return map_rows(lambda *blocks: self._mix(list(blocks)), *probas)

    def predict_proba(self, X: Any) -> Floats:
        """Return the members' weighted mean for other rows."""
        return self._mix([proba_of(member, X, self.n_classes_) for member in self.members_])

    def list_classifiers(self, own: Any) -> list[tuple[float, Any]]:
        """The user's estimator and the other members, with their weights."""
        members = [one.as_classifier() if isinstance(one, Member) else own for one in self.members_]
        return list(zip(self.weights_.tolist(), members, strict=True))

    def retrain(
        self, own: Any, X: Any, soft: Floats, row_weight: Floats | None, random_state: int
    ) -> list[tuple[float, Any]]:
        """Train each other member once more; the weights stay."""
        members = [
            one.retrain(X, soft, row_weight, random_state).as_classifier() if isinstance(one, Member) else own
            for one in self.members_
        ]
        return list(zip(self.weights_.tolist(), members, strict=True))

    def _mix(self, probas: list[Floats]) -> Floats:
        return np.tensordot(self.weights_, np.stack(probas), axes=1)


def _is_own(member: Any) -> bool:
    """Whether a member is the user's estimator."""
    return isinstance(member, str) and member == OWN


def _can_be_member(member: Any) -> bool:
    """Whether an object is a classifier, or a teacher that is one."""
    if isinstance(member, Teacher):
        return member.as_member() is not None
    return not isinstance(member, type) and hasattr(member, "fit") and hasattr(member, "predict_proba")


def _find_recipe(member: Any) -> Recipe:
    """How a member other than the user's estimator is built."""
    if isinstance(member, str):
        return MEMBERS[member]
    if isinstance(member, Teacher):
        recipe: Recipe = member.as_member()
        return recipe
    return Recipe(FunctionTransformer, partial(clone, member))


def make_folds(y: Index, n_folds: int, random_state: int) -> Folds:
    """Stratified folds of the labeled rows; rows that are alone in their class always train."""
    counts = np.bincount(y)
    several = np.flatnonzero(counts[y] > 1)
    if len(several) == 0:
        return []
    n_folds = min(n_folds, int(counts.max()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes with fewer rows than folds are in some of them
        cuts = StratifiedKFold(n_folds, shuffle=True, random_state=random_state).split(several, y[several])
        held_out = [several[rows] for _, rows in cuts]
    return [(np.setdiff1d(np.arange(len(y)), rows), rows) for rows in held_out]


def _write_table(encode: type[Any], lesson: Lesson) -> tuple[Any, Any]:
    """An encoding learned from labeled and unlabeled rows (labels are not used), and the labeled rows in it.

    Of more than `MANY_ROWS` unlabeled rows, so many are drawn.
    """
    if encode is FunctionTransformer:
        return FunctionTransformer(), lesson.X
    pool = lesson.X_pool
    if n_rows(pool) > MANY_ROWS:
        drawn = np.random.RandomState(lesson.random_state).choice(n_rows(pool), MANY_ROWS, replace=False)
        pool = take_rows(pool, np.sort(drawn))
    encoding = encode(lesson.categorical_features).fit(stack_rows(lesson.X, pool))
    return encoding, encoding.transform(lesson.X)


def _predict_out_of_fold(model: Any, X: Any, lesson: Lesson, folds: Folds) -> Floats:
    """Probabilities of held-out rows; zeros for rows that are never held out."""
    proba = np.zeros((len(lesson.y), lesson.n_classes))
    weight = lesson.sample_weight
    for train, held_out in folds:
        fitted = _fit(model, take_rows(X, train), lesson.y[train], None if weight is None else weight[train])
        proba[held_out] = proba_of(fitted, take_rows(X, held_out), lesson.n_classes)
    return proba


def _fit(model: Any, X: Any, y: Index, weight: Floats | None) -> Any:
    """A fitted copy; weights where it takes them."""
    name = weight_parameter(model) if weight is not None else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # nearly there is good enough for a member
        return clone(model).fit(X, y, **({name: weight} if name else {}))
