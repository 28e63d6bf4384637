"""A release is complete: one version, a changelog in its form, and a check that looks at the right things."""

import io
import re
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from tools.release_check import DATA, SAMPLE, check_files, find_version, is_for_everybody, readme_commands

from tabcast import __version__

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
HEADINGS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


class TestVersion:
    def test_one_place_has_it(self):
        path = PROJECT["tool"]["hatch"]["version"]["path"]
        assert f'__version__ = "{__version__}"' in (ROOT / path).read_text("utf-8")
        assert "version" not in PROJECT["project"]
        assert PROJECT["project"]["dynamic"] == ["version"]
        assert not re.search(r"^version:", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)

    def test_the_release_check_finds_it(self):
        assert find_version() == __version__


class TestChangelog:
    def test_newest_first_and_what_comes_next_on_top(self):
        titles = re.findall(r"^## (.+)$", CHANGELOG, re.MULTILINE)
        assert titles[0] == "Unreleased"
        assert re.fullmatch(rf"{re.escape(__version__)} - \d{{4}}-\d\d-\d\d", titles[1])

    def test_sections_are_those_of_keep_a_changelog(self):
        assert set(re.findall(r"^### (.+)$", CHANGELOG, re.MULTILINE)) <= HEADINGS


class TestReadme:
    TEXT = """
    make demo                    # sets up .venv
    . .venv/bin/activate
    tabcast fit tumors.csv --target diagnosis   # trains

```python
    tabcast = "no command"
```

```console
$ tabcast predict run more.csv
```

    tabcast study run paper/configs/table_1.toml
"""

    def test_commands_are_found_as_printed(self):
        assert readme_commands(self.TEXT) == [
            "make demo",
            ". .venv/bin/activate",
            "tabcast fit tumors.csv --target diagnosis",
            "tabcast predict run more.csv",
            "tabcast study run paper/configs/table_1.toml",
        ]

    def test_only_commands_of_the_package_run(self):
        shown = [line for line in readme_commands(self.TEXT) if is_for_everybody(line)]
        assert shown == ["tabcast fit tumors.csv --target diagnosis", "tabcast predict run more.csv"]

    def test_ours_has_a_command_to_run(self):
        commands = readme_commands((ROOT / "README.md").read_text("utf-8"))
        assert any(line.startswith("tabcast fit ") for line in commands if is_for_everybody(line))


@pytest.fixture
def archives(tmp_path):
    """A function that packs names into an sdist and a wheel."""

    def pack(in_sdist, in_wheel):
        sdist, wheel = tmp_path / "tabcast-1.tar.gz", tmp_path / "tabcast-1.whl"
        with tarfile.open(sdist, "w:gz") as archive:
            for name in in_sdist:
                archive.addfile(tarfile.TarInfo(f"tabcast-1/{name}"), io.BytesIO())
        with zipfile.ZipFile(wheel, "w") as archive:
            for name in in_wheel:
                archive.writestr(name, "")
        return sdist, wheel

    return pack


def test_files_that_are_missing_or_too_many_are_named(archives):
    tracked = {"README.md", "src/tabcast/a.py", *(f"src/{name}" for name in DATA)}
    complete = archives([*tracked, "PKG-INFO"], ["tabcast/a.py", *DATA, "tabcast-1.dist-info/METADATA"])
    assert check_files(*complete, tracked) == []
    wrong = archives([*tracked - {"README.md"}, "notes.txt"], ["tabcast/a.py", "tests/b.py", *DATA[1:]])
    assert check_files(*wrong, tracked) == [
        "not in the sdist: README.md",
        "in the sdist, but not committed: notes.txt",
        f"not in the wheel: {DATA[0]}",
        "in the wheel, but not of the package: tests/b.py",
    ]


def test_the_sample_of_tests_exists():
    assert [path for path in SAMPLE if not (ROOT / path).exists()] == []


def test_an_address_that_is_not_ours_is_said_to_be_a_placeholder():
    for file in ("pyproject.toml", "SECURITY.md"):
        text = (ROOT / file).read_text("utf-8")
        assert "example.org" not in text or "placeholder" in text.lower()


@pytest.mark.parametrize("system", ["ubuntu", "macos", "windows"])
def test_the_workflow_tests_oldest_and_newest_versions(system):
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    jobs = [job for job in re.split(r"\n          - ", text) if f"{system}-latest" in job and "python:" in job]
    assert any('python: "3.11"' in job and "oldest" in job for job in jobs)
    assert any('python: "3.13"' in job and "newest" in job for job in jobs)
