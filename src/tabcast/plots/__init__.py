"""Figures of a run or a fitted model: `plot_...` return matplotlib figures, `draw_reliability` draws on given Axes.

The data are those of `tabcast.diagnostics`. matplotlib is imported only when something is drawn.
"""

from tabcast.plots.calibration import plot_calibration
from tabcast.plots.confusion import plot_confusion
from tabcast.plots.curves import plot_curves
from tabcast.plots.importance import plot_importance
from tabcast.plots.reliability import draw_reliability
from tabcast.plots.rounds import plot_rounds
from tabcast.plots.verdict import plot_verdict

__all__ = [
    "draw_reliability",
    "plot_calibration",
    "plot_confusion",
    "plot_curves",
    "plot_importance",
    "plot_rounds",
    "plot_verdict",
]
