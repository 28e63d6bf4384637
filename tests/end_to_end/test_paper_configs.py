"""Each table and figure of the paper, and each study of our own, runs in its smoke profile and is drawn."""

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tabcast.cli.main import app
from tests.conftest import SMALL_TABLES, needs

ROOT = Path(__file__).parents[2]
CONFIGS = sorted([*(ROOT / "paper" / "configs").glob("*.toml"), *(ROOT / "research" / "configs").glob("soft_*.toml")])


def mark(path):
    """A parameter; what takes longest, and is much like the others, is in `make slow`."""
    short = {"alpha_winners", "confidence_map", "density_quality", "naive"}
    return pytest.param(path, id=path.stem, marks=() if path.stem in short else pytest.mark.slow)


def call(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def records(tmp_path_factory, worker_id):
    """One folder for all, as in the paper: a trial that several configurations share runs once, in whatever process."""
    base = tmp_path_factory.getbasetemp()
    return (base if worker_id == "master" else base.parent) / "records"


@pytest.mark.usefixtures("small_committee")
@needs("optuna", "scikit_posthocs", "xgboost", "matplotlib")  # the extra `study`
@pytest.mark.parametrize("config", [*map(mark, CONFIGS)])
def test_smoke_profile_runs_and_is_drawn(config, records, tmp_path):
    place = ("--profile", "smoke", "--records", records)
    call("study", "run", config, *place, "--data-dir", SMALL_TABLES)
    assert "0 failed" in " ".join(call("study", "status", config, *place).split())  # lines may be broken anywhere
    call("study", "write", config, *place, "--out", tmp_path)
    text, out = tomllib.loads(config.read_text()), tmp_path / config.stem
    names = [figure["name"] + ".png" for figure in text.get("figures", [])]
    assert all((out / name).stat().st_size > 10 for name in [*names, "README.md", "results.csv.gz"])
    trials = json.loads((out / "run.json").read_text())["trials"]
    assert set(trials) <= {"done", "skipped"}
    if "tables" in text:  # the same from the results table alone
        page = (out / "README.md").read_text()
        assert call("study", "table", config, "--results", out / "results.csv.gz", *place).strip() in page
