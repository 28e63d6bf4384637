"""Which columns the density uses. Second stage of the walk.

To add a selection, subclass `FeatureSelection`, write `fit(X, y, categorical_features)` that sets `support_`, and list
it here.
"""

from tabcast.feature_selection._selections import BorutaShap, FeatureSelection, KeepAll

__all__ = ["BorutaShap", "FeatureSelection", "KeepAll"]

FEATURE_SELECTIONS: dict[str | None, type[FeatureSelection]] = {None: KeepAll, "all": KeepAll, "boruta": BorutaShap}
