"""The default classifier."""

from __future__ import annotations

from sklearn.ensemble import HistGradientBoostingClassifier

# With 20 rows a leaf, scikit-learn's default, 41 labeled rows cannot be split twice. docs/defaults.md has the study.
MIN_SAMPLES_LEAF = 8


def default_classifier() -> HistGradientBoostingClassifier:
    """Return scikit-learn's gradient boosting, with leaves small enough for few labeled rows.

    It needs no extra package and handles missing values.

    Returns
    -------
    HistGradientBoostingClassifier
        Not fitted.

    Examples
    --------
    >>> from tabcast.models import default_classifier
    >>> default_classifier()
    HistGradientBoostingClassifier(min_samples_leaf=8)
    """
    return HistGradientBoostingClassifier(min_samples_leaf=MIN_SAMPLES_LEAF)
