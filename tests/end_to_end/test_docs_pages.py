"""The Python blocks of the site's pages run, and print what the page shows."""

import re
from pathlib import Path

import matplotlib as mpl
import pytest

mpl.use("Agg")

ROOT = Path(__file__).parents[2]
DOCS, README = ROOT / "docs", (ROOT / "README.md").read_text("utf-8")
PAGES = [*DOCS.glob("start/*.md"), *DOCS.glob("guide/*.md"), *DOCS.glob("extending.md"), *DOCS.glob("choosing.md")]
# A block, and what it prints where the page shows that.
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda page: page.stem)
@pytest.mark.filterwarnings("ignore::tabcast.exceptions.TabcastWarning")
def test_blocks_run_and_print_what_is_shown(page, capsys):
    for code, shown in BLOCK.findall(page.read_text("utf-8")):
        if code in README or code.startswith("# plugins/"):  # run by test_readme.py; a file of a study
            compile(code, str(page), "exec")
            continue
        exec(compile(code, str(page), "exec"), {})
        printed = capsys.readouterr().out
        assert not shown or printed == shown
