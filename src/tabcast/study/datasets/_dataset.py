"""What a dataset is: what is known about it in advance, the catalog of the paper's, and the rows once they are read."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.checks import check_choice

METRICS = ("accuracy", "balanced_accuracy", "f1")


@dataclass(frozen=True, eq=False)
class Split:
    """The role of each row of a table in a trial; rows without a role are left out.

    Parameters
    ----------
    labeled, pool : ndarray of int
        Positions of the training rows, with and without a label.
    test : ndarray of int
        Positions of the test rows.
    validation : ndarray of int, optional
        Positions of labeled rows that are held out to choose parameters and rounds. By default there are none, and
        methods that need them cannot run.

    See Also
    --------
    DatasetInfo : Describes a dataset, and how its rows are split.
    """

    labeled: NDArray[np.intp]
    pool: NDArray[np.intp]
    test: NDArray[np.intp]
    validation: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))


@dataclass(frozen=True, kw_only=True)
class DatasetInfo:
    """Describe a dataset before its rows are read; all that a plug-in has to write.

    Parameters
    ----------
    name : str
        What configurations and records call it.
    metric : {"accuracy", "balanced_accuracy", "f1"}
        The metric by which results on it are compared.
    n_rows : int
        Number of rows.
    n_columns : int
        Number of columns, without the target and dropped columns.
    n_classes : int
        Number of classes.
    target : str
        Name of the column to predict.
    label : str, default=""
        What tables and figures call it. By default the name.
    openml_id : int, default=None
        Number of the dataset on OpenML, if it is there.
    dropped : tuple of str, default=()
        Columns to leave out: identifiers, and copies of others.
    positive_class : object, default=None
        For two classes, the label that F1 is computed for. It must be the second of the sorted labels, whose code is 1.
    stand_in_for : str, default=None
        The private dataset that this one replaces.
    file : str, default=""
        Stem of its file, `<file>.csv.gz`. By default the name.
    load : callable, default=None
        Function that returns the table without the target, and the target. By default the rows come from a file.
    split : callable, default=None
        Function of the class codes and a random generator that returns a :class:`Split`, for a synthetic problem whose
        unlabeled rows come from elsewhere. By default the protocol of the study decides. Records know the name of a
        dataset, not its function: a problem that is split in another way needs another name.

    See Also
    --------
    load_dataset : Read the rows.

    Examples
    --------
    >>> from tabcast.study.datasets import DatasetInfo, load_dataset
    >>> import pandas as pd
    >>> def load_rings():
    ...     table = pd.DataFrame({"radius": [1.0, 5.0, 1.2, 4.8]})
    ...     return table, pd.Series(["inner", "outer", "inner", "outer"], name="ring")
    >>> rings = DatasetInfo(
    ...     name="rings", metric="accuracy", n_rows=4, n_columns=1, n_classes=2, target="ring", load=load_rings
    ... )
    >>> load_dataset(rings).y
    array([0, 1, 0, 1])
    """

    name: str
    metric: str
    n_rows: int
    n_columns: int
    n_classes: int
    target: str
    label: str = ""
    openml_id: int | None = None
    dropped: tuple[str, ...] = ()
    positive_class: Any = None
    stand_in_for: str | None = None
    file: str = ""
    load: Callable[[], tuple[pd.DataFrame, pd.Series[Any]]] | None = None
    split: Callable[[NDArray[np.intp], np.random.Generator], Split] | None = None

    def __post_init__(self) -> None:
        check_choice(self.metric, METRICS, f"metric of dataset {self.name!r}")
        for field_name in ("label", "file"):
            if not getattr(self, field_name):
                object.__setattr__(self, field_name, self.name)


@dataclass(frozen=True)
class Dataset:
    """The rows of a dataset.

    Parameters
    ----------
    info : DatasetInfo
        The description of the dataset.
    X : DataFrame
        The table, numbers as float and levels as category columns with sorted levels, missing as NaN.
    y : ndarray of shape (n_rows,)
        Code of each row's class.
    classes : ndarray of shape (n_classes,)
        Labels that the codes stand for, sorted; as numbers where all of them are numbers.

    See Also
    --------
    load_dataset : Loads one of the catalog.
    """

    info: DatasetInfo
    X: pd.DataFrame
    y: NDArray[np.intp]
    classes: NDArray[Any]


def make_dataset(info: DatasetInfo, X: pd.DataFrame, labels: pd.Series[Any]) -> Dataset:
    """Drop what is to be dropped, give columns their types and classes their codes, and compare with what was known."""
    if not isinstance(X, pd.DataFrame):
        raise TypeError(
            f"`load` of dataset {info.name!r} must give a DataFrame and its labels; got {type(X).__name__}."
        )
    if info.target in X.columns:
        raise ValueError(f"The table of dataset {info.name!r} must not hold its target {info.target!r}; leave it out.")
    labels = pd.Series(labels)
    if len(X) != len(labels):
        raise ValueError(f"Dataset {info.name!r} must have one label per row; got {len(labels)} for {len(X)} rows.")
    n_missing = int(labels.isna().sum())
    if n_missing:
        raise ValueError(f"Target {info.target!r} of dataset {info.name!r} must be complete; {n_missing} are missing.")
    X = X.drop(columns=[name for name in info.dropped if name in X.columns]).reset_index(drop=True)
    X = pd.DataFrame({name: _typed(X[name]) for name in X.columns})
    levels = pd.Index(in_natural_order(labels.unique().tolist()))
    dataset = Dataset(info, X, levels.get_indexer(pd.Index(labels.tolist())).astype(np.intp), levels.to_numpy())
    _compare_with_info(dataset)
    return dataset


def in_natural_order(levels: list[Any]) -> list[Any]:
    """Levels sorted: as numbers if all of them are numbers ('2' before '10'), else as they compare, else as text."""
    with suppress(TypeError, ValueError):
        return sorted(levels, key=lambda level: (_finite_number(level), str(level)))
    with suppress(TypeError):
        return sorted(levels)
    return sorted(levels, key=lambda level: (type(level).__name__, str(level)))


def _finite_number(level: Any) -> float:
    """A level as a number; 'nan' and 'inf' are words here."""
    number = float(level)
    if not np.isfinite(number):
        raise ValueError(level)
    return number


def _typed(column: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers become float, everything else a category column; one that states an order of its levels stays.

    Levels are those that occur, sorted: OpenML and the files declare them in different orders.
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
        return column
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype):
        return column.astype(float)
    # Not astype: to pandas, the same levels in another order are the same type.
    return column.astype("category").cat.set_categories(in_natural_order(column.dropna().unique().tolist()))


def _compare_with_info(dataset: Dataset) -> None:
    """Refuse a table that is not the one that was described."""
    info = dataset.info
    found = {"n_rows": len(dataset.X), "n_columns": dataset.X.shape[1], "n_classes": len(dataset.classes)}
    wrong = [f"{name} {getattr(info, name)}, found {n}" for name, n in found.items() if n != getattr(info, name)]
    if wrong:
        raise ValueError(f"Dataset {info.name!r} is not the one that was described: expected {'; '.join(wrong)}.")
    if info.positive_class is not None and [info.positive_class] != dataset.classes[1:].tolist():
        raise ValueError(
            f"`positive_class` of dataset {info.name!r} must be the second of its two sorted labels "
            f"{dataset.classes.tolist()}; got {info.positive_class!r}."
        )


def make_blob() -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Draw two touching Gaussian blobs in two columns. The paper states neither size nor spread: these are ours."""
    from sklearn.datasets import make_blobs

    X, y = make_blobs(n_samples=1_000, centers=[[-2.0, -2.0], [2.0, 2.0]], cluster_std=1.5, random_state=0)
    return pd.DataFrame(X, columns=["x", "y"]), pd.Series(y, name="blob")


