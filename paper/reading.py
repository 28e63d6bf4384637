"""The numbers of paper/README.md.

    python paper/reading.py

reads the results in the folders of paper/results and writes the tables of paper/README.md, between their marks, and
paper/results/reading.md: differences between methods and controls with their tests, what the density ranks, what CAST
costs in full, and where our levels differ from the paper's. It fits nothing and takes some seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from tabcast.study.analysis.ranks import holm_adjust, signed_rank_p, wilcoxon_holm
from tabcast.study.analysis.summary import (
    DIGITS,
    OVERALL,
    STANDARD_ERROR,
    estimate_over_repetitions,
    paired_differences,
)
from tabcast.study.analysis.table import Table
from tabcast.study.analysis.views import RANKED, complete_scores, count_wins
from tabcast.study.catalog import load_catalog
from tabcast.study.figures.density import density_quality
from tabcast.study.results import RESULTS, read_beside, read_results

PAPER = Path(__file__).parent
ERRORS = f"se is the standard error over datasets, {STANDARD_ERROR}; p are two-sided, over datasets, not corrected"


def read(item: str, model: str = "xgboost") -> pd.DataFrame:
    """Finished trials of a model with tuning, of one folder of results."""
    table = read_results(PAPER / "results" / item / RESULTS)
    return table[(table["status"] == "done") & (table["model"] == model) & (table["tuning"] != "none")]


def read_papers(item: str) -> pd.DataFrame:
    """The paper's tuning alone, without the noise filter where the item has both."""
    results = read(item)
    return results[results["tuning"] == "paper"]


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


CELLS = [
    ("Table A5", "seventeen_datasets", "xgboost"),
    *[("Table 1", "table_1", model) for model in ("xgboost", "mlp", "ft_transformer")],
    *[("Table 2", "corrupted_features", "xgboost"), ("Table A3", "noise_filtering", "xgboost")],
    ("Table A4", "naive", "xgboost"),
    *[("Table 3", "semi_self_supervised", model) for model in ("vime", "subtab", "scarf", "switchtab")],
]


def gains() -> Table:
    """CAST's gains over the baseline in every item with the paper's tuning, beside the paper's gains."""
    lines = []
    for item, folder, model in CELLS:
        results = read(folder, model)
        results = results[results["tuning"] == "paper"]
        published = pd.read_csv(PAPER / "published" / f"{folder}.csv").replace({"dataset": {"6m-mortality": "gusto"}})
        for method, reference in [pair for pair in GAINS if pair[0] in set(results["method"])]:
            found = paired_differences(results, method, reference, ("strategy",))
            found = found[found["dataset"] != OVERALL]
            for strategy, group in found.groupby("strategy", sort=False):
                ours = group.set_index("dataset")["mean"]
                cells = published[published["model"].eq(model) & published["strategy"].eq(strategy)]
                scores = cells.pivot_table(index="dataset", columns="method", values="score", dropna=False)
                there = (scores[method] - scores[reference]).dropna().round(DIGITS)
                both = pd.concat([ours.round(DIGITS), there], axis=1, join="inner").to_numpy()
                seeds = results[results["method"] == method].groupby("dataset")["seed"].nunique()
                described = describe(ours.to_numpy())
                lines.append(
                    {
                        **{"item": item, "model": model, "strategy": strategy, "method": method},
                        "seeds": str(seeds.min()),
                        **{"gain": described["difference"], "se": described["se"]},
                        "better": f"{described['better']} of {described['of']}",
                        "p Wilcoxon": described["p Wilcoxon"],
                        "paper": there.mean(),
                        "same sign": f"{int((np.sign(both[:, 0]) == np.sign(both[:, 1])).sum())} of {len(both)}",
                        "Spearman": float(stats.spearmanr(*both.T).statistic) if len(both) > 9 else np.nan,
                    }
                )
    notes = (
        f"{ERRORS}. paper: the paper's mean gain on the datasets it prints. same sign, and Spearman's correlation by "
        "dataset, compare our gain with the paper's.",
    )
    return Table("CAST's gain over naive self-training, paper's tuning", pd.DataFrame(lines), 4, notes)


CONTROLS = {
    "true densities": "{}",
    "densities of other rows": "{}-permuted",
    "best of eight tries": "same-budget",
    "other decision threshold": "operating-point",
}


def controls() -> Table:
    """Gains of CAST and of its controls over the baseline on the seventeen datasets, in three measures."""
    results, lines = read("seventeen_datasets"), []
    for tuning, cast in [(tuning, cast) for tuning in ("paper", "sane") for cast in ("cast-l", "cast-d")]:
        for strategy in ("threshold", "curriculum"):
            chosen = results[results["tuning"].eq(tuning) & results["strategy"].isin([strategy, "none"])]
            for role, pattern in CONTROLS.items():
                method = pattern.format(cast)
                if cast == "cast-d" and method == pattern:
                    continue  # told beside CAST-L
                line = {
                    "tuning": tuning,
                    "strategy": strategy,
                    "what": role if method == pattern else f"{role}, {cast.upper()}",
                }
                for value in ("score", "auc", "log_loss"):
                    found = paired_differences(chosen, method, "baseline", ("tuning",), value=value)
                    own = describe(found[found["dataset"] != OVERALL]["mean"].to_numpy())
                    line |= {value: f"{own['difference']:+.4f} ± {own['se']:.4f}"}
                    line |= {"better": f"{own['better']} of {own['of']}"} if value == "score" else {}
                lines.append(line)
    n_seeds = results["seed"].nunique()
    note = f"Gains over the baseline, {n_seeds} seeds; a smaller log-loss is better; after ±: {ERRORS}."
    return Table("What else gains as much, seventeen datasets", pd.DataFrame(lines), 4, (note,))


