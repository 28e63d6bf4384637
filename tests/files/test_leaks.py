"""The alarm on columns that know too much: raised for a leak, silent for chance, cheap, and it changes no feature."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from tabcast import SelfTrainingClassifier, fit_table
from tabcast.exceptions import TabcastWarning
from tabcast.files import describe, understand
from tabcast.files._leaks import find_only_labeled, find_predictive, note_leaks
from tabcast.models import make_model


def make_frame(n=300, n_labeled=100, seed=0, n_classes=2):
    random = np.random.default_rng(seed)
    truth = random.integers(0, n_classes, n)
    frame = pd.DataFrame({f"noise{number}": random.normal(size=n) for number in range(5)})
    frame["honest"] = truth + random.normal(0, 0.5, n)
    frame["word"] = random.choice(["a", "b", "c"], n)
    frame["y"] = np.array(["u", "v", "w", "z"], dtype=object)[truth]
    frame.loc[n_labeled:, "y"] = None
    return frame, truth, random


def alarms(frame, **options):
    understanding = understand(frame, "y", **options)
    return note_leaks(understanding, understanding.features(frame), understanding.labels(frame))


LEAKS = {
    "threshold": lambda truth, random: truth * 5 + random.normal(size=len(truth)) * 0.1,
    "levels": lambda truth, random: np.array(["red", "green", "blue", "gray"])[truth],
    "many levels": lambda truth, random: [f"{one}-{random.integers(0, 8)}" for one in truth],
    "missing tells": lambda truth, random: np.where(truth == 0, np.nan, random.normal(size=len(truth))),
    "two ranges": lambda truth, random: np.where(truth == 0, 0, random.choice([-5, 5], len(truth))) * 1.0,
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_found(leak):
    frame, truth, random = make_frame()
    frame["leak"] = LEAKS[leak](truth, random)
    understanding = alarms(frame)
    assert len(understanding.notes) == 1
    line = describe(understanding)[-1]
    assert line.startswith("Caution: Column 'leak' alone predicts 'y' nearly perfectly (balanced accuracy")
    assert line.endswith("leave out with `ignore=['leak']`.")
    column = next(one for one in understanding.columns if one.name == "leak")
    assert column.used
    assert "alone it predicts the target" in column.why
    assert not alarms(frame, ignore=["leak"]).notes


def test_rare_errors_do_not_hide_a_leak():
    frame, truth, _ = make_frame(n_labeled=300)
    frame["leak"] = truth * 1.0
    frame.loc[[7, 90], "leak"] = 1 - frame.loc[[7, 90], "leak"]
    assert "Column 'leak' alone predicts" in describe(alarms(frame))[-1]


def test_four_classes_and_a_rare_one():
    frame, truth, _ = make_frame(n_labeled=200, n_classes=4)
    frame["leak"] = truth * 1.0
    frame.loc[0, "y"] = "single"
    assert ["Caution" in line for line in describe(alarms(frame))[-2:]] == [False, True]


@pytest.mark.parametrize("n_labeled", [10, 40, 100])
def test_honest_tables_raise_no_alarm(n_labeled):
    """Columns that predict 84% of the rows, and noise: silent for all seeds."""
    for seed in range(8):
        frame, _, _ = make_frame(n_labeled=n_labeled, seed=seed)
        assert not any("Caution" in line for line in describe(alarms(frame)))


def test_a_rare_class_is_no_leak():
    """With two rows of a class, a column that happens to tell them apart proves nothing."""
    frame, _, _ = make_frame()
    labels = np.array(["u"] * 100, dtype=object)
    labels[[3, 50]] = "v"
    assert not find_predictive(frame[["honest"]].iloc[:100].assign(x=(labels == "v") * 1.0), labels.astype(str))


def reference(X, labels):
    """Every column through a tree, with no shortcut."""
    scores = {}
    for name in X.columns:
        values = X[name].cat.codes if isinstance(X[name].dtype, pd.CategoricalDtype) else X[name]
        predicted = np.empty(len(labels), dtype=object)
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        for train, test in folds.split(X, labels):
            tree = DecisionTreeClassifier(class_weight="balanced", random_state=0)
            tree.fit(values.to_numpy(dtype=float)[train, None], labels[train])
            predicted[test] = tree.predict(values.to_numpy(dtype=float)[test, None])
        scores[name] = balanced_accuracy_score(list(labels), list(predicted))
    return scores


def test_against_a_slow_reference():
    frame, truth, random = make_frame(n_labeled=300)
    for number, sigma in enumerate([0.1, 0.15, 0.2, 0.25, 0.3, 0.4]):
        frame[f"x{number}"] = truth + random.normal(0, sigma, len(truth))
    labels = frame["y"].to_numpy(dtype=str)
    X = frame.drop(columns="y").astype({"word": "category"})
    expected = {name for name, score in reference(X, labels).items() if score >= 0.98}
    assert set(find_predictive(X, labels)) == expected
    assert 1 <= len(expected) < 6


def test_values_for_labeled_rows_only():
    frame, _, random = make_frame()
    frame["after"] = random.normal(size=300)
    frame.loc[100:, "after"] = np.nan
    understanding = alarms(frame)
    line = describe(understanding)[-1]
    assert line.startswith("Caution: Column 'after' has values in labeled rows and in hardly any unlabeled one")
    assert line.endswith("leave out with `ignore=['after']`.")
    frame["after"] = random.normal(size=300)
    frame.loc[random.random(300) < 0.9, "after"] = np.nan
    assert not alarms(frame).notes


def test_few_unlabeled_rows_without_a_value_are_chance():
    X = pd.DataFrame({"a": [1.0, np.nan] * 10, "b": 1.0})
    labeled = np.ones(20, dtype=bool)
    labeled[[1, 3]] = False
    assert find_only_labeled(X, labeled) == []


def test_a_run_warns_and_keeps_the_alarm():
    frame, truth, _ = make_frame(n=150)
    frame["leak"] = truth * 1.0
    with pytest.warns(TabcastWarning, match="Column 'leak' alone predicts 'y' nearly perfectly"):
        run = fit_table(
            frame,
            "y",
            estimator=SelfTrainingClassifier(
                make_model("logistic_regression"), strategy="all", validation=None, max_rounds=1
            ),
        )
    assert any("Column 'leak' alone predicts" in one for one in run.summary["warnings"])
    assert any("alone it predicts" in one["why"] for one in run.summary["table"]["columns"])
