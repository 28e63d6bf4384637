"""The short names of the family."""

from __future__ import annotations

from typing import Any

from tabcast.checks import resolve_part
from tabcast.confidence._base import Confidence
from tabcast.confidence._distribution_alignment import DistributionAlignment
from tabcast.confidence._gaussian_process_calibration import GaussianProcessCalibration
from tabcast.confidence._histogram_binning import HistogramBinning
from tabcast.confidence._raw import Raw
from tabcast.confidence._spline_calibration import SplineCalibration
from tabcast.confidence._temperature_scaling import TemperatureScaling

CONFIDENCES: dict[str | None, type[Confidence]] = {
    None: Raw,
    "temperature": TemperatureScaling,
    "histogram": HistogramBinning,
    "spline": SplineCalibration,
    "gaussian_process": GaussianProcessCalibration,
    "alignment": DistributionAlignment,
}


def resolve_confidence(given: Any, owner: str) -> Confidence:
    """Return the confidence that a user passed, or the one that a short name stands for.

    Parameters
    ----------
    given : None, "temperature", "histogram", "spline", "gaussian_process", "alignment" or Confidence
        The value that was passed.
    owner : str
        Name of the class that takes it, for the message.

    Returns
    -------
    Confidence
        The object itself, or a new member with default parameters.

    Examples
    --------
    >>> from tabcast.confidence import resolve_confidence
    >>> resolve_confidence("temperature", "SelfTrainingClassifier")
    TemperatureScaling()
    """
    return resolve_part(given, CONFIDENCES, Confidence, "confidence", owner)
