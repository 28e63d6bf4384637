"""What the figures have in common: their Axes, tidying them, breaking long names, one legend."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


def wrap_name(name: object, width: int = NAME_WIDTH) -> str:
    """Break a name into lines of at most `width` characters, at spaces, hyphens and underscores if it has them."""
    parts = str(name).replace("_", "_\u200b").replace("-", "-\u200b").replace(" ", " \u200b").split("\u200b")
    lines = [""]
    for part in parts:
        if len(lines[-1]) + len(part.rstrip()) > width and lines[-1]:
            lines.append("")
        lines[-1] += part
    return "\n".join(piece for line in lines for piece in textwrap.wrap(line, width) or [""])


def draw_legend(panels: Panels, handles: Sequence[Any]) -> None:
    """Draw one legend for all panels, below them."""
    figure = panels[0, 0].figure
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
