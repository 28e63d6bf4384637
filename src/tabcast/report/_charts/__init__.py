"""One function per picture: plain data in, SVG out, for a given width, so that text keeps its size on a phone."""

from tabcast.report._charts.bars import draw_class_prior, draw_classes, draw_flipped, draw_seconds
from tabcast.report._charts.class_mix import draw_class_mix
from tabcast.report._charts.confusion import draw_confusion, draw_per_class
from tabcast.report._charts.curves import draw_curves
from tabcast.report._charts.density import draw_density_accuracy, draw_information
from tabcast.report._charts.importance import draw_importance
from tabcast.report._charts.map import Point, draw_map
from tabcast.report._charts.overlap import draw_overlap
from tabcast.report._charts.pool_curve import draw_pool_curve
from tabcast.report._charts.reliability import draw_reliability, merge_bins
from tabcast.report._charts.selection import draw_selection, draw_selection_by_alpha
from tabcast.report._charts.shift import draw_shift
from tabcast.report._charts.threshold import draw_threshold
from tabcast.report._charts.training import draw_alpha, draw_history
from tabcast.report._charts.verdict import draw_gain, draw_steps, draw_verdict

__all__ = [
    "Point",
    "draw_alpha",
    "draw_class_mix",
    "draw_class_prior",
    "draw_classes",
    "draw_confusion",
    "draw_curves",
    "draw_density_accuracy",
    "draw_flipped",
    "draw_gain",
    "draw_history",
    "draw_importance",
    "draw_information",
    "draw_map",
    "draw_overlap",
    "draw_per_class",
    "draw_pool_curve",
    "draw_reliability",
    "draw_seconds",
    "draw_selection",
    "draw_selection_by_alpha",
    "draw_shift",
    "draw_steps",
    "draw_threshold",
    "draw_verdict",
    "merge_bins",
]
