"""What each round of self-training added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from tabcast.plots._source import ACCENT, PALE, make_figure, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_rounds(source: Any) -> Figure:
    """Draw the unlabeled rows in use and the held-out score, round by round.

    Parameters
    ----------
    source : Run, GuardedClassifier or fitted self-training classifier
        What was trained.

    Returns
    -------
    matplotlib Figure
        Bars and, where there are scores, a line.

    See Also
    --------
    tabcast.SelfTrainingClassifier : Its attribute `history_` has the data.

    Examples
    --------
    >>> from tabcast.plots import plot_rounds
    >>> plot_rounds(run).savefig("rounds.png")  # doctest: +SKIP
    """
    history, best = _find_history(source)
    figure = make_figure("plot_rounds", (5.6, 4.2))
    rows = figure.add_subplot()
    colors = [ACCENT if one == best else PALE for one in history["round"]]
    rows.bar(history["round"], history["n_selected"], color=colors, width=0.6)
    rows.set(xlabel="round", ylabel="unlabeled rows in use", xticks=history["round"].tolist())
    tidy(rows)
    scores = history["score"].astype(float)
    if scores.notna().any():
        ax = rows.twinx()
        errors = history["score_std_error"].astype(float)
        ax.errorbar(history["round"], scores, yerr=errors, color="black", marker="o", capsize=2.5)
        ax.set_ylabel("score on held-out rows")
    rows.set_title(f"round {best} was chosen", fontsize="medium")
    return figure


def _find_history(source: Any) -> tuple[pd.DataFrame, int]:
    """The rounds and the chosen one, of a run or a fitted classifier."""
    model = getattr(source, "self_trained_", source)
    if hasattr(model, "history_"):
        return model.history_, int(model.best_round_)
    training = (getattr(source, "summary", None) or {}).get("training") or {}
    if not training.get("history"):
        raise ValueError(f"There is nothing for plot_rounds to draw: {type(source).__name__} has no history of rounds.")
    return pd.DataFrame(training["history"]), int(training["best_round"])
