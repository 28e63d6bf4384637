"""Diagnostics of a partly labeled table and a classifier fitted on it: plain data, no words, no drawing.

Each question has a function of arrays or tables, and :func:`diagnose` answers all of them for a fitted
:class:`~tabcast.guard.GuardedClassifier`. Every answer has `to_dict()`, plain JSON.
"""

from tabcast.diagnostics._columns import covariate_shift, importance
from tabcast.diagnostics._diagnose import Diagnostics, diagnose
from tabcast.diagnostics._quality import curves, quality, reliability, thresholds

__all__ = [
    "Diagnostics",
    "covariate_shift",
    "curves",
    "diagnose",
    "importance",
    "quality",
    "reliability",
    "thresholds",
]
