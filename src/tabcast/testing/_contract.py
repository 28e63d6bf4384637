"""A contract: the checks of a family, each with the sentence that it is named by."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from tabcast.exceptions import TabcastWarning
from tabcast.testing._common import FIRST, LAST, Use

Check = Callable[[Any], None]


class Contract:
    """What members of a family promise: something of their own, and what all families do.

    Parameters
    ----------
    family : the base class of its members.
    use : what a member is there for, on a problem, from beginning to end.
    """

    def __init__(self, family: type, use: Use) -> None:
        self.family = family
        self.use = use
        self._promises: list[Check] = []

    def promises(self, check: Check) -> Check:
        """Add a check (a decorator); the function's name is the promise."""
        self._promises.append(check)
        return check

    def checks(self) -> list[tuple[str, Check]]:
        """Name and function of every check."""
        first, last = ([_named(partial(check, use=self.use), check) for check in some] for some in (FIRST, LAST))
        return first + [_named(check, check) for check in self._promises] + last

    def check(self, member: Any) -> None:
        """Run every check on a member."""
        if not isinstance(member, self.family):
            raise TypeError(f"An instance of {self.family.__name__} is needed to check its contract; got {member!r}.")
        for _, check in self.checks():
            check(member)


def _named(check: Check, promise: Callable[..., None]) -> tuple[str, Check]:
    """A check by its name; whatever goes wrong in it becomes a sentence about the member."""
    name = promise.__name__.replace("_", " ")

    @wraps(promise)
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

    return name, run
