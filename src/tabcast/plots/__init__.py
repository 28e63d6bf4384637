"""Figures for a fitted model: each function takes plain data, draws on matplotlib Axes and returns them.

matplotlib is imported only when something is drawn.
"""

from tabcast.plots.reliability import draw_reliability

__all__ = ["draw_reliability"]
