"""Contract checks for every family of parts: what a member has to do so that it works wherever its family does.

For authors of plug-ins, and run over every member of tabcast itself. `check_density`, `check_confidence`,
`check_strategy`, `check_weighting`, `check_noise_filter`, `check_feature_selection` and `check_teacher` run all checks
of a family on one member and raise an AssertionError that says in a sentence which contract was broken.
`density_checks()` and so on list the same checks as (name, function), to make each of them a test of its own::

    @pytest.mark.parametrize(("name", "check"), strategy_checks())
    def test_contract(name, check):
        check(MyStrategy())
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from functools import wraps
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from tabcast.columns import column_names, find_categorical
from tabcast.confidence import Confidence
from tabcast.density import ClassConditional, Density
from tabcast.exceptions import TabcastWarning
from tabcast.feature_selection import FeatureSelection
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Strategy, Weighting
from tabcast.tables import take_rows
from tabcast.teachers import Lesson, TableCodes, Teacher

__all__ = [
    "check_confidence",
    "check_density",
    "check_feature_selection",
    "check_noise_filter",
    "check_strategy",
    "check_teacher",
    "check_weighting",
    "confidence_checks",
    "density_checks",
    "feature_selection_checks",
    "noise_filter_checks",
    "strategy_checks",
    "teacher_checks",
    "weighting_checks",
]

Check = Callable[[Any], None]
Floats = NDArray[np.float64]
Index = NDArray[np.intp]
Folds = Sequence[tuple[Index, Index]]

N_LABELED, N_POOL = 40, 30
CONVENTIONAL = ("n_jobs", "random_state", "verbose")  # mean the same everywhere in scikit-learn; members pass them on
SUM_TOLERANCE = 1e-6  # what single precision may add to a sum of probabilities
ORDER_TOLERANCE = 1e-7  # sums over rows in another order differ by rounding


def check_density(density: Density) -> None:
    """Run every check of the density family.

    Examples
    --------
    >>> from tabcast.density import Uniform
    >>> from tabcast.testing import check_density
    >>> check_density(Uniform())
    """
    _run_all(density, Density, _DENSITY)


def density_checks() -> list[tuple[str, Check]]:
    """Name and function of every check of the density family."""
    return list(_DENSITY.items())


def check_confidence(confidence: Confidence) -> None:
    """Run every check of the confidence family; of calibrators (`needs_held_out`) some more.

    Examples
    --------
    >>> from tabcast.confidence import TemperatureScaling
    >>> from tabcast.testing import check_confidence
    >>> check_confidence(TemperatureScaling())
    """
    _run_all(confidence, Confidence, _CONFIDENCE)


def confidence_checks() -> list[tuple[str, Check]]:
    """Name and function of every check of the confidence family."""
    return list(_CONFIDENCE.items())


def check_strategy(strategy: Strategy) -> None:
    """Run every check of the pseudo-label strategies.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import Strategy, TopK
    >>> from tabcast.testing import check_strategy
    >>> check_strategy(TopK(k=3))

    A strategy that returns positions instead of a mask:

    >>> class Positions(Strategy):
    ...     def select(self, confidence, round_number):
    ...         return np.flatnonzero(confidence.max(axis=1) > 0.5)
    >>> check_strategy(Positions())
    Traceback (most recent call last):
        ...
    AssertionError: Positions breaks 'select gives a mask over the pool': with 2 classes, ...
    """
    _run_all(strategy, Strategy, _STRATEGY)


def strategy_checks() -> list[tuple[str, Check]]:
    """Name and function of every check of the pseudo-label strategies."""
    return list(_STRATEGY.items())


def check_weighting(weighting: Weighting) -> None:
    """Run every check of the weightings of pseudo-labels.

    Examples
    --------
    >>> from tabcast.pseudo_labels import Constant
    >>> from tabcast.testing import check_weighting
    >>> check_weighting(Constant(0.5))
    """
    _run_all(weighting, Weighting, _WEIGHTING)


def weighting_checks() -> list[tuple[str, Check]]:
    """Name and function of every check of the weightings of pseudo-labels."""
    return list(_WEIGHTING.items())


def check_noise_filter(noise_filter: NoiseFilter) -> None:
    """Run every check of the noise filter family.

    Examples
    --------
    >>> from tabcast.noise_filters import KeepAllRows
    >>> from tabcast.testing import check_noise_filter
    >>> check_noise_filter(KeepAllRows())
    """
    _run_all(noise_filter, NoiseFilter, _NOISE_FILTER)


def noise_filter_checks() -> list[tuple[str, Check]]:
    """Name and function of every check of the noise filter family."""
    return list(_NOISE_FILTER.items())


def check_feature_selection(selection: FeatureSelection) -> None:
    """Run every check of the feature selection family.

    Examples
    --------
    >>> from tabcast.feature_selection import KeepAll
    >>> from tabcast.testing import check_feature_selection
    >>> check_feature_selection(KeepAll())
    """
    _run_all(selection, FeatureSelection, _FEATURE_SELECTION)


def feature_selection_checks() -> list[tuple[str, Check]]:
    """Name and function of every check of the feature selection family."""
    return list(_FEATURE_SELECTION.items())


def check_teacher(teacher: Teacher) -> None:
    """Run every check of the teachers.

    Examples
    --------
    >>> from tabcast.teachers import SelfTeacher
    >>> from tabcast.testing import check_teacher
    >>> check_teacher(SelfTeacher())
    """
    _run_all(teacher, Teacher, _TEACHER)


def teacher_checks() -> list[tuple[str, Check]]:
    """Name and function of every check of the teachers."""
    return list(_TEACHER.items())


# How checks are kept and run.

_DENSITY: dict[str, Check] = {}
_CONFIDENCE: dict[str, Check] = {}
_STRATEGY: dict[str, Check] = {}
_WEIGHTING: dict[str, Check] = {}
_NOISE_FILTER: dict[str, Check] = {}
_FEATURE_SELECTION: dict[str, Check] = {}
_TEACHER: dict[str, Check] = {}
_FAMILIES = (_DENSITY, _CONFIDENCE, _STRATEGY, _WEIGHTING, _NOISE_FILTER, _FEATURE_SELECTION, _TEACHER)


def _holds_for(*families: dict[str, Check]) -> Callable[[Check], Check]:
    """Register a check, named as its function; whatever goes wrong in it becomes a sentence about the member."""

    def register(check: Check) -> Check:
        name = check.__name__.strip("_").replace("_", " ")

        @wraps(check)
        def run(member: Any) -> None:
            broken = f"{type(member).__name__} breaks '{name}'"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TabcastWarning)
                try:
                    check(member)
                except AssertionError as error:
                    raise AssertionError(f"{broken}: {error}") from None
                except Exception as error:
                    raise AssertionError(f"{broken}: it raises {type(error).__name__}: {error}") from error

        for family in families:
            family[name] = run
        return run

    return register


def _run_all(member: Any, family: type, checks: dict[str, Check]) -> None:
    if not isinstance(member, family):
        raise TypeError(f"An instance of {family.__name__} is needed to check its contract; got {member!r}.")
    for check in checks.values():
        check(member)


def _require(holds: bool | np.bool_, sentence: str) -> None:
    if not holds:
        raise AssertionError(sentence)


def _require_raises(expected: type[Exception], call: Callable[[], Any], what: str) -> None:
    try:
        call()
    except expected:
        return
    except Exception as error:
        raise AssertionError(f"{what} must raise {expected.__name__}; it raises {type(error).__name__}.") from error
    raise AssertionError(f"{what} must raise {expected.__name__}; it raises nothing.")


def _require_numbers(result: Any, shape: tuple[int, ...], context: str) -> None:
    """Finite floats in a given shape."""
    good = isinstance(result, np.ndarray) and result.dtype.kind == "f" and result.shape == shape
    _require(good, f"with {context} it gives {_describe(result)}, not floats with shape {shape}.")
    _require(np.isfinite(result).all(), f"with {context} it gives numbers that are not finite.")


def _require_mask(result: Any, n_entries: int, context: str) -> None:
    """A boolean array of a given length."""
    good = isinstance(result, np.ndarray) and result.dtype == bool and result.shape == (n_entries,)
    _require(good, f"with {context} it gives {_describe(result)}, not a boolean array with shape ({n_entries},).")


def _describe(result: Any) -> str:
    """What came, in a word or two."""
    if isinstance(result, np.ndarray):
        return f"an array of {result.dtype} with shape {result.shape}"
    return f"a {type(result).__name__}"


def _equal(one: Any, other: Any) -> bool:
    """Whether two tables or arrays hold the same, missing values included."""
    if isinstance(one, pd.DataFrame):
        return bool(one.equals(other)) and list(one.dtypes) == list(other.dtypes)
    return np.array_equal(one, other, equal_nan=np.asarray(one).dtype.kind == "f")


def _copy(member: Any) -> Any:
    """An unfitted copy in which everything random has a seed."""
    copy = clone(member)
    seeds = {name: 0 for name in copy.get_params() if name.rsplit("__", 1)[-1] == "random_state"}
    return copy.set_params(**seeds) if seeds else copy


# What the checks are made with.


@dataclass(frozen=True)
class _Problem:
    """A small table: rows with classes to learn from, rows without, what a classifier says about both."""

    name: str
    X: Any
    y: Index
    X_pool: Any
    proba: Floats
    held_out_proba: Floats

    @property
    def n_classes(self) -> int:
        return self.proba.shape[1]


def _draw_numbers(n_rows: int, random: np.random.Generator) -> Floats:
    """Numbers, a column of counts, a column that never changes."""
    return np.column_stack([random.normal(size=(n_rows, 2)), random.integers(0, 4, n_rows), np.full(n_rows, 7.0)])


def _draw_frame(n_rows: int, random: np.random.Generator) -> pd.DataFrame:
    """Every usual kind of column, with values missing."""
    text = np.array(["x", "y", None], dtype=object)
    frame = pd.DataFrame(
        {
            "number": random.normal(size=n_rows),
            "count": pd.array(random.integers(0, 9, n_rows), dtype="Int64"),
            "level": pd.Categorical(random.choice(["a", "b"], n_rows), categories=["a", "b", "never"]),
            "text": text[random.integers(0, 3, n_rows)],
            "truth": random.random(n_rows) < 0.5,
        }
    )
    frame.loc[frame.index[::5], "number"] = np.nan
    frame.loc[frame.index[1::7], "count"] = pd.NA
    return frame


def _draw_proba(n_rows: int, n_classes: int, seed: int = 0) -> Floats:
    """Probabilities from unsure to certain."""
    return np.random.default_rng(seed).dirichlet(np.full(n_classes, 0.5), n_rows)


def _problems(n_classes: int = 2) -> Iterator[_Problem]:
    """Tables as users have them. The unlabeled rows hold what the labeled ones do not: outliers, new levels, gaps."""
    random = np.random.default_rng(n_classes)
    y = np.arange(N_LABELED) % n_classes
    said = _draw_proba(N_POOL, n_classes), _draw_proba(N_LABELED, n_classes, seed=1)
    numbers, pool = _draw_numbers(N_LABELED, random), _draw_numbers(N_POOL, random)
    numbers[:, 0] += 2 * y
    pool[0] = 1e6
    yield _Problem("an array", numbers, y, pool, *said)
    numbers, pool = numbers.copy(), pool.copy()
    numbers[::6, 0], pool[1] = np.nan, np.nan
    yield _Problem("an array with missing numbers", numbers, y, pool, *said)
    frame, frame_pool = _draw_frame(N_LABELED, random), _draw_frame(N_POOL, random)
    frame["number"] += 2 * y
    frame_pool["level"] = pd.Categorical(["never"] + ["a"] * (N_POOL - 1), categories=["a", "b", "never"])
    frame_pool.loc[frame_pool.index[2], "text"] = "a new level"
    yield _Problem("a DataFrame with categories and missing values", frame, y, frame_pool, *said)


def _probabilities(n_rows: int, n_classes: int) -> Iterator[tuple[str, Floats]]:
    """What classifiers say: different things, always the same, nothing but 0 and 1, nothing about a class."""
    yield "different probabilities", _draw_proba(n_rows, n_classes)
    yield "equal probabilities", np.full((n_rows, n_classes), 1 / n_classes)
    yield "probabilities of 0 and 1", np.eye(n_classes)[np.arange(n_rows) % n_classes]
    yield "a class without probability", np.column_stack([_draw_proba(n_rows, n_classes - 1), np.zeros(n_rows)])


def _confidences(n_rows: int, n_classes: int) -> Iterator[tuple[str, Floats]]:
    """What strategies see: probabilities, and confidence whose rows do not sum to 1."""
    yield from _probabilities(n_rows, n_classes)
    yield "rows that do not sum to 1", _draw_proba(n_rows, n_classes) * np.linspace(0, 1, n_rows)[:, None]
    yield "no confidence at all", np.zeros((n_rows, n_classes))


def _prepare(part: Any, problem: _Problem) -> Any:
    """A confidence as the loop has it before `adjust`: prepared, and calibrated if it asks for that."""
    part.prepare(problem.X, problem.y, problem.X_pool, n_classes=problem.n_classes)
    if part.needs_held_out:
        part.calibrate(problem.held_out_proba, problem.y)
    return part


def _rounds(strategy: Any) -> range:
    """Rounds of the schedule, some where there is none."""
    return range(1, 1 + min(strategy.n_rounds or 4, 6))


class _TableTree:
    """The user's estimator of a lesson: a small tree for any table."""

    def __init__(self, encoding: TableCodes, tree: DecisionTreeClassifier) -> None:
        self.encoding, self.tree = encoding, tree

    def predict_proba(self, X: Any) -> Floats:
        return self.tree.predict_proba(self.encoding.transform(X))


