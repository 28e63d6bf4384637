"""The numbers of paper/README.md that no table of a single configuration holds.

    python paper/reading.py

reads the results in the folders of paper/results and writes paper/results/reading.md: differences
between methods and controls with their tests, what the density ranks, what CAST costs in full, and where our levels
differ from the paper's. It fits nothing and takes some seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from tabcast.study.analysis.ranks import holm_adjust, signed_rank_p
from tabcast.study.analysis.summary import OVERALL, STANDARD_ERROR, estimate_over_repetitions, paired_differences
from tabcast.study.analysis.table import Table
from tabcast.study.analysis.views import count_wins
from tabcast.study.catalog import load_catalog
from tabcast.study.figures.density import density_quality
from tabcast.study.results import RESULTS, read_beside, read_results

PAPER = Path(__file__).parent
ERRORS = f"se is the standard error over datasets, {STANDARD_ERROR}; p are two-sided, over datasets, not corrected"


def read(item: str) -> pd.DataFrame:
    """Finished trials of XGBoost with tuning, of one folder of results."""
    table = read_results(PAPER / "results" / item / RESULTS)
    return table[(table["status"] == "done") & (table["model"] == "xgboost") & (table["tuning"] != "none")]


def compare(results: pd.DataFrame, pairs: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield one line per pair of methods, tuning and strategy: mean over datasets, error, wins and two tests."""
    for method, reference in pairs:
        found = paired_differences(results, method, reference, ("tuning", "strategy"))
        found = found[found["dataset"] != OVERALL]
        for (tuning, strategy), group in found.groupby(["tuning", "strategy"], sort=False):
            keys = {"tuning": tuning, "strategy": strategy, "method": method, "reference": reference}
            yield {**keys, **describe(group["mean"].to_numpy())}


def describe(differences: Any) -> dict[str, Any]:
    """Mean, standard error, wins, ties and p-values of differences by dataset."""
    n = len(differences)
    wins, ties = count_wins(differences)
    return {
        "difference": differences.mean(),
        "se": differences.std(ddof=1) / np.sqrt(n),
        "better": wins,
        "ties": ties,
        "of": n,
        "p t test": stats.ttest_1samp(differences, 0).pvalue,
        "p Wilcoxon": signed_rank_p(differences.round(12)),
    }


def shuffled() -> Table:
    """CAST against its own control with the densities of other rows, on the seventeen datasets."""
    pairs = [("cast-l", "cast-l-permuted"), ("cast-d", "cast-d-permuted")]
    frame = pd.DataFrame(compare(read("seventeen_datasets"), pairs))
    frame["p Holm"] = holm_adjust(frame["p Wilcoxon"].to_numpy())
    note = f"{ERRORS}, except p Holm: Wilcoxon's, corrected over this table."
    return Table("CAST minus CAST with shuffled densities, seventeen datasets", frame, 4, (note,))


def budget() -> Table:
    """How much of the same-budget control is the sampling of rows, and how much the choice among tries."""
    sampled, table = read("same_budget"), read("seventeen_datasets")
    keys = ["dataset", "tuning", "strategy", "seed", "fold"]
    both = sampled.merge(table, on=[*keys, "method"], suffixes=("", "_then"))
    assert len(both) == (sampled["method"] == "baseline").sum()
    n_equal = int(np.isclose(both["score"], both["score_then"], rtol=0, atol=1e-12).sum())
    wanted = table[(table["tuning"] == "paper") & table["method"].isin(["baseline", "same-budget", "cast-l"])]
    results = pd.concat([wanted, sampled[sampled["method"] == "randomized"]])
    pairs = [("randomized", "baseline"), ("same-budget", "randomized"), ("cast-l", "randomized")]
    frame = pd.DataFrame(compare(results, [*pairs, ("same-budget", "baseline"), ("cast-l", "same-budget")]))
    notes = (
        "randomized is one try of same-budget: XGBoost on 80% of the rows per tree, one seed, nothing is chosen.",
        "It has seeds 0 and 1; pairs without it have all seeds of Table A5.",
        f"The baseline was run again beside it: {n_equal} of {len(both)} trials have the score of Table A5.",
        f"{ERRORS}.",
    )
    return Table("Same budget: the sampling of rows and the choice among tries", frame, 4, notes)


