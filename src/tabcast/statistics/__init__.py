"""Statistics of evaluation: means, intervals, tests, calibration errors. Pure functions of arrays."""

from tabcast.statistics._calibration_error import (
    expected_calibration_error,
    reliability_curve,
)
from tabcast.statistics._intervals import area_under_curve, corrected_interval, wilson_interval
from tabcast.statistics._precision import supported_threshold

__all__ = [
    "area_under_curve",
    "corrected_interval",
    "expected_calibration_error",
    "reliability_curve",
    "supported_threshold",
    "wilson_interval",
]