def _make_lesson(problem: _Problem, *, sample_weight: Floats | None = None, fits: list[int] | None = None) -> Lesson:
    """A lesson as the classifier makes it; `fits` gets the number of rows of every fit that the teacher asks for."""
    X, y = problem.X, problem.y
    encoding, n_classes = TableCodes().fit(X), len(np.unique(y))

    def fit_tree(rows: Index) -> _TableTree:
        weight = None if sample_weight is None else sample_weight[rows]
        tree = DecisionTreeClassifier(max_depth=3, random_state=0)
        return _TableTree(encoding, tree.fit(encoding.transform(take_rows(X, rows)), y[rows], weight))

    def own_out_of_fold(folds: Folds) -> Floats:
        proba = np.zeros((len(y), n_classes))
        for train, held_out in folds:
            if fits is not None:
                fits.append(len(train))
            proba[held_out] = fit_tree(train).predict_proba(take_rows(X, held_out))
        return proba

    own = fit_tree(np.arange(len(y)))
    return Lesson(X, y, problem.X_pool, n_classes, find_categorical(X), sample_weight, own, own_out_of_fold, 0)


def _require_probabilities(result: Any, shape: tuple[int, ...], context: str) -> None:
    """Numbers of that shape, none negative, rows that sum to 1."""
    _require_numbers(result, shape, context)
    _require((result >= 0).all(), f"with {context} some probability is negative.")
    off = np.abs(result.sum(axis=1) - 1).max(initial=0.0)
    _require(off < SUM_TOLERANCE, f"with {context} rows miss a sum of 1 by {off:.2g}.")


