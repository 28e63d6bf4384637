"""Figures of a run or a fitted model, drawn from the data of `tabcast.diagnostics`; the page embeds the same ones.

matplotlib is imported only when something is drawn, and pyplot never.
"""

from tabcast.plots._model import plot_calibration, plot_confusion, plot_curves, plot_importance, plot_thresholds
from tabcast.plots._training import plot_rounds, plot_verdict

__all__ = [
    "plot_calibration",
    "plot_confusion",
    "plot_curves",
    "plot_importance",
    "plot_rounds",
    "plot_thresholds",
    "plot_verdict",
]
