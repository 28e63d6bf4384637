"""The versions that are promised are the versions that are tested, and no test is skipped for a package by mistake."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# What constraints-oldest.txt has beside the dependencies: packages of the tests, and what typer stands on.
BESIDE = {"polars", "click", "pytest"}


def lower_bounds():
    bounds = dict(dependency.split(">=") for dependency in PROJECT["project"]["dependencies"])
    return {name: canonical(bound) for name, bound in bounds.items()}


def canonical(version):
    return re.sub(r"(\.0)+$", "", version)


def test_every_lower_bound_is_tested():
    pins = re.findall(r"^([\w-]+)==([\d.]+)$", (ROOT / "constraints-oldest.txt").read_text(), re.MULTILINE)
    tested = {name: canonical(version) for name, version in pins}
    assert {name: version for name, version in tested.items() if name not in BESIDE} == lower_bounds()
    assert set(tested) >= BESIDE


def test_every_lower_bound_is_documented():
    text = (ROOT / "docs" / "reliability.md").read_text().split("\n## Versions\n")[1].split("\n## ")[0]
    documented = dict(re.findall(r"^\| ([\w-]+) \| ([\d.]+) \|$", text, re.MULTILINE))
    oldest_python = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert {name: canonical(version) for name, version in documented.items()} == {
        "Python": canonical(oldest_python),
        **lower_bounds(),
    }


def test_the_workflow_runs_every_environment():
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    matrix = re.findall(r'python: "([\d.]+)", command: ([^}]+?) }', text)
    oldest_python = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert (oldest_python, "make test-oldest") in matrix
    assert (oldest_python, "make check test") in matrix
    newest_python = max((python for python, _ in matrix), key=lambda python: int(python.split(".")[1]))
    assert newest_python != oldest_python
    assert (newest_python, "make test-newest") in matrix


def is_installed(name):
    try:
        return bool(distribution(name))
    except PackageNotFoundError:
        return False


def test_every_optional_package_is_installed_or_none():
    """One that is missing skips its tests: right in `make test-oldest`, a mistake where the others are there."""
    names = {
        group: {re.split(r"[<>=]", entry)[0] for entry in PROJECT["dependency-groups"][group]}
        for group in ("test", "test-oldest")
    }
    optional = names["test"] - names["test-oldest"]
    installed = {name for name in optional if is_installed(name) or is_installed(name.removesuffix("-cpu"))}
    assert installed in (set(), optional), f"install also: {', '.join(sorted(optional - installed))}"
