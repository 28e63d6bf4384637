"""Who writes the soft labels of a run: `teacher` of `fit_table`, `--teacher` of the command."""

from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from tabcast import fit_table
from tabcast.cli.main import app
from tabcast.runs._options import TEACHER_TITLES, RunOptions
from tabcast.teachers import Committee, FoundationModel, SelfTeacher
from tests.teachers.checkpoints import WRITE, point_cache_to

NAMES = ("tabpfn", "tabicl")


@pytest.fixture
def table():
    frame = load_iris(as_frame=True).frame.iloc[::2].astype({"target": object}).reset_index(drop=True)
    frame.loc[np.random.default_rng(0).random(len(frame)) < 0.5, "target"] = None
    return frame


def options(**chosen):
    defaults = {
        "density": None,
        "strategy": None,
        "alpha": None,
        "class_prior": None,
        "time_limit": None,
        "decision": None,
    }
    common = {"method": "soft", "model": "auto", "metric": "accuracy", "guard": True, "random_state": 0, "n_jobs": None}
    return RunOptions(**{**defaults, **common, "verbose": 0, **chosen})


def test_names_and_their_teachers(tmp_path):
    assert isinstance(options().find_teacher(), Committee)
    assert isinstance(options(teacher="self").find_teacher(), SelfTeacher)
    found = options(teacher="tabicl", teacher_weights=tmp_path / "weights").find_teacher()
    assert isinstance(found, FoundationModel)
    assert found.model_path == tmp_path / "weights"
    assert set(TEACHER_TITLES) == {"committee", "self", *NAMES}


def test_the_model_as_its_own_teacher(table):
    run = fit_table(table, "target", model="logistic_regression", teacher="self", time_limit=1)
    assert run.summary["method"]["settings"]["teacher"] == "self"
    assert "committee" not in str(run.report)


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"teacher": "tabpnf"}, r"Unknown teacher: 'tabpnf'\. Choices: committee, self, tabpfn, tabicl\. Did you mean"),
        ({"teacher": "self", "method": "naive"}, r"`teacher` is for soft; it has no effect with `method='naive'`\."),
        (
            {"teacher_weights": "w.ckpt"},
            r"`teacher_weights` is for the teachers tabpfn and tabicl; it has no effect with `teacher='committee'`\.",
        ),
    ],
)
def test_what_does_not_fit_together(table, chosen, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit_table(table, "target", **chosen)


@pytest.mark.parametrize("name", NAMES)
def test_a_library_that_is_not_installed(name, table, tmp_path):
    if find_spec(name):
        pytest.skip(f"{name} is installed")
    table.to_csv(tmp_path / "iris.csv", index=False)
    result = run_command(tmp_path, "--teacher", name)
    assert result.exit_code == 2
    assert result.output.rstrip().endswith(f"Install it with: pip install 'tabcast[{name}]'.")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", NAMES)
def test_weights_that_are_not_there(name, table, tmp_path, monkeypatch):
    pytest.importorskip(name)
    point_cache_to(tmp_path / "cache", monkeypatch)
    with pytest.raises(
        ValueError, match="or name a file with weights with `teacher_weights`; tabcast does not download"
    ):
        fit_table(table, "target", teacher=name)
    table.to_csv(tmp_path / "iris.csv", index=False)
    result = run_command(tmp_path, "--teacher", name, "--teacher-weights", "absent.ckpt")
    assert result.exit_code == 2
    assert result.output.startswith("--teacher-weights must be a file with weights of Tab")


@pytest.mark.parametrize("name", NAMES)
def test_a_run(name, table, tmp_path):
    pytest.importorskip(name)
    weights = WRITE[name](tmp_path / "weights.ckpt")
    table.to_csv(tmp_path / "iris.csv", index=False)
    result = run_command(tmp_path, "--teacher", name, "--teacher-weights", weights, "--time-limit", "1s", "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert f"{TEACHER_TITLES[name]}; compared with" in result.output
    assert (tmp_path / "out" / "model.skops").stat().st_size > 0


def run_command(folder, *arguments):
    arguments = ["--target", "target", "--model", "logistic_regression", "--out", folder / "out", *arguments]
    return CliRunner().invoke(app, ["fit", str(folder / "iris.csv"), *map(str, arguments)])
