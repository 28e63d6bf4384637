"""Whatever is public can be looked up: meaning, types, defaults, and an example, which runs as a doctest."""

import inspect
import re
from ast import literal_eval
from dataclasses import MISSING, fields, is_dataclass

import pytest

pytest.importorskip("numpydoc", reason="reads docstrings; part of `make check`")
pytest.importorskip("torch", reason="networks are public")

from numpydoc.docscrape import NumpyDocString
from tools.list_public import list_public, public_rooms

NAMES = [name for names in list_public().values() for name in names]
OBJECTS = [name for name in NAMES if name.kind in ("class", "function")]


def read(thing):
    """The sections of a docstring."""
    return NumpyDocString(inspect.getdoc(thing) or "")


def documented_types(thing):
    """Type by parameter; the fields of a dataclass may be attributes."""
    sections = read(thing)
    entries = [*sections["Parameters"], *sections["Other Parameters"]]
    if is_dataclass(thing) or hasattr(thing, "_fields"):
        entries += sections["Attributes"]
    return {name.strip().lstrip("*"): entry.type for entry in entries for name in entry.name.split(",")}


def parameters(thing):
    """Parameters that a caller can give, with their defaults."""
    if is_dataclass(thing):
        return {
            field.name: inspect.Parameter.empty if field.default is MISSING else field.default
            for field in fields(thing)
            if field.init and field.default_factory is MISSING and not field.name.startswith("_")
        }
    if inspect.isclass(thing) and thing.__init__ is object.__init__ and not hasattr(thing, "_fields"):
        return {}
    signature = inspect.signature(thing).parameters.values()
    return {
        one.name: one.default
        for one in signature
        if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD) and not one.name.startswith("_")
    }


def has_example(thing):
    return ">>> " in "\n".join(read(thing)["Examples"])


def see_also(thing):
    """Last parts of the names under See Also."""
    return {name.rpartition(".")[2] for entry, _ in read(thing)["See Also"] for name, _ in entry}


def has_meaning(thing):
    summary = (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
    return re.match(r"[A-Z`0-9].*\.$", summary)


def wrong_default(kind, default):
    """What is wrong with the default in a documented type; None if nothing is."""
    shown = re.search(r"default=(.+)$", kind)
    if default is inspect.Parameter.empty:
        return f"has no default, its docstring says {shown[1]}" if shown else None
    if shown is None:
        return f"has the default {default!r}, its docstring says none"
    if (default is None or isinstance(default, bool | int | float | str)) and literal_eval(shown[1]) != default:
        return f"has the default {default!r}, its docstring says {shown[1]}"
    return None


def test_the_reference_has_every_room_that_lists_names():
    assert len(public_rooms()) >= 25
    assert {"tabcast", "tabcast.density", "tabcast.exceptions", "tabcast.study.analysis"} <= set(public_rooms())
    assert len(NAMES) == len(set(NAMES)) > 300


def test_every_name_has_a_meaning():
    assert [name.path for name in NAMES if name.kind != "data" and not has_meaning(name.thing)] == []


def test_every_parameter_has_a_type():
    found = {public.path: documented_types(public.thing) for public in OBJECTS}
    missing = [
        f"{public.path}({name}=)"
        for public in OBJECTS
        for name in parameters(public.thing)
        if not found[public.path].get(name)
    ]
    assert missing == []


def test_every_default_is_the_documented_one():
    wrong = [
        f"{public.path}: `{name}` {problem}"
        for public in OBJECTS
        for types in [documented_types(public.thing)]
        for name, default in parameters(public.thing).items()
        if (problem := wrong_default(types.get(name, ""), default))
    ]
    assert wrong == []


def test_every_class_and_function_has_an_example():
    """Of its own; for a class that is made elsewhere, such as a result, See Also leads to an example."""
    shown = {public.name for public in OBJECTS if has_example(public.thing)}
    missing = [
        public.path
        for public in OBJECTS
        if not has_example(public.thing) and not (public.kind == "class" and see_also(public.thing) & shown)
    ]
    assert missing == []


def test_a_gap_would_be_noticed():
    def lacking(first, second=1):
        """Return the second.

        Parameters
        ----------
        first
            Not used.
        second : int, default=2
            What is returned.
        """

    assert documented_types(lacking) == {"first": "", "second": "int, default=2"}
    assert parameters(lacking) == {"first": inspect.Parameter.empty, "second": 1}
    assert wrong_default("int, default=2", 1) == "has the default 1, its docstring says 2"
    assert wrong_default("int", 1) == "has the default 1, its docstring says none"
    assert not has_example(lacking)
    assert has_meaning(lacking)
