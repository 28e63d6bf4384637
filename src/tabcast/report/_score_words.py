"""The cross-validated score of a supervised model in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def say_score(score: Mapping[str, Any] | None) -> list[str]:
    """The score with its interval; nothing if it is not known.

    Examples
    --------
    >>> score = {"metric": "balanced_accuracy", "score": 0.8, "low": 0.7, "high": 0.9, "level": 0.9, "n_splits": 10}
    >>> say_score(score)
    ['Its cross-validated balanced accuracy is 0.800 (90% interval: 0.700 to 0.900; 10 splits of the labeled rows).']
    >>> say_score(None)
    []
    """
    if score is None:
        return []
    interval = (
        "no interval, because hardly a fold has every class"
        if score["low"] is None
        else f"{score['level']:.0%} interval: {score['low']:.3f} to {score['high']:.3f}"
    )
    return [
        f"Its cross-validated {score['metric'].replace('_', ' ')} is {score['score']:.3f} ({interval}; "
        f"{score['n_splits']} splits of the labeled rows)."
    ]
