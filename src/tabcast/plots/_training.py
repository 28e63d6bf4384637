"""What the unlabeled rows changed, round by round and in the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from tabcast.guard._comparison import is_share
from tabcast.guard._verdict import as_loss, name_in_words
from tabcast.plots._figure import ACCENT, INK, PALE, clean, find_summary, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VERDICT_COLORS = {"helped": "#0b7a56", "probably helped": "#0b7a56", "hurt": "#b53c17"}


@styled
def plot_verdict(source: Any) -> Figure:
    """Draw what the offered model gains over yours, and what of it the unlabeled rows add, with intervals.

    Parameters
    ----------
    source : Run or GuardedClassifier
        The comparison.

    Returns
    -------
    matplotlib Figure
        One dot per comparison; zero is the supervised model.

    See Also
    --------
    tabcast.guard.Verdict : The data.

    Examples
    --------
    >>> from tabcast.plots import plot_verdict
    >>> plot_verdict(run).savefig("verdict.png")  # doctest: +SKIP
    """
    fitted = getattr(source, "verdict_", None)
    found = find_summary(source, "plot_verdict").get("verdict") if fitted is None else fitted.to_dict()
    if found is None:
        raise ValueError("There is nothing for plot_verdict to draw: the run compared nothing.")
    points = is_share(found["metric"], found["supervised"], found["self_trained"])
    lower_is_better = found["metric"].startswith("neg_")
    if lower_is_better:  # the changes that the sentences name
        found = as_loss(found)
    factor, color = 100 if points else 1, VERDICT_COLORS.get(found["word"], INK)
    rows: list[tuple[str, float, Mapping[str, Any] | None]] = [
        ("with the unlabeled rows", found["total"]["gain"], found["total"])
    ]
    if found["committee"] is not None:
        rows.insert(0, ("committee, labeled rows only", found["committee"] - found["supervised"], None))
        rows.append(("added by the unlabeled rows", found["gain"], found))
    figure = new_figure(7.2, 1.2 + 0.42 * len(rows))
    ax = figure.add_subplot()
    ax.axvline(0, color=INK, linewidth=1)
    for place, (_, gain, interval) in enumerate(rows):
        if interval:
            ends = [factor * interval["low"], factor * interval["high"]]
            ax.plot(ends, [place, place], color=color, alpha=0.35, linewidth=7, solid_capstyle="butt")
        ax.plot([factor * gain], [place], "o", color=color if interval else PALE, markersize=8)
        value = f"{factor * gain:+.1f}" if points else f"{gain:+.3f}"
        beside = ax.get_yaxis_transform()
        ax.text(1.02, place, value, transform=beside, va="center", color=color if interval else PALE)
    ax.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    ax.grid(visible=False, axis="y")
    unit = ", points" if points else ", lower is better" if lower_is_better else ""
    ax.set(
        ylim=(len(rows) - 0.4, -0.6),
        xlabel=f"change of {clean(name_in_words(found['metric']))}{unit} (bars: {found['level']:.0%} intervals)",
    )
    return figure


@styled
def plot_rounds(source: Any) -> Figure:
    """Draw the unlabeled rows in use and the held-out score, round by round; and the score by alpha, if searched.

    Parameters
    ----------
    source : Run, GuardedClassifier or fitted self-training classifier
        What was trained.

    Returns
    -------
    matplotlib Figure
        Bars and, where there are scores, lines; the chosen round and alpha are filled.

    See Also
    --------
    tabcast.SelfTrainingClassifier : Its attribute `history_` has the data.

    Examples
    --------
    >>> from tabcast.plots import plot_rounds
    >>> plot_rounds(run).savefig("rounds.png")  # doctest: +SKIP
    """
    history, best, alphas = _find_rounds(source)
    scored = bool(history["score"].notna().any())
    searched = alphas is not None and len(alphas) > 1
    figure = new_figure(7.2, 2.9)
    panels = iter(figure.subplots(1, 1 + scored + searched, squeeze=False)[0])
    rows = next(panels)
    colors = [ACCENT if one == best else PALE for one in history["round"]]
    rows.bar(history["round"], history["n_selected"].astype(float), color=colors, width=0.6)
    rows.set(xlabel="round", title="unlabeled rows in use")
    rows.xaxis.get_major_locator().set_params(integer=True)
    if scored:
        _draw_scores(next(panels), history, "round", history["round"] == best)
    if searched and alphas is not None:
        _draw_scores(next(panels), alphas, "alpha", alphas["chosen"].astype(bool))
    return figure


def _draw_scores(ax: Any, table: pd.DataFrame, by: str, chosen: pd.Series) -> None:
    """Scores with their standard errors; the chosen one is filled."""
    known = table["score"].notna()
    x, y, error = (table.loc[known, name].astype(float) for name in (by, "score", "score_std_error"))
    ax.errorbar(x, y, yerr=error.fillna(0), color=PALE, marker="o", markerfacecolor="white", capsize=2.5)
    ax.plot(x[chosen[known]], y[chosen[known]], "o", color=ACCENT, zorder=3)
    ax.set(xlabel=by, title="score on held-out rows")
    if by == "round":
        ax.xaxis.get_major_locator().set_params(integer=True)


def _find_rounds(source: Any) -> tuple[pd.DataFrame, int, pd.DataFrame | None]:
    """The rounds, the chosen one and the alphas, of a run or a fitted classifier."""
    model = getattr(source, "self_trained_", source)
    if hasattr(model, "history_"):
        return model.history_, int(model.best_round_), getattr(model, "alpha_scores_", None)
    training = find_summary(source, "plot_rounds").get("training") or {}
    if not training.get("history"):
        raise ValueError(f"There is nothing for plot_rounds to draw: {type(source).__name__} has no history of rounds.")
    alphas = training.get("alpha_scores")
    return pd.DataFrame(training["history"]), int(training["best_round"]), pd.DataFrame(alphas) if alphas else None
