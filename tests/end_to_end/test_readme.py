"""The Python blocks of the README run."""

import re
import warnings
from pathlib import Path

import pytest

from tabcast import CASTClassifier, GuardedClassifier

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
# Defaults that only take time.
SHORTER = {CASTClassifier: {"max_rounds": 2, "max_fits": 40}, GuardedClassifier: {"n_splits": 2, "n_repeats": 1}}


def test_there_are_blocks():
    assert len(BLOCKS) >= 3


@pytest.mark.usefixtures("small_committee")
@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_block_runs(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind, defaults in SHORTER.items():
        for name, value in defaults.items():
            monkeypatch.setitem(kind.__init__.__kwdefaults__, name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(BLOCKS[number], f"README block {number}", "exec"), {})
