"""The tables of a study, as its configuration describes them: a kind, which trials, and the options of the kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tabcast.checks import check_choice
from tabcast.study.analysis.compare import comparison_table
from tabcast.study.analysis.findings import AlphaWinners, alpha_winners, compare_models, control_report
from tabcast.study.analysis.published import Printed, beside_published, gain_agreement, paper_notes
from tabcast.study.analysis.ranks import (
    EXACT,
    Floats,
    average_ranks,
    conover_posthoc,
    friedman_test,
    holm_adjust,
    score_matrix,
    signed_rank_p,
    wilcoxon_holm,
)
from tabcast.study.analysis.summary import (
    DIGITS,
    OVERALL,
    STANDARD_ERROR,
    paired_differences,
    summarize,
    win_tie_loss,
)
from tabcast.study.analysis.table import Table
from tabcast.study.analysis.trials import STAND_INS, display_name, finished_trials

Spec = Mapping[str, Any]
LOWER_IS_BETTER = ("log_loss",)
RANKED = ("baseline", "ts", "hb", "sp", "gp", "cast-d", "cast-l")


def select(results: pd.DataFrame, where: Spec) -> pd.DataFrame:
    """Rows whose columns have the wanted value, or one of the wanted values.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis.views import select
    >>> select(pd.DataFrame({"method": ["a", "b", "c"], "n": [1, 2, 3]}), {"method": ["a", "b"], "n": 2})
      method  n
    1      b  2
    """
    for column, wanted in where.items():
        check_choice(column, results.columns, "column in `where` of a table or figure")
        results = results[results[column].isin(wanted if isinstance(wanted, list) else [wanted])]
    return results


def compare(
    results: pd.DataFrame,
    published: pd.DataFrame | None,
    *,
    columns: Sequence[str] = ("dataset",),
    beside: bool = False,
    **options: Any,
) -> Table:
    """Methods by datasets, as the paper prints it; `beside` puts the paper's number next to ours."""
    higher = options.get("value", "score") not in LOWER_IS_BETTER
    return comparison_table(
        results, columns=columns, published=published if beside else None, higher_is_better=higher, **options
    )


def rank(
    results: pd.DataFrame,
    published: pd.DataFrame | None,
    *,
    settings: Sequence[str] = ("dataset", "model"),
    methods: Sequence[str] = RANKED,
    value: str = "score",
    reference: str = "baseline",
    beside: bool = False,
    printed: Printed | None = None,
    title: str = "",
) -> Table:
    """Average ranks by strategy, with tests of each method against the reference; `beside` adds the paper's."""
    lines, notes = [], []
    paper = (printed or Printed()) if beside else None
    higher = value not in LOWER_IS_BETTER
    for strategy in [name for name in results["strategy"].unique() if name != "none"]:
        scores = complete_scores(results, strategy, settings, methods, value)
        if scores.shape[0] < 2 or scores.shape[1] < 3:
            notes.append(
                f"{display_name('strategy', strategy)}: too few complete settings ({scores.shape[0]}) for ranks."
            )
            continue
        friedman, ranks = friedman_test(scores), average_ranks(scores, higher_is_better=higher)
        conover, holm = conover_posthoc(scores), wilcoxon_holm(scores)
        notes.append(
            f"{display_name('strategy', strategy)}: Friedman {friedman.statistic:.3f}, p = {friedman.p_value:.2g}, "
            f"over {scores.shape[0]} settings and {scores.shape[1]} methods."
        )
        if paper is not None:
            notes += paper_notes(paper, published, strategy, settings, list(scores.columns))
        for method in scores.columns:
            wins, ties, losses = _count_wins(results, strategy, method, reference, settings, value)
            lines.append(
                {
                    "strategy": strategy,
                    "method": method,
                    "rank": ranks["rank"][method],
                    "sd": ranks["rank_sd"][method],
                    "wins": wins,
                    "ties": ties,
                    "losses": losses,
                    "p Conover, Holm": conover[reference][method] if method != reference else None,
                    "p Wilcoxon, Holm": holm[reference][method] if method != reference else None,
                    **({} if paper is None else paper.columns(strategy, method)),
                }
            )
    frame = pd.DataFrame(lines)
    if lines:
        frame = frame.astype(dict.fromkeys(("wins", "ties", "losses"), "Int64"))
        notes.append("sd is the standard deviation of the ranks over settings, with n in the variance.")
    return Table(title or f"Average ranks; wins and p-values against {reference}", frame, 2, tuple(notes))


