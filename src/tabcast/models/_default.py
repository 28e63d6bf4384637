"""The classifier of people who name none."""

from __future__ import annotations

from sklearn.ensemble import HistGradientBoostingClassifier

# With 20 rows a leaf, scikit-learn's default, 41 labeled rows cannot be split twice. docs/defaults.md has the study.
MIN_SAMPLES_LEAF = 8


def default_classifier() -> HistGradientBoostingClassifier:
    """scikit-learn's gradient boosting, with leaves small enough for few labeled rows: no extra package, native NaN."""
    return HistGradientBoostingClassifier(min_samples_leaf=MIN_SAMPLES_LEAF)
