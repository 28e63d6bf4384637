"""A dataset on disk: `<file>.csv.gz`, and an entry that describes its columns.

The entry stands in the folder's `meta.json` (a list of entries, one per dataset) or in `<file>.json` (a single one).
"""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd

from tabcast.files._atomic import write_whole


def read_files(folder: Path, file: str) -> pd.DataFrame:
    """Read the whole table of a dataset, target included.

    Columns with levels are read as text (many levels are digits), an empty field is missing, and "None" is a level.
    """
    path = table_path(folder, file)
    entry = _read_entry(folder, file)
    wanted = entry.get("sha256")
    if wanted and _digest(path) != wanted:
        raise ValueError(
            f"{path} is damaged: its sha256 is not the one that its entry states. Remove it and download it again."
        )
    text = [*entry["categories"], *entry["string"]]
    frame = pd.read_csv(path, dtype=dict.fromkeys(text, str), keep_default_na=False, na_values=[""])
    return frame.astype({name: pd.CategoricalDtype(levels) for name, levels in entry["categories"].items()})


def write_files(folder: Path, file: str, frame: pd.DataFrame, *, target: str, source: str) -> Path:
    """Store a table, target included; its file appears last, when everything else is there."""
    folder.mkdir(parents=True, exist_ok=True)
    path, entry_path = table_path(folder, file), folder / f"{file}.json"
    levels = {name: frame[name].cat.categories.tolist() for name in frame.columns if _has_levels(frame[name])}
    with write_whole(path) as unfinished:
        # Without a time stamp and a name inside, the same table gives the same bytes, whichever process writes it.
        unfinished.write_bytes(gzip.compress(frame.to_csv(index=False).encode(), mtime=0))
        entry = {
            "name": file,
            "target": target,
            "rows": len(frame),
            "cols": frame.shape[1],
            "categories": levels,
            "string": [name for name in frame.columns if name not in levels and _is_text(frame[name])],
            "source": source,
            "sha256": _digest(unfinished),
        }
        with write_whole(entry_path) as unfinished_entry:
            unfinished_entry.write_text(json.dumps(entry, indent=1), "utf-8")
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


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _has_levels(column: pd.Series[Any]) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype)


def _is_text(column: pd.Series[Any]) -> bool:
    return not pd.api.types.is_numeric_dtype(column.dtype)
