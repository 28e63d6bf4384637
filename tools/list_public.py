"""Everything public, room by room: what the API reference lists.

    python tools/list_public.py                     # names by room
    python tools/list_public.py tabcast.density     # of some rooms

Public is what a module lists in `__all__`, unless its path has a part that begins with an underscore.
"""

import inspect
import pkgutil
import sys
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import tabcast


class PublicName(NamedTuple):
    """A name that a room lists; `kind` is "class", "exception", "function" or "data"."""

    room: str
    name: str
    kind: str

    @property
    def path(self) -> str:
        """The import path."""
        return f"{self.room}.{self.name}"

    @property
    def thing(self) -> Any:
        """What the name stands for."""
        return getattr(import_module(self.room), self.name)


def find_kind(thing: Any) -> str:
    """What the API reference documents something as."""
    if inspect.isclass(thing):
        return "exception" if issubclass(thing, BaseException) else "class"
    return "function" if inspect.isroutine(thing) else "data"


@cache
def public_rooms() -> tuple[str, ...]:
    """Modules that list public names, tabcast first."""
    modules = ["tabcast", *(name for _, name, _ in pkgutil.walk_packages(tabcast.__path__, "tabcast."))]
    shown = [name for name in modules if not any(part.startswith("_") for part in name.split("."))]
    return tuple(name for name in shown if hasattr(import_module(name), "__all__"))


def list_public() -> dict[str, list[PublicName]]:
    """Public names by room; a class or function that several rooms list is only in the first (tabcast, if there)."""
    rooms: dict[str, list[PublicName]] = {}
    seen = set()
    for room in public_rooms():
        rooms[room] = []
        for name in import_module(room).__all__:
            thing = getattr(import_module(room), name)
            kind = find_kind(thing)
            if kind == "data" or id(thing) not in seen:
                rooms[room].append(PublicName(room, name, kind))
            seen.add(id(thing))
    return rooms


def main() -> None:
    """Print the names."""
    wanted = sys.argv[1:]
    for room, names in list_public().items():
        if not wanted or room in wanted:
            print(room)
            print("".join(f"    {name.kind:9} {name.name}\n" for name in names), end="")


if __name__ == "__main__":
    main()
