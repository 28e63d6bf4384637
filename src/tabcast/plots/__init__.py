"""Drawings of plain data: each takes what a data function gives, draws it on matplotlib Axes and returns them.

matplotlib is imported only when something is drawn.
"""

from tabcast.plots.reliability import draw_reliability

__all__ = ["draw_reliability"]
