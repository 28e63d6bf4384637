"""Checks of arguments, each with one wording: a name among choices, a number in an interval, a member of a family."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from math import inf
from numbers import Integral, Real
from typing import Any, NoReturn, TypeVar

__all__ = ["check_choice", "check_integer", "check_number", "is_integer", "is_number", "resolve_part"]

Family = TypeVar("Family")


def check_choice(given: Any, choices: Iterable[Any], what: str, *, other_names: Iterable[str] = ()) -> None:
    """Raise a ValueError for a name that is not among the choices, and suggest the closest one.

    Parameters
    ----------
    given : object
        The value that was passed.
    choices : iterable of object
        The allowed values.
    what : str
        What the value is, for the message.
    other_names : iterable of str, default=()
        Further allowed names, which the message does not list but may suggest.

    Examples
    --------
    >>> from tabcast.checks import check_choice
    >>> check_choice("curiculum", ["curriculum", "threshold"], "strategy")
    Traceback (most recent call last):
    ValueError: Unknown strategy: 'curiculum'. Choices: curriculum, threshold. Did you mean 'curriculum'?
    """
    choices, others = list(choices), list(other_names)
    if given in choices or given in others:
        return
    hint = _suggest(given, [*choices, *others])
    raise ValueError(f"Unknown {what}: {given!r}. Choices: {', '.join(map(str, choices))}.{hint}")


def check_number(
    value: Any, name: str, owner: str, interval: str = "(-inf, inf)", *, allowed: Sequence[str | None] = ()
) -> None:
    """Raise a ValueError for anything but a number in an interval.

    Booleans, NaN and strings are refused; numpy numbers are accepted.

    Parameters
    ----------
    value : object
        The value that was passed.
    name : str
        Name of the argument.
    owner : str
        Name of the class or function that takes it.
    interval : str, default="(-inf, inf)"
        The interval, in brackets for an end that belongs to it and in parentheses for one that does not:
        "(0, 1]", "[0, inf)".
    allowed : sequence of str or None, default=()
        Other values that are accepted.

    See Also
    --------
    check_integer : The same for integers.
    is_number : Whether a value is a number in an interval.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.checks import check_number
    >>> check_number(np.float32(0.5), "step", "Curriculum", "(0, 1]")
    >>> check_number(True, "step", "Curriculum", "(0, 1]")
    Traceback (most recent call last):
    ValueError: `step` of Curriculum must be a number in (0, 1]; got True.
    >>> check_number(-1.0, "temperature", "SoftSelfTrainingClassifier", "(0, inf)", allowed=["auto"])
    Traceback (most recent call last):
    ValueError: `temperature` of SoftSelfTrainingClassifier must be a positive number or 'auto'; got -1.0.
    """
    if not (is_number(value, interval) or _is_among(value, allowed)):
        _refuse(value, name, owner, _describe_interval(interval), allowed)


def check_integer(
    value: Any,
    name: str,
    owner: str,
    low: int | None = None,
    high: int | None = None,
    *,
    allowed: Sequence[str | None] = (),
) -> None:
    """Raise a ValueError for anything but an integer in a range.

    Booleans and floats are refused; numpy integers are accepted.

    Parameters
    ----------
    value : object
        The value to check.
    name : str
        What the argument is called.
    owner : str
        The class or function it belongs to.
    low : int, default=None
        Smallest accepted value. None means no limit.
    high : int, default=None
        Largest accepted value. None means no limit.
    allowed : sequence of str or None, default=()
        Other values that are accepted.

    See Also
    --------
    check_number : The same for real numbers.
    is_integer : Whether a value is an integer in a range.

    Examples
    --------
    >>> from tabcast.checks import check_integer
    >>> check_integer(None, "max_pool", "CASTClassifier", 1, allowed=[None])
    >>> check_integer(0, "max_rounds", "CASTClassifier", 1)
    Traceback (most recent call last):
    ValueError: `max_rounds` of CASTClassifier must be an integer of at least 1; got 0.
    """
    if not (is_integer(value, low, high) or _is_among(value, allowed)):
        _refuse(value, name, owner, _describe_range(low, high), allowed)


def is_number(value: Any, interval: str = "(-inf, inf)") -> bool:
    """Tell whether a value is a real number in an interval; booleans and NaN are not.

    Parameters
    ----------
    value : object
        Any value.
    interval : str, default="(-inf, inf)"
        The interval, as in :func:`check_number`.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> from tabcast.checks import is_number
    >>> is_number(1, "(0, 1]"), is_number(0.0, "(0, 1]"), is_number(True, "(0, 1]"), is_number("1", "(0, 1]")
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    low, high = _ends(interval)
    number: Any = value
    above = number >= low if interval.startswith("[") else number > low
    below = number <= high if interval.endswith("]") else number < high
    return bool(above and below)


