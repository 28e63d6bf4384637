"""The check of a release looks at the right things, and the oldest versions that are promised are tested."""

import io
import re
import tarfile
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from tools.release_check import DATA, SAMPLE, check_files, is_for_everybody, readme_commands

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


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


def test_every_lower_bound_is_tested():
    def canonical(version):
        return re.sub(r"(\.0)+$", "", version)

    pins = re.findall(r"^([\w-]+)==([\d.]+)$", (ROOT / "constraints-oldest.txt").read_text(), re.MULTILINE)
    tested = {name: canonical(version) for name, version in pins}
    promised = dict(dependency.split(">=") for dependency in PROJECT["project"]["dependencies"])
    assert {name: canonical(version) for name, version in promised.items()}.items() <= tested.items()


def is_installed(name):
    try:
        return bool(distribution(name))
    except PackageNotFoundError:
        return False


def test_every_optional_package_is_installed_or_none():
    """One that is missing skips its tests: right in `make test-oldest`, a mistake where the others are there."""
    groups = PROJECT["dependency-groups"]
    named = {group: {re.split(r"[<>=\[]", entry)[0] for entry in groups[group]} for group in ("test", "test-oldest")}
    optional = named["test"] - named["test-oldest"]
    installed = {name for name in optional if is_installed(name) or is_installed(name.removesuffix("-cpu"))}
    assert installed in (set(), optional), f"install also: {', '.join(sorted(optional - installed))}"
