"""The tables of a study, as its configuration describes them: a kind, which trials, and the options of the kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tabcast.checks import check_choice
from tabcast.study.analysis.ranks import (
    EXACT,
    average_ranks,
    conover_posthoc,
    friedman_test,
    holm_adjust,
    score_matrix,
    signed_rank_p,
    wilcoxon_holm,
)
from tabcast.study.analysis.summary import (
    BUDGET,
    DIGITS,
    OVERALL,
    ROUNDING,
    STAND_INS,
    STANDARD_ERROR,
    WAY,
    Floats,
    display_name,
    estimate_mean,
    finished_trials,
    paired_differences,
    present,
    summarize,
)
from tabcast.study.analysis.table import Table, comparison_table

Spec = Mapping[str, Any]
LOWER_IS_BETTER = ("log_loss",)
RANKED = ("baseline", "ts", "hb", "sp", "gp", "cast-d", "cast-l")
CELL = ["dataset", "model", *WAY]  # what a published score is of
COMPARED = [name for name in CELL if name != "method"]


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
    *,
    published: pd.DataFrame | None,
    columns: Sequence[str] = ("dataset",),
    beside: bool = False,
    **options: Any,
) -> Table:
    """Methods by datasets, as the paper prints it; `beside` puts the paper's number next to ours."""
    higher = options.get("value", "score") not in LOWER_IS_BETTER
    return comparison_table(
        results, columns=columns, published=published if beside else None, higher_is_better=higher, **options
    )


Printed = Mapping[str, pd.DataFrame]


def read_printed(published: Path) -> Printed:
    """Read what the paper prints of "ranks" (rank, rank_sd) and "statistics" (statistic, p_value) beside its scores.

    They are in NAME_ranks.csv and NAME_statistics.csv beside the published table, where they exist.
    """
    files = {kind: published.with_name(f"{published.stem}_{kind}.csv") for kind in ("ranks", "statistics")}
    return {kind: pd.read_csv(file) for kind, file in files.items() if file.is_file()}


def rank(
    results: pd.DataFrame,
    *,
    published: pd.DataFrame | None,
    printed: Printed | None,
    settings: Sequence[str] = ("dataset", "model"),
    methods: Sequence[str] = RANKED,
    value: str = "score",
    reference: str = "baseline",
    beside: bool = False,
) -> Table:
    """Average ranks by strategy, with tests of each method against the reference; `beside` adds the paper's."""
    lines, notes = [], []
    paper = printed if beside and printed else {}
    higher = value not in LOWER_IS_BETTER
    for strategy in [name for name in results["strategy"].unique() if name != "none"]:
        name = display_name("strategy", strategy)
        scores = complete_scores(results, strategy, settings, methods, value)
        if scores.shape[0] < 2 or scores.shape[1] < 3:
            notes.append(f"{name}: too few complete settings ({scores.shape[0]}) for ranks.")
            continue
        ranks = average_ranks(scores, higher_is_better=higher)
        conover, holm = conover_posthoc(scores), wilcoxon_holm(scores)
        over = f"over {scores.shape[0]} settings and {scores.shape[1]} methods"
        notes.append(f"{name}: {_friedman(*friedman_test(scores))}, {over}.")
        if "statistics" in paper:
            tests = select(paper["statistics"], {"test": "friedman", "strategy": strategy})
            found = zip(tests["statistic"], tests["p_value"], strict=True)
            notes += [f"{name}, as the paper prints it: {_friedman(*one)}." for one in found]
        if beside and published is not None:
            theirs = complete_scores(published, strategy, settings, list(scores.columns), "score")
            if len(theirs) > 1:
                start = f"{name}, from the paper's scores of these {len(theirs)} settings"
                notes.append(f"{start}: {_friedman(*friedman_test(theirs))}.")
        for method in scores.columns:
            line = {"strategy": strategy, "method": method}
            line |= {"rank": ranks["rank"][method], "sd": ranks["rank_sd"][method]}
            line |= dict.fromkeys(("wins", "ties", "losses", "p Conover, Holm", "p Wilcoxon, Holm"))
            if method != reference:
                signs = np.sign(scores[method].round(DIGITS) - scores[reference].round(DIGITS)) * (1 if higher else -1)
                line |= {name: int((signs == sign).sum()) for name, sign in (("wins", 1), ("ties", 0), ("losses", -1))}
                line |= {"p Conover, Holm": conover[reference][method], "p Wilcoxon, Holm": holm[reference][method]}
            lines.append(line)
    frame, keys = pd.DataFrame(lines), ["strategy", "method"]
    if lines and "ranks" in paper:
        names = {"rank": "paper_rank", "rank_sd": "paper_sd"}
        frame = frame.merge(paper["ranks"][[*keys, *names]].rename(columns=names), on=keys, how="left")
    if lines and "statistics" in paper:
        tests = select(paper["statistics"], {"test": "holm"})[[*keys, "p_value"]]
        frame = frame.merge(tests.rename(columns={"p_value": "p paper, Holm"}), on=keys, how="left")
    if lines:
        frame = frame.astype(dict.fromkeys(("wins", "ties", "losses"), "Int64"))
        notes.append("sd is the standard deviation of the ranks over settings, with n in the variance.")
    return Table(f"Average ranks; wins and p-values against {reference}", frame, 2, tuple(notes))


