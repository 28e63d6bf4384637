"""Statistics of evaluation: means, intervals, tests, calibration errors. Pure functions of arrays."""

from tabcast.statistics._auc import Area, area_under_curve, placements, rank_biserial
from tabcast.statistics._calibration_error import (
    expected_calibration_error,
    expected_gap,
    largest_gap,
    maximum_calibration_error,
    reliability_curve,
)
from tabcast.statistics._corrected_interval import Interval, corrected_error, corrected_interval
from tabcast.statistics._hotelling import hotelling_p_value
from tabcast.statistics._means import mean, standard_error
from tabcast.statistics._precision import (
    SupportedThreshold,
    fewest_rows,
    labels_to_support,
    precision_bound,
    supported_precision,
    supported_threshold,
    threshold_grid,
)
from tabcast.statistics._wilson import wilson_interval

__all__ = [
    "Area",
    "Interval",
    "SupportedThreshold",
    "area_under_curve",
    "corrected_error",
    "corrected_interval",
    "expected_calibration_error",
    "expected_gap",
    "fewest_rows",
    "hotelling_p_value",
    "labels_to_support",
    "largest_gap",
    "maximum_calibration_error",
    "mean",
    "placements",
    "precision_bound",
    "rank_biserial",
    "reliability_curve",
    "standard_error",
    "supported_precision",
    "supported_threshold",
    "threshold_grid",
    "wilson_interval",
]
