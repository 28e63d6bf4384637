"""The folder of a run: whether a run can be saved there, writing it whole or not at all, and reading it again."""

from __future__ import annotations

import csv
import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from uuid import uuid4

import pandas as pd

from tabcast.exceptions import TabcastWarning
from tabcast.files._atomic import MADE, MOVING, UNFINISHED, find_left, name_unfinished, remove, remove_abandoned
from tabcast.files._write import unguard, unguard_text
from tabcast.wording import Argument, ArgumentError, list_names

MODEL, PREDICTIONS, PSEUDO_LABELS = "model.skops", "predictions.csv", "pseudo_labels.csv"
PARTS = "predictions"  # a folder, where the table is one
FILLED = "filled.csv"  # where a table is filled
REPORT, SUMMARY = "report.html", "summary.json"
# What has no summary is no run: it comes last.
FILES = (MODEL, PREDICTIONS, PARTS, PSEUDO_LABELS, FILLED, REPORT, SUMMARY)
REPLACED = ".replaced"
OF_THE_SYSTEM = (".DS_Store", "Thumbs.db", "desktop.ini")
INTEGERS = ("row", "round")  # columns of the tables


class RunFolderError(ArgumentError):
    """A folder that cannot be written to, or that is no saved run.

    Parameters
    ----------
    *parts : str or Argument
        The pieces of the sentence.
    """


def check_folder(folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Refuse a folder to which a run could not be saved, before a long fit.

    A file is written there and removed again, and so is what killed processes left there.
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
    for one in remove_abandoned(place / place.name):
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


def refuse_inside(folder: str | os.PathLike[str], *tables: Any) -> None:
    """Refuse to save a run within a folder of tables: the next run would read its files."""
    for table in (Path(one) for one in tables if isinstance(one, str) and one):
        if table.is_dir() and Path(folder).resolve().is_relative_to(table.resolve()):
            raise RunFolderError(
                Argument("folder"),
                f" {folder} is inside {table}, whose files are the table; give a folder elsewhere.",
            )


def spare_folders(folder: Path) -> list[Path]:
    """New folders for a run that cannot be saved where it should be: here, and among temporary files."""
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


def read_csv(path: Path, columns: Sequence[str], text: Sequence[str]) -> pd.DataFrame:
    """Some columns of a table that a run wrote: those in `text` as text, others as numbers, exact to the last bit."""
    columns = list(columns)
    frame = read_text(path)
    try:
        missing = [name for name in columns if name not in frame.columns]
        if missing:
            raise ValueError(f"it has no column {missing[0]!r}")
        frame = frame[columns]
        for name in columns:
            if name == "selected":
                frame[name] = frame[name] == "True"
            elif name not in text:
                frame[name] = frame[name].astype(int if name in INTEGERS else float)
        return frame
    except ValueError as error:
        raise RunFolderError(f"{path} cannot be read: {' '.join(str(error).split())}.") from None


def read_text(path: Path) -> pd.DataFrame:
    """A table that a run wrote, as text, without what guards it against spreadsheets."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file), [])
        # Columns by position: pandas renames a column whose name is empty.
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
        names = [unguard_text(name) for name in header]
        return pd.concat([unguard(frame.iloc[:, place]) for place in range(len(names))], axis=1).set_axis(names, axis=1)
    except FileNotFoundError:
        raise RunFolderError(f"{path.parent} is not the folder of a run: it has no {path.name}.") from None
    except (ValueError, csv.Error) as error:
        raise RunFolderError(f"{path} cannot be read: {' '.join(str(error).split())}.") from None


def write_folder(folder: Path, writers: Mapping[str, Callable[[Path], Any]], refuse: Callable[[Path], None]) -> None:
    """Write files into a folder so that all of them are there or none.

    Each file is written by a function of its path, into a hidden folder in the real one first. `refuse` raises if the
    folder must not be written to; it is asked when everything is written, because another process may have been faster.
    Then the files take their places, the summary last, and those of an earlier run come back if that fails.
    """
    folder = Path(os.path.realpath(folder))
    with _made(folder), _unfinished_in(folder) as unfinished:
        for name, write in writers.items():
            write(unfinished / name)
            if (unfinished / name).is_file():
                with open(unfinished / name, "rb+") as file:
                    os.fsync(file.fileno())
        refuse(folder)
        MOVING.append(folder)
        _move_into(unfinished, folder)


def try_place(folder: Path) -> None:
    """Write a byte where a run would be written, and leave no trace; an OSError where that is not possible."""
    with _made(folder, keep=False), _unfinished_in(folder) as unfinished:
        (unfinished / "byte").write_bytes(b"0")


def find_others(folder: Path) -> list[str]:
    """What a folder holds besides the files of a run."""
    if not folder.is_dir():
        return []
    ours = (*FILES, *OF_THE_SYSTEM)
    names = sorted(one.name for one in folder.iterdir())
    return [name for name in names if name not in ours and not name.endswith((UNFINISHED, REPLACED))]


def find_replaced(folder: Path) -> list[Path]:
    """Earlier runs that were put aside and never came back; those that a newer one did replace are removed."""
    place = folder / folder.name
    return remove_abandoned(place, REPLACED) if (folder / SUMMARY).exists() else list(find_left(place, REPLACED))


@contextmanager
def _made(folder: Path, *, keep: bool = True) -> Iterator[None]:
    """Make a folder with its parents; removed again if something fails, or if it was only to be tried."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    MADE[:], done = missing, False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
        done = keep
    finally:
        for one in () if done else missing:
            with suppress(OSError):
                one.rmdir()
        MADE.clear()
        MOVING.clear()


@contextmanager
def _unfinished_in(folder: Path) -> Iterator[Path]:
    """A hidden folder in the real one, removed in the end."""
    unfinished = name_unfinished(folder / folder.name)
    unfinished.mkdir()
    try:
        yield unfinished
    finally:
        remove(unfinished)


def _move_into(unfinished: Path, folder: Path) -> None:
    """Finished files take their places in a folder that stays: never a new one beside an old summary."""
    new = [name for name in FILES if (unfinished / name).exists()]
    replaced = name_unfinished(folder / folder.name, REPLACED)
    replaced.mkdir()
    try:
        for name in reversed(FILES):
            if (folder / name).exists():
                os.rename(folder / name, replaced / name)
        for name in new:
            os.rename(unfinished / name, folder / name)
    except BaseException:
        for name in reversed(new):
            if not (unfinished / name).exists():
                os.rename(folder / name, unfinished / name)
        for name in FILES:
            if (replaced / name).exists():
                os.rename(replaced / name, folder / name)
        replaced.rmdir()
        raise
    remove(replaced)
