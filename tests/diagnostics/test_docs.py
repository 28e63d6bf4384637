"""Every snippet of docs/diagnostics runs, and every diagnostic has its page."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from tabcast.diagnostics import Diagnostics

PAGES = sorted((Path(__file__).parents[2] / "docs" / "diagnostics").glob("*.md"))


def test_every_diagnostic_has_a_page_that_the_index_names():
    assert {page.stem for page in PAGES} == {"index", *(field.name for field in fields(Diagnostics))}
    index = next(page for page in PAGES if page.stem == "index").read_text()
    assert set(re.findall(r"\]\((\w+)\.md\)", index)) == {field.name for field in fields(Diagnostics)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_snippets_run(page, capsys):
    snippets = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    assert snippets
    for snippet in snippets:
        exec(compile(snippet, str(page), "exec"), {})
    assert capsys.readouterr().out
