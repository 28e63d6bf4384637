"""The snippets of docs/decisions.md run."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "decisions.md").read_text()
NUMBER = r"\d\.\d{3}"


@pytest.mark.slow
def test_snippets_run(capsys):
    first, second = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    [shown] = re.findall(r"```text\n(.*?)```", PAGE, flags=re.DOTALL)
    assert "range(4)" in first
    exec(compile(first.replace("range(4)", "range(1)"), "docs/decisions.md", "exec"), {})  # one table is quicker
    printed = capsys.readouterr().out
    assert re.sub(NUMBER, "", printed) == re.sub(NUMBER, "", shown)
    exec(compile(second, "docs/decisions.md", "exec"), {})
    assert capsys.readouterr().out.startswith("[0 1]\n")
