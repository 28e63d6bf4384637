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
by_path = pytest.mark.parametrize("public", OBJECTS, ids=lambda public: public.path)


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


def shown_default(kind):
    """The default in `float, default=0.5`; None where there is none."""
    found = re.search(r"default=(.+)$", kind)
    return found and found[1]


def test_the_reference_has_every_room_that_lists_names():
    assert len(public_rooms()) >= 25
    assert {"tabcast", "tabcast.density", "tabcast.exceptions", "tabcast.study.analysis"} <= set(public_rooms())
    assert len(NAMES) == len(set(NAMES)) > 400


@pytest.mark.parametrize("public", NAMES, ids=lambda public: public.path)
def test_every_name_exists_and_has_a_meaning(public):
    if public.kind != "data":
        assert re.match(r"[A-Z`0-9].*\.$", (inspect.getdoc(public.thing) or "").split("\n\n")[0].replace("\n", " "))


@by_path
def test_every_parameter_has_a_type(public):
    types = documented_types(public.thing)
    missing = [name for name in parameters(public.thing) if not types.get(name)]
    assert not missing, f"{public.path}: no type is documented for {', '.join(missing)}"


@by_path
def test_every_default_is_the_documented_one(public):
    types = documented_types(public.thing)
    for name, default in parameters(public.thing).items():
        shown = shown_default(types[name])
        if default is inspect.Parameter.empty:
            assert shown is None, f"{public.path}: `{name}` has no default, its docstring says {shown}"
            continue
        assert shown is not None, f"{public.path}: the docstring lacks the default of `{name}`, {default!r}"
        if default is None or isinstance(default, bool | int | float | str):
            assert literal_eval(shown) == default, f"{public.path}: `{name}` is {default!r}, its docstring says {shown}"


def has_example(thing):
    return ">>> " in "\n".join(read(thing)["Examples"])


def see_also(thing):
    """Last parts of the names under See Also."""
    return {name.rpartition(".")[2] for entry, _ in read(thing)["See Also"] for name, _ in entry}


@by_path
def test_every_class_and_function_has_an_example(public):
    """Of its own; for a class that is made elsewhere, such as a result, See Also leads to an example."""
    shown = has_example(public.thing) or (public.kind == "class" and see_also(public.thing) & WITH_EXAMPLE)
    assert shown, f"{public.path} has no section Examples with code"


WITH_EXAMPLE = {public.name for public in OBJECTS if has_example(public.thing)}