LOADERS: Mapping[str, Callable[[], tuple[pd.DataFrame, pd.Series[Any]]]] = {"blob": make_blob}


@cache
def read_catalog() -> tuple[dict[str, DatasetInfo], dict[str, str]]:
    """Read `catalog.toml`: the datasets by name, and what the paper calls some of them."""
    parsed = tomllib.loads(files("tabcast.study.datasets").joinpath("catalog.toml").read_text(encoding="utf-8"))
    datasets = {}
    for entry in parsed["datasets"]:
        load = {"load": LOADERS[entry["load"]]} if "load" in entry else {}
        datasets[entry["name"]] = DatasetInfo(**{**entry, **load, "dropped": tuple(entry.get("dropped", ()))})
    return datasets, parsed["aliases"]


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
    return list(read_catalog()[0].values())


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
    >>> from tabcast.study.datasets._dataset import find_info
    >>> find_info("ozone").name
    'ozone-level-8hr'
    >>> find_info("Bioresponse").metric
    'f1'
    >>> find_info("chrun")
    Traceback (most recent call last):
    ValueError: Unknown dataset: 'chrun'. Choices: gusto, ... Did you mean 'churn'?
    """
    datasets, aliases = read_catalog()
    wanted = str(name).lower()
    wanted = aliases.get(wanted, wanted)
    if wanted not in datasets:
        check_choice(name, datasets, "dataset", other_names=aliases)
    return datasets[wanted]