def others() -> Table:
    """Differences that single items are about: alpha, corrupted features, naive self-training, the noise filter."""
    four, filtered = read("table_1"), read("noise_filtering")
    lines = [{"item": "Table 4", **line} for line in compare(read("ablation"), ALPHA)]
    lines += [{"item": "Table 2", **line} for line in compare(read("corrupted_features"), GAINS)]
    lines += [{"item": "Table A3, filtered", **line} for line in compare(filtered, GAINS)]
    lines += [{"item": "Table A4", **line} for line in compare(read("naive"), GAINS)]
    without = four[(four["tuning"] == "paper") & (four["noise_filter"] == "none")]
    for method in ("baseline", "cast-l", "cast-d"):
        pair = [filtered[filtered["method"] == method], without[without["method"] == method]]
        both = pd.concat([pair[0].assign(method="filter"), pair[1].assign(method="no filter")])
        for line in compare(both.assign(noise_filter="none"), [("filter", "no filter")]):
            lines.append({"item": f"Table A3, {method}", **line})
    return Table(
        "Alpha, corrupted features, naive self-training and the noise filter, four datasets",
        pd.DataFrame(lines),
        4,
        (f"{ERRORS}.",),
    )


ALPHA = [("cast-l", "cast-l-no-alpha"), ("cast-d", "cast-d-no-alpha")]
GAINS = [("cast-l", "baseline"), ("cast-d", "baseline")]


def fractions() -> Table:
    """At how many of the sixteen points of figure 3 each method is better than two references."""
    results = read("label_fractions")
    lines = []
    for method in ("baseline", "ts", "hb", "sp", "gp", "cast-d", "cast-l"):
        for reference in ("supervised", "baseline"):
            if method == reference:
                continue
            found = paired_differences(results, method, reference, ("strategy", "label_fraction"))
            found = found[found["dataset"] != OVERALL]
            for strategy, group in found.groupby("strategy", sort=False):
                wins, ties = count_wins(group["mean"].to_numpy())
                keys = {"strategy": strategy, "method": method, "reference": reference}
                lines.append({**keys, "mean": group["mean"].mean(), "better": wins, "ties": ties, "of": len(group)})
    note = "A point is a dataset with a label fraction, a mean over seeds and folds; points of a dataset share rows."
    return Table("Figure 3: points above the supervised model and the baseline", pd.DataFrame(lines), 4, (note,))


def bins() -> Table:
    """Quality of pseudo-labels in the sparsest and the densest tenth of the rows."""
    trials = read_beside(PAPER / "results" / "density_quality" / RESULTS)
    quality = density_quality(trials)
    quality["true_positives"] = [
        find_true_positives(trials, row["dataset"], row["low"]) for row in quality.to_dict("records")
    ]
    ends = pd.concat([quality.groupby("dataset", sort=False).nth(0), quality.groupby("dataset", sort=False).nth(-1)])
    columns = ["dataset", "low", "high", "accuracy", "metric", "score", "score_low", "score_high", "true_positives"]
    notes = (
        "score is the mean over seeds of the dataset's metric, between the ends of its 95% interval (Student's t).",
        "true positives: their proportion in the rows of the bin, where the metric is F1.",
    )
    return Table("Figure 2: pseudo-labels in the sparsest and densest tenth", ends[columns], 3, notes)


def find_true_positives(trials: list[dict[str, Any]], dataset: str, low: float) -> float:
    """Proportion of true positives in a bin, all trials together: from F1 = 2 TP / (2 TP + wrong); NaN if unknown."""
    chosen = [trial for trial in trials if trial["dataset"] == dataset]
    if chosen[0]["metric"] != "f1":
        return np.nan
    parts = [part for trial in chosen for part in trial["bins"] if abs(part["low"] - low) < 1e-6]
    if any(part["score"] == 1 for part in parts):
        return np.nan
    found = sum(part["score"] * (part["n"] - part["correct"]) / (2 * (1 - part["score"])) for part in parts)
    return float(found / sum(part["n"] for part in parts))