def _use(member: Any, problem: _Problem) -> NDArray[Any]:
    """What a member of any family is there for, from beginning to end."""
    if isinstance(member, Density):
        return member.fit(problem.X).score_samples(problem.X_pool)
    if isinstance(member, Confidence):
        return _prepare(member, problem).adjust(problem.proba)
    if isinstance(member, Strategy):
        member.check()
        return np.concatenate([member.select(problem.proba, round_number) for round_number in _rounds(member)])
    if isinstance(member, Weighting):
        member.check()
        return member.weigh(problem.proba, problem.proba.argmax(axis=1))
    if isinstance(member, NoiseFilter):
        return member.fit(problem.X, problem.y).keep(problem.X_pool, problem.proba.argmax(axis=1))
    if isinstance(member, Teacher):
        member.check()
        return member.fit(_make_lesson(problem)).teach(problem.proba)
    selection: FeatureSelection = member
    return selection.fit(problem.X, problem.y).support_


# All families: parameters.


@_holds_for(*_FAMILIES)
def _parameters_survive_a_copy(member: Any) -> None:
    parameters = member.get_params(deep=False)
    stored = type(member)(**parameters).get_params(deep=False)
    for name, value in parameters.items():
        _require(stored[name] is value, f"__init__ does not store `{name}` as it is given.")
    copy = clone(member)
    _require(repr(copy) == repr(member), f"the copy is {copy!r}, the original {member!r}.")
    _require(copy.set_params(**parameters) is copy, "set_params does not return the member itself.")
    _require(repr(copy) == repr(member), "setting parameters to what they are changes them.")


