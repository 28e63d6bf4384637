"""Statistics of evaluation: means, intervals, tests, calibration errors. Pure functions of arrays."""

from tabcast.statistics._auc import Area, area_under_curve, placements, rank_biserial
from tabcast.statistics._calibration_error import (
    expected_calibration_error,
    expected_gap,
    largest_gap,
    maximum_calibration_error,
    reliability_curve,
)
from tabcast.statistics._corrected_interval import Interval, corrected_interval
from tabcast.statistics._hotelling import hotelling_p_value
from tabcast.statistics._means import mean, standard_error
from tabcast.statistics._wilson import wilson_interval

__all__ = [
    "Area",
    "Interval",
    "area_under_curve",
    "corrected_interval",
    "expected_calibration_error",
    "expected_gap",
    "hotelling_p_value",
    "largest_gap",
    "maximum_calibration_error",
    "mean",
    "placements",
    "rank_biserial",
    "reliability_curve",
    "standard_error",
    "wilson_interval",
]
