"""One function per picture: plain data in, SVG out, for a given width, so that text keeps its size on a phone."""

from tabcast.report._charts.bars import draw_classes, draw_flipped, draw_seconds
from tabcast.report._charts.class_mix import draw_class_mix
from tabcast.report._charts.density import draw_density_accuracy, draw_information
from tabcast.report._charts.map import Point, draw_map
from tabcast.report._charts.overlap import draw_overlap
from tabcast.report._charts.reliability import draw_reliability, merge_bins
from tabcast.report._charts.selection import draw_selection, draw_selection_by_alpha
from tabcast.report._charts.shift import draw_shift
from tabcast.report._charts.training import draw_alpha, draw_history
from tabcast.report._charts.verdict import draw_gain, draw_steps, draw_verdict

__all__ = [
    "Point",
    "draw_alpha",
    "draw_class_mix",
    "draw_classes",
    "draw_density_accuracy",
    "draw_flipped",
    "draw_gain",
    "draw_history",
    "draw_information",
    "draw_map",
    "draw_overlap",
    "draw_reliability",
    "draw_seconds",
    "draw_selection",
    "draw_selection_by_alpha",
    "draw_shift",
    "draw_steps",
    "draw_verdict",
    "merge_bins",
]