@_holds_for(*_FAMILIES)
def _nothing_is_checked_in_init(member: Any) -> None:
    parameters = member.get_params(deep=False)
    for name in parameters:
        try:
            type(member)(**{**parameters, name: object()})
        except Exception as error:
            raise AssertionError(
                f"__init__ raises {type(error).__name__} for a strange `{name}`; check it in `check` or where the "
                "member learns, so that set_params and clone work at any time."
            ) from error


@_holds_for(*_FAMILIES)
def _strange_numbers_are_refused_by_name(member: Any) -> None:
    for name, value in member.get_params(deep=False).items():
        if isinstance(value, bool) or not isinstance(value, Real) or name in CONVENTIONAL:
            continue
        strange = _copy(member).set_params(**{name: "strange"})
        try:
            strange.check() if isinstance(strange, Strategy | Weighting | Teacher) else _use(strange, next(_problems()))
        except (TypeError, ValueError) as error:
            _require(name in str(error), f"the error for {name}='strange' does not name `{name}`: {error}")
        else:
            raise AssertionError(f"`{name}` is a number, but {name}='strange' is accepted.")


# Density.


@_holds_for(_DENSITY)
def _fit_returns_the_density(member: Any) -> None:
    density = _copy(member)
    _require(density.fit(next(_problems()).X) is density, "fit returns something else.")


