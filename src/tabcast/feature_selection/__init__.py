"""Which columns the density looks at. Second stage of the walk.

To add one: subclass `FeatureSelection` in a file of its own, write
`fit(X, y, categorical_features)` that sets `support_`, list it here.
"""

from tabcast.feature_selection._base import FeatureSelection
from tabcast.feature_selection._boruta_shap import BorutaShap
from tabcast.feature_selection._keep_all import KeepAll
from tabcast.feature_selection._short_names import FEATURE_SELECTIONS, resolve_feature_selection

__all__ = ["FEATURE_SELECTIONS", "BorutaShap", "FeatureSelection", "KeepAll", "resolve_feature_selection"]