def is_integer(value: Any, low: int | None = None, high: int | None = None) -> bool:
    """Tell whether a value is an integer in a range; booleans are not.

    Parameters
    ----------
    value : object
        The value to look at.
    low : int, default=None
        Smallest value. None means no limit.
    high : int, default=None
        Largest value. None means no limit.

    Returns
    -------
    bool
        True for an integer in the range.

    Examples
    --------
    >>> from tabcast.checks import is_integer
    >>> is_integer(3, 1), is_integer(0, 1), is_integer(3.0, 1), is_integer(True, 1)
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        return False
    return (low is None or int(value) >= low) and (high is None or int(value) <= high)


def resolve_part(
    given: Any, names: Mapping[str | None, Callable[[], Family]], family: type[Any], argument: str, owner: str
) -> Family:
    """Return the member of a family that a user passed, or the one that a short name stands for.

    Each family has a dictionary of its short names, for instance `tabcast.density.DENSITIES`.

    Parameters
    ----------
    given : object
        The value that was passed.
    names : mapping from str or None to callable
        Short names and the classes, or functions without arguments, that build what they stand for.
    family : type
        Base class of the family.
    argument : str
        Name of the argument, for the message.
    owner : str
        Name of the class that takes it, for the message.

    Returns
    -------
    instance of family
        The object itself, or a new member with default parameters.

    Examples
    --------
    >>> from tabcast.checks import resolve_part
    >>> from tabcast.density import Density, Uniform
    >>> resolve_part("uniform", {"uniform": Uniform}, Density, "density", "CASTClassifier")
    Uniform()
    """
    if isinstance(given, family):
        return given
    if _is_among(given, names):
        return names[given]()
    home = family.__module__.rsplit(".", 1)[0]
    hint = _suggest(given, [name for name in names if name]) if isinstance(given, str) else ""
    raise ValueError(
        f"`{argument}` of {owner} must be {', '.join(map(repr, names))} or a member of {home}; got {given!r}.{hint}"
    )


def _suggest(given: Any, names: Sequence[Any]) -> str:
    """A sentence that suggests the closest name, empty if none is close."""
    all_names, like = [str(name) for name in names], str(given).lower()
    close = [name for name in all_names if like and name.startswith(like)] or get_close_matches(like, all_names, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _is_among(value: Any, allowed: Iterable[str | None]) -> bool:
    """Whether a value is one of some strings or None; an array never is."""
    return (value is None or isinstance(value, str)) and value in allowed


def _ends(interval: str) -> tuple[float, float]:
    """Both ends of an interval written as "(0, 1]"."""
    low, high = interval[1:-1].split(",")
    return float(low), float(high)


def _describe_interval(interval: str) -> str:
    """What a number in an interval is called."""
    low, high = _ends(interval)
    if high < inf:
        return f"a number in {interval}"
    if low == -inf:
        return "a number"
    if interval.startswith("["):
        return f"a number of at least {low:g}"
    return f"a number above {low:g}" if low else "a positive number"


def _describe_range(low: int | None, high: int | None) -> str:
    """What an integer in a range is called."""
    if high is not None:
        return f"an integer of at most {high}" if low is None else f"an integer in [{low}, {high}]"
    return "an integer" if low is None else f"an integer of at least {low}"


def _refuse(value: Any, name: str, owner: str, wanted: str, allowed: Sequence[str | None]) -> NoReturn:
    """Raise the error: which argument of what, what is allowed, what came."""
    *others, last = [wanted, *map(repr, allowed)]
    choices = f"{', '.join(others)} or {last}" if others else last
    raise ValueError(f"`{name}` of {owner} must be {choices}; got {value!r}.")
