"""The short names of the family."""

from __future__ import annotations

from typing import Any

from tabcast.checks import resolve_part
from tabcast.noise_filters._base import NoiseFilter
from tabcast.noise_filters._keep_all_rows import KeepAllRows
from tabcast.noise_filters._mahalanobis_filter import MahalanobisFilter

NOISE_FILTERS: dict[str | None, type[NoiseFilter]] = {
    None: KeepAllRows,
    "mahalanobis": MahalanobisFilter,
}


def resolve_noise_filter(given: Any, owner: str) -> NoiseFilter:
    """Return the noise filter that a user passed, or the one that a short name stands for.

    Parameters
    ----------
    given : None, "mahalanobis" or NoiseFilter
        The value that was passed.
    owner : str
        Name of the class that takes it, for the message.

    Returns
    -------
    NoiseFilter
        The object itself, or a new member with default parameters.

    Examples
    --------
    >>> from tabcast.noise_filters import resolve_noise_filter
    >>> resolve_noise_filter(None, "CASTClassifier")
    KeepAllRows()
    """
    return resolve_part(given, NOISE_FILTERS, NoiseFilter, "noise_filter", owner)
