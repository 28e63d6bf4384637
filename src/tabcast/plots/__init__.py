"""Drawings of plain data: each takes what a data function gives, draws it on matplotlib Axes and returns them.

matplotlib is imported only when something is drawn.
"""

from tabcast.plots.alpha_winners import draw_alpha_winners
from tabcast.plots.confidence_map import draw_confidence_map
from tabcast.plots.critical_difference import draw_critical_difference
from tabcast.plots.density_quality import draw_density_quality
from tabcast.plots.gains import arrange_gains, draw_gains
from tabcast.plots.label_fractions import draw_label_fractions, relative_improvements
from tabcast.plots.reliability import draw_reliability

__all__ = [
    "arrange_gains",
    "draw_alpha_winners",
    "draw_confidence_map",
    "draw_critical_difference",
    "draw_density_quality",
    "draw_gains",
    "draw_label_fractions",
    "draw_reliability",
    "relative_improvements",
]