def holm() -> Table:
    """Holm's p of CAST against the baseline: seven methods, with all digits and four; and all nine of Table A5."""
    results, lines = read_papers("seventeen_datasets"), []
    others = complete_scores(results, "none", ["dataset"], ["supervised", "soft"], "score")
    for strategy in ("threshold", "curriculum"):
        scores = complete_scores(results, strategy, ["dataset"], RANKED, "score")
        tested = {"seven": scores, "seven, four digits": scores.round(DIGITS), "nine": scores.join(others)}
        for method in ("cast-l", "cast-d"):
            found = {f"p {name}": wilcoxon_holm(one).loc["baseline", method] for name, one in tested.items()}
            lines.append({"strategy": strategy, "method": method, **found})
    note = (
        "Wilcoxon over 17 datasets; Holm over all pairs of the paper's seven methods (21), and of nine, with the "
        "supervised model and soft self-training (36). With four digits, equal scores in the table are ties."
    )
    return Table(
        "CAST against naive self-training after correction, seventeen datasets", pd.DataFrame(lines), 4, (note,)
    )


def kept() -> Table:
    """In how many trials of naive self-training the supervised model is the best round on the validation fold."""
    lines = []
    for item, folder in (("Table 1", "table_1"), ("Table A5", "seventeen_datasets")):
        baseline = read_papers(folder)
        for strategy, group in baseline[baseline["method"] == "baseline"].groupby("strategy", sort=False):
            keeps = group["best_round"].eq(0)
            lines.append({"item": item, "strategy": strategy, "trials": len(group), "kept": float(keeps.mean())})
    note = "kept: proportion of trials whose best round is 0: no pseudo-label is used. XGBoost, paper's tuning."
    return Table("Naive self-training keeps the supervised model", pd.DataFrame(lines), 3, (note,))


def small_gain() -> Table:
    """Alpha chosen on the validation fold and on the test rows, with true and shuffled densities; other readings."""
    results, lines = read("small_gain"), []
    pairs = [(f"{cast}{kind}", "baseline") for cast in ("cast-l", "cast-d") for kind in ("", "-permuted")]
    pairs += [(f"{method}-from-test", reference) for method, reference in pairs]
    pairs += [(method, cast) for cast, methods in READINGS.items() for method in methods]
    for line in compare(results, pairs):
        seeds = results[results["method"] == line["method"]].groupby("dataset")["seed"].nunique()
        lines.append({**line, "seeds": f"{seeds.min()} to {seeds.max()}" if seeds.nunique() > 1 else str(seeds.min())})
    confident = results[results["method"] == "supervised"].groupby("dataset")["confident"].mean()
    keeps = results[results["method"] == "baseline"]["best_round"].eq(0).mean()
    notes = (
        f"{ERRORS}.",
        f"Naive self-training keeps the supervised model in {keeps:.0%} of these trials. Of the pool, the supervised "
        f"model is at least 0.6 sure of {confident.mean():.0%} (by dataset {confident.min():.0%} to "
        f"{confident.max():.0%}).",
    )
    frame = pd.DataFrame(lines).drop(columns=["tuning", "strategy"])
    return Table("Why the gain is small (FPL, paper's tuning)", frame, 4, notes)


READINGS = {"cast-l": ("cast-l-density", "cast-l-together", "cast-l-quantiles"), "cast-d": ("cast-d-together",)}


def labels() -> dict[str, dict[str, str]]:
    """What tables call methods, those of the plug-in folder among them."""
    return load_catalog([PAPER / "methods"]).labels


def make_page() -> str:
    """The page as text."""
    parts = [shuffled(), budget(), others(), fractions(), bins(), ranking(), cost(), levels(), kept()]
    head = "# Numbers of the reading\n\nMade by `python paper/reading.py` from the results in this folder.\n"
    return "\n".join([head, *(part.render(labels=labels()) for part in parts)])


README_TABLES = {"gains": gains, "controls": controls, "holm": holm, "small_gain": small_gain}


def fill(text: str) -> str:
    """The text of a page with its tables made anew: a table stands between `<!-- name -->` and `<!-- end -->`."""
    for name in re.findall(r"<!-- (\w+) -->\n", text.replace("<!-- end -->\n", "")):
        table = README_TABLES[name]().render(labels=labels())
        start = text.index(f"<!-- {name} -->")
        text = f"{text[:start]}<!-- {name} -->\n\n{table}\n{text[text.index('<!-- end -->', start) :]}"
    return text


if __name__ == "__main__":
    for path, text in (
        (PAPER / "results" / "reading.md", make_page()),
        (PAPER / "README.md", fill((PAPER / "README.md").read_text(encoding="utf-8"))),
    ):
        path.write_text(text, encoding="utf-8")
        print(f"{path} is written.")
