"""The history of a run folder: what each run had and reached, so that growth is seen as labels are added."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tabcast.files import Argument
from tabcast.runs._folder import HISTORY, RunFolderError, read_summary

KEYS = ("n_labeled", "n_unlabeled", "n_filled", "share", "precision", "bound", "metric", "score")


def read_history(folder: str | os.PathLike[str], target: str) -> list[dict[str, Any]]:
    """Entries of the earlier runs of a folder, the oldest first; none if there is no run yet."""
    path = Path(folder)
    if not (path / HISTORY).exists():
        return []
    earlier = read_summary(path)["table"]["target"]
    if earlier != target:
        raise RunFolderError(
            Argument("resume"),
            f" continues the run in {folder}, whose target is {earlier!r}, not {target!r}; give another folder.",
        )
    try:
        entries = json.loads((path / HISTORY).read_text(encoding="utf-8"))
        return [{key: one[key] for key in KEYS} for one in entries]
    except (OSError, ValueError, TypeError, KeyError) as error:
        reason = " ".join(str(error).split())
        raise RunFolderError(f"{path / HISTORY} cannot be read: {reason or type(error).__name__}.") from None


def describe_run(summary: Mapping[str, Any], filled: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a run."""
    verdict, score = summary["verdict"], summary["score"]
    if verdict is not None:
        kept = verdict["chosen"].replace("-", "_")
        score = {"metric": verdict["metric"], "score": verdict[kept]}
    bounds = [one["bound"] for one in filled.get("bounds", []) if "bound" in one]
    return {
        "n_labeled": summary["table"]["n_labeled"],
        "n_unlabeled": summary["table"]["n_unlabeled"],
        "n_filled": filled["n_filled"],
        "share": filled["share"],
        "precision": filled["precision"],
        "bound": min(bounds) if bounds else None,
        "metric": None if score is None else score["metric"],
        "score": None if score is None else score["score"],
    }
