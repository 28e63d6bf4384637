"""The short names of the family."""

from __future__ import annotations

from typing import Any

from tabcast.checks import resolve_part
from tabcast.pseudo_labels._base import Strategy
from tabcast.pseudo_labels._curriculum import Curriculum
from tabcast.pseudo_labels._fixed_threshold import FixedThreshold
from tabcast.pseudo_labels._take_all import TakeAll
from tabcast.pseudo_labels._top_k import TopK

STRATEGIES: dict[str | None, type[Strategy]] = {
    None: Curriculum,
    "curriculum": Curriculum,
    "threshold": FixedThreshold,
    "top_k": TopK,
    "all": TakeAll,
}


def resolve_strategy(given: Any, owner: str) -> Strategy:
    """Return the strategy that a user passed, or the one that a short name stands for.

    Parameters
    ----------
    given : None, "curriculum", "threshold", "top_k", "all" or Strategy
        The value that was passed.
    owner : str
        Name of the class that takes it, for the message.

    Returns
    -------
    Strategy
        The object itself, or a new member with default parameters.

    Examples
    --------
    >>> from tabcast.pseudo_labels import resolve_strategy
    >>> resolve_strategy("threshold", "CASTClassifier")
    FixedThreshold()
    """
    return resolve_part(given, STRATEGIES, Strategy, "strategy", owner)
