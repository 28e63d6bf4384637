"""The figures of the study: each takes the result of a data function, draws on matplotlib Axes and returns them.

matplotlib is imported only when something is drawn.
"""

from tabcast.study.figures.alpha_winners import draw_alpha_winners
from tabcast.study.figures.confidence_map import draw_confidence_map
from tabcast.study.figures.critical_difference import draw_critical_difference
from tabcast.study.figures.density_quality import draw_density_quality
from tabcast.study.figures.gains import arrange_gains, draw_gains
from tabcast.study.figures.label_fractions import draw_label_fractions, relative_improvements

__all__ = [
    "arrange_gains",
    "draw_alpha_winners",
    "draw_confidence_map",
    "draw_critical_difference",
    "draw_density_quality",
    "draw_gains",
    "draw_label_fractions",
    "relative_improvements",
]
