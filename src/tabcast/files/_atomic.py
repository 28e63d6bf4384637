"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

UNFINISHED = ".unfinished"


@contextmanager
def write_whole(path: str | Path) -> Iterator[Path]:
    """A temporary name beside `path` to write to; it gets its real name at the end, when everything went well.

    Whatever stops the writing (an error, Ctrl-C, a full disk) leaves what was at `path` before, and no other file. Only
    a process that is killed outright leaves the temporary one, which nobody takes for the real one: it is hidden and
    ends in ".unfinished".

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
    unfinished = path.with_name(f".{path.name[:100]}.{uuid4().hex[:8]}{UNFINISHED}")
    try:
        yield unfinished
        with open(unfinished, "rb+") as file:
            os.fsync(file.fileno())  # the name must not be there before what it stands for
        os.replace(unfinished, path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def write_text(path: str | Path, text: str) -> None:
    """Write a text file that is never half there."""
    with write_whole(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
