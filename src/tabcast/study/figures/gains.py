"""The forest plot: a paired difference and its interval for each dataset, the overall one at the bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.study.figures._panels import INK, PALE, check_table, take_panels, tidy, wrap_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

OVERALL = "overall"
GAIN, LOSS, OPEN = "#0072b2", "#d55e00", "#777777"
LABEL_WIDTH = 34  # characters of a label in a line
LINE = 0.24  # inches of a line of the figure
TEXT_LINE = 0.6  # lines of the figure that a further line of a label takes
DIAMOND = 0.32  # half the height of the overall diamond, in lines


def arrange_gains(differences: pd.DataFrame, *, overall: str = OVERALL) -> pd.DataFrame:
    """Bring paired differences into the order of a forest plot: largest first, the overall one last.

    Parameters
    ----------
    differences : DataFrame
        One row per comparison, with columns label (a dataset), difference, low, high (ends of its 95% interval)
        and, if there are several blocks, group (the name of the block). A difference may be NaN where a result is
        missing, so may the ends of an interval.
    overall : str, default="overall"
        The label of rows that sum up their group; without a group they sum up everything and stand at the bottom.

    Returns
    -------
    DataFrame
        The rows in order, with columns group ("" for none), label, difference, low, high, is_overall, and line, the
        place in the figure counted from above. Groups keep their order and begin with a free line for their name; so
        does what follows them. Missing differences stand below the others of their group.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.figures.gains import arrange_gains
    >>> differences = pd.DataFrame({"label": ["overall", "cmc", "diabetes"], "difference": [0.01, -0.01, 0.03],
    ...                             "low": [0.0, -0.02, 0.01], "high": [0.02, 0.0, 0.05]})
    >>> arrange_gains(differences)[["label", "difference", "is_overall", "line"]]
          label  difference  is_overall  line
    0  diabetes        0.03       False     0
    1       cmc       -0.01       False     1
    2   overall        0.01        True     2
    """
    check_table(differences, ["label", "difference", "low", "high"], "differences", "arrange_gains")
    table = differences.reset_index(drop=True)
    group = table["group"] if "group" in table else pd.Series("", index=table.index)
    table = table[["label", "difference", "low", "high"]].astype({"difference": float, "low": float, "high": float})
    table.insert(0, "group", group.astype(object).where(group.notna(), "").astype(str))
    table["is_overall"] = table["label"] == overall
    outside = (table["low"] > table["difference"]) | (table["high"] < table["difference"])
    if outside.any():
        raise ValueError(
            f"`low` and `high` of arrange_gains must enclose `difference`; they do not for "
            f"{', '.join(table['label'][outside].astype(str))}."
        )
    table = table.sort_values("difference", ascending=False, kind="stable", na_position="last")
    return _place(table, list(dict.fromkeys(group.dropna().astype(str))))


def draw_gains(
    gains: pd.DataFrame, ax: Axes | None = None, *, xlabel: str = "difference in score", title: str | None = None
) -> Axes:
    """Draw each difference as a point with its interval, the overall ones as diamonds, and the numbers beside them.

    Blue: the whole interval is above 0; orange: below 0; gray: it holds 0.

    Parameters
    ----------
    gains : DataFrame
        The result of :func:`arrange_gains`.
    ax : Axes, default=None
        Axes to draw on. By default those of a new figure, as tall as it has lines.
    xlabel : str, default="difference in score"
        What is subtracted from what.
    title : str, default=None
        Text above.

    Returns
    -------
    Axes
        The Axes of the forest plot.

    Examples
    --------
    >>> from tabcast.study.figures.gains import arrange_gains, draw_gains
    >>> ax = draw_gains(arrange_gains(differences), xlabel="CAST-L minus baseline")  # doctest: +SKIP
    >>> ax.figure.savefig("gains.pdf")  # doctest: +SKIP
    """
    check_table(gains, ["group", "label", "difference", "low", "high", "is_overall", "line"], "gains", "draw_gains")
    labels = [wrap_name(label, LABEL_WIDTH) for label in gains["label"]]
    at, half = line_places(gains["line"].to_numpy(), np.array([1 + label.count("\n") for label in labels]))
    letters = max(len(part) for label in labels for part in label.split("\n"))
    ends = -0.6, at[-1] + half[-1] + 0.1
    size = 4.6 + 0.065 * letters, LINE * (ends[1] - ends[0]) + 0.8
    ax = take_panels(ax, (1, 1), size, "draw_gains")[0, 0]
    tidy(ax)
    ax.grid(False, axis="y")
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1)
    decimals = count_decimals(gains)
    for place, (_, row) in zip(at, gains.iterrows(), strict=True):
        _draw_row(ax, row, place, decimals)
    _draw_groups(ax, gains, at - half)
    ax.set_yticks(at, labels, fontsize="small")
    for tick, is_overall in zip(ax.get_yticklabels(), gains["is_overall"], strict=True):
        tick.set_fontweight("bold" if is_overall else "normal")
    ax.set_ylim(ends[::-1])
    ax.locator_params(axis="x", nbins=5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(xlabel, fontsize="small")
    if title is not None:
        ax.set_title(title, fontsize="medium")
    return ax


def line_places(line: NDArray[np.intp], n_lines: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Middle and half height of each row, where a label broken into several lines pushes the rows below it down."""
    half = 0.5 + TEXT_LINE * (n_lines - 1) / 2
    pushed = np.cumsum(2 * half - 1)
    return line + pushed - (half - 0.5), half


