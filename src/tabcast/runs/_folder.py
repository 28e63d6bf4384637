"""The folder of a run: whether a run can be saved there, and reading the plain files of one again."""

from __future__ import annotations

import csv
import json
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd

from tabcast.exceptions import TabcastWarning
from tabcast.files import Argument, ArgumentError
from tabcast.files._atomic import remove_abandoned
from tabcast.files._errors import list_names
from tabcast.files._spreadsheet import guard_text, unguard, unguard_text
from tabcast.runs._write_folder import (
    FILES,
    FILLED,
    HISTORY,
    MODEL,
    NEXT_ROWS,
    PREDICTION_PARTS,
    PREDICTIONS,
    PSEUDO_LABELS,
    REPORT,
    SUMMARY,
    find_others,
    find_replaced,
    try_place,
)

__all__ = [
    "FILLED",
    "HISTORY",
    "MODEL",
    "NEXT_ROWS",
    "PREDICTIONS",
    "PREDICTION_PARTS",
    "PSEUDO_LABELS",
    "REPORT",
    "SUMMARY",
]
SPREADSHEET_SAFE = "spreadsheet_safe"  # in the summary: whether text in CSV files is guarded
INTEGERS = ("row", "round")  # columns of the tables


class RunFolderError(ArgumentError):
    """A folder that cannot be written to, or that is no saved run.

    Parameters
    ----------
    *parts : str or Argument
        The pieces of the sentence.
    """


def check_folder(folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Refuse a folder to which a run could not be saved; worth calling before a long fit.

    A file is written there and removed again, and so is what killed processes left there.

    Parameters
    ----------
    folder : str or path-like
        Where the run will be saved.
    overwrite : bool, default=False
        Whether files of an earlier run may be replaced.

    Raises
    ------
    RunFolderError
        If the run could not be saved there.

    Examples
    --------
    >>> from tabcast.runs import check_folder
    >>> try:
    ...     check_folder("/")
    ... except ValueError as error:
    ...     print("refused")
    refused
    """
    argument = Argument("folder")
    if not os.fspath(folder):
        raise RunFolderError(argument, " is empty; give a folder, or . for the current one.")
    place = Path(os.path.realpath(folder))  # a link may lead to another disk
    if place.exists() and not place.is_dir():
        raise RunFolderError(argument, f" {folder} is a file; give a folder.")
    if not place.name:
        raise RunFolderError(argument, f" {folder} is the root of a disk; give a folder in it.")
    blocking = next(one for one in (place, *place.parents) if one.exists())
    if not blocking.is_dir():
        raise RunFolderError(argument, f" {folder} cannot be made, because {blocking} is a file; give another folder.")
    refuse_taken(place, overwrite=overwrite)
    try:
        try_place(place)
    except OSError as error:
        raise RunFolderError(
            argument, f" {folder} cannot be written ({error.strerror or error}); give another folder."
        ) from None
    for one in (*remove_abandoned(place), *remove_abandoned(place / place.name)):
        warnings.warn(
            f"{one} is unfinished: another process is saving to {folder}, or was stopped; if it was, remove it.",
            TabcastWarning,
            stacklevel=2,
        )
    for one in find_replaced(place):
        warnings.warn(
            f"{one} is the earlier run of {folder}, which a process was about to replace when it was stopped; rename "
            "or remove it.",
            TabcastWarning,
            stacklevel=2,
        )


def refuse_taken(folder: Path, *, overwrite: bool) -> None:
    """Refuse a folder with an earlier run that may not be replaced, or that holds files of the user's own."""
    taken = [name for name in FILES if (folder / name).exists()]
    if taken and not overwrite:
        raise RunFolderError(
            Argument("folder"),
            f" {folder} has {taken[0]} of an earlier run; give another folder, or ",
            Argument("overwrite", True),
            " to replace it.",
        )
    others = find_others(folder) if taken else []
    if others:
        raise RunFolderError(
            Argument("folder"),
            f" {folder} cannot be replaced, because it holds {list_names(others, 3)} besides an earlier run; move that "
            "elsewhere, or give another folder.",
        )


def spare_folders(folder: Path) -> list[Path]:
    """Find places for a run that cannot be saved where it should be.

    Parameters
    ----------
    folder : Path
        Where it should be saved.

    Returns
    -------
    list of Path
        New folders with a similar name: in the current folder, and in that of temporary files.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tabcast.runs import spare_folders
    >>> len(spare_folders(Path("run"))) > 0
    True
    """
    name = f"{folder.absolute().name}-{uuid4().hex[:8]}"
    return [place / name for place in (Path.cwd(), Path(gettempdir()))]


def read_summary(folder: Path) -> dict[str, Any]:
    """The summary of a run."""
    try:
        summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise RunFolderError(f"{folder} is not the folder of a run: it has no {SUMMARY}.") from None
    except (OSError, ValueError) as error:
        raise RunFolderError(f"{folder / SUMMARY} cannot be read: {' '.join(str(error).split())}.") from None
    if not isinstance(summary, dict) or not summary.keys() >= {"tabcast", "title", "table", "method", "verdict"}:
        raise RunFolderError(f"{folder / SUMMARY} is not the summary of a run of tabcast.")
    return summary


def read_csv(path: Path, columns: Sequence[str], text: Sequence[str], *, guarded: bool = False) -> pd.DataFrame:
    """Some columns of a table that a run wrote: those in `text` as text, others as numbers, exact to the last bit.

    `guarded`: names and texts were written for spreadsheets, and are restored.
    """
    columns = list(columns)
    try:
        names = [guard_text(name) for name in columns] if guarded else columns
        frame = _read_text(path, names).set_axis(columns, axis=1)
        for name in columns:
            if name == "selected":
                frame[name] = frame[name] == "True"
            elif name not in text:
                frame[name] = frame[name].astype(int if name in INTEGERS else float)
            elif guarded:
                frame[name] = unguard(frame[name])
        return frame
    except FileNotFoundError:
        raise RunFolderError(f"{path.parent} is not the folder of a run: it has no {path.name}.") from None
    except (ValueError, csv.Error) as error:
        raise RunFolderError(f"{path} cannot be read: {' '.join(str(error).split())}.") from None


def _read_text(path: Path, names: list[str]) -> pd.DataFrame:
    """Some columns of a CSV file as text, found by position: pandas renames a column whose name is empty."""
    with path.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file), [])
    missing = [name for name in names if name not in header]
    if missing:
        raise ValueError(f"it has no column {missing[0]!r}")
    places = [header.index(name) for name in names]
    frame = pd.read_csv(path, usecols=places, dtype=str, keep_default_na=False, na_values=[""])
    return frame.iloc[:, np.argsort(np.argsort(places))]


def read_whole(path: Path, *, guarded: bool = False) -> pd.DataFrame:
    """All columns of a table that a run wrote, as text."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file), [])
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""]).set_axis(header, axis=1)
    except FileNotFoundError:
        raise RunFolderError(f"{path.parent} is not the folder of a run: it has no {path.name}.") from None
    except (ValueError, csv.Error) as error:
        raise RunFolderError(f"{path} cannot be read: {' '.join(str(error).split())}.") from None
    if not guarded:
        return frame
    names = [unguard_text(name) for name in frame.columns]
    return pd.concat([unguard(frame.iloc[:, place]) for place in range(len(names))], axis=1).set_axis(names, axis=1)
