"""docs/architecture.md names every room and every file of the loop, and nothing that is not there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tabcast"
PAGE = (ROOT / "docs" / "architecture.md").read_text()
PAGES = set(ROOT.glob("docs/**/*.md")) - set(ROOT.glob("docs/generated/**/*.md"))


def section(title):
    """The text under a heading."""
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.S | re.M)[1]


def rooms():
    """Folders and modules of the package."""
    entries = [path for path in PACKAGE.iterdir() if path.suffix != ".typed" and not path.name.startswith("__")]
    return {f"{path.name}/" if path.is_dir() else path.name for path in entries}


def test_every_room_is_in_the_table():
    named = re.findall(r"^\| `([\w/.]+)` \|", section("Rooms"), re.M)
    assert len(named) == len(set(named))
    assert set(named) == rooms()


def test_a_stranger_can_survey_the_rooms():
    assert len(rooms()) <= 25


def test_every_file_of_the_loop_is_named():
    named = set(re.findall(r"`(_\w+\.py)`", section("How a fit runs")))
    assert named == {path.name for path in (PACKAGE / "self_training").glob("_*.py")} - {"__init__.py"}


def test_a_fit_passes_through_at_most_a_dozen_files():
    assert len(re.findall(r"^\| `_\w+\.py` \|", section("How a fit runs"), re.M)) <= 12


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda path: path.name)
def test_modules_that_the_docs_name_exist(page):
    for name in set(re.findall(r"`(?:src/)?tabcast/([\w/]+(?:\.py)?)`", page.read_text())):
        assert (PACKAGE / name).exists(), name
    for name in set(re.findall(r"`tabcast\.([a-z_]+)`", page.read_text())) - {"json"}:
        assert (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists() or name in ("fit_table", "load_run"), name