def count_decimals(gains: pd.DataFrame) -> int:
    """Decimals that show two to three digits of the typical half interval, or difference where there is no interval."""
    sizes = ((gains["high"] - gains["low"]) / 2).fillna(gains["difference"].abs())
    typical = sizes[sizes > 0].median()
    return 3 if np.isnan(typical) else int(np.clip(np.ceil(1.5 - np.log10(typical)), 0, 6))


def _place(table: pd.DataFrame, groups: list[str]) -> pd.DataFrame:
    """Rows group by group, sums last, with their lines."""
    blocks = [table[table["group"] == group] for group in groups if group != ""]
    alone = table[table["group"] == ""]
    blocks = [alone[~alone["is_overall"]], *blocks, alone[alone["is_overall"]]]
    line = 0
    placed: list[pd.DataFrame] = []
    for block in blocks:
        if block.empty:
            continue
        block = block.sort_values("is_overall", kind="stable")
        group = block["group"].iloc[0]
        line += int(group != "" or (bool(placed) and placed[-1]["group"].iloc[0] != ""))
        placed.append(block.assign(line=np.arange(line, line + len(block))))
        line += len(block)
    return pd.concat(placed, ignore_index=True)


def _draw_row(ax: Axes, row: pd.Series, at: float, decimals: int) -> None:
    """One difference: point or diamond, interval, numbers on the right."""
    difference, low, high = (float(row[name]) for name in ("difference", "low", "high"))
    beside: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": "x-small"}
    if np.isnan(difference):
        ax.text(1.02, at, "no result", color=PALE, **beside)
        return
    color = GAIN if low > 0 else LOSS if high < 0 else OPEN
    has_interval = not np.isnan([low, high]).any()
    if row["is_overall"] and has_interval:
        ax.fill([low, difference, high, difference], [at, at - DIAMOND, at, at + DIAMOND], color=color, zorder=3)
    else:
        ax.plot(difference, at, marker="D" if row["is_overall"] else "o", markersize=4.5, color=color, zorder=3)
    words = _signed(difference, decimals)
    if has_interval:
        ax.hlines(at, low, high, color=color, linewidth=1.4, zorder=2)
        words += f"  [{_signed(low, decimals)}, {_signed(high, decimals)}]"
    ax.text(1.02, at, words, color=INK, fontweight="bold" if row["is_overall"] else "normal", **beside)


def _draw_groups(ax: Axes, gains: pd.DataFrame, top: Floats) -> None:
    """The name of each group on the free line above it, and a thin line above each sum."""
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    for group in gains["group"][gains["group"] != ""].unique():
        place = top[(gains["group"] == group).to_numpy().argmax()] - 0.5
        across = ax.get_yaxis_transform()
        ax.text(0.0, place, group, transform=across, va="center", fontsize="small", style="italic", bbox=paper)
    for place in top[gains["is_overall"].to_numpy()]:
        ax.axhline(place, color=PALE, linewidth=0.6, zorder=1)


def _signed(value: float, decimals: int) -> str:
    """A number with its sign, a real minus, and no negative zero."""
    return f"{value:+z.{decimals}f}".replace("-", "\N{MINUS SIGN}")
