"""The figures of a study, as its configuration describes them: a kind, which trials, and the options of the kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from tabcast.checks import check_choice
from tabcast.study.analysis.ranks import average_ranks, conover_posthoc
from tabcast.study.analysis.trials import Labels, display_name
from tabcast.study.analysis.views import RANKED, complete_scores, differences_of, searched_alphas, select
from tabcast.study.figures.comparisons import arrange_gains, draw_alpha_winners, draw_critical_difference, draw_gains
from tabcast.study.figures.density import density_quality, draw_confidence_map, draw_density_quality
from tabcast.study.figures.label_fractions import draw_label_fractions, relative_improvements

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Details = Sequence[Mapping[str, Any]]


def critical_difference(
    results: pd.DataFrame,
    details: Details,
    labels: Labels,
    *,
    strategy: str,
    settings: Sequence[str] = ("dataset", "model"),
    methods: Sequence[str] = RANKED,
    value: str = "score",
) -> Figure:
    """Average ranks of the methods with one strategy, and which of them cannot be told apart."""
    scores = complete_scores(results, strategy, settings, methods, value)
    if len(scores) < 2:
        raise ValueError(
            f"A critical-difference diagram needs at least two settings in which all methods have finished; "
            f"{strategy} has {len(scores)}."
        )
    title = f"{display_name('strategy', strategy)}, {len(scores)} settings"
    ax = draw_critical_difference(average_ranks(scores)["rank"], conover_posthoc(scores), labels=labels, title=title)
    return ax.figure  # type: ignore[return-value]


def gains(
    results: pd.DataFrame,
    details: Details,
    labels: Labels,
    *,
    method: str,
    reference: str = "baseline",
    by: str = "tuning",
    value: str = "score",
) -> Figure:
    """Paired differences of two methods on each dataset, in a block for each value of `by`."""
    found = differences_of(results, method, reference, [by], value)
    if found.empty:
        raise ValueError(f"There is no finished trial of both {method!r} and {reference!r} to draw.")
    lines = pd.DataFrame(
        {
            "label": [display_name("dataset", name, labels) for name in found["dataset"]],
            "difference": found["mean"],
            "low": found["low"],
            "high": found["high"],
            "group": [display_name(by, name, labels) for name in found[by]],
        }
    )
    names = " minus ".join(display_name("method", name, labels) for name in (method, reference))
    return draw_gains(arrange_gains(lines), xlabel=f"{names}: difference in {value.replace('_', '-')}").figure  # type: ignore[return-value]


def label_fractions(results: pd.DataFrame, details: Details, labels: Labels) -> Figure:
    """Relative improvement over label fractions."""
    return draw_label_fractions(relative_improvements(results), labels).ravel()[0].figure


def winning_alphas(results: pd.DataFrame, details: Details, labels: Labels) -> Figure:
    """Proportions of the winning alphas, where a round with pseudo-labels won."""
    return draw_alpha_winners(searched_alphas(results)[0]).figure  # type: ignore[return-value]


def quality_by_density(results: pd.DataFrame, details: Details, labels: Labels) -> Figure:
    """Quality of pseudo-labels by density: their accuracy, and the dataset's own metric below."""
    return draw_density_quality(density_quality(details), labels).ravel()[0].figure


def confidence_maps(results: pd.DataFrame, details: Details, labels: Labels) -> Figure:
    """Confidence over the plane, of the first trial."""
    if not details:
        raise ValueError("There is no finished trial with a confidence map to draw.")
    return draw_confidence_map(details[0]).ravel()[0].figure


FIGURES: dict[str, Callable[..., Any]] = {
    "critical_difference": critical_difference,
    "gains": gains,
    "label_fractions": label_fractions,
    "winning_alphas": winning_alphas,
    "density_quality": quality_by_density,
    "confidence_map": confidence_maps,
}


def make_figure(
    spec: Mapping[str, Any], results: pd.DataFrame, details: Details = (), labels: Labels | None = None
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
    """
    options = {key: value for key, value in spec.items() if key not in ("name", "kind", "where")}
    check_choice(spec.get("kind"), FIGURES, f"kind of figure {spec.get('name', '')!r}")
    figure: Figure = FIGURES[spec["kind"]](select(results, spec.get("where", {})), details, labels or {}, **options)
    return figure
