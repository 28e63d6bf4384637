"""What is public can be imported lightly, and its docstrings tell the real defaults; numpydoc checks the rest."""

import inspect
import subprocess
import sys
from ast import literal_eval

import pytest

pytest.importorskip("numpydoc", reason="reads docstrings; part of `make check`")
pytest.importorskip("torch", reason="networks are public")

from numpydoc.docscrape import NumpyDocString
from tools.list_public import list_public

import tabcast

OBJECTS = [name for names in list_public().values() for name in names if name.kind in ("class", "function")]


def find_defaults(thing):
    """Documented types and real defaults of the parameters that have a plain one."""
    sections = NumpyDocString(inspect.getdoc(thing) or "")
    types = {entry.name.strip(): entry.type for entry in [*sections["Parameters"], *sections["Attributes"]]}
    if inspect.isclass(thing) and thing.__init__ is object.__init__:
        return
    for name, parameter in inspect.signature(thing).parameters.items():
        if name in types and (parameter.default is None or isinstance(parameter.default, bool | int | float | str)):
            yield name, types[name], parameter.default


def test_every_default_is_the_documented_one():
    wrong = [
        f"{public.path}({name}={default!r}): {kind}"
        for public in OBJECTS
        for name, kind, default in find_defaults(public.thing)
        if "default=" in kind and literal_eval(kind.partition("default=")[2]) != default
    ]
    assert wrong == []


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
        "heavy = [name for name in ('xgboost', 'lightgbm', 'torch', 'gpytorch', 'matplotlib', 'polars') "
        "if name in sys.modules]\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
