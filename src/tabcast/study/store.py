"""A result is a file: one JSON record per task, written completely or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Any

from tabcast.files._atomic import UNFINISHED, write_whole
from tabcast.study.trial import Task, record_path

Record = dict[str, Any]


@dataclass(frozen=True)
class Store:
    """Records in a folder.

    Parameters
    ----------
    root : Path
        The folder, created with the first record.
    """

    root: Path

    def path(self, task: Task, config: Mapping[str, Any]) -> Path:
        """Return the path of the record of a task with this configuration."""
        return self.root / record_path(task, config)

    def read(self, task: Task, config: Mapping[str, Any]) -> Record | None:
        """Read the record of exactly this configuration, whatever its status; None if there is none."""
        try:
            record: Record = json.loads(self.path(task, config).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):  # not there, or not the text of a record
            return None
        return record if isinstance(record, dict) and record.get("configuration") == config else None

    def is_done(self, task: Task, config: Mapping[str, Any]) -> bool:
        """Whether a record of exactly this configuration is done."""
        record = self.read(task, config)
        return record is not None and record["status"] == "done"

    def sweep(self) -> None:
        """Remove temporary files that a killed run left behind more than an hour ago."""
        for path in self.root.rglob(f".*{UNFINISHED}"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < time() - 3600:
                    path.unlink()

    def write(self, task: Task, config: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        """Write a record under a temporary name and rename it: a reader sees the old one, the new one or none."""
        write_text(
            self.path(task, config),
            json.dumps({"configuration": config, **record}, indent=1, sort_keys=True, allow_nan=False) + "\n",
        )


def write_text(path: Path, text: str) -> None:
    """Write a text file completely or not at all; its folder is created."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file completely or not at all; its folder is created."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_whole(path) as unfinished:
        unfinished.write_bytes(content)
