"""From a name to rows: the user's folder, the cache, OpenML, in this order.

On disk a dataset is `<file>.csv.gz` and an entry that describes its columns, in the folder's `meta.json` (a list of
entries, one per dataset) or in `<file>.json` (a single one).
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pandas as pd

from tabcast.files._atomic import write_text, write_whole
from tabcast.study.datasets._dataset import Dataset, DatasetInfo, find_info, make_dataset

DATA_DIR_VARIABLE = "TABCAST_DATA_DIR"
PathLike = str | os.PathLike[str]


def load_dataset(dataset: str | DatasetInfo, *, data_dir: PathLike | None = None) -> Dataset:
    """Read a dataset: numbers as float, levels as category columns, classes as codes.

    Parameters
    ----------
    dataset : str or DatasetInfo
        A name in the catalog (see :func:`list_datasets`), or the description of a dataset of your own.
    data_dir : str or path-like, default=None
        Folder to look in first. The folder that TABCAST_DATA_DIR names and the user's cache come next; a dataset in
        none of them is downloaded from OpenML into the cache.

    Returns
    -------
    Dataset
        The rows.

    See Also
    --------
    download_dataset : Download a dataset without reading it.

    Examples
    --------
    >>> from tabcast.study.datasets import load_dataset
    >>> blob = load_dataset("blob")
    >>> blob.X.shape, blob.classes
    ((1000, 2), array([0, 1]))
    """
    info = dataset if isinstance(dataset, DatasetInfo) else find_info(dataset)
    if info.load is not None:
        return make_dataset(info, *info.load())
    folder = find_folder(info, data_dir=data_dir)
    if folder is None:
        folder = _fetch(info, cache_folder(), looked_in=_folders(data_dir))
    return _split_target(info, read_files(folder, info.file), table_path(folder, info.file))


def download_dataset(dataset: str | DatasetInfo, *, data_dir: PathLike | None = None) -> Path:
    """Download a dataset from OpenML into a folder, unless it is there.

    Parameters
    ----------
    dataset : str or DatasetInfo
        A name in the catalog, or a description with an `openml_id`.
    data_dir : str or path-like, default=None
        Target folder, created if it does not exist. By default the user's cache.

    Returns
    -------
    Path
        The folder.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from tabcast.study.datasets import download_dataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "car.csv.gz").touch()  # it is there, so nothing is downloaded
    ...     print(download_dataset("car", data_dir=folder) == Path(folder))
    ...
    True
    """
    info = dataset if isinstance(dataset, DatasetInfo) else find_info(dataset)
    folder = cache_folder() if data_dir is None else Path(data_dir).expanduser()
    if table_path(folder, info.file).exists():
        return folder
    if info.load is not None:
        raise ValueError(f"Dataset {info.name!r} is synthetic: there is nothing to download.")
    return _fetch(info, folder, looked_in=[folder])


def find_folder(dataset: str | DatasetInfo, *, data_dir: PathLike | None = None) -> Path | None:
    """Find the first folder that has the file of a dataset.

    Parameters
    ----------
    dataset : str or DatasetInfo
        Name in the catalog, or a dataset of your own.
    data_dir : str or path-like, default=None
        A folder to look in first, as in :func:`load_dataset`.

    Returns
    -------
    Path or None
        The folder; None if the dataset would have to be downloaded.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from tabcast.study.datasets._load import find_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "cmc.csv.gz").touch()
    ...     find_folder("cmc", data_dir=folder) == Path(folder)
    ...
    True
    """
    info = dataset if isinstance(dataset, DatasetInfo) else find_info(dataset)
    return next((folder for folder in _folders(data_dir) if table_path(folder, info.file).exists()), None)


def cache_folder() -> Path:
    """Return the folder of downloads: `tabcast/datasets` in XDG_CACHE_HOME, or in ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tabcast" / "datasets"


def _folders(data_dir: PathLike | None) -> list[Path]:
    """List the folders to look in, in order. A folder that is named explicitly must exist."""
    named = {"data_dir": data_dir, DATA_DIR_VARIABLE: os.environ.get(DATA_DIR_VARIABLE)}
    folders = []
    for origin, given in named.items():
        if given is not None and given != "":
            folder = Path(given).expanduser()
            if not folder.is_dir():
                raise ValueError(f"{origin} must be a folder that exists; got {str(given)!r}.")
            folders.append(folder)
    return [*folders, cache_folder()]


