"""One wording for a name that is not among the choices."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


def check_choice(given: Any, choices: Iterable[Any], what: str, *, other_names: Iterable[str] = ()) -> None:
    """Refuse a name that is not among the choices, and say which one may have been meant.

    Parameters
    ----------
    given : what came.
    choices : what is allowed.
    what : what it is, for the sentence.
    other_names : allowed as well, not listed, but perhaps meant.

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
    close = get_close_matches(str(given).lower(), [str(name) for name in (*choices, *others)], n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"Unknown {what}: {given!r}. Choices: {', '.join(map(str, choices))}.{hint}")
