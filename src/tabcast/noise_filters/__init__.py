"""Second thoughts about chosen pseudo-labels. Sixth stage of the walk.

To add one: subclass `NoiseFilter` in a file of its own, write
`fit(X, y, categorical_features)` and `keep(X, labels)`, list it here.
"""

from tabcast.noise_filters._base import NoiseFilter
from tabcast.noise_filters._keep_all_rows import KeepAllRows
from tabcast.noise_filters._mahalanobis_filter import MahalanobisFilter
from tabcast.noise_filters._short_names import NOISE_FILTERS, resolve_noise_filter

__all__ = ["NOISE_FILTERS", "KeepAllRows", "MahalanobisFilter", "NoiseFilter", "resolve_noise_filter"]
