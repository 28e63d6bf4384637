"""Links and pictures of the Markdown pages lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "paper/*.md", "paper/results/**/*.md", "research/**/*.md")
    for page in ROOT.glob(pattern)
    if not {"generated", "auto_examples"} & set(page.parts)
)
# Made by `make docs` from pages elsewhere.
MADE = {
    "generated/paper/README.md": ROOT / "paper" / "README.md",
    "generated/contributing.md": ROOT / "CONTRIBUTING.md",
    "generated/changelog.md": ROOT / "CHANGELOG.md",
    "generated/api/index": ROOT / "tools" / "list_public.py",
    "auto_examples/index": ROOT / "examples" / "README.rst",
}


def headings(page: Path) -> set[str]:
    """Anchors of the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```|`[^`\n]*`|<!--.*?-->", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        found = page if not path else (page.parent / path).resolve()
        if found.is_relative_to(DOCS) and str(found.relative_to(DOCS)) in MADE:
            found = MADE[str(found.relative_to(DOCS))]
        assert found.exists(), target
        assert not anchor or anchor in headings(found), target
