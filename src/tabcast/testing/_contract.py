"""What contracts are made of: small tables, sentences for what does not hold, promises of all families."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from tabcast.checks import is_number
from tabcast.exceptions import TabcastWarning
from tabcast.table import Floats, Index

N_LABELED, N_POOL = 40, 30
SUM_TOLERANCE = 1e-6  # what single precision may add to a sum of probabilities
ORDER_TOLERANCE = 1e-7  # sums over rows in another order differ by rounding
CONVENTIONAL = ("n_jobs", "random_state", "verbose")  # mean the same everywhere in scikit-learn; members pass them on


@dataclass(frozen=True)
class Problem:
    """A small table: rows with classes to learn from, rows without, and predictions for both."""

    name: str
    X: Any
    y: Index
    X_pool: Any
    proba: Floats
    held_out_proba: Floats

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.proba.shape[1]


def draw_frame(n_rows: int, random: np.random.Generator) -> pd.DataFrame:
    """Every usual kind of column, with values missing."""
    frame = pd.DataFrame(
        {
            "number": random.normal(size=n_rows),
            "count": pd.array(random.integers(0, 9, n_rows), dtype="Int64"),
            "level": pd.Categorical(random.choice(["a", "b"], n_rows), categories=["a", "b", "never"]),
            "text": np.array(["x", "y", None], dtype=object)[random.integers(0, 3, n_rows)],
            "truth": random.random(n_rows) < 0.5,
        }
    )
    frame.loc[frame.index[::5], "number"] = np.nan
    frame.loc[frame.index[1::7], "count"] = pd.NA
    return frame


def draw_proba(n_rows: int, n_classes: int, seed: int = 0) -> Floats:
    """Probabilities from uncertain to certain."""
    return np.random.default_rng(seed).dirichlet(np.full(n_classes, 0.5), n_rows)


def problems(n_classes: int = 2) -> Iterator[Problem]:
    """Realistic tables. The unlabeled rows hold what the labeled ones do not: outliers, new levels, missing values."""
    random = np.random.default_rng(n_classes)
    y = np.arange(N_LABELED) % n_classes
    predicted = draw_proba(N_POOL, n_classes), draw_proba(N_LABELED, n_classes, seed=1)
    numbers, pool = (
        np.column_stack([random.normal(size=(n, 2)), random.integers(0, 4, n), np.full(n, 7.0)])
        for n in (N_LABELED, N_POOL)
    )
    numbers[:, 0] += 2 * y
    pool[0] = 1e6
    yield Problem("an array", numbers, y, pool, *predicted)
    numbers, pool = numbers.copy(), pool.copy()
    numbers[::6, 0], pool[1] = np.nan, np.nan
    yield Problem("an array with missing numbers", numbers, y, pool, *predicted)
    frame, frame_pool = draw_frame(N_LABELED, random), draw_frame(N_POOL, random)
    frame["number"] += 2 * y
    frame_pool["level"] = pd.Categorical(["never"] + ["a"] * (N_POOL - 1), categories=["a", "b", "never"])
    frame_pool.loc[frame_pool.index[2], "text"] = "a new level"
    yield Problem("a DataFrame with categories and missing values", frame, y, frame_pool, *predicted)


def probabilities(n_rows: int, n_classes: int) -> Iterator[tuple[str, Floats]]:
    """What classifiers may predict: different probabilities, equal ones, only 0 and 1, a class never."""
    yield "different probabilities", draw_proba(n_rows, n_classes)
    yield "equal probabilities", np.full((n_rows, n_classes), 1 / n_classes)
    yield "probabilities of 0 and 1", np.eye(n_classes)[np.arange(n_rows) % n_classes]
    yield "a class without probability", np.column_stack([draw_proba(n_rows, n_classes - 1), np.zeros(n_rows)])


def confidences() -> Iterator[tuple[str, Floats]]:
    """What strategies see, for different numbers of rows and classes: probabilities, and rows that do not sum to 1."""
    for n_classes in (2, 5):
        for n_rows in (N_POOL, 1, 0):
            low = draw_proba(n_rows, n_classes) * np.linspace(0, 1, n_rows)[:, None]
            strange = [("rows that do not sum to 1", low), ("no confidence at all", np.zeros((n_rows, n_classes)))]
            for name, confidence in [*probabilities(n_rows, n_classes), *strange]:
                yield f"{n_classes} classes, {n_rows} rows and {name}", confidence


def require(holds: bool | np.bool_, sentence: str) -> None:
    """Raise an AssertionError with a sentence for what does not hold."""
    if not holds:
        raise AssertionError(sentence)


def require_raises(expected: type[Exception], call: Callable[[], Any], what: str) -> None:
    """Require that a call raises an exception."""
    try:
        call()
    except expected:
        return
    except Exception as error:
        raise AssertionError(f"{what} must raise {expected.__name__}; it raises {type(error).__name__}.") from error
    raise AssertionError(f"{what} must raise {expected.__name__}; it raises nothing.")


def require_numbers(result: Any, shape: tuple[int, ...], context: str, *, least: float = -np.inf) -> None:
    """Require finite floats in a given shape, none of them below `least`."""
    good = isinstance(result, np.ndarray) and result.dtype.kind == "f" and result.shape == shape
    require(good, f"with {context} it gives {describe(result)}, not floats with shape {shape}.")
    require(np.isfinite(result).all(), f"with {context} it gives numbers that are not finite.")
    require((result >= least).all(), f"with {context} it gives numbers below {least:g}.")


def require_probabilities(result: Any, shape: tuple[int, ...], context: str) -> None:
    """Require numbers of that shape, none negative, rows that sum to 1."""
    require_numbers(result, shape, context, least=0)
    off = np.abs(result.sum(axis=1) - 1).max(initial=0.0)
    require(off < SUM_TOLERANCE, f"with {context} rows miss a sum of 1 by {off:.2g}.")


def require_mask(result: Any, n_entries: int, context: str) -> None:
    """Require a boolean array of a given length."""
    good = isinstance(result, np.ndarray) and result.dtype == bool and result.shape == (n_entries,)
    require(good, f"with {context} it gives {describe(result)}, not a boolean array with shape ({n_entries},).")


def describe(result: Any) -> str:
    """A short description of a value."""
    if isinstance(result, np.ndarray):
        return f"an array of {result.dtype} with shape {result.shape}"
    return f"a {type(result).__name__}"


def equal(one: Any, other: Any) -> bool:
    """Whether two tables or arrays hold the same, missing values included."""
    if isinstance(one, pd.DataFrame):
        return bool(one.equals(other)) and list(one.dtypes) == list(other.dtypes)
    return np.array_equal(one, other, equal_nan=np.asarray(one).dtype.kind == "f")


def fresh_copy(member: Any) -> Any:
    """An unfitted copy in which everything random has a seed."""
    copy = clone(member)
    seeds = {name: 0 for name in copy.get_params() if name.rsplit("__", 1)[-1] == "random_state"}
    return copy.set_params(**seeds)


@contextmanager
def contract(member: Any, family: type, use: Callable[[Any, Problem], NDArray[Any]]) -> Iterator[None]:
    """What all families promise, around what a family promises of its own; `use` is what its members are for."""
    if not isinstance(member, family):
        raise TypeError(f"An instance of {family.__name__} is needed to check its contract; got {member!r}.")
    broken = f"{type(member).__name__} breaks the contract of {family.__name__}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TabcastWarning)
        try:
            check_parameters(member)
            check_numbers(member, use)
            yield
            # Last, because a member that breaks these has often broken something plainer.
            check_repeatable(member, use)
        except AssertionError as error:
            raise AssertionError(f"{broken}: {error}") from None
        except Exception as error:
            raise AssertionError(f"{broken}: it raises {type(error).__name__}: {error}") from error


def check_parameters(member: Any) -> None:
    """Parameters are stored as they are given and not checked in __init__, so that clone and set_params work."""
    parameters = member.get_params(deep=False)
    stored = type(member)(**parameters).get_params(deep=False)
    for name, value in parameters.items():
        require(stored[name] is value, f"__init__ does not store `{name}` as it is given.")
        try:
            type(member)(**{**parameters, name: object()})
        except Exception as error:
            raise AssertionError(
                f"__init__ raises {type(error).__name__} for a strange `{name}`; check it in `check` or where the "
                "member learns, so that set_params and clone work at any time."
            ) from error
    require(repr(clone(member)) == repr(member), f"the copy is {clone(member)!r}, the original {member!r}.")


def check_numbers(member: Any, use: Callable[[Any, Problem], NDArray[Any]]) -> None:
    """What is no number is refused by the parameter's name."""
    for name, value in member.get_params(deep=False).items():
        if not is_number(value, "[-inf, inf]") or name in CONVENTIONAL:
            continue
        for strange in ("strange", True, np.nan):
            changed = fresh_copy(member).set_params(**{name: strange})
            try:
                changed.check() if hasattr(changed, "check") else use(changed, next(problems()))
            except (TypeError, ValueError) as error:
                require(name in str(error), f"the error for {name}={strange!r} does not name `{name}`: {error}")
            else:
                raise AssertionError(f"`{name}` is a number, but {name}={strange!r} is accepted.")


def check_repeatable(member: Any, use: Callable[[Any, Problem], NDArray[Any]]) -> None:
    """The same input gives the same result, and stays as it is."""
    for problem in problems(n_classes=3):
        before, first, second = deepcopy(problem), fresh_copy(member), fresh_copy(member)
        result = np.copy(use(first, problem))
        for field in fields(problem):
            kept = equal(getattr(before, field.name), getattr(problem, field.name))
            require(kept, f"with {problem.name} it changes `{field.name}`, which belongs to the caller.")
        require(equal(result, use(second, problem)), f"with {problem.name} two copies give different results.")
        require(equal(result, use(first, problem)), f"with {problem.name} a second run differs from the first.")
