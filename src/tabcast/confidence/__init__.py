"""From probabilities to the confidence that chooses pseudo-labels. Fourth stage of the walk.

To add one: subclass `Confidence` in a file of its own, override `adjust` (and `prepare` or `calibrate`), list it here.
"""

from tabcast.confidence._base import Confidence
from tabcast.confidence._chain import Chain
from tabcast.confidence._cluster_aware import ClusterAware
from tabcast.confidence._distribution_alignment import DistributionAlignment, align, smoothed_shares
from tabcast.confidence._gaussian_process_calibration import GaussianProcessCalibration
from tabcast.confidence._histogram_binning import HistogramBinning
from tabcast.confidence._raw import Raw
from tabcast.confidence._short_names import CONFIDENCES, resolve_confidence
from tabcast.confidence._spline_calibration import SplineCalibration
from tabcast.confidence._temperature_scaling import TemperatureScaling

__all__ = [
    "CONFIDENCES",
    "Chain",
    "ClusterAware",
    "Confidence",
    "DistributionAlignment",
    "GaussianProcessCalibration",
    "HistogramBinning",
    "Raw",
    "SplineCalibration",
    "TemperatureScaling",
    "align",
    "resolve_confidence",
    "smoothed_shares",
]