def _friedman(statistic: float, p_value: float) -> str:
    return f"Friedman {statistic:.3f}, p = {p_value:.2g}"


def complete_scores(
    results: pd.DataFrame, strategy: str, settings: Sequence[str], methods: Sequence[str], value: str
) -> pd.DataFrame:
    """Mean scores of the settings in which every method has finished."""
    there = [name for name in methods if name in set(results["method"])]
    return score_matrix(results[results["strategy"] == strategy], settings, methods=there, value=value).dropna()


def differ(
    results: pd.DataFrame,
    *,
    pairs: Sequence[Sequence[str]] = (("cast-l", "baseline"), ("cast-d", "baseline")),
    by: Sequence[str] = ("tuning", "strategy"),
    values: Sequence[str] = ("score", "auc", "log_loss"),
    overall: bool = False,
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
    return Table("Paired differences", frame[columns] if len(frame) else frame, 4, notes)


def better(
    results: pd.DataFrame,
    *,
    pairs: Sequence[Sequence[str]],
    by: Sequence[str] = ("model",),
    values: Sequence[str] = ("score",),
) -> Table:
    """Number of datasets on which a method is better, its mean difference, and a test over the datasets."""
    lines = []
    for value in values:
        for method, reference in pairs:
            found = differences_of(results, method, reference, by, value)
            found = found[found["dataset"] != OVERALL]
            for key, group in found.groupby(list(by), sort=False) if len(found) else ():
                gains, tested = _test_over_datasets(group["mean"].to_numpy(), value)
                wins, ties = count_wins(gains)
                names = {"value": value, **dict(zip(by, key, strict=True)), "method": method, "reference": reference}
                lines.append({**names, "better": wins, "ties": ties, **tested})
    notes = (
        "Means of paired differences by dataset; Wilcoxon's signed-rank test over datasets, Holm-corrected over this "
        "table.",
        f"A difference that is 0 at the {DIGITS} digits shown is a tie.",
        f"se is the standard error over datasets, {STANDARD_ERROR}.",
    )
    return Table("On how many datasets", _correct(lines), DIGITS, notes)


def models(results: pd.DataFrame, *, reference: str, values: Sequence[str] = ("score",)) -> Table:
    """Number of datasets on which models keep up with a reference model, their mean difference, and a test."""
    trials = results.drop(columns=present(results, ("method", *BUDGET))).rename(columns={"model": "method"})
    lines = []
    for value in values:
        for model in [name for name in finished_trials(trials, value)["method"].unique() if name != reference]:
            found = differences_of(trials, model, reference, (), value)
            found = found[found["dataset"] != OVERALL]
            if len(found):
                gains, tested = _test_over_datasets(found["mean"].to_numpy(), value)
                as_good = gains >= 0
                not_below = gains + found["standard_error"].fillna(0.0).to_numpy() >= -ROUNDING
                counts = {"as_good": as_good, "within": not_below & ~as_good, "below": ~not_below}
                counted = {name: int(which.sum()) for name, which in counts.items()}
                lines.append({"value": value, "model": model, **counted, **tested})
    notes = (
        "As good: equal or better, by means of paired differences by dataset. Within: worse, but by no more than the "
        "standard error of that mean over seeds. Below: worse by more.",
        f"se is the standard error over datasets, {STANDARD_ERROR}; Wilcoxon's signed-rank test is over datasets, "
        "Holm-corrected over this table.",
    )
    return Table(f"Models against {reference}", _correct(lines), DIGITS, notes)


def _test_over_datasets(means: Floats, value: str) -> tuple[Floats, dict[str, Any]]:
    """Mean differences as gains (of a loss, the other way around), and their number, mean, error and test."""
    gains = (-1 if value in LOWER_IS_BETTER else 1) * means.round(EXACT)
    overall = estimate_mean(means, "datasets")
    tested = {"of": len(means), "mean_difference": overall.mean, "se": overall.standard_error}
    return gains, {**tested, "p Wilcoxon": signed_rank_p(gains)}


def _correct(lines: list[dict[str, Any]]) -> pd.DataFrame:
    """A table of tests with p-values that are corrected over all of them."""
    frame = pd.DataFrame(lines)
    return frame.assign(**{"p Holm": holm_adjust(frame["p Wilcoxon"].to_numpy())}) if lines else frame


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
    if not {method, reference} <= set(finished_trials(results, value)["method"]):
        return pd.DataFrame(columns=["value", *by, "dataset", "method", "reference", "mean"])
    return paired_differences(results, method, reference, by, value=value).assign(value=value)


def control(results: pd.DataFrame, *, by: Sequence[str] = ("tuning", "strategy"), reference: str = "baseline") -> Table:
    """CAST's gain beside the gains of controls that do not use the density; means over datasets.

    A gain is due to density only if the controls do not have it as well. *Same budget* gives the baseline as many tries
    as the search for alpha has. *Permuted gamma* runs CAST with densities assigned to the wrong rows. *Operating point*
    only moves the decision threshold of the supervised model; with two classes that leaves AUC unchanged, so a gain in
    F1 that it shares and that AUC lacks comes from a better threshold and not from a better model.
    """
    rows, columns = (*by, "method"), ("metric", "role")
    shown = [*rows, *columns, "value", "standard_error", "se_over", "n"]
    frames = [pd.DataFrame(columns=shown)]
    for gain in ("cast-l", "cast-d"):
        roles = {"gain": gain, "same budget": "same-budget", "permuted gamma": f"{gain}-permuted"}
        roles["operating point"] = "operating-point"
        for metric in ("score", "auc", "log_loss"):
            for role, method in roles.items():
                found = differences_of(results, method, reference, by, metric)
                found = found[found["dataset"] == OVERALL].drop(columns="value")
                found = found.assign(method=gain, metric=metric.replace("_", "-"), role=role)
                found = found.rename(columns={"mean": "value", "n_pairs": "n"})
                frames += [found[shown]] if len(found) else []
    notes = (
        "Same budget: the best of as many tries of the baseline as CAST has alphas, all but the first with a "
        "randomized model (where XGBoost would sample nothing, it samples 80% of the rows). Permuted gamma: densities "
        "of other rows.",
        "Operating point: the supervised probabilities divided by the class proportions. Lower log-loss is better.",
    )
    title = f"Gains over {reference}, and what controls gain"
    return Table(title, pd.concat(frames[1:] or frames).assign(mark=""), 4, notes, rows, columns)


def agree(results: pd.DataFrame, *, published: pd.DataFrame | None, value: str = "score") -> Table:
    """How often our gain over the baseline has the sign of the paper's, at its digits, and the means of both."""
    if published is None:
        raise ValueError("A table of kind 'agree' needs `published` in the configuration.")
    ours = summarize(results, CELL, value)[[*CELL, "mean"]].replace({"dataset": dict(STAND_INS)})
    paper = published.dropna(subset=[value])[[*CELL, value]].rename(columns={value: "paper"})
    cells = paper.merge(ours, on=CELL, validate="one_to_one")
    cells = cells.merge(cells[cells["method"] == "baseline"], on=COMPARED, suffixes=("", "_baseline"))
    cells = cells[cells["method"] != "baseline"]
    gain, paper_gain = (cells[name] - cells[f"{name}_baseline"] for name in ("mean", "paper"))
    same = np.sign(gain.round(DIGITS)) == np.sign(paper_gain.round(DIGITS))
    gains = cells[["method", "strategy"]].assign(same_sign=same, our_gain=gain, paper_gain=paper_gain)
    found = gains.groupby(["method", "strategy"], sort=False, as_index=False).agg(
        same_sign=("same_sign", "sum"),
        of=("same_sign", "size"),
        our_gain=("our_gain", "mean"),
        paper_gain=("paper_gain", "mean"),
    )
    return Table("Gains over the baseline: ours and the paper's", found, 4)


class AlphaWinners(NamedTuple):
    """Which alpha the search chose: the proportion of each, the interval that holds 90% of them, numbers of trials."""

    shares: pd.DataFrame
    low: float
    high: float
    n: int
    n_tied: int


def alpha_winners(results: pd.DataFrame) -> AlphaWinners:
    """Compute the distribution over trials of the alpha that the search chose on the paper's grid.

    Each finished trial counts once. Where no round beats the supervised model all alphas tie, and the winner only shows
    how ties are broken: these trials are counted (`n_tied`) and left out.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis.views import alpha_winners
    >>> results = pd.DataFrame({"method": "cast-l", "seed": range(5), "best_round": [1, 2, 0, 1, 3],
    ...                         "alpha": [0.2, 0.2, 0.2, 0.75, 0.2]})
    >>> winners = alpha_winners(results)
    >>> winners.shares["share"].tolist()
    [0.75, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25]
    >>> winners.low, winners.high, winners.n, winners.n_tied
    (0.2, 0.75, 4, 1)
    """
    trials = finished_trials(results, "alpha")
    alphas = trials.loc[trials["method"].isin(["cast-d", "cast-l"]) & (trials["best_round"] != 0), "alpha"]
    if alphas.empty:
        raise ValueError("There is no finished trial of 'cast-d' or 'cast-l' in which a round with pseudo-labels won.")
    counts = alphas.round(DIGITS).value_counts()
    counts = counts.reindex(sorted({*np.linspace(0.2, 0.75, 8).round(DIGITS), *counts.index}), fill_value=0)
    shares = pd.DataFrame({"alpha": counts.index, "n": counts.to_numpy(), "share": counts.to_numpy() / len(alphas)})
    low, high = np.quantile(alphas.to_numpy(), [0.05, 0.95], method="inverted_cdf")  # values of the grid
    return AlphaWinners(shares, float(low), float(high), len(alphas), int((trials["best_round"] == 0).sum()))


def winners(results: pd.DataFrame) -> Table:
    """Proportions of the winning alphas with the interval that holds 90% of them."""
    found = alpha_winners(results)
    notes = (
        f"{found.shares.loc[found.shares['alpha'] <= 0.7, 'share'].sum():.1%} of {found.n} winners are at most 0.7, "
        f"the upper bound of the paper's 90% interval; the middle 90% lie in [{found.low:.3f}, {found.high:.3f}].",
        f"{found.n_tied} trials are left out in which the supervised model won: all alphas tie there.",
    )
    return Table("Winning alphas", found.shares, 3, notes)


def spend(results: pd.DataFrame, *, published: pd.DataFrame | None, baseline: str = "baseline") -> Table:
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
    return Table("Seconds, and what CAST adds", frame, 3, (note,))


def _means(results: pd.DataFrame, by: Sequence[str], value: str) -> pd.DataFrame:
    """Mean of a column, under its own name."""
    return summarize(results, by, value)[[*by, "mean"]].rename(columns={"mean": value})


def check_columns(spec: Spec, results: pd.DataFrame) -> None:
    """Refuse columns that the results do not have; what is measured is known only when a trial is done."""
    is_done = "status" not in results.columns or bool((results["status"] == "done").any())
    for option in ("rows", "columns", "by", "settings", *(("value", "values") if is_done else ())):
        given = spec.get(option, [])
        for column in [given] if isinstance(given, str) else given:
            check_choice(column, results.columns, f"column in `{option}` of {spec.get('name', '')!r}")


# A kind of table is the name of its function.
VIEWS: dict[str, Callable[..., Table]] = {
    view.__name__: view for view in (compare, rank, differ, better, models, control, agree, winners, spend)
}
BESIDE_PAPER = ("compare", "rank", "agree", "spend")  # kinds that take the published table


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
    options = {key: value for key, value in spec.items() if key not in ("name", "kind", "where", "title")}
    kind, where = spec.get("kind", "compare"), spec.get("where", {})
    check_choice(kind, VIEWS, f"kind of table {spec.get('name', '')!r}")
    check_columns(spec, results)
    if kind == "rank":
        options["printed"] = printed
    if published is not None:
        published = select(published, {name: wanted for name, wanted in where.items() if name in published.columns})
    if kind in BESIDE_PAPER:
        options["published"] = published
    table = VIEWS[kind](select(results, where), **options)
    return replace(table, title=spec.get("title") or table.title)