def complete_scores(
    results: pd.DataFrame, strategy: str, settings: Sequence[str], methods: Sequence[str], value: str
) -> pd.DataFrame:
    """Mean scores of the settings in which every method has finished."""
    there = [name for name in methods if name in set(results["method"])]
    return score_matrix(results[results["strategy"] == strategy], settings, methods=there, value=value).dropna()


def _count_wins(
    results: pd.DataFrame, strategy: str, method: str, reference: str, settings: Sequence[str], value: str
) -> tuple[int | None, int | None, int | None]:
    """Settings that a method wins, ties and loses against the reference."""
    if method == reference:
        return None, None, None
    own, higher = results[results["strategy"] == strategy], value not in LOWER_IS_BETTER
    games = win_tie_loss(own, method, reference, value=value, units=settings, higher_is_better=higher)
    wins, ties, losses = games[["wins", "ties", "losses"]].iloc[0]
    return int(wins), int(ties), int(losses)


def differ(
    results: pd.DataFrame,
    published: pd.DataFrame | None,
    *,
    pairs: Sequence[Sequence[str]] = (("cast-l", "baseline"), ("cast-d", "baseline")),
    by: Sequence[str] = ("tuning", "strategy"),
    values: Sequence[str] = ("score", "auc", "log_loss"),
    overall: bool = False,
    title: str = "",
) -> Table:
    """Paired differences with 95% intervals: for each dataset, or (`overall`) over the datasets only."""
    frames = []
    for value in values:
        for method, reference in pairs:
            found = differences_of(results, method, reference, by, value)
            if len(found):
                frames.append(found[found["dataset"] == OVERALL] if overall else found)
    frame = pd.concat(frames) if frames else pd.DataFrame()
    frame = frame.rename(columns={"mean": "difference", "standard_error": "se", "low": "95% low", "high": "95% high"})
    columns = ["value", *by, "method", "reference", "dataset", "difference", "se", "95% low", "95% high", "n_pairs"]
    notes = (
        "Differences of trials on the same rows: fold means by seed, then over seeds; overall: over datasets.",
        f"se is the standard error over seeds (overall: over datasets), {STANDARD_ERROR}; 95% intervals are Student's.",
    )
    return Table(title or "Paired differences", frame[columns] if len(frame) else frame, 4, notes)


def better(
    results: pd.DataFrame,
    published: pd.DataFrame | None,
    *,
    pairs: Sequence[Sequence[str]],
    by: Sequence[str] = ("model",),
    values: Sequence[str] = ("score",),
    title: str = "",
) -> Table:
    """Number of datasets on which a method is better, its mean difference, and a test over the datasets."""
    lines = []
    for value in values:
        for method, reference in pairs:
            found = differences_of(results, method, reference, by, value)
            found = found[found["dataset"] != OVERALL]
            for key, group in found.groupby(list(by), sort=False) if len(found) else ():
                sign = -1 if value in LOWER_IS_BETTER else 1
                gains = sign * group["mean"].to_numpy().round(EXACT)
                wins, ties = count_wins(gains)
                lines.append(
                    {
                        "value": value,
                        **dict(zip(by, key, strict=True)),
                        "method": method,
                        "reference": reference,
                        "better": wins,
                        "ties": ties,
                        "of": len(gains),
                        "mean_difference": float(group["mean"].mean()),
                        "se": float(group["mean"].std(ddof=1) / np.sqrt(len(gains))) if len(gains) > 1 else np.nan,
                        "p Wilcoxon": signed_rank_p(gains),
                    }
                )
    frame = pd.DataFrame(lines)
    if lines:
        frame["p Holm"] = holm_adjust(frame["p Wilcoxon"].to_numpy())
    notes = (
        "Means of paired differences by dataset; Wilcoxon's signed-rank test over datasets, Holm-corrected over this "
        "table.",
        f"A difference that is 0 at the {DIGITS} digits shown is a tie.",
        f"se is the standard error over datasets, {STANDARD_ERROR}.",
    )
    return Table(title or "On how many datasets", frame, DIGITS, notes)


