"""What `tabcast fit` leaves behind: a folder of files that are there together or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

MODEL, PREDICTIONS, PSEUDO_LABELS = "model.skops", "predictions.csv", "pseudo_labels.csv"
REPORT, SUMMARY = "report.html", "summary.json"
FILES = (MODEL, PREDICTIONS, PSEUDO_LABELS, REPORT, SUMMARY)


class RunFolderError(ValueError):
    """A folder that cannot be written to, or that is no run of tabcast, in one sentence."""


def check_folder(folder: Path, *, overwrite: bool) -> None:
    """Refuse a place where the run could not be written, before any long work.

    Parameters
    ----------
    folder : where to.
    overwrite : whether files of an earlier run may be replaced.
    """
    if folder.exists() and not folder.is_dir():
        raise RunFolderError(f"--out {folder} is a file; give a folder.")
    place = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not place.is_dir():
        raise RunFolderError(f"--out {folder} cannot be made, because {place} is a file; give another folder.")
    if not os.access(place, os.W_OK | os.X_OK):
        raise RunFolderError(f"--out {folder} cannot be written: no permission in {place}.")
    taken = [name for name in FILES if (folder / name).exists()]
    if taken and not overwrite:
        raise RunFolderError(
            f"--out {folder} has {taken[0]} of an earlier run; give another folder, or --overwrite to replace it."
        )


def write_folder(folder: Path, writers: Mapping[str, Callable[[Path], None]]) -> None:
    """Write files into a folder so that none of them is ever half there.

    All are written into a hidden folder beside it first. A new folder then appears in one step; in one that exists the
    finished files take their places one after the other.

    Parameters
    ----------
    folder : where to; made if it does not exist.
    writers : for each file name a function that writes it to the path it is given.
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
        raise RunFolderError(f"{folder} is not a folder that `tabcast fit` wrote: it has no {SUMMARY}.") from None
    except (OSError, ValueError) as error:
        raise RunFolderError(f"{folder / SUMMARY} cannot be read: {' '.join(str(error).split())}.") from None
    if not isinstance(summary, dict) or "tabcast" not in summary:
        raise RunFolderError(f"{folder / SUMMARY} is not the summary of a run of tabcast.")
    return summary
