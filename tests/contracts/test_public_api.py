"""What is public is listed, documented and found where the design says."""

import importlib
import inspect
import subprocess
import sys

import pytest

import tabcast

FAMILIES = [
    "tabcast.confidence",
    "tabcast.decisions",
    "tabcast.study.datasets",
    "tabcast.density",
    "tabcast.diagnostics",
    "tabcast.feature_selection",
    "tabcast.files",
    "tabcast.guard",
    "tabcast.runs",
    "tabcast.models",
    "tabcast.noise_filters",
    "tabcast.pseudo_labels",
    "tabcast.report",
    "tabcast.teachers",
    "tabcast.validation",
]


PUBLIC = [
    pytest.param(module, name, id=f"{module}.{name}")
    for module in ["tabcast", *FAMILIES]
    for name in importlib.import_module(module).__all__
    if not name.startswith("__")
]


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_public_names_exist_and_are_documented(module, name):
    found = getattr(importlib.import_module(module), name)
    assert inspect.getdoc(found)
    if inspect.isclass(found):
        for method, function in inspect.getmembers(found, inspect.isfunction):
            if not method.startswith("_") and function.__module__.startswith("tabcast"):
                assert inspect.getdoc(function), f"{name}.{method} has no docstring"


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_every_parameter_is_documented(module, name):
    found = getattr(importlib.import_module(module), name)
    if not inspect.isclass(found) or found.__init__ is object.__init__:
        return
    for parameter in list(inspect.signature(found.__init__).parameters)[1:]:
        if parameter not in ("args", "kwargs"):
            assert parameter in (found.__doc__ or ""), f"{name}({parameter}=...) is not in the docstring"


def test_names_of_the_package():
    assert set(tabcast.__all__) <= set(dir(tabcast))
    with pytest.raises(AttributeError, match="no attribute 'CatClassifier'"):
        _ = tabcast.CatClassifier


def test_import_is_light():
    code = (
        "import sys, tabcast.cli.main\n"
        "heavy = [name for name in ('sklearn', 'pandas', 'scipy', 'xgboost', 'torch') if name in sys.modules]\n"
        "assert not heavy, heavy\n"
        "from tabcast import CASTClassifier\n"
        "heavy = [name for name in ('xgboost', 'lightgbm', 'torch', 'matplotlib', 'polars') "
        "if name in sys.modules]\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