@_holds_for(_DENSITY)
def _scores_are_finite_for_any_row(member: Any) -> None:
    for problem in _problems():
        density = _copy(member).fit(problem.X)
        for X in (problem.X, problem.X_pool, problem.X_pool[:0]):
            _require_numbers(density.score_samples(X), (X.shape[0],), problem.name)


@_holds_for(_DENSITY)
def _one_row_is_enough(member: Any) -> None:
    for problem in _problems():
        scores = _copy(member).fit(problem.X[:1]).score_samples(problem.X_pool)
        _require_numbers(scores, (N_POOL,), f"{problem.name} of one row")


@_holds_for(_DENSITY)
def _a_score_depends_on_its_row_alone(member: Any) -> None:
    for problem in _problems():
        density = _copy(member).fit(problem.X)
        whole, part = density.score_samples(problem.X_pool), density.score_samples(problem.X_pool[::-3])
        same = np.allclose(whole[::-3], part, rtol=ORDER_TOLERANCE)
        _require(same, f"with {problem.name} rows get other scores among other rows.")


@_holds_for(_DENSITY)
def _numbers_can_be_declared_categorical(member: Any) -> None:
    problem = next(_problems())
    scores = _copy(member).fit(problem.X, categorical_features=[2]).score_samples(problem.X_pool)
    _require_numbers(scores, (N_POOL,), "categorical_features=[2]")


@_holds_for(_DENSITY)
def _classes_can_have_densities_of_their_own(member: Any) -> None:
    for problem in _problems(n_classes=3):
        densities = ClassConditional(_copy(member)).fit(problem.X, problem.y)
        _require_numbers(densities.score_samples(problem.X_pool), (N_POOL, 3), f"{problem.name} and three classes")


@_holds_for(_DENSITY)
def _what_cannot_be_scored_is_refused(member: Any) -> None:
    _require_raises(ValueError, lambda: _copy(member).fit(np.empty((0, 2))), "fit on a table without rows")
    _require_raises(NotFittedError, lambda: _copy(member).score_samples(np.zeros((1, 2))), "score_samples before fit")


# Confidence.


@_holds_for(_CONFIDENCE)
def _prepare_and_calibrate_return_the_part(member: Any) -> None:
    problem, part = next(_problems()), _copy(member)
    prepared = part.prepare(problem.X, problem.y, problem.X_pool, n_classes=2)
    _require(prepared is part, "prepare returns something else.")
    _require(part.calibrate(problem.held_out_proba, problem.y) is part, "calibrate returns something else.")


@_holds_for(_CONFIDENCE)
def _confidence_is_finite_and_not_negative(member: Any) -> None:
    for n_classes in (2, 4):
        for problem in _problems(n_classes):
            part = _prepare(_copy(member), problem)
            for name, proba in _probabilities(N_POOL, n_classes):
                adjusted = part.adjust(proba)
                _require_numbers(adjusted, proba.shape, f"{problem.name}, {n_classes} classes and {name}")
                _require((adjusted >= 0).all(), f"with {n_classes} classes and {name} some confidence is negative.")


@_holds_for(_CONFIDENCE)
def _a_class_may_have_no_labeled_row(member: Any) -> None:
    for problem in _problems(n_classes=3):
        adjusted = _prepare(_copy(member), replace(problem, y=problem.y % 2)).adjust(problem.proba)
        _require_numbers(adjusted, (N_POOL, 3), f"{problem.name} without labeled rows of the last class")


@_holds_for(_CONFIDENCE)
def _a_pool_may_be_empty(member: Any) -> None:
    for problem in _problems():
        part = _prepare(_copy(member), replace(problem, X_pool=problem.X_pool[:0]))
        _require_numbers(part.adjust(np.empty((0, 2))), (0, 2), f"{problem.name} without unlabeled rows")


@_holds_for(_CONFIDENCE)
def _asking_twice_gives_the_same_answer(member: Any) -> None:
    for problem in _problems(n_classes=3):
        part = _prepare(_copy(member), problem)
        first = part.adjust(problem.proba.copy()).copy()
        part.adjust(_draw_proba(N_POOL, 3, seed=2))
        _require(_equal(first, part.adjust(problem.proba)), "`adjust` remembers what it was asked before.")


