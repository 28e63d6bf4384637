"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

UNFINISHED = ".unfinished"
LONGEST_NAME = 40  # characters of the real name in the temporary one
_NAMES: set[Path] = set()  # temporary names that this process uses
MADE: list[Path] = []  # folders that it made for them
MOVING: list[Path] = []  # what is whole and takes its place
OWNER = r"(?P<host>[A-Za-z0-9]+)-(?P<process>\d+)-[0-9a-f]{8}"


@contextmanager
def write_whole(path: str | Path) -> Iterator[Path]:
    """A temporary name beside `path` to write to; it gets its real name at the end, when everything went well.

    Whatever stops the writing (an error, Ctrl-C, a full disk) leaves what was at `path` before, and no other file. Only
    a process that is killed outright leaves the temporary one, which nobody takes for the real one: it is hidden and
    ends in ".unfinished". The next one that writes to `path` removes it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from tabcast.files._atomic import write_whole
    >>> path = Path(mkdtemp()) / "notes.txt"
    >>> with write_whole(path) as unfinished:
    ...     _ = unfinished.write_text("all of it")
    >>> path.read_text()
    'all of it'
    """
    path = Path(path)
    remove_abandoned(path)
    unfinished = name_unfinished(path)
    try:
        yield unfinished
        with open(unfinished, "rb+") as file:
            os.fsync(file.fileno())  # the name must not be there before what it stands for
        os.replace(unfinished, path)
    finally:
        remove(unfinished)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file that is never half there."""
    with write_whole(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def name_unfinished(path: Path, ending: str = UNFINISHED) -> Path:
    """A hidden name beside `path` that tells which process of which machine uses it."""
    name = path.with_name(f".{path.name[:LONGEST_NAME]}.{_host()}-{os.getpid()}-{uuid4().hex[:8]}{ending}").absolute()
    if ending == UNFINISHED:
        _NAMES.add(name)
    return name


def remove_unfinished() -> None:
    """Remove what this process has not finished writing, and folders made for it that are empty."""
    for one in list(_NAMES):
        remove(one)
    for one in MADE:
        with suppress(OSError):
            one.rmdir()


def remove_abandoned(path: Path, ending: str = UNFINISHED) -> list[Path]:
    """Remove what killed processes left beside `path`; returns what may belong to one that is still running."""
    found = find_left(path, ending)
    for one in (one for one, is_abandoned in found.items() if is_abandoned):
        remove(one)
    return [one for one, is_abandoned in found.items() if not is_abandoned]


def find_left(path: Path, ending: str = UNFINISHED) -> dict[Path, bool]:
    """The temporary names of `path` that exist, and whether the process that made each is known to be gone."""
    pattern = re.compile(rf"\.{re.escape(path.name[:LONGEST_NAME])}\.{OWNER}{re.escape(ending)}")
    found = {}
    with suppress(OSError):
        for one in sorted(path.absolute().parent.iterdir()):
            match = pattern.fullmatch(one.name)
            if match is not None:
                found[one] = match["host"] == _host() and not _is_running(int(match["process"]))
    return found


def remove(path: Path) -> None:
    """Remove a file or folder, as far as that is possible."""
    _NAMES.discard(path)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9]", "", platform.node())[:20] or "host"


def _is_running(process: int) -> bool:
    """Whether there is such a process here; where that cannot be asked without harm, there may be."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
