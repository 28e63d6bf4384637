"""Base classifiers of the study. A new one is a new file here with a module-level `Model`: nothing to register."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from tabcast.checks import check_choice
from tabcast.study.models._base import Model
from tabcast.study.models._space import Choice, Dimension, Integer, Real, Space


def find_models(package: str, folders: Iterable[str]) -> dict[str, Model]:
    """The models in the modules of a package, by name; modules whose name starts with `_` are left out.

    Parameters
    ----------
    package : its dotted name.
    folders : where its modules lie (its `__path__`).
    """
    found: dict[str, Model] = {}
    for name in sorted(info.name for info in iter_modules(folders) if not info.name.startswith("_")):
        module = import_module(f"{package}.{name}")
        for model in (value for value in vars(module).values() if isinstance(value, Model)):
            if found.setdefault(model.name, model) is not model:
                raise ValueError(f"Two models of {package} are named {model.name!r}; the second is in {name}.py.")
    return found


MODELS: Mapping[str, Model] = MappingProxyType(find_models(__name__, __path__))


def get_model(name: str) -> Model:
    """The model of a name, or an error that lists the names there are."""
    check_choice(name, MODELS, "model")
    return MODELS[name]


__all__ = [
    "MODELS",
    "Choice",
    "Dimension",
    "Integer",
    "Model",
    "Real",
    "Space",
    "find_models",
    "get_model",
]