def models(
    results: pd.DataFrame,
    published: pd.DataFrame | None,
    *,
    reference: str,
    values: Sequence[str] = ("score",),
    title: str = "",
) -> Table:
    """Number of datasets on which models keep up with a reference model, their mean difference, and a test."""
    frame = compare_models(results, reference, values, lower_is_better=LOWER_IS_BETTER)
    notes = (
        "As good: equal or better, by means of paired differences by dataset. Within: worse, but by no more than the "
        "standard error of that mean over seeds. Below: worse by more.",
        f"se is the standard error over datasets, {STANDARD_ERROR}; Wilcoxon's signed-rank test is over datasets, "
        "Holm-corrected over this table.",
    )
    frame = frame.drop(columns="reference", errors="ignore")  # the title names it
    return Table(title or f"Models against {reference}", frame, DIGITS, notes)


def count_wins(gains: Floats) -> tuple[int, int]:
    """Count gains above 0 and ties, at the digits that tables show.

    A gain that the table prints as 0.0000 is a tie: no reader could see it, and sums of floats in another order may
    give 1e-17 for two equal scores.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.study.analysis.views import count_wins
    >>> count_wins(np.array([0.02, 0.0001, 1e-17, -0.00004, -0.03]))
    (2, 2)
    """
    shown = gains.round(DIGITS)
    return int((shown > 0).sum()), int((shown == 0).sum())


def differences_of(
    results: pd.DataFrame, method: str, reference: str, by: Sequence[str], value: str = "score"
) -> pd.DataFrame:
    """Paired differences of two methods; no row where one of them has no finished trial."""
    there = set(finished_trials(results, value, "differences_of")["method"])
    if not {method, reference} <= there:
        return pd.DataFrame(columns=["value", *by, "dataset", "method", "reference", "mean"])
    return paired_differences(results, method, reference, by, value=value).assign(value=value)


def control(
    results: pd.DataFrame,
    published: pd.DataFrame | None,
    *,
    by: Sequence[str] = ("tuning", "strategy"),
    reference: str = "baseline",
    title: str = "",
) -> Table:
    """CAST's gain beside the gains of controls that do not use the density; means over datasets."""
    report = control_report(results, by)
    report = report[(report["dataset"] == OVERALL) & (report["reference"] == reference) & (report["n_pairs"] > 0)]
    frame = report.assign(
        method=report["gain"], metric=report["metric"].str.replace("_", "-"), value=report["mean"], n=report["n_pairs"]
    )
    rows, columns = (*by, "method"), ("metric", "role")
    frame = frame[[*rows, *columns, "value", "standard_error", "se_over", "n"]].assign(mark="")
    notes = (
        "Same budget: the best of as many tries of the baseline as CAST has alphas, all but the first with a "
        "randomized model (where XGBoost would sample nothing, it samples 80% of the rows). Permuted gamma: densities "
        "of other rows.",
        "Operating point: the supervised probabilities divided by the class proportions. Lower log-loss is better.",
    )
    title = title or f"Gains over {reference}, and what controls gain"
    return Table(title, frame, 4, notes, rows, columns)


