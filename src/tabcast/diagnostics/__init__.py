"""Diagnostics of a partly labeled table and a classifier fitted on it: plain data, no words, no drawing.

One file per question; each has a pure function of arrays or tables, and :func:`diagnose` answers all of them for a
fitted :class:`~tabcast.guard.GuardedClassifier`. Every answer has `to_dict()`, plain JSON.
"""

from tabcast.diagnostics._base import Diagnostic
from tabcast.diagnostics._class_mix import ClassMix, class_mix
from tabcast.diagnostics._class_overlap import ClassOverlap, class_overlap
from tabcast.diagnostics._cluster_assumption import ClusterAssumption, cluster_assumption
from tabcast.diagnostics._covariate_shift import CovariateShift, covariate_shift
from tabcast.diagnostics._diagnose import Diagnostics, diagnose
from tabcast.diagnostics._fisher_information import FisherInformation, fisher_information
from tabcast.diagnostics._flipped_labels import FlippedLabels, flipped_labels
from tabcast.diagnostics._reliability import ModelReliability, Reliability, reliability
from tabcast.diagnostics._rows_to_label import RowsToLabel, rows_to_label
from tabcast.diagnostics._selection_curve import SelectionCurve, selection_curve

__all__ = [
    "ClassMix",
    "ClassOverlap",
    "ClusterAssumption",
    "CovariateShift",
    "Diagnostic",
    "Diagnostics",
    "FisherInformation",
    "FlippedLabels",
    "ModelReliability",
    "Reliability",
    "RowsToLabel",
    "SelectionCurve",
    "class_mix",
    "class_overlap",
    "cluster_assumption",
    "covariate_shift",
    "diagnose",
    "fisher_information",
    "flipped_labels",
    "reliability",
    "rows_to_label",
    "selection_curve",
]
