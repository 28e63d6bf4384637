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
        The value of the argument `feature_selection`. None means "all".
    owner : str
        The class that was given the argument.

    Returns
    -------
    FeatureSelection
        The selection, not fitted.

    Examples
    --------
    >>> from tabcast.feature_selection import resolve_feature_selection
    >>> resolve_feature_selection("boruta", "CASTClassifier")
    BorutaShap()
    """
    return resolve_part(given, FEATURE_SELECTIONS, FeatureSelection, "feature_selection", owner)