def _fetch(info: DatasetInfo, folder: Path, *, looked_in: list[Path]) -> Path:
    """Download into a folder; what goes wrong is told with where the dataset was looked for and what to do."""
    places = ", ".join(map(str, looked_in))
    if info.openml_id is None:
        raise FileNotFoundError(
            f"Dataset {info.name!r} is not on OpenML: {info.file}.csv.gz and its entry have to be in the folder that "
            f"data_dir or {DATA_DIR_VARIABLE} names. Looked in: {places}."
        )
    try:
        frame = fetch_table(info)
    except (OSError, HTTPException) as error:
        raise FileNotFoundError(
            f"Dataset {info.name!r} is not in {places}, and OpenML could not be reached ({error}). With a connection, "
            f"run: tabcast datasets download {info.name}. Or name the folder that has {info.file}.csv.gz with data_dir "
            f"or {DATA_DIR_VARIABLE}."
        ) from error
    _split_target(info, frame, source=f"OpenML {info.openml_id}")  # only what is as described is kept
    write_files(folder, info.file, frame, target=info.target, source=f"OpenML {info.openml_id}")
    return folder


def _split_target(info: DatasetInfo, frame: pd.DataFrame, source: Path | str) -> Dataset:
    """The dataset in a table that holds its target."""
    if info.target not in frame.columns:
        raise ValueError(f"{source} has no column {info.target!r}, the target of {info.name!r}.")
    return make_dataset(info, frame.drop(columns=info.target), frame[info.target])


def read_files(folder: Path, file: str) -> pd.DataFrame:
    """Read the whole table of a dataset, target included.

    Columns with levels are read as text (many levels are digits), an empty field is missing, and "None" is a level.
    """
    path, entry = table_path(folder, file), _read_entry(folder, file)
    text = [*entry["categories"], *entry["string"]]
    try:
        frame = pd.read_csv(path, dtype=dict.fromkeys(text, str), keep_default_na=False, na_values=[""])
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path} is damaged ({error}). Remove it and download it again.") from error
    return frame.astype({name: pd.CategoricalDtype(levels) for name, levels in entry["categories"].items()})


def write_files(folder: Path, file: str, frame: pd.DataFrame, *, target: str, source: str) -> Path:
    """Store a table, target included; its file appears last, when everything else is there."""
    folder.mkdir(parents=True, exist_ok=True)
    path = table_path(folder, file)
    levels = {name: column.cat.categories.tolist() for name, column in frame.select_dtypes("category").items()}
    entry = {
        "name": file,
        "target": target,
        "rows": len(frame),
        "cols": frame.shape[1],
        "categories": levels,
        "string": [name for name in frame.select_dtypes(exclude="number") if name not in levels],
        "source": source,
    }
    write_text(folder / f"{file}.json", json.dumps(entry, indent=1))
    with write_whole(path) as unfinished:
        # Without a time stamp and a name inside, the same table gives the same bytes, whichever process writes it.
        unfinished.write_bytes(gzip.compress(frame.to_csv(index=False).encode(), mtime=0))
    return path


def table_path(folder: Path, file: str) -> Path:
    """Return where a folder would have the table of a dataset."""
    return folder / f"{file}.csv.gz"


def _read_entry(folder: Path, file: str) -> dict[str, Any]:
    """Read the entry of a table from `<file>.json` or the folder's `meta.json`."""
    own, shared = folder / f"{file}.json", folder / "meta.json"
    if own.exists():
        return json.loads(own.read_text("utf-8"))
    entries = json.loads(shared.read_text("utf-8")) if shared.exists() else []
    for entry in entries:
        if entry["name"] == file:
            return entry
    raise ValueError(
        f"{table_path(folder, file)} has no entry that describes its columns; it belongs in {own.name} or "
        f"{shared.name} of the same folder."
    )


def fetch_table(info: DatasetInfo) -> pd.DataFrame:
    """Download the table of a dataset, target included, levels as category columns."""
    from sklearn.datasets import fetch_openml

    try:
        answer = fetch_openml(
            data_id=info.openml_id,
            target_column=info.target,
            as_frame=True,
            parser="liac-arff",  # the default parser of scikit-learn 1.9.1 fails on many of these with pandas 3
            cache=False,  # the caller keeps the table, in its own format
        )
    except KeyError as error:
        raise ValueError(f"OpenML {info.openml_id} is not what {info.name!r} should be: {error.args[0]}.") from error
    return answer.frame