def ranking() -> Table:
    """How well density ranks right pseudo-labels above wrong ones: all rows, and those of each pseudo-label."""
    rows = [
        {**{name: trial[name] for name in ("dataset", "seed", "fold")}, **one}
        for trial in read_beside(PAPER / "results" / "density_quality" / RESULTS)
        for one in trial["ranking"]
    ]
    table, lines = pd.DataFrame(rows), []
    table["label"] = ["all" if pd.isna(label) else str(int(label)) for label in table["label"]]
    for (dataset, label), group in table.groupby(["dataset", "label"], sort=False):
        estimate = estimate_over_repetitions(group.dropna(subset="auc"), "auc")
        rows_of = group[["n", "correct"]].sum()
        right = rows_of["correct"] / rows_of["n"]
        keys = {"dataset": dataset, "pseudo-label": label, "rows": int(rows_of["n"]), "right": right}
        lines.append({**keys, "AUC": estimate.mean, "se": estimate.standard_error, "seeds": estimate.n_units})
    notes = (
        "AUC of the density for right against wrong pseudo-labels: 0.5 is chance. Label 1 is the rarer, positive class "
        "of a binary dataset. Rows are summed over seeds and folds.",
        f"se is the standard error over seeds, {STANDARD_ERROR}.",
    )
    return Table("Figure 2: does density rank right pseudo-labels above wrong ones?", pd.DataFrame(lines), 3, notes)


def cost() -> Table:
    """What CAST adds to one run of the baseline, in such runs: densities alone, and with everything it needs."""
    results = read("cost")
    runs = results[results["method"] == "baseline"].groupby("dataset", sort=False)["fit_seconds"].mean()
    lines = []
    for method in ("cast-d", "cast-l"):
        parts = results[results["method"] == method].groupby("dataset", sort=False)
        parts = parts[["density_seconds", "selection_seconds", "search_seconds"]].mean().div(runs, axis=0)
        for dataset, row in parts.iterrows():
            named = dict(zip(("density", "Boruta", "search of alpha"), row, strict=True))
            lines.append({"dataset": dataset, "method": method, **named, "sum": row.sum()})
    note = "In curriculum runs of the baseline. The search runs the curriculum with each of eight alphas."
    return Table("Table A2: what CAST costs", pd.DataFrame(lines), 3, (note,))


def levels() -> Table:
    """Supervised scores of the seventeen datasets beside the paper's, the largest differences first."""
    results = read("seventeen_datasets")
    results = results[(results["method"] == "supervised") & (results["tuning"] == "paper")]
    paper = pd.read_csv(PAPER / "published" / "seventeen_datasets.csv")
    paper = paper[paper["method"] == "supervised"].set_index("dataset")["score"]
    lines = []
    for dataset, group in results.groupby("dataset", sort=False):
        estimate = estimate_over_repetitions(group, "score")
        lines.append(
            {"dataset": dataset, "ours": estimate.mean, "se": estimate.standard_error, "paper": paper[dataset]}
        )
    frame = pd.DataFrame(lines).assign(difference=lambda table: table["ours"] - table["paper"])
    order = frame["difference"].abs().sort_values(ascending=False).index
    note = f"se is the standard error over seeds, {STANDARD_ERROR}."
    return Table("Levels: supervised scores, ours and the paper's", frame.loc[order], 3, (note,))


def make_page() -> str:
    """The page as text."""
    parts = [shuffled(), budget(), others(), fractions(), bins(), ranking(), cost(), levels()]
    labels = load_catalog().labels
    head = "# Numbers of the reading\n\nMade by `python paper/reading.py` from the results in this folder.\n"
    return "\n".join([head, *(part.render(labels=labels) for part in parts)])


if __name__ == "__main__":
    text = make_page()
    (PAPER / "results" / "reading.md").write_text(text, encoding="utf-8")
    print(text)
