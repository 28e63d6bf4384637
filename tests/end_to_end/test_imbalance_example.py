"""On a class of 5 % scikit-learn's self-training labels none of it; examples/imbalance.py shows what does."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
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
PAGE = (ROOT / "docs" / "imbalance.md").read_text()
# In the second of these the forest alone never predicts the class, so no strategy by itself can find it.
SEEDS = [0, 5, 8]


def load_example():
    spec = importlib.util.spec_from_file_location("imbalance_example", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


example = load_example()


@cache
def compare(seed):
    return example.compare(seed)


@pytest.fixture(params=SEEDS)
def table(request):
    return compare(request.param)


def test_the_minority_is_5_percent():
    for seed in SEEDS:
        _, y, _, y_pool, _, y_new = example.draw_table(seed)
        for classes in (y, y_pool, y_new):
            assert classes.mean() == pytest.approx(0.05, abs=0.005)


def test_scikit_learn_labels_many_rows_and_none_of_the_minority(table):
    assert table.loc["scikit-learn", "pseudo-labels"] > 1400
    assert table.loc["scikit-learn", "of class 1"] == 0


def test_aligned_pseudo_labels_keep_the_class_shares_within_a_factor_of_2(table):
    ours = table.loc[example.BEST]
    assert ours["pseudo-labels"] == 1600
    assert 0.5 <= ours["share"] / ours["true share"] <= 2
    assert example.within_factor_2(table)[example.BEST]


def test_and_find_the_minority_in_new_rows(table):
    ours = table.loc[example.BEST]
    assert ours["right"] > 4 * ours["true share"] * ours["of class 1"]  # four times what chance would give
    assert ours["recall"] > table.loc["no pseudo-labels", "recall"] + 0.1
    assert ours["recall"] > table.loc["scikit-learn", "recall"] + 0.1


def test_other_strategies_label_more_of_the_minority_than_thresholds_for_all():
    table = compare(0)
    for name in ("PerClassCurriculum", "PerClassThreshold([0.95, 0.6])", "FlexThreshold", "SelfAdaptiveThreshold"):
        assert example.within_factor_2(table)[name]
        assert table.loc[name, "of class 1"] > table.loc["FixedThreshold(0.75)", "of class 1"]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_same_on_a_real_table(seed):
    """Days with too much ozone, 6 % of all: 1,320 unlabeled rows, about 80 of them of that class."""
    X, y = read_dataset("ozone-level-8hr")
    rare = (y.astype(str) == "2").to_numpy().astype(int)
    X, _, rare, _ = train_test_split(X.to_numpy(), rare, train_size=1520, stratify=rare, random_state=seed)
    pool = np.arange(1520) >= 200
    half_labeled = np.where(pool, -1, rare)
    theirs = ScikitLearnSelfTraining(example.make_forest()).fit(X, half_labeled)
    assert (theirs.transduction_[pool] == 1).sum() == 0
    ours = SelfTrainingClassifier(
        example.make_forest(), validation=None, random_state=0, **example.STRATEGIES[example.BEST]
    ).fit(X, half_labeled)
    given = ours.transduction_[pool] == 1
    assert 0.5 <= given.mean() / rare[pool].mean() <= 2
    assert rare[pool][given].mean() > 3 * rare[pool].mean()  # and three times as often right as by chance


def test_the_script_prints_the_table():
    result = subprocess.run([sys.executable, SCRIPT, "1"], capture_output=True, text=True, check=True)
    rows = [line for line in result.stdout.splitlines() if line.startswith("|")]
    names = [line.split("|")[1].strip() for line in rows[2:]]
    assert names == ["no pseudo-labels", "scikit-learn", *example.STRATEGIES]
    assert "1 of 1" in rows[2 + names.index(example.BEST)]


def test_the_page_shows_the_methods_of_the_script():
    assert "python examples/imbalance.py 10" in PAGE
    names = [line.split("|")[1].strip() for line in PAGE.splitlines() if line.count("|") == 10]
    assert names[0] == "method"
    assert names[2:] == ["no pseudo-labels", "scikit-learn", *example.STRATEGIES]


def test_the_code_of_the_page_runs(capsys):
    [block] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(block, "docs/imbalance.md", "exec"), names)
    assert "proportion" in capsys.readouterr().out
    assert 0.025 <= (names["model"].pseudo_labels_["label"] == 1).mean() <= 0.1
