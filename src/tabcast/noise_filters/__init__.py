"""Which of the chosen rows are rejected after all. Sixth stage of the walk.

To add a filter, subclass `NoiseFilter`, write `fit(X, y)` and `keep(X, labels)`, and list it here.
"""

from tabcast.noise_filters._filters import KeepAllRows, MahalanobisFilter, NoiseFilter

__all__ = ["KeepAllRows", "MahalanobisFilter", "NoiseFilter"]

NOISE_FILTERS: dict[str | None, type[NoiseFilter]] = {None: KeepAllRows, "mahalanobis": MahalanobisFilter}
