"""How many labels `suggest_rows` saves against random rows, and what cross-validation says under either.

    python research/labeling/evaluate.py [--seeds 0 1 2] [--data-dir DIR]
    python research/labeling/evaluate.py --summary

Of each dataset at most 1,500 rows are drawn; two thirds are the table to label, one third are test rows. The first 20
labels are of random rows, then ten at a time are added up to 120: by `suggest_rows`, at random, and at random once
more with another seed ("again"): the null, what chance alone does. All share the first 20. The model is a plain average
of 100 extra trees, logistic regression and XGBoost (100 rounds), trained on the labels; its probabilities are what
`suggest_rows` is given. At 60 and 120 labels the model is cross-validated (5 folds) in two ways: as if all labels were
of random rows, and with the chosen ones in training only, as `fit_table(labels=...)` does. One line per dataset, seed,
strategy and number of labels is appended to curves.csv in research/results/labeling; a second run goes on where the
first one stopped.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from xgboost import XGBClassifier

from tabcast.labeling import suggest_rows
from tabcast.study.datasets import load_dataset
from tabcast.table._encoders import NormalScores, TableCodes

DATASETS = (
    "adult", "bank-marketing", "blood-transfusion-service-center", "car", "churn", "cmc", "credit-g", "diabetes",
    "gusto", "jm1", "kc2", "kr-vs-kp", "ozone-level-8hr", "pc3", "pc4", "qsar-biodeg", "splice", "steel-plates-fault",
    "vehicle", "wall-robot-navigation",
)  # fmt: skip
N_ROWS, FIRST, LAST, STEP = 1_500, 20, 120, 10
VALIDATED = (60, 120)
STRATEGIES = {"design": 0.3, "random": 1.0, "again": 1.0}  # proportion of random rows
RESULTS = Path(__file__).parents[1] / "results" / "labeling"
SCORES = {"accuracy": 1, "auc": 1, "log_loss": -1}
SMALLEST = 1e-15  # of a probability in the log-loss, as in scikit-learn


class Ensemble:
    """The average of three models; classes without a label have probability 0."""

    def __init__(self, X, n_classes, seed):
        self.codes, self.scores = TableCodes().fit(X), NormalScores().fit(X)
        self.encoded = self.codes.transform(X), self.scores.transform(X)
        self.n_classes, self.seed = n_classes, seed

    def fit(self, rows, y):
        """Fit on some rows of the table."""
        codes, scores = (one[rows] for one in self.encoded)
        self.present, y = np.unique(y, return_inverse=True)
        self.models = []
        if len(self.present) > 1:
            trees = ExtraTreesClassifier(100, random_state=self.seed)
            boosting = XGBClassifier(n_estimators=100, n_jobs=1, random_state=self.seed)
            linear = LogisticRegression(C=0.3, max_iter=1000)
            self.models = [(trees.fit(codes, y), 0), (boosting.fit(codes, y), 0), (linear.fit(scores, y), 1)]
        return self

    def predict_proba(self, encoded):
        """Probabilities of encoded rows."""
        proba = np.zeros((len(encoded[0]), self.n_classes))
        proba[:, self.present] = (
            np.mean([model.predict_proba(encoded[which]) for model, which in self.models], axis=0) if self.models else 1
        )
        return proba

    def predict_rows(self, rows):
        """Probabilities of some rows of the table."""
        return self.predict_proba([one[rows] for one in self.encoded])


def score(proba, truth):
    """Accuracy, AUC and log-loss; classes without a test row or a label have no AUC."""
    known = [one for one in np.unique(truth) if 0 < (truth == one).mean() < 1 and proba[:, one].any()]
    loss = -np.log(np.clip(proba[np.arange(len(truth)), truth], SMALLEST, None)).mean()
    areas = [roc_auc_score(truth == one, proba[:, one]) for one in known]
    return {"accuracy": (proba.argmax(axis=1) == truth).mean(), "auc": np.mean(areas), "log_loss": loss}


def cross_validate(model, rows, y, held_out, seed):
    """Accuracy of held-out rows in five folds; the other rows always train."""
    folds = StratifiedKFold(5, shuffle=True, random_state=seed).split(held_out, y[held_out])
    right = []
    for _, fold in folds:
        test = held_out[fold]
        train = np.setdiff1d(np.arange(len(rows)), test)
        model.fit(rows[train], y[train])
        right.append(model.predict_rows(rows[test]).argmax(axis=1) == y[test])
    return float(np.concatenate(right).mean())


def label(strategy, X, codes, test, n_classes, first, seed):
    """The curve of a strategy: one line per number of labels."""
    model = Ensemble(X, n_classes, seed)
    encoded = model.codes.transform(test[0]), model.scores.transform(test[0])
    rows, how = first, np.full(len(first), "random", dtype=object)
    rarest = int(np.bincount(codes).argmin())
    source = np.random.RandomState([seed, list(STRATEGIES).index(strategy)])
    while True:
        model.fit(rows, codes[rows])
        line = {"n_labels": len(rows), **score(model.predict_proba(encoded), test[1])}
        random = np.flatnonzero(how == "random")
        if len(rows) in VALIDATED and strategy != "again":
            line["cv_all"] = line["cv_random"] = cross_validate(model, rows, codes[rows], np.arange(len(rows)), seed)
            if len(random) < len(rows):
                line["cv_random"] = cross_validate(model, rows, codes[rows], random, seed)
            line["share_all"] = (codes[rows] == rarest).mean()
            line["share_random"] = (codes[rows[random]] == rarest).mean()
            line["share"] = (codes == rarest).mean()
            model.fit(rows, codes[rows])
        yield line
        if len(rows) >= min(LAST, len(X)):
            return
        y = np.full(len(X), np.nan)
        y[rows] = codes[rows]
        proba = model.predict_rows(np.arange(len(X)))
        more = suggest_rows(X, y, proba, STEP, source, random_share=STRATEGIES[strategy])
        rows, how = np.r_[rows, more["row"]], np.r_[how, more["how"]]


def evaluate(name, seed, data_dir):
    """All curves of a table, drawn with a seed."""
    data = load_dataset(name, data_dir=data_dir)
    random = np.random.default_rng([seed, DATASETS.index(name)])
    rows = random.permutation(len(data.y))[:N_ROWS]
    X = data.X.iloc[rows].reset_index(drop=True)
    classes, codes = np.unique(data.y[rows].astype(str), return_inverse=True)
    n = 2 * len(rows) // 3
    test, first = (X[n:], codes[n:]), random.permutation(n)[:FIRST]
    for strategy in STRATEGIES:
        start = time.process_time()
        for line in label(strategy, X[:n], codes[:n], test, len(classes), first, seed):
            yield {"dataset": name, "seed": seed, "strategy": strategy} | line
        print(name, seed, strategy, f"{time.process_time() - start:.0f} s", flush=True)


def labels_needed(curve, goal, sign):
    """Labels at which a curve, made monotonic, first reaches a score; the last ones where it never does."""
    n = curve.index.to_numpy(dtype=float)
    smooth = IsotonicRegression(increasing=sign > 0).fit_transform(n, curve.to_numpy())
    reached = np.flatnonzero(sign * (smooth - goal) >= 0)
    if not len(reached):
        return n[-1]
    place = reached[0]
    if place == 0:
        return n[0]
    before, after = smooth[place - 1], smooth[place]
    return n[place - 1] + (n[place] - n[place - 1]) * (goal - before) / (after - before)


def reference(curve, n, sign):
    """The score of a monotonic curve at a number of labels."""
    places = curve.index.to_numpy(dtype=float)
    smooth = IsotonicRegression(increasing=sign > 0).fit_transform(places, curve.to_numpy())
    return float(np.interp(n, places, smooth))


def say(values, digits=0):
    """A mean over datasets with its standard error."""
    return f"{values.mean():.{digits}f} ± {values.sem():.{digits}f}"


def compare(lines, strategy, value):
    """Mean curves by dataset, and those of the random rows which they are compared with: all, or the other draw."""
    others = ("random", "again") if strategy == "design" else ("random",)
    curves = [lines[lines["strategy"].isin(names)] for names in ((strategy,), others)]
    return [one.pivot_table(value, "n_labels", "dataset") for one in curves]


def save(curve, random, n, sign):
    """Percentage of `n` random labels that a curve does without, reaching the same score."""
    return 100 * (1 - labels_needed(curve, reference(random, n, sign), sign) / n)


def jackknife(curve, random, n, sign):
    """The saving of the mean curve of all datasets, and its standard error over datasets."""
    whole = save(curve.mean(axis=1), random.mean(axis=1), n, sign)
    without = np.array(
        [save(*(one.drop(columns=name).mean(axis=1) for one in (curve, random)), n, sign) for name in curve]
    )
    return f"{whole:.0f} ± {np.sqrt((len(without) - 1) * without.var()):.0f}"


def summarize(lines):
    """Label savings, wins and losses, and the bias of cross-validation, as Markdown."""
    datasets = list(dict.fromkeys(lines["dataset"]))
    text = [
        f"{len(datasets)} datasets, {lines['seed'].nunique()} seeds; ± is the standard error over datasets.",
        "",
        "Labels saved against random rows (two draws per seed), in percent of their number; null: one draw against the "
        "other. First of the mean curve of all datasets (jackknife), then the mean of the savings by dataset. A curve "
        f"that never reaches the score counts as {LAST} labels: losses are cut off, so that chance alone saves some:",
        "",
        "| random labels | score | suggest_rows | null | suggest_rows, by dataset | null, by dataset |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for n in (60, 100):
        for value, sign in SCORES.items():
            pairs = [compare(lines, strategy, value) for strategy in ("design", "again")]
            cells = [jackknife(curve, random, n, sign) for curve, random in pairs]
            for curve, random in pairs:
                cells.append(say(pd.Series([save(curve[name], random[name], n, sign) for name in datasets])))
            text.append(f"| {n} | {value.replace('_', '-')} | {' | '.join(cells)} |")
    gains = pd.DataFrame(
        {
            f"{strategy} {value}": 100 * sign * np.subtract(*compare(lines, strategy, value)).mean()
            for strategy in ("design", "again")
            for value, sign in SCORES.items()
        }
    )
    text += ["", "Gain over random rows, mean over the curve, in points (log-loss: x 100), and number of datasets:", ""]
    text += ["| | accuracy | AUC | log-loss |", "| --- | --- | --- | --- |"]
    for strategy, title in (("design", "suggest_rows"), ("again", "null")):
        cells = [
            f"{say(gains[f'{strategy} {one}'], 2)}, better on {(gains[f'{strategy} {one}'] > 0).sum()}, worst "
            f"{gains[f'{strategy} {one}'].min():+.1f}"
            for one in SCORES
        ]
        text.append(f"| {title} | {' | '.join(cells)} |")
    known = lines.dropna(subset="cv_all").assign(
        accuracy_all=lambda one: one["cv_all"] - one["accuracy"],
        accuracy_random=lambda one: one["cv_random"] - one["accuracy"],
        share_of_all=lambda one: one["share_all"] - one["share"],
        share_of_random=lambda one: one["share_random"] - one["share"],
    )
    columns = ["accuracy_all", "accuracy_random", "share_of_all", "share_of_random"]
    biases = 100 * known.groupby(["strategy", "n_labels", "dataset"])[columns].mean()
    text += [
        "",
        "Cross-validated minus test accuracy, and proportion of the rarest class among labels minus in the table, in "
        "points, from all labels or only from those of random rows; in brackets the largest in absolute value:",
        "",
        "| labels | strategy | accuracy, all | accuracy, random | class share, all | class share, random |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for n in VALIDATED:
        for strategy, title in (("design", "suggest_rows"), ("random", "random")):
            group = biases.loc[(strategy, n)]
            cells = [f"{say(group[one], 1)} ({group[one].loc[group[one].abs().idxmax()]:+.1f})" for one in columns]
            text.append(f"| {n} | {title} | {' | '.join(cells)} |")
    text += ["", "Gain in accuracy over random rows by dataset, in points:", "", "| dataset | suggest_rows | null |"]
    text += ["| --- | --- | --- |"]
    ordered = gains.sort_values("design accuracy", ascending=False)
    text += [
        f"| {name} | {one['design accuracy']:+.2f} | {one['again accuracy']:+.2f} |" for name, one in ordered.iterrows()
    ]
    return "\n".join(text) + "\n"


def main():
    """Run what is missing, then summarize."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--data-dir", default=os.environ.get("TABCAST_DATA_DIR"))
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    path, done = RESULTS / "curves.csv", set()
    if path.exists():
        done = set(pd.read_csv(path)[["dataset", "seed"]].itertuples(index=False, name=None))
    for seed in options.seeds:
        for name in DATASETS:
            if options.summary or (name, seed) in done:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lines = pd.DataFrame(list(evaluate(name, seed, options.data_dir))).round(5)
            lines.to_csv(path, mode="a", header=not path.exists(), index=False)
    text = summarize(pd.read_csv(path))
    (RESULTS / "curves.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