@_holds_for(_CONFIDENCE)
def _other_rows_can_be_adjusted_unless_it_knows_only_the_pool(member: Any) -> None:
    part = _prepare(_copy(member), next(_problems()))
    if part.knows_only_pool:
        return
    proba = _draw_proba(2 * N_POOL, 2)
    adjusted = part.adjust(proba)
    _require_numbers(adjusted, proba.shape, "twice as many rows as it was prepared for")
    same = np.allclose(part.adjust(proba[::-1]), adjusted[::-1], atol=ORDER_TOLERANCE)
    _require(same, "the order of the rows matters; if it has to, set knows_only_pool = True.")


@_holds_for(_CONFIDENCE)
def _rows_of_a_calibrator_sum_to_one(member: Any) -> None:
    for n_classes in (2, 4):
        part = _prepare(_copy(member), next(_problems(n_classes)))
        if part.needs_held_out and not part.knows_only_pool:
            for name, proba in _probabilities(N_POOL, n_classes):
                off = np.abs(part.adjust(proba).sum(axis=1) - 1).max()
                _require(off < SUM_TOLERANCE, f"with {n_classes} classes and {name} they miss 1 by {off:.2g}.")


@_holds_for(_CONFIDENCE)
def _a_calibrator_has_to_be_calibrated_first(member: Any) -> None:
    part, problem = _copy(member), next(_problems())
    if part.needs_held_out:
        part.prepare(problem.X, problem.y, problem.X_pool, n_classes=2)
        _require_raises(NotFittedError, lambda: part.adjust(problem.proba), "adjust before calibrate")


@_holds_for(_CONFIDENCE)
def _gamma_is_between_0_and_1_if_there_is_one(member: Any) -> None:
    for problem in _problems(n_classes=3):
        gamma = _prepare(_copy(member), problem).gamma
        if gamma is not None:
            _require_numbers(gamma, (N_POOL, 3), problem.name)
            _require(((gamma >= 0) & (gamma <= 1)).all(), f"with {problem.name} it is not.")


# Pseudo-labels.


@_holds_for(_STRATEGY)
def _select_gives_a_mask_over_the_pool(member: Any) -> None:
    for n_classes in (2, 5):
        for n_rows in (N_POOL, 1, 0):
            for name, confidence in _confidences(n_rows, n_classes):
                strategy = _copy(member)
                for round_number in _rounds(strategy):
                    mask = strategy.select(confidence, round_number)
                    _require_mask(mask, n_rows, f"{n_classes} classes, {n_rows} rows and {name}")


@_holds_for(_STRATEGY)
def _rows_that_keep_their_label_stay_selected(member: Any) -> None:
    for n_classes in (2, 5):
        strategy = _copy(member)
        chosen, labels = np.zeros(N_POOL, dtype=bool), np.zeros(N_POOL, dtype=np.intp)
        for round_number in _rounds(strategy):
            confidence = _draw_proba(N_POOL, n_classes, seed=round_number)
            confidence[chosen] = 0.0
            confidence[chosen, labels[chosen]] = np.inf
            labels = confidence.argmax(axis=1)
            now = strategy.select(confidence, round_number)
            lost = int((chosen & ~now).sum())
            _require(lost == 0, f"round {round_number} drops {lost} rows whose confidence is infinite.")
            chosen = now.copy()


@_holds_for(_STRATEGY)
def _round_1_starts_afresh(member: Any) -> None:
    for n_classes in (2, 5):
        strategy = _copy(member)
        first, second = (
            [strategy.select(_draw_proba(N_POOL, n_classes, seed=k), k).copy() for k in _rounds(strategy)]
            for _ in range(2)
        )
        _require(_equal(first, second), "a second run remembers the first.")


@_holds_for(_STRATEGY)
def _a_schedule_has_a_positive_number_of_rounds(member: Any) -> None:
    rounds = _copy(member).n_rounds
    counts = isinstance(rounds, Integral) and not isinstance(rounds, bool) and int(rounds) > 0
    _require(rounds is None or counts, f"n_rounds must be None or a positive integer; it is {rounds!r}.")


@_holds_for(_WEIGHTING)
def _weights_are_finite_and_not_negative(member: Any) -> None:
    for n_classes in (2, 5):
        for n_rows in (N_POOL, 1, 0):
            for name, confidence in _confidences(n_rows, n_classes):
                # The last: a row that keeps the label of an earlier round.
                for labels in (confidence.argmax(axis=1), confidence.argmin(axis=1)):
                    weights = _copy(member).weigh(confidence, labels)
                    _require_numbers(weights, (n_rows,), f"{n_classes} classes, {n_rows} rows and {name}")
                    _require((weights >= 0).all(), f"with {n_classes} classes and {name} some weight is negative.")


