"""The datasets of the study: what `catalog.toml` says about each, read and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from importlib.resources import files
from typing import Any

import pandas as pd

from tabcast.checks import check_choice
from tabcast.study.datasets._dataset import DatasetInfo

_FIELDS = [field.name for field in fields(DatasetInfo)]


def make_blob() -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Draw two touching Gaussian blobs in two columns. The paper states neither size nor spread: these are ours."""
    from sklearn.datasets import make_blobs

    X, y = make_blobs(n_samples=1_000, centers=[[-2.0, -2.0], [2.0, 2.0]], cluster_std=1.5, random_state=0)
    return pd.DataFrame(X, columns=["x", "y"]), pd.Series(y, name="blob")


LOADERS: Mapping[str, Callable[[], tuple[pd.DataFrame, pd.Series[Any]]]] = {"blob": make_blob}


@cache
def _read_catalog() -> tuple[dict[str, DatasetInfo], dict[str, str]]:
    """The datasets by name, and what the paper calls some of them."""
    text = files("tabcast.study.datasets").joinpath("catalog.toml").read_text(encoding="utf-8")
    return parse_catalog(text)


def parse_catalog(text: str) -> tuple[dict[str, DatasetInfo], dict[str, str]]:
    """Read a catalog from TOML: its datasets by name, and their other names.

    Examples
    --------
    >>> from tabcast.study.datasets._catalog import parse_catalog
    >>> parse_catalog("[[datasets]]\\nname = 'a'\\nrows = 3")
    Traceback (most recent call last):
    ValueError: Unknown key of dataset 'a' in the catalog: 'rows'. Choices: name, metric, n_rows, ...
    """
    parsed = tomllib.loads(text)
    datasets: dict[str, DatasetInfo] = {}
    for entry in parsed["datasets"]:
        info = _read_entry(entry)
        if info.name in datasets:
            raise ValueError(f"The catalog has two datasets called {info.name!r}.")
        datasets[info.name] = info
    aliases = parsed.get("aliases", {})
    for name in aliases.values():
        check_choice(name, datasets, "dataset with an alias in the catalog")
    return datasets, aliases


def _read_entry(entry: Mapping[str, Any]) -> DatasetInfo:
    """One dataset of the catalog."""
    name = entry.get("name")
    for key, value in entry.items():
        check_choice(key, _FIELDS, f"key of dataset {name!r} in the catalog")
        if key.startswith("n_") and (type(value) is not int or value < 1):
            raise ValueError(f"`{key}` of dataset {name!r} in the catalog must be a positive integer; got {value!r}.")
    missing = [key for key in ("name", "metric", "n_rows", "n_columns", "n_classes", "target") if key not in entry]
    if missing:
        raise ValueError(f"Dataset {name!r} in the catalog lacks {', '.join(missing)}.")
    values = {**entry, "dropped": tuple(entry.get("dropped", ()))}
    if "load" in values:
        check_choice(values["load"], LOADERS, f"`load` of dataset {name!r} in the catalog")
        values["load"] = LOADERS[values["load"]]
    return DatasetInfo(**values)


def list_datasets() -> list[DatasetInfo]:
    """List the datasets of the catalog, in the order of the paper's table of datasets.

    Returns
    -------
    list of DatasetInfo
        What is known about each dataset.

    See Also
    --------
    load_dataset : Read the rows of a dataset.

    Examples
    --------
    >>> from tabcast.study.datasets import list_datasets
    >>> [info.name for info in list_datasets() if info.n_rows > 40_000]
    ['bank-marketing', 'adult']
    """
    return list(_read_catalog()[0].values())


def find_info(name: str) -> DatasetInfo:
    """Look up a dataset of the catalog.

    Parameters
    ----------
    name : str
        Name of the dataset, or what the paper calls it; case does not matter.

    Returns
    -------
    DatasetInfo
        What is known about the dataset.

    Raises
    ------
    ValueError
        If the catalog has no such dataset.

    Examples
    --------
    >>> from tabcast.study.datasets import find_info
    >>> find_info("ozone").name
    'ozone-level-8hr'
    >>> find_info("Bioresponse").metric
    'f1'
    >>> find_info("chrun")
    Traceback (most recent call last):
    ValueError: Unknown dataset: 'chrun'. Choices: gusto, ... Did you mean 'churn'?
    """
    datasets, aliases = _read_catalog()
    wanted = str(name).lower()
    wanted = aliases.get(wanted, wanted)
    if wanted not in datasets:
        check_choice(name, datasets, "dataset", other_names=aliases)
    return datasets[wanted]
