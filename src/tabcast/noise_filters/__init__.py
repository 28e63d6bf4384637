"""Second thoughts about chosen pseudo-labels. Sixth stage of the walk.

To add one: subclass `NoiseFilter` in a file of its own, write
`fit(X, y, categorical_features)` and `keep(X, labels)`, list it here.
"""

from tabcast.noise_filters._base import NoiseFilter
from tabcast.noise_filters._keep_all_rows import KeepAllRows
from tabcast.noise_filters._mahalanobis_filter import MahalanobisFilter

__all__ = ["KeepAllRows", "MahalanobisFilter", "NoiseFilter"]
