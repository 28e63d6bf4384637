"""The folder of a run: five files that are there together or not at all, and reading the plain ones again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pandas as pd

from tabcast.files import Argument, ArgumentError

MODEL, PREDICTIONS, PSEUDO_LABELS = "model.skops", "predictions.csv", "pseudo_labels.csv"
REPORT, SUMMARY = "report.html", "summary.json"
INTEGERS = ("row", "round")  # columns of the tables
FILES = (MODEL, PREDICTIONS, PSEUDO_LABELS, REPORT, SUMMARY)


class RunFolderError(ArgumentError):
    """A folder that cannot be written to, or that is no saved run.

    Parameters
    ----------
    *parts : str or Argument
        The pieces of the sentence.
    """


def check_folder(folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Refuse a folder to which a run could not be saved; worth calling before a long fit.

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
    """
    folder = Path(folder)
    argument = Argument("folder")
    if folder.exists() and not folder.is_dir():
        raise RunFolderError(argument, f" {folder} is a file; give a folder.")
    place = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not place.is_dir():
        raise RunFolderError(argument, f" {folder} cannot be made, because {place} is a file; give another folder.")
    if not os.access(place, os.W_OK | os.X_OK):
        raise RunFolderError(argument, f" {folder} cannot be written: no permission in {place}.")
    taken = [name for name in FILES if (folder / name).exists()]
    if taken and not overwrite:
        raise RunFolderError(
            argument,
            f" {folder} has {taken[0]} of an earlier run; give another folder, or ",
            Argument("overwrite", True),
            " to replace it.",
        )


def write_folder(folder: Path, writers: Mapping[str, Callable[[Path], Any]]) -> None:
    """Write files into a folder so that none of them is ever half there.

    Each file is written by a function of its path. All are written into a hidden folder beside it first. A new folder
    then appears in one step; in an existing one the finished files take their places one after the other.
    """
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = folder.parent / f".{folder.name}.{uuid4().hex[:8]}.unfinished"
    try:
        unfinished.mkdir()
        for name, write in writers.items():
            write(unfinished / name)
            with open(unfinished / name, "rb+") as file:
                os.fsync(file.fileno())
        if folder.exists():
            for name in writers:
                os.replace(unfinished / name, folder / name)
        else:
            os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def read_summary(folder: Path) -> dict[str, Any]:
    """The summary of a run."""
    try:
        summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise RunFolderError(f"{folder} is not the folder of a run: it has no {SUMMARY}.") from None
    except (OSError, ValueError) as error:
        raise RunFolderError(f"{folder / SUMMARY} cannot be read: {' '.join(str(error).split())}.") from None
    if not isinstance(summary, dict) or "tabcast" not in summary:
        raise RunFolderError(f"{folder / SUMMARY} is not the summary of a run of tabcast.")
    return summary


def read_csv(path: Path, columns: Sequence[str], text: Sequence[str]) -> pd.DataFrame:
    """Some columns of a table that a run wrote: those in `text` as text, others as numbers, exact to the last bit."""
    columns = list(columns)
    try:
        frame = pd.read_csv(path, usecols=columns, dtype=str, keep_default_na=False, na_values=[""])[columns]
        for name in columns:
            if name == "selected":
                frame[name] = frame[name] == "True"
            elif name not in text:
                frame[name] = frame[name].astype(int if name in INTEGERS else float)
        return frame
    except FileNotFoundError:
        raise RunFolderError(f"{path.parent} is not the folder of a run: it has no {path.name}.") from None
    except ValueError as error:
        raise RunFolderError(f"{path} cannot be read: {' '.join(str(error).split())}.") from None
