"""Where in a plane a classifier is confident, before and after the CAST step (the paper's figure 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tabcast.study.figures._panels import Panels, draw_legend, take_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

KEYS = ("x", "y", "raw", "cast", "labeled")
# Fill and marker of the classes, after the palette of Okabe and Ito: apart from each other and from any gray.
CLASS_STYLES = (
    ("#d55e00", "o"),
    ("#0072b2", "s"),
    ("#f0e442", "^"),
    ("#009e73", "D"),
    ("#cc79a7", "v"),
    ("#56b4e9", "P"),
    ("#e69f00", "X"),
)


@dataclass(frozen=True, eq=False)
class ConfidenceMap:
    """Confidence over a grid of points, and the labeled rows.

    Parameters
    ----------
    x, y : ndarray
        Coordinates of the columns and of the rows of the grid, rising.
    raw, cast : ndarray of shape (len(y)
        Len(x)), the largest confidence at ``(x[j], y[i])``, without and with the density.
    points : ndarray of shape (n_labeled, 2)
        Labeled rows.
    classes : list of object
        The class of each of them.
    low, high : float
        Ends of the common scale of colors: those of both maps, rounded outward to tenths.
    """

    x: Floats
    y: Floats
    raw: Floats
    cast: Floats
    points: Floats
    classes: list[Any]
    low: float
    high: float


def confidence_map(data: Mapping[str, Any]) -> ConfidenceMap:
    """Read a confidence map from the plain lists of a record.

    Parameters
    ----------
    data : mapping of str to object
        X, y (coordinates of a grid, rising), raw, cast (a list for each y of the largest confidence at each x), labeled
        (x, y and class of each labeled row).

    Examples
    --------
    >>> from tabcast.study.figures.confidence_map import confidence_map
    >>> data = {"x": [0, 1, 2], "y": [0, 1], "raw": [[0.9, 0.6, 0.9], [0.9, 0.7, 0.9]],
    ...         "cast": [[0.7, 0.4, 0.5], [0.8, 0.5, 0.6]], "labeled": [[0.1, 0.5, "a"], [1.9, 0.5, "b"]]}
    >>> plane = confidence_map(data)
    >>> plane.raw.shape, plane.classes, (plane.low, plane.high)
    ((2, 3), ['a', 'b'], (0.4, 0.9))
    """
    missing = [key for key in KEYS if key not in data]
    if missing:
        raise ValueError(f"`data` of confidence_map lacks {', '.join(missing)}; got {', '.join(data) or 'nothing'}.")
    x, y = (_coordinates(data[name], name) for name in ("x", "y"))
    raw, cast = (_confidences(data[name], (len(y), len(x)), name) for name in ("raw", "cast"))
    points = np.array([row[:2] for row in data["labeled"]], dtype=float).reshape(-1, 2)
    classes = [row[2] for row in data["labeled"]]
    low, high = common_scale(raw, cast)
    return ConfidenceMap(x, y, raw, cast, points, classes, low, high)


def common_scale(*maps: Floats) -> tuple[float, float]:
    """The smallest and the largest confidence, rounded outward to tenths, so that the colors mean the same."""
    rounding = 1e-9
    low = np.floor(10 * min(values.min() for values in maps) + rounding) / 10
    high = np.ceil(10 * max(values.max() for values in maps) - rounding) / 10
    return float(low), float(high if high > low else low + 0.1)


def draw_confidence_map(
    plane: ConfidenceMap,
    axes: Sequence[Axes] | Panels | None = None,
    *,
    titles: tuple[str, str] = ("raw confidence", "CAST"),
) -> Panels:
    """Draw both maps side by side, darker where more confident, with the labeled rows on top.

    Parameters
    ----------
    plane : ConfidenceMap
        The result of :func:`confidence_map`.
    axes : sequence of Axes or ndarray of Axes, default=None
        Two Axes. By default those of a new figure.
    titles : tuple of str, default=("raw confidence", "CAST")
        Texts above the maps.

    Returns
    -------
    ndarray of Axes
        The Axes, in one row.

    Examples
    --------
    >>> from tabcast.study.figures.confidence_map import confidence_map, draw_confidence_map
    >>> panels = draw_confidence_map(confidence_map(data), titles=("raw", "CAST-L"))  # doctest: +SKIP
    >>> panels[0, 0].figure.savefig("confidence_map.pdf")  # doctest: +SKIP
    """
    panels = take_panels(axes, (1, 2), (6.4, 3.2), "draw_confidence_map")
    colors = _gray_scale()
    kinds = list(dict.fromkeys(plane.classes))
    for ax, values, title in zip(panels.flat, (plane.raw, plane.cast), titles, strict=True):
        mesh = ax.pcolormesh(
            plane.x, plane.y, values, cmap=colors, vmin=plane.low, vmax=plane.high, shading="nearest", rasterized=True
        )
        for number, kind in enumerate(sorted(kinds, key=str)):
            of_kind = plane.points[[value == kind for value in plane.classes]]
            color, marker = CLASS_STYLES[number % len(CLASS_STYLES)]
            ax.scatter(
                *of_kind.T,
                s=26,
                c=color,
                marker=marker,
                edgecolors="white",
                linewidths=0.7,
                label=f"labeled, class {kind}",
            )
        ax.set_title(title, fontsize="medium")
        ax.set_box_aspect(1)
        ax.set_xlabel("first feature", fontsize="small")
        ax.tick_params(labelsize="small")
        ax.spines[["top", "right"]].set_visible(False)
    panels[0, 0].set_ylabel("second feature", fontsize="small")
    panels[0, 1].tick_params(labelleft=False)
    bar = panels[0, 0].figure.colorbar(mesh, ax=list(panels.flat), label="largest confidence", shrink=0.85)
    bar.ax.tick_params(labelsize="small")
    bar.outline.set_visible(False)
    if kinds:
        draw_legend(panels, panels[0, 0].get_legend_handles_labels()[0], own=axes is None)
    return panels


def _gray_scale() -> Any:
    """From white to a gray dark enough to see and light enough for points on it."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("confidence", ["#ffffff", "#444444"])


def _coordinates(values: Any, name: str) -> Floats:
    """Coordinates of a grid, rising."""
    found = np.asarray(values, dtype=float)
    if found.ndim != 1 or len(found) < 2 or (np.diff(found) <= 0).any():
        raise ValueError(f"`{name}` in `data` of confidence_map must be at least two rising numbers; got {values!r}.")
    return found


def _confidences(values: Any, shape: tuple[int, int], name: str) -> Floats:
    """A confidence in [0, 1] for each point of the grid."""
    found = np.asarray(values, dtype=float)
    if found.shape != shape:
        raise ValueError(
            f"`{name}` in `data` of confidence_map must be {shape[0]} x {shape[1]}, a list for each y with a number "
            f"for each x; got {' x '.join(map(str, found.shape))}."
        )
    if not ((found >= 0) & (found <= 1 + 1e-6)).all():
        raise ValueError(
            f"`{name}` in `data` of confidence_map must lie in [0, 1]; got {found.min()} to {found.max()}."
        )
    return found
