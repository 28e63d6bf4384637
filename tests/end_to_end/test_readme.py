"""The Python blocks and the commands of the README run."""

import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tabcast import CASTClassifier, GuardedClassifier
from tabcast.cli.main import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
PROSE = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
COMMANDS = [line.split("#")[0].strip() for line in re.findall(r"^    (.+)$", PROSE, re.MULTILINE)]
# Defaults that only take time.
SHORTER = {CASTClassifier: {"max_rounds": 2, "max_fits": 40}, GuardedClassifier: {"n_splits": 2, "n_repeats": 1}}


@pytest.mark.usefixtures("small_committee")
def test_the_commands_about_the_csv(tmp_path, monkeypatch):
    """As printed, in order; with a cheaper model."""
    monkeypatch.chdir(tmp_path)
    wanted = [line for line in COMMANDS if "tumors" in line]
    assert [line.split()[:2] for line in wanted] == [
        ["python", "examples/half_labeled_table.py"],
        *[["tabcast", "fit"]] * 2,
    ]
    subprocess.run(
        [sys.executable, ROOT / wanted[0].split()[1], *wanted[0].split()[2:]], check=True, capture_output=True
    )
    for line in wanted[1:]:
        cheap = ["--estimator", "logistic_regression"]
        result = CliRunner().invoke(app, [*shlex.split(line)[1:], *cheap])
        assert result.exit_code == 0, result.output
    assert (tmp_path / "tumors-tabcast" / "report.html").exists()
    assert (tmp_path / "filled-tumors" / "filled.csv").exists()


@pytest.mark.usefixtures("small_committee")
@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_block_runs(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind, defaults in SHORTER.items():
        for name, value in defaults.items():
            monkeypatch.setitem(kind.__init__.__kwdefaults__, name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names = {}
        exec(compile(BLOCKS[number], f"README block {number}", "exec"), names)
    fitted = [one for one in names.values() if hasattr(one, "predict_proba") and not isinstance(one, type)]
    for one in fitted:  # what a block calls `model` is fitted where the block says so
        assert hasattr(one, "classes_") == (".fit(" in BLOCKS[number])
