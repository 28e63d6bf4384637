"""What the figures have in common: their Axes, tidying them, breaking long names, one legend."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Panels = NDArray[Any]  # of Axes, in rows and columns

INK, PALE = "#222222", "#999999"
NAME_WIDTH = 22  # characters of a dataset's name in a line


def make_panels(shape: tuple[int, int], size: tuple[float, float]) -> Panels:
    """Make the Axes of a new figure of that size in inches, in rows and columns."""
    from matplotlib import pyplot as plt

    return plt.figure(figsize=size, layout="constrained").subplots(*shape, squeeze=False)


def tidy(ax: Axes) -> None:
    """Remove the frame above and to the right, and draw small numbers and a pale grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize="small")
    ax.grid(color="#eeeeee", zorder=0)
    ax.set_axisbelow(True)


def wrap_name(name: str) -> str:
    """Break a long name into lines, at spaces and hyphens if it has them."""
    return "\n".join(textwrap.wrap(name, NAME_WIDTH))


def draw_nothing(ax: Axes) -> None:
    """Say in an empty panel that there is nothing to draw."""
    ax.text(0.5, 0.5, "no results", transform=ax.transAxes, ha="center", va="center", color=PALE, fontsize="small")


def draw_legend(panels: Panels, handles: Sequence[Any]) -> Figure:
    """Draw one legend for all panels, below them, and return their figure."""
    figure: Figure = panels[0, 0].figure
    inches = sum(0.6 + 0.07 * len(handle.get_label()) for handle in handles)  # a handle with its gaps, small letters
    n_columns = ceil(len(handles) / ceil(inches / figure.get_figwidth()))
    figure.set_figheight(figure.get_figheight() + 0.1 + 0.2 * ceil(len(handles) / n_columns))
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=n_columns,
        fontsize="small",
        frameon=False,
        borderaxespad=0.1,
        columnspacing=1.2,
        handletextpad=0.5,
    )
    return figure
