"""The size of the house, measured from the code, so that it cannot grow unseen.

What makes it larger says what it replaces; the limits are in docs/architecture.md.
"""

import ast
import cProfile
import importlib
import inspect
import pkgutil
from pathlib import Path

import numpy as np
import pytest
import typer
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from typer.testing import CliRunner

import tabcast
from tabcast.cli.main import app

SOURCE = Path(tabcast.__file__).parent
PATHS = sorted(SOURCE.rglob("*.py"))


def count_lines(path):
    """Lines of code: neither blank nor comment nor docstring."""
    text = path.read_text(encoding="utf-8")
    code = {number for number, line in enumerate(text.splitlines(), 1) if line.strip() and line.strip()[0] != "#"}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            code -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(code)


def files_passed(call):
    """Files of the package in which a function ran during a call."""
    profile = cProfile.Profile()
    profile.runcall(call)
    codes = [entry.code for entry in profile.getstats() if not isinstance(entry.code, str)]
    ran = {code.co_filename for code in codes if code.co_name != "<module>"}
    return [name for name in ran if name.startswith(str(SOURCE))]


def test_lines_and_files():
    lines = {path: count_lines(path) for path in PATHS}
    assert sum(lines.values()) <= 16_500
    assert len(lines) <= 170
    assert sum(n <= 30 and path.name != "__init__.py" for path, n in lines.items()) <= 20


def test_public_names():
    packages = [tabcast.__name__]
    packages += [one.name for one in pkgutil.walk_packages(tabcast.__path__, "tabcast.") if one.ispkg]
    names = {
        f"{package}.{name}"
        for package in packages
        if package != "tabcast.models.neural"  # needs torch
        for name in getattr(importlib.import_module(package), "__all__", ())
    }
    assert len(names) <= 142  # and eight in tabcast.models.neural


@pytest.mark.parametrize(
    ("count", "most"),
    [
        (lambda: len(typer.main.get_command(app).commands["fit"].params), 18),
        (lambda: len(inspect.signature(tabcast.fit_table).parameters), 18),
        (lambda: len(inspect.signature(tabcast.CASTClassifier).parameters), 16),
    ],
    ids=["tabcast fit", "fit_table", "CASTClassifier"],
)
def test_parameters(count, most):
    assert count() <= most


def test_a_fit_passes_through_few_files():
    X = np.random.default_rng(0).normal(size=(60, 4))
    y = np.where(np.arange(60) % 3 == 0, (X[:, 0] > 0).astype(int), -1)
    model = tabcast.CASTClassifier(LogisticRegression(), random_state=0)
    assert len(files_passed(lambda: model.fit(X, y))) <= 28


def test_the_command_passes_through_few_files(tmp_path):
    table = load_iris(as_frame=True).frame
    table["target"] = table["target"].astype(object).where(table.index % 4 == 0)
    table.to_csv(tmp_path / "iris.csv", index=False)
    arguments = ["fit", str(tmp_path / "iris.csv"), "--target", "target", "--out", str(tmp_path / "run")]
    assert len(files_passed(lambda: CliRunner().invoke(app, arguments, catch_exceptions=False))) <= 85
