"""Base classifiers of the study. A new one is a file here with a module-level `Model`; nothing is registered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from tabcast.checks import check_choice
from tabcast.study.models._base import Model
from tabcast.study.models._space import Space


def find_models(package: str, folders: Iterable[str]) -> dict[str, Model]:
    """Find the models in the modules of a package; modules whose name starts with `_` are left out.

    Parameters
    ----------
    package : str
        Dotted name of the package.
    folders : iterable of str
        Iterable of str Where its modules lie (its `__path__`).

    Returns
    -------
    dict of str to Model
        The models by name.

    Examples
    --------
    >>> import tabcast.study.models
    >>> from tabcast.study.models import find_models
    >>> sorted(find_models("tabcast.study.models", tabcast.study.models.__path__))[:2]
    ['ft_transformer', 'hist_gradient_boosting']
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
    """Look up a model.

    Parameters
    ----------
    name : str
        One of `MODELS`.

    Returns
    -------
    Model
        The model.

    Examples
    --------
    >>> from tabcast.study.models import get_model
    >>> get_model("logistic_regression").label
    'Logistic regression'
    """
    check_choice(name, MODELS, "model")
    return MODELS[name]


__all__ = [
    "MODELS",
    "Model",
    "Space",
    "find_models",
    "get_model",
]
