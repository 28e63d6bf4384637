"""Promises of the members of every family. Each check gets the function that uses a member."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tabcast.checks import is_number
from tabcast.testing._problems import Problem, problems
from tabcast.testing._require import equal, fresh_copy, require

Use = Callable[[Any, Problem], NDArray[Any]]

CONVENTIONAL = ("n_jobs", "random_state", "verbose")  # mean the same everywhere in scikit-learn; members pass them on


def parameters_survive_a_copy(member: Any, use: Use) -> None:
    parameters = member.get_params(deep=False)
    stored = type(member)(**parameters).get_params(deep=False)
    for name, value in parameters.items():
        require(stored[name] is value, f"__init__ does not store `{name}` as it is given.")
    copy = clone(member)
    require(repr(copy) == repr(member), f"the copy is {copy!r}, the original {member!r}.")
    require(copy.set_params(**parameters) is copy, "set_params does not return the member itself.")
    require(repr(copy) == repr(member), "setting parameters to what they are changes them.")


def nothing_is_checked_in_init(member: Any, use: Use) -> None:
    parameters = member.get_params(deep=False)
    for name in parameters:
        try:
            type(member)(**{**parameters, name: object()})
        except Exception as error:
            raise AssertionError(
                f"__init__ raises {type(error).__name__} for a strange `{name}`; check it in `check` or where the "
                "member learns, so that set_params and clone work at any time."
            ) from error


def strange_numbers_are_refused_by_name(member: Any, use: Use) -> None:
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


def inputs_stay_as_they_are(member: Any, use: Use) -> None:
    for problem in problems(n_classes=3):
        before = deepcopy(problem)
        use(fresh_copy(member), problem)
        for field in fields(problem):
            kept = equal(getattr(before, field.name), getattr(problem, field.name))
            require(kept, f"with {problem.name} it changes `{field.name}`, which belongs to the caller.")


def the_same_input_gives_the_same_result(member: Any, use: Use) -> None:
    for problem in problems(n_classes=3):
        first, second = fresh_copy(member), fresh_copy(member)
        result = np.copy(use(first, problem))
        require(equal(result, use(second, problem)), f"with {problem.name} two copies give different results.")
        require(equal(result, use(first, problem)), f"with {problem.name} a second run differs from the first.")


FIRST = (parameters_survive_a_copy, nothing_is_checked_in_init, strange_numbers_are_refused_by_name)
# Last, because a member that breaks these has often broken something plainer.
LAST = (inputs_stay_as_they_are, the_same_input_gives_the_same_result)
