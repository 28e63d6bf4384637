"""Diagnostics of a partly labeled table and a classifier fitted on it: plain data, no words, no drawing.

One file per question; each has a pure function of arrays or tables, and :func:`diagnose` answers all of them for a
fitted :class:`~tabcast.guard.GuardedClassifier`. Every answer has `to_dict()`, plain JSON.
"""

from tabcast.diagnostics._base import Diagnostic
from tabcast.diagnostics._class_mix import ClassMix, class_mix
from tabcast.diagnostics._class_overlap import ClassOverlap, class_overlap
from tabcast.diagnostics._class_prior import ClassPrior, class_prior
from tabcast.diagnostics._cluster_assumption import ClusterAssumption, cluster_assumption
from tabcast.diagnostics._covariate_shift import CovariateShift, covariate_shift
from tabcast.diagnostics._curves import Curves, curves
from tabcast.diagnostics._diagnose import Diagnostics, diagnose
from tabcast.diagnostics._fisher_information import FisherInformation, fisher_information
from tabcast.diagnostics._flipped_labels import FlippedLabels, flipped_labels
from tabcast.diagnostics._importance import Importance, importance
from tabcast.diagnostics._quality import Quality, quality
from tabcast.diagnostics._reliability import ModelReliability, Reliability, reliability
from tabcast.diagnostics._rows_to_label import RowsToLabel, rows_to_label
from tabcast.diagnostics._selection_curve import SelectionCurve, selection_curve
from tabcast.diagnostics._thresholds import Thresholds, thresholds

__all__ = [
    "ClassMix",
    "ClassOverlap",
    "ClassPrior",
    "ClusterAssumption",
    "CovariateShift",
    "Curves",
    "Diagnostic",
    "Diagnostics",
    "FisherInformation",
    "FlippedLabels",
    "Importance",
    "ModelReliability",
    "Quality",
    "Reliability",
    "RowsToLabel",
    "SelectionCurve",
    "Thresholds",
    "class_mix",
    "class_overlap",
    "class_prior",
    "cluster_assumption",
    "covariate_shift",
    "curves",
    "diagnose",
    "fisher_information",
    "flipped_labels",
    "importance",
    "quality",
    "reliability",
    "rows_to_label",
    "selection_curve",
    "thresholds",
]
