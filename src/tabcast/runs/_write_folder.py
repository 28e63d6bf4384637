"""Writing the folder of a run: files that are there together or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tabcast.files._atomic import UNFINISHED, find_left, name_unfinished, remove, remove_abandoned

MODEL, PREDICTIONS, PSEUDO_LABELS = "model.skops", "predictions.csv", "pseudo_labels.csv"
PREDICTION_PARTS = "predictions"  # a folder, where the table is one
FILLED, NEXT_ROWS, HISTORY = "filled.csv", "next_rows.csv", "history.json"  # where a table is filled
REPORT, SUMMARY = "report.html", "summary.json"
FILES = (
    MODEL,
    PREDICTIONS,
    PREDICTION_PARTS,
    PSEUDO_LABELS,
    FILLED,
    NEXT_ROWS,
    HISTORY,
    REPORT,
    SUMMARY,
)  # what has no summary is no run: it comes last
REPLACED = ".replaced"
OF_THE_SYSTEM = (".DS_Store", "Thumbs.db", "desktop.ini")


def write_folder(folder: Path, writers: Mapping[str, Callable[[Path], Any]], refuse: Callable[[Path], None]) -> None:
    """Write files into a folder so that all of them are there or none.

    Each file is written by a function of its path, into a hidden folder beside the real one first, or in it where that
    is not possible. `refuse` raises if the folder must not be replaced; it is asked when everything is written, because
    another process may have been faster. Then the folder takes its place in one step, and an earlier one is put aside
    and comes back if that fails.
    """
    folder = Path(os.path.realpath(folder))
    with _made(folder.parent):
        unfinished = _make_unfinished(folder)
        try:
            for name, write in writers.items():
                write(unfinished / name)
                if (unfinished / name).is_file():
                    with open(unfinished / name, "rb+") as file:
                        os.fsync(file.fileno())
            refuse(folder)
            if unfinished.parent == folder:
                _move_into(unfinished, folder)
            else:
                _take_place(unfinished, folder)
        finally:
            remove(unfinished)


def try_place(folder: Path) -> None:
    """Write a byte where a run would be written, and leave no trace; an OSError where that is not possible."""
    with _made(folder, keep=False):
        unfinished = _make_unfinished(folder)
        try:
            (unfinished / "byte").write_bytes(b"0")
        finally:
            remove(unfinished)


def find_others(folder: Path) -> list[str]:
    """What a folder holds besides the files of a run."""
    if not folder.is_dir():
        return []
    ours = (*FILES, *OF_THE_SYSTEM)
    names = sorted(one.name for one in folder.iterdir())
    return [name for name in names if name not in ours and not name.endswith((UNFINISHED, REPLACED))]


def find_replaced(folder: Path) -> list[Path]:
    """Earlier runs that were put aside and never came back; those that a newer one did replace are removed."""
    places = (folder, folder / folder.name)  # beside the folder, and in it
    if (folder / SUMMARY).exists():
        return [one for place in places for one in remove_abandoned(place, REPLACED)]
    return [one for place in places for one in find_left(place, REPLACED)]


@contextmanager
def _made(folder: Path, *, keep: bool = True) -> Iterator[None]:
    """Make a folder with its parents; removed again if something fails, or if it was only to be tried."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    done = False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
        done = keep
    finally:
        if not done:
            for one in missing:
                with suppress(OSError):
                    one.rmdir()


def _make_unfinished(folder: Path) -> Path:
    """A hidden folder beside the real one, or in it: where it is the current one, holds more, or has no such place."""
    beside = name_unfinished(folder)
    if not (folder.is_dir() and (find_others(folder) or Path.cwd().is_relative_to(folder) or os.path.ismount(folder))):
        try:
            beside.mkdir()
        except OSError:
            if not folder.is_dir():
                raise
        else:
            return beside
    inside = folder / beside.name
    inside.mkdir()
    return inside


def _take_place(unfinished: Path, folder: Path) -> None:
    """A finished folder takes the place of the real one; file by file if the system does not rename that one."""
    if not folder.exists():
        os.rename(unfinished, folder)
        return
    replaced = name_unfinished(folder, REPLACED)
    with suppress(OSError):
        shutil.copymode(folder, unfinished)
    try:
        os.rename(folder, replaced)
    except OSError:  # a mounted folder
        inside = folder / unfinished.name
        try:
            shutil.copytree(unfinished, inside)
            _move_into(inside, folder)
        finally:
            remove(inside)
        return
    try:
        os.rename(unfinished, folder)
    except BaseException:
        os.rename(replaced, folder)
        raise
    _forget(replaced)


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
    _forget(replaced)


def _forget(replaced: Path) -> None:
    """Remove what was replaced; stopping does not help any more, because everything is saved."""
    with suppress(KeyboardInterrupt):
        remove(replaced)
