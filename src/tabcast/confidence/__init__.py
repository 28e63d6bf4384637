"""From probabilities to the confidence by which pseudo-labels are chosen. Fourth stage of the walk.

To add a member, subclass `Confidence`, override `adjust` (and `prepare` or `calibrate`), and list it here.
"""

from tabcast.confidence._alignment import DistributionAlignment
from tabcast.confidence._calibration import HistogramBinning, SplineCalibration, TemperatureScaling
from tabcast.confidence._confidence import Chain, ClusterAware, Confidence, Raw
from tabcast.confidence._gaussian_process import GaussianProcessCalibration

__all__ = [
    "Chain",
    "ClusterAware",
    "Confidence",
    "DistributionAlignment",
    "GaussianProcessCalibration",
    "HistogramBinning",
    "Raw",
    "SplineCalibration",
    "TemperatureScaling",
]

CONFIDENCES: dict[str | None, type[Confidence]] = {
    None: Raw,
    "temperature": TemperatureScaling,
    "histogram": HistogramBinning,
    "spline": SplineCalibration,
    "gaussian_process": GaussianProcessCalibration,
    "alignment": DistributionAlignment,
}
