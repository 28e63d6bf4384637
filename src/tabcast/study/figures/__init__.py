"""The figures of a study, as its configuration describes them: a kind, which trials, and the options of the kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from tabcast.checks import check_choice
from tabcast.study.analysis.summary import Labels
from tabcast.study.analysis.views import check_columns, select
from tabcast.study.figures import comparisons, density

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES: dict[str, Callable[..., Figure]] = {
    "critical_difference": comparisons.draw_critical_difference,
    "gains": comparisons.draw_gains,
    "label_fractions": comparisons.draw_label_fractions,
    "winning_alphas": comparisons.draw_alpha_winners,
    "density_quality": density.draw_density_quality,
    "confidence_map": density.draw_confidence_map,
}
OF_DETAILS = ("density_quality", "confidence_map")  # the others are drawn from the results table


def make_figure(
    spec: Mapping[str, Any],
    results: pd.DataFrame,
    details: Sequence[Mapping[str, Any]] = (),
    labels: Labels | None = None,
) -> Figure:
    """A figure from its specification in a configuration.

    Parameters
    ----------
    spec : mapping of str to object
        `name`, `kind` (one of `FIGURES`), `where` (columns and wanted values), and what the kind takes.
    results : DataFrame
        The results table.
    details : sequence of mapping, default=()
        What records hold beyond it.
    labels : mapping of str to mapping, default=None
        What the figure calls the values of each column.
    """
    options = {key: value for key, value in spec.items() if key not in ("name", "kind", "where")}
    check_choice(spec.get("kind"), FIGURES, f"kind of figure {spec.get('name', '')!r}")
    check_columns(spec, results)
    chosen = select(results, spec.get("where", {}))
    return FIGURES[spec["kind"]](details if spec["kind"] in OF_DETAILS else chosen, labels or {}, **options)
