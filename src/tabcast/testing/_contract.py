"""What all families promise: parameters that are stored and checked, results that can be repeated."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tabcast.checks import is_number
from tabcast.exceptions import TabcastWarning
from tabcast.testing import _require as require
from tabcast.testing._problems import Problem, problems

CONVENTIONAL = ("n_jobs", "random_state", "verbose")  # mean the same everywhere in scikit-learn; members pass them on
Use = Callable[[Any, Problem], NDArray[Any]]


def fresh_copy(member: Any) -> Any:
    """An unfitted copy with checked parameters, in which everything random has a seed."""
    copy = clone(member)
    copy.set_params(**{name: 0 for name in copy.get_params() if name.rsplit("__", 1)[-1] == "random_state"})
    if hasattr(copy, "check"):
        copy.check()
    return copy


def fitted(member: Any, *data: Any, **options: Any) -> Any:
    """A fresh copy that has learned from data."""
    return returns_itself(fresh_copy(member), "fit", *data, **options)


def returns_itself(member: Any, method: str, *data: Any, **options: Any) -> Any:
    """Call a method that has to return its object."""
    returned = getattr(member, method)(*data, **options)
    require.that(
        returned is member, f"{method} returns {require.describe(returned)}, not the object that it belongs to."
    )
    return member


@contextmanager
def contract(member: Any, family: type, use: Use) -> Iterator[None]:
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
        require.that(stored[name] is value, f"__init__ does not store `{name}` as it is given.")
        try:
            type(member)(**{**parameters, name: object()})
        except Exception as error:
            raise AssertionError(
                f"__init__ raises {type(error).__name__} for a strange `{name}`; check it in `check` or where the "
                "member learns, so that set_params and clone work at any time."
            ) from error
    require.that(repr(clone(member)) == repr(member), f"the copy is {clone(member)!r}, the original {member!r}.")


def check_numbers(member: Any, use: Use) -> None:
    """What is no number is refused by the parameter's name."""
    for name, value in member.get_params(deep=False).items():
        if not is_number(value, "[-inf, inf]") or name in CONVENTIONAL:
            continue
        for strange in ("strange", True, np.nan):
            changed = fresh_copy(member).set_params(**{name: strange})
            try:
                changed.check() if hasattr(changed, "check") else use(changed, next(problems()))
            except (TypeError, ValueError) as error:
                require.that(name in str(error), f"the error for {name}={strange!r} does not name `{name}`: {error}")
            else:
                raise AssertionError(f"`{name}` is a number, but {name}={strange!r} is accepted.")


def check_repeatable(member: Any, use: Use) -> None:
    """The same input gives the same result, and stays as it is."""
    for problem in problems(n_classes=3):
        before, first, second = deepcopy(problem), fresh_copy(member), fresh_copy(member)
        result = np.copy(use(first, problem))
        for field in fields(problem):
            sentence = f"with {problem.name} it changes `{field.name}`, which belongs to the caller."
            require.same(getattr(before, field.name), getattr(problem, field.name), sentence)
        require.same(result, use(second, problem), f"with {problem.name} two copies give different results.")
        require.same(result, use(first, problem), f"with {problem.name} a second run differs from the first.")
