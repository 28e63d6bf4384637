"""The classifier of people who name none."""

from __future__ import annotations

from sklearn.ensemble import HistGradientBoostingClassifier

# With scikit-learn's 20 rows a leaf, 41 labeled rows cannot be split twice. benchmarks/default_leaf.py chose this.
MIN_SAMPLES_LEAF = 5


def default_classifier() -> HistGradientBoostingClassifier:
    """scikit-learn's gradient boosting, with leaves small enough for few labeled rows: no extra package, native NaN."""
    return HistGradientBoostingClassifier(min_samples_leaf=MIN_SAMPLES_LEAF)