@_holds_for(_WEIGHTING)
def _runs_that_share_a_weighting_do_not_disturb_each_other(member: Any) -> None:
    weighting, confidence, other = _copy(member), _draw_proba(N_POOL, 3), _draw_proba(2 * N_POOL, 2, seed=1)
    first = weighting.weigh(confidence, confidence.argmax(axis=1)).copy()
    weighting.weigh(other, other.argmax(axis=1))
    again = weighting.weigh(confidence, confidence.argmax(axis=1))
    _require(_equal(first, again), "`weigh` remembers what it was asked before.")


@_holds_for(_WEIGHTING)
def _divided_rows_have_shares_of_the_classes(member: Any) -> None:
    for n_classes in (2, 5):
        for n_rows in (N_POOL, 1, 0):
            for name, confidence in _confidences(n_rows, n_classes):
                shares, context = _copy(member).divide(confidence), f"{n_classes} classes, {n_rows} rows and {name}"
                if shares is not None:
                    _require_numbers(shares, (n_rows, n_classes), context)
                    _require((shares >= 0).all(), f"with {context} some share is negative.")
                    _require((shares.sum(axis=1) <= 1 + SUM_TOLERANCE).all(), f"with {context} rows count more than 1.")
                    _require(shares.any(axis=1).all(), f"with {context} rows that were chosen are lost.")


# Noise filter.


@_holds_for(_NOISE_FILTER)
def _fit_returns_the_filter(member: Any) -> None:
    problem, noise_filter = next(_problems()), _copy(member)
    _require(noise_filter.fit(problem.X, problem.y) is noise_filter, "fit returns something else.")


@_holds_for(_NOISE_FILTER)
def _keep_gives_a_mask_over_the_rows(member: Any) -> None:
    for n_classes in (2, 4):
        for problem in _problems(n_classes):
            noise_filter = _copy(member).fit(problem.X, problem.y)
            for n_rows in (N_POOL, 1, 0):
                mask = noise_filter.keep(problem.X_pool[:n_rows], np.arange(n_rows) % n_classes)
                _require_mask(mask, n_rows, f"{problem.name}, {n_classes} classes and {n_rows} rows")


@_holds_for(_NOISE_FILTER)
def _a_class_may_have_one_labeled_row_or_none(member: Any) -> None:
    for problem in _problems():
        y = np.where(np.arange(N_LABELED) == 3, 1, 0)
        mask = _copy(member).fit(problem.X, y).keep(problem.X_pool, np.arange(N_POOL) % 3)
        _require_mask(mask, N_POOL, f"{problem.name}, a class with one labeled row and one with none")


# Feature selection.


@_holds_for(_FEATURE_SELECTION)
def _fit_returns_the_selection(member: Any) -> None:
    problem, selection = next(_problems()), _copy(member)
    _require(selection.fit(problem.X, problem.y) is selection, "fit returns something else.")


@_holds_for(_FEATURE_SELECTION)
def _support_is_a_mask_over_the_columns(member: Any) -> None:
    for n_classes in (2, 4):
        for problem in _problems(n_classes):
            support = _copy(member).fit(problem.X, problem.y).support_
            _require_mask(support, problem.X.shape[1], f"{problem.name} and {n_classes} classes")
            _require(support.any(), f"with {problem.name} it leaves no column to look at.")


@_holds_for(_FEATURE_SELECTION)
def _transform_gives_the_chosen_columns(member: Any) -> None:
    for problem in _problems():
        selection = _copy(member).fit(problem.X, problem.y)
        table, chosen = selection.transform(problem.X_pool), np.flatnonzero(selection.support_)
        _require(type(table) is type(problem.X_pool), f"from {problem.name} it makes {_describe(table)}.")
        expected = problem.X_pool.iloc[:, chosen] if hasattr(table, "columns") else problem.X_pool[:, chosen]
        _require(column_names(table) == column_names(expected), f"with {problem.name} it gives other columns.")
        _require(_equal(table, expected), f"with {problem.name} it changes values.")


@_holds_for(_FEATURE_SELECTION)
def _numbers_can_be_declared_categorical_(member: Any) -> None:
    problem = next(_problems())
    for given in ([2], np.array([False, False, True, False])):
        support = _copy(member).fit(problem.X, problem.y, categorical_features=given).support_
        _require_mask(support, 4, f"categorical_features={given!r}")


