"""A dataset, a method or a model is added by writing one file."""

import json
import re

import pytest
from typer.testing import CliRunner

from tabcast.cli.main import app
from tabcast.study.catalog import load_catalog
from tests.conftest import needs
from tests.study.small_study import PLUGIN

DATASET = """
import pandas as pd

from tabcast.study.datasets import DatasetInfo


def load():
    table = pd.DataFrame({"radius": [1.0, 5.0, 1.2, 4.8, 1.1, 5.2] * 10, "color": ["red", "blue", "red"] * 20})
    return table, pd.Series(["inner", "outer"] * 30)


rings = DatasetInfo(name="rings", metric="f1", n_rows=60, n_columns=2, n_classes=2, target="ring", load=load)
"""

METHOD = '''
from dataclasses import dataclass

import numpy as np

from tabcast.study.methods import Method
from tabcast.study.work import Answer


@dataclass(frozen=True)
class Prior(Method):
    """The same probabilities for every row."""

    uses_strategy = False
    floor: float = 0.0

    def run(self, work, request):
        shares = np.bincount(work.fold.y_labeled) / len(work.fold.y_labeled)
        return Answer(np.tile(shares, (len(work.fold.y_test), 1)), {"best_round": 0})


prior = Prior("prior", "Class shares")
'''

MODEL = """
from sklearn.tree import DecisionTreeClassifier

from tabcast.study.models import Model, Space


def build(params, seed):
    return DecisionTreeClassifier(random_state=seed, **params)


def sane():
    from optuna.distributions import IntDistribution

    return Space({"max_depth": IntDistribution(1, 3)})


stump = Model("stump", "Stump", build, {"sane": sane})
"""

CONFIG = """
title = "Plug-ins"
item = "Table 0"

[[grid]]
datasets = ["rings", "clouds"]
models = ["stump"]
tunings = ["sane"]
methods = ["supervised", "prior"]
seeds = 1
folds = [0]
n_tuning_trials = 2
preprocessing = "paper"

[profiles.quick]
"""


@pytest.fixture
def plugins(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    for name, text in (("rings", DATASET), ("prior", METHOD), ("stump", MODEL), ("clouds", PLUGIN)):
        (folder / f"{name}.py").write_text(text)
    return folder


class TestCatalog:
    def test_finds_what_one_file_brings(self, plugins):
        ours, catalog = load_catalog(), load_catalog([plugins])
        assert set(catalog.datasets) - set(ours.datasets) == {"rings", "clouds"}
        assert set(catalog.methods) - set(ours.methods) == {"prior"}
        assert set(catalog.models) - set(ours.models) == {"stump", "bayes", "oracle"}

    def test_files_that_begin_with_an_underscore_are_not_run(self, plugins):
        (plugins / "_draft.py").write_text("raise RuntimeError('not ready')")
        assert "rings" in load_catalog([plugins]).datasets

    @pytest.mark.parametrize(
        "text",
        [
            "from tabcast.study.methods.paper import cast_l",
            "from tabcast.study.models import MODELS\nxgboost = MODELS['xgboost']",
            "from tabcast.study.datasets import list_datasets\ndiabetes = list_datasets()[1]",
        ],
    )
    def test_a_file_may_import_members_of_tabcast(self, plugins, text):
        """To change one a little, one has to have it; the same member twice is no clash."""
        (plugins / "more.py").write_text(text)
        assert "rings" in load_catalog([plugins]).datasets

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (DATASET.replace('name="rings"', 'name="diabetes"'), "There are two datasets called 'diabetes'"),
            (METHOD.replace('"prior"', '"cast-l"'), "There are two methods called 'cast-l'"),
            (MODEL.replace('"stump"', '"xgboost"'), "There are two models called 'xgboost'"),
        ],
    )
    def test_a_taken_name_is_refused(self, tmp_path, text, message):
        (tmp_path / "taken.py").write_text(text)
        with pytest.raises(ValueError, match=re.escape(f"{message}; give the plug-in another name.")):
            load_catalog([tmp_path])

    def test_a_file_that_fails_fails_again(self, tmp_path):
        (tmp_path / "broken.py").write_text("1 / 0")
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                load_catalog([tmp_path])


class TestCommand:
    @pytest.fixture
    def run(self, tmp_path, monkeypatch):
        monkeypatch.setenv("COLUMNS", "200")
        path = tmp_path / "mine.toml"
        path.write_text(CONFIG)
        records = str(tmp_path / "records")

        def invoke(command, *more):
            return CliRunner().invoke(app, ["study", command, str(path), "--records", records, *more])

        return invoke

    @needs("optuna")
    def test_run_and_status(self, run, plugins, tmp_path):
        result = run("run", "--plugins", str(plugins))
        assert result.exit_code == 0, result.output
        assert "Table 0: 4 done, 0 failed, 0 skipped, 0 missing" in result.output
        records = [json.loads(path.read_text()) for path in (tmp_path / "records").rglob("label*.json")]
        done = {
            (record["configuration"]["setting"]["dataset"], record["configuration"]["method"]): record
            for record in records
            if "method" in record["configuration"]
        }
        assert set(done) == {(dataset, method) for dataset in ("rings", "clouds") for method in ("supervised", "prior")}
        assert done["rings", "supervised"]["metrics"]["f1"] == 1.0  # the radius says it all
        assert done["rings", "prior"]["metrics"]["auc"] == 0.5
        assert done["rings", "supervised"]["params"]["max_depth"] in (1, 2, 3)
        assert "4 done" in run("status", "--plugins", str(plugins)).output

    @pytest.mark.slow
    @needs("optuna")
    def test_in_worker_processes(self, run, plugins):
        result = run("run", "--jobs", "2", "--plugins", str(plugins))
        assert result.exit_code == 0, result.output
        assert "Table 0: 4 done" in result.output

    def test_without_them(self, run):
        result = run("run")
        assert result.exit_code == 2
        assert "Unknown dataset in mine.toml: 'rings'." in result.output
