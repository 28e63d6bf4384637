"""Check the docstrings of everything public with numpydoc; the error codes are chosen in pyproject.toml.

    python tools/check_docstrings.py                    # every public room
    python tools/check_docstrings.py tabcast.density    # some of them

Public is what a room lists in `__all__`, with the methods and properties that its classes define. A method that a
family's base class documents in full (`Strategy.select`) needs only a summary in the members. The fields of a dataclass
may be documented as attributes, and keyword-only ones in any order.
"""

import argparse
import inspect
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from list_public import public_rooms
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def public_objects(room: str) -> Iterator[tuple[str, bool]]:
    """Import paths of what a room makes public, and whether only the summary counts."""
    module = import_module(room)
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        if not (inspect.isclass(thing) or inspect.isfunction(thing)):
            continue
        if not thing.__module__.startswith("tabcast"):
            continue
        yield f"{room}.{name}", False
        if inspect.isclass(thing):
            for method in public_methods(thing):
                yield f"{room}.{name}.{method}", is_inherited(thing, method)


def public_methods(kind: type[Any]) -> list[str]:
    """Methods and properties that a class defines itself."""
    return [
        name
        for name, value in vars(kind).items()
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property | classmethod))
    ]


def is_inherited(kind: type[Any], method: str) -> bool:
    """Whether a base class of ours, or scikit-learn's, documents a method already."""
    bases = [base for base in kind.__mro__[1:] if base.__module__.startswith(("tabcast", "sklearn"))]
    return any(method in vars(base) for base in bases)


def allowed_of_dataclass(path: str) -> set[str]:
    """Error codes that do not count for a dataclass: fields are attributes, keyword-only ones have no order."""
    module, _, name = path.rpartition(".")
    thing = getattr(import_module(module), name, None) if module in sys.modules else None
    if not (inspect.isclass(thing) and is_dataclass(thing)):
        return set()
    documented = {name for entry in get_doc_object(thing)["Attributes"] for name in entry.name.split(", ")}
    described = {field.name for field in fields(thing) if field.init and not field.name.startswith("_")} <= documented
    keywords = all(field.kw_only for field in fields(thing))
    return {code for code, allowed in (("PR01", described), ("PR03", keywords)) if allowed}


def main() -> None:
    """Print what is wrong, and exit with 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", help="Modules to check. Default: all.")
    rooms = parser.parse_args().rooms or public_rooms()
    chosen = tomllib.loads(PYPROJECT.read_text())["tool"]["numpydoc_validation"]["checks"]
    found, n_checked, seen = [], 0, set()
    for room in rooms:
        for path, only_summary in public_objects(room):
            result = validate(path)
            place = (result["file"], result["file_line"])
            if place in seen and None not in place:
                continue
            seen.add(place)
            n_checked += 1
            codes = [code for code in chosen if code.startswith(("GL08", "SS"))] if only_summary else chosen
            codes = set(codes) - allowed_of_dataclass(path)
            found += [f"{path}: {code} {message}" for code, message in result["errors"] if code in codes]
    print("\n".join(found) or f"{n_checked} docstrings follow numpydoc")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
