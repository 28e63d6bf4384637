"""The short names of the family."""

from __future__ import annotations

from typing import Any

from tabcast.checks import resolve_part
from tabcast.feature_selection._base import FeatureSelection
from tabcast.feature_selection._boruta_shap import BorutaShap
from tabcast.feature_selection._keep_all import KeepAll

FEATURE_SELECTIONS: dict[str | None, type[FeatureSelection]] = {
    None: KeepAll,
    "all": KeepAll,
    "boruta": BorutaShap,
}


def resolve_feature_selection(given: Any, owner: str) -> FeatureSelection:
    """Return the feature selection that a user passed, or the one that a short name stands for.

    Parameters
    ----------
    given : None, "all", "boruta" or FeatureSelection
        The value that was passed.
    owner : str
        Name of the class that takes it, for the message.

    Returns
    -------
    FeatureSelection
        The object itself, or a new member with default parameters.

    Examples
    --------
    >>> from tabcast.feature_selection import resolve_feature_selection
    >>> resolve_feature_selection("boruta", "CASTClassifier")
    BorutaShap()
    """
    return resolve_part(given, FEATURE_SELECTIONS, FeatureSelection, "feature_selection", owner)
