"""The Python block and the commands of the README run."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tabcast.cli.main import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
PROSE = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
COMMANDS = [line.split("#")[0].strip() for line in re.findall(r"^    (.+)$", PROSE, re.MULTILINE)]


@pytest.mark.usefixtures("small_committee")
def test_the_commands_and_the_block_in_their_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    demo, fit, label = [line for line in COMMANDS if line.startswith("tabcast ")]
    for line in (demo, fit):
        result = CliRunner().invoke(app, shlex.split(line)[1:])
        assert result.exit_code == 0, result.output
    assert (tmp_path / "census-tabcast" / "report.html").exists()
    assert CliRunner().invoke(app, [*shlex.split(label)[1:], "--help"]).exit_code == 0  # tests/labeling runs it
    [block] = BLOCKS
    exec(compile(block, "README", "exec"), {})
    shown = capsys.readouterr().out
    assert "unlabeled rows" in shown
    assert "prediction  probability_<=50K  probability_>50K" in shown
