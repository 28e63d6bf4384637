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
    """What the members of a family promise: something of their own, and what all families do.

    Its two methods are the public functions of the family, for instance `check_density` and `density_checks`.

    Parameters
    ----------
    family : type
        The base class of the members.
    use : callable
        What a member is for: from a member and a problem to a result.
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
        """Return every check of the family, for `pytest.mark.parametrize`.

        Returns
        -------
        list of tuple (str, callable)
            Name and function of each check; the function takes a member.

        Examples
        --------
        >>> from tabcast.pseudo_labels import TakeAll
        >>> from tabcast.testing import strategy_checks
        >>> name, check = strategy_checks()[0]
        >>> check(TakeAll())  # raises an AssertionError where the promise is broken
        """
        first, last = ([_named(partial(check, use=self.use), check) for check in some] for some in (FIRST, LAST))
        return first + [_named(check, check) for check in self._promises] + last

    def check(self, member: Any) -> None:
        """Run every check of the family on a member.

        Parameters
        ----------
        member : object
            The member to check. A broken promise raises an AssertionError that names it.

        Examples
        --------
        >>> from tabcast.density import Uniform
        >>> from tabcast.testing import check_density
        >>> check_density(Uniform())
        """
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
