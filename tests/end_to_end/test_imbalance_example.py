"""On a class of 5% scikit-learn's self-training labels none of it; examples/imbalance.py shows what does."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import train_test_split
from sklearn.semi_supervised import SelfTrainingClassifier as ScikitLearnSelfTraining

from tabcast import SelfTrainingClassifier
from tests.conftest import read_dataset

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "imbalance.py"
# In the second of these the forest alone never predicts the class, so no strategy by itself can find it.
SEEDS = [0, pytest.param(5, marks=pytest.mark.slow)]


def load_example():
    spec = importlib.util.spec_from_file_location("imbalance_example", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


example = load_example()
example.compare = cache(example.compare)  # each table is compared once for all tests


@pytest.fixture(params=SEEDS)
def table(request):
    return example.compare(request.param)


def test_scikit_learn_labels_many_rows_and_none_of_the_minority(table):
    assert table.loc["scikit-learn", "pseudo-labels"] > 1400
    assert table.loc["scikit-learn", "of class 1"] == 0


def test_aligned_pseudo_labels_keep_class_proportions_within_a_factor_of_2(table):
    ours = table.loc[example.BEST]
    assert ours["pseudo-labels"] == 1600
    assert 0.5 <= ours["share"] / ours["true share"] <= 2
    assert example.within_factor_2(table)[example.BEST]


def test_aligned_pseudo_labels_find_the_minority_in_new_rows(table):
    ours = table.loc[example.BEST]
    assert ours["right"] > 4 * ours["true share"] * ours["of class 1"]  # four times as often as by chance
    assert ours["recall"] > table.loc["no pseudo-labels", "recall"] + 0.1
    assert ours["recall"] > table.loc["scikit-learn", "recall"] + 0.1


def test_other_strategies_label_more_of_the_minority_than_thresholds_for_all():
    table = example.compare(0)
    for name in ("PerClassCurriculum", "FixedThreshold([0.95, 0.6])"):
        assert example.within_factor_2(table)[name]
        assert table.loc[name, "of class 1"] > table.loc["FixedThreshold(0.75)", "of class 1"]


@pytest.mark.parametrize(
    ("name", "rare_class"), [("car", "vgood"), pytest.param("ozone-level-8hr", "2", marks=pytest.mark.slow)]
)
def test_the_same_on_a_real_table(name, rare_class):
    """Very good cars, 4% of all, and days with too much ozone, 6%: 200 labeled rows, 1,320 unlabeled ones."""
    X, y = read_dataset(name)
    X = X.apply(lambda column: column.cat.codes if column.dtype == "category" else column).to_numpy(float)
    every = (y.astype(str) == rare_class).to_numpy().astype(int)
    for seed in range(2):
        X_train, _, rare, _ = train_test_split(X, every, train_size=1520, stratify=every, random_state=seed)
        pool = np.arange(1520) >= 200
        half_labeled = np.where(pool, -1, rare)
        theirs = ScikitLearnSelfTraining(example.make_forest()).fit(X_train, half_labeled)
        assert (theirs.transduction_[pool] == 1).sum() == 0
        ours = SelfTrainingClassifier(
            example.make_forest(), validation=None, random_state=0, **example.STRATEGIES[example.BEST]
        ).fit(X_train, half_labeled)
        given = ours.transduction_[pool] == 1
        assert 0.5 <= given.mean() / rare[pool].mean() <= 2
        assert rare[pool][given].mean() > 3 * rare[pool].mean()  # correct three times as often as by chance


def test_the_script_prints_the_table(capsys):
    example.main(1)
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    names = [line.split("|")[1].strip() for line in rows[2:]]
    assert names == ["no pseudo-labels", "scikit-learn", *example.STRATEGIES]
    assert "1 of 1" in rows[2 + names.index(example.BEST)]