# Teachers.


@_holds_for(_TEACHER)
def _fit_returns_the_teacher(member: Any) -> None:
    teacher = _copy(member)
    _require(teacher.fit(_make_lesson(next(_problems()))) is teacher, "fit returns something else.")


@_holds_for(_TEACHER)
def _what_it_writes_are_probabilities(member: Any) -> None:
    for n_classes in (2, 4):
        for problem in _problems(n_classes):
            teacher, context = _copy(member).fit(_make_lesson(problem)), f"{problem.name} and {n_classes} classes"
            _require_probabilities(teacher.teach(problem.proba), (N_POOL, n_classes), context)
            for n_rows in (N_POOL, 1):
                said = teacher.predict_proba(problem.X_pool[:n_rows])
                _require_probabilities(said, (n_rows, n_classes), f"{context}, asked about {n_rows} rows")


@_holds_for(_TEACHER)
def _a_class_may_have_one_row(member: Any) -> None:
    for problem in _problems():
        y = np.where(np.arange(N_LABELED) == 3, 2, problem.y)
        teacher = _copy(member).fit(_make_lesson(replace(problem, y=y)))
        said = teacher.predict_proba(problem.X_pool)
        _require_probabilities(said, (N_POOL, 3), f"{problem.name} and a class with one row")


@_holds_for(_TEACHER)
def _every_class_may_have_one_row(member: Any) -> None:
    problem = next(_problems())
    said = _copy(member).fit(_make_lesson(replace(problem, X=problem.X[:2], y=np.arange(2)))).teach(problem.proba)
    _require_probabilities(said, (N_POOL, 2), "one row in each class")


@_holds_for(_TEACHER)
def _teaching_is_prediction_as_long_as_the_estimator_says_the_same(member: Any) -> None:
    problem = next(_problems(n_classes=3))
    lesson = _make_lesson(problem)
    teacher = _copy(member).fit(lesson)
    taught = teacher.teach(lesson.own.predict_proba(problem.X_pool))
    same = np.allclose(taught, teacher.predict_proba(problem.X_pool), atol=SUM_TOLERANCE)
    _require(same, "`teach` and `predict_proba` disagree about the unlabeled rows.")


@_holds_for(_TEACHER)
def _teaching_again_gives_the_same_labels(member: Any) -> None:
    problem = next(_problems(n_classes=3))
    teacher = _copy(member).fit(_make_lesson(problem))
    first = np.copy(teacher.teach(problem.proba))
    teacher.teach(_draw_proba(N_POOL, 3, seed=2))
    _require(_equal(first, teacher.teach(problem.proba)), "`teach` remembers what it was told before.")


@_holds_for(_TEACHER)
def _rows_may_have_weights(member: Any) -> None:
    problem = next(_problems())
    lesson = _make_lesson(problem, sample_weight=np.linspace(0.5, 2, N_LABELED))
    _require_probabilities(_copy(member).fit(lesson).teach(problem.proba), (N_POOL, 2), "weights of rows")


@_holds_for(_TEACHER)
def _it_asks_for_no_more_fits_than_it_says(member: Any) -> None:
    teacher, fits = _copy(member), list[int]()
    teacher.fit(_make_lesson(next(_problems()), fits=fits))
    promised = teacher.n_own_fits
    _require(len(fits) <= promised, f"it asks for {len(fits)} fits of the user's estimator, n_own_fits is {promised}.")


@_holds_for(_TEACHER)
def _temperature_is_a_positive_number(member: Any) -> None:
    value = _copy(member).temperature
    good = isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < np.inf
    _require(good, f"it is {value!r}.")


# All families again: last, because a member that breaks these has often broken something plainer.


@_holds_for(*_FAMILIES)
def _inputs_stay_as_they_are(member: Any) -> None:
    for problem in _problems(n_classes=3):
        before = deepcopy(problem)
        _use(_copy(member), problem)
        for field in fields(problem):
            kept = _equal(getattr(before, field.name), getattr(problem, field.name))
            _require(kept, f"with {problem.name} it changes `{field.name}`, which belongs to the caller.")


@_holds_for(*_FAMILIES)
def _the_same_input_gives_the_same_result(member: Any) -> None:
    for problem in _problems(n_classes=3):
        first, second = _copy(member), _copy(member)
        result = np.copy(_use(first, problem))
        _require(_equal(result, _use(second, problem)), f"with {problem.name} two copies give different results.")
        _require(_equal(result, _use(first, problem)), f"with {problem.name} a second run differs from the first.")