def agree(results: pd.DataFrame, published: pd.DataFrame | None, *, value: str = "score", title: str = "") -> Table:
    """How often our gain over the baseline has the sign of the paper's."""
    if published is None:
        raise ValueError("A table of kind 'agree' needs `published` in the configuration.")
    found = gain_agreement(beside_published(results, published, value=value))
    found = found.rename(columns={"agree": "same_sign", "n": "of", "gain": "our_gain"})
    return Table(title or "Gains over the baseline: ours and the paper's", found, 4)


def winners(results: pd.DataFrame, published: pd.DataFrame | None, *, title: str = "") -> Table:
    """Proportions of the winning alphas with the interval that holds 90% of them."""
    found, n_left_out = searched_alphas(results)
    notes = (
        f"90% of {found.n} winners lie in [{found.low:.3f}, {found.high:.3f}]; the paper's upper bound is 0.7.",
        f"{n_left_out} trials are left out in which the supervised model won: all alphas tie there.",
    )
    return Table(title or "Winning alphas", found.shares, 3, notes)


def searched_alphas(results: pd.DataFrame) -> tuple[AlphaWinners, int]:
    """Winners of the search on the paper's grid where a round with pseudo-labels won, and how many were left out."""
    grid = np.linspace(0.2, 0.75, 8).tolist()
    tied = (results["status"] == "done") & results["alpha"].notna() & (results["best_round"] == 0)
    return alpha_winners(results[~tied], grid=grid), int(tied.sum())


def spend(
    results: pd.DataFrame,
    published: pd.DataFrame | None,
    *,
    baseline: str = "baseline",
    title: str = "",
) -> Table:
    """Seconds of the base classifier, and what the densities add; the paper's beside ours."""
    keys = ["dataset", "model"]
    frame = _means(results[results["method"] != baseline], [*keys, "method"], "density_seconds")
    frame = frame.merge(_means(results[results["method"] != baseline], [*keys, "method"], "selection_seconds"))
    frame = frame.merge(_means(results[results["method"] == baseline], keys, "fit_seconds"))
    frame["overhead_percent"] = 100 * frame["density_seconds"] / frame["fit_seconds"]
    if published is not None:
        paper = published.assign(dataset=published["dataset"].replace({v: k for k, v in STAND_INS.items()}))
        paper = paper[[*keys, "method", "overhead_percent"]].rename(columns={"overhead_percent": "paper_percent"})
        frame = frame.merge(paper, how="left", on=[*keys, "method"])
    note = (
        "Training: fits and predictions of one curriculum run. Feature selection, once per fold, is listed separately."
    )
    return Table(title or "Seconds, and what CAST adds", frame, 3, (note,))


def _means(results: pd.DataFrame, by: Sequence[str], value: str) -> pd.DataFrame:
    """Mean of a column, under its own name."""
    return summarize(results, by, value)[[*by, "mean"]].rename(columns={"mean": value})


VIEWS: dict[str, Callable[..., Table]] = {
    "compare": compare,
    "rank": rank,
    "differ": differ,
    "better": better,
    "models": models,
    "control": control,
    "agree": agree,
    "winners": winners,
    "spend": spend,
}


def make_table(
    spec: Spec, results: pd.DataFrame, published: pd.DataFrame | None = None, printed: Printed | None = None
) -> Table:
    """A table from its specification in a configuration.

    Parameters
    ----------
    spec : mapping
        `name`, `kind` (one of `VIEWS`), `where` (columns and wanted values), and what the kind takes.
    results : DataFrame
        The results table.
    published : DataFrame, optional
        The paper's numbers.
    printed : Printed, optional
        The ranks and tests that the paper prints beside them, for tables of ranks.
    """
    options = {key: value for key, value in spec.items() if key not in ("name", "kind", "where")}
    kind = spec.get("kind", "compare")
    if kind == "rank":
        options["printed"] = printed
    check_choice(kind, VIEWS, f"kind of table {spec.get('name', '')!r}")
    where = spec.get("where", {})
    if published is not None:
        published = select(published, {name: wanted for name, wanted in where.items() if name in published.columns})
    return VIEWS[kind](select(results, where), published, **options)
