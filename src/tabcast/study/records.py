"""A trial is a value, everything that decides its numbers; its result is a file, written completely or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tabcast.files._atomic import write_whole

Record = dict[str, Any]
SCHEMA = 1  # of the records; it changes with their meaning, and records of another schema are not reused


@dataclass(frozen=True, order=True)
class Setting:
    """What trials on the same rows share: a table, split and labeled in the same way.

    Parameters
    ----------
    dataset : str
        Name in the catalog, or of a plug-in.
    label_fraction : float, default=0.1
        Proportion of the training rows that keep their label.
    corruption : float, default=0.0
        Proportion of the cells of each training row that are replaced by another row's.
    preprocessing : str, default="paper"
        "paper" (label encoding, iterative imputation) or "native" (categories and NaN as they are).
    max_rows : int, optional
        Maximum number of rows taken from the table. By default all.
    seed : int, default=0
        Seed of the splits, the labels, the corruption, the tuning and the models.
    """

    dataset: str
    label_fraction: float = 0.1
    corruption: float = 0.0
    preprocessing: str = "paper"
    max_rows: int | None = None
    seed: int = 0


@dataclass(frozen=True, order=True)
class Learner:
    """A base classifier and how its parameters are found.

    Parameters
    ----------
    model : str
        Name of a member of `tabcast.study.models`.
    tuning : str, default="none"
        Name of one of its search spaces, or "none" for the model's defaults.
    n_tuning_trials : int, default=0
        Number of parameter settings tried.
    max_trees : int, optional
        Upper bound of the number of trees. By default that of the search space.
    caps : tuple of tuple (str, float), default=()
        Upper bounds of other parameters, by name.
    """

    model: str
    tuning: str = "none"
    n_tuning_trials: int = 0
    max_trees: int | None = None
    caps: tuple[tuple[str, float], ...] = ()

    def columns(self) -> dict[str, Any]:
        """Return the learner as columns of the results table; caps are there only where there are any."""
        plain = asdict(self)
        caps = ", ".join(f"{name} <= {value:g}" for name, value in plain.pop("caps"))
        return {**plain, "caps": caps} if caps else plain


@dataclass(frozen=True, order=True)
class Trial:
    """One method with one model on one fold of a table.

    Parameters
    ----------
    setting, learner : Setting
        Which rows, and which base classifier.
    fold : int
        Number of the validation fold among the three folds of the rows that are not test rows.
    method : str
        Name of a member of `tabcast.study.methods`.
    strategy : str, default="none"
        "threshold", "curriculum", "all", or "none" for methods without one.
    noise_filter : str, default="none"
        "none" or "mahalanobis".

    Examples
    --------
    >>> from tabcast.study.records import Learner, Setting, Trial
    >>> trial = Trial(Setting("diabetes"), Learner("xgboost", "paper", 10), 2, "cast-l", "threshold")
    >>> str(trial)
    'diabetes/xgboost-paper/cast-l-threshold/label0.1-seed0-fold2'
    """

    setting: Setting
    learner: Learner
    fold: int
    method: str
    strategy: str = "none"
    noise_filter: str = "none"

    def __str__(self) -> str:
        setting, learner = self.setting, self.learner
        marks = [f"label{setting.label_fraction:g}"]
        marks += [f"corrupted{setting.corruption:g}"] * bool(setting.corruption)
        marks += [setting.preprocessing] * (setting.preprocessing != "paper")
        marks += [f"rows{setting.max_rows}"] * (setting.max_rows is not None)
        method = "-".join(part for part in (self.method, self.strategy, self.noise_filter) if part != "none")
        marks += [f"seed{setting.seed}", f"fold{self.fold}"]
        return f"{setting.dataset}/{learner.model}-{learner.tuning}/{method}/{'-'.join(marks)}"

    def columns(self) -> dict[str, Any]:
        """Return the trial as columns of the results table."""
        own = {name: getattr(self, name) for name in ("fold", "method", "strategy", "noise_filter")}
        return {**asdict(self.setting), **self.learner.columns(), **own}


@dataclass(frozen=True, order=True)
class TuningTask:
    """A search for the parameters of a model on a setting, shared by all methods and folds."""

    setting: Setting
    learner: Learner

    def __str__(self) -> str:
        setting, learner = self.setting, self.learner
        marks = f"label{setting.label_fraction:g}-seed{setting.seed}"
        return f"{setting.dataset}/{learner.model}-{learner.tuning}/tuning/{marks}"

    def columns(self) -> dict[str, Any]:
        """Return the search as columns of the results table."""
        return {**asdict(self.setting), **self.learner.columns()}


@dataclass(frozen=True, order=True)
class SelectionTask:
    """Boruta's choice of columns on one fold, shared by all models and methods."""

    setting: Setting
    fold: int

    def __str__(self) -> str:
        setting = self.setting
        return f"{setting.dataset}/boruta/label{setting.label_fraction:g}-seed{setting.seed}-fold{self.fold}"

    def columns(self) -> dict[str, Any]:
        """Return the choice as columns of the results table."""
        return {**asdict(self.setting), "fold": self.fold}


Task = Trial | TuningTask | SelectionTask


def configuration(task: Task, described: Mapping[str, Any]) -> dict[str, Any]:
    """Collect everything that decides a task's numbers, as plain JSON values.

    `described` says what the names in it stand for (the method's settings, the search space), so that changing a
    member under the same name is another configuration.
    """
    plain = {"schema": SCHEMA, **asdict(task), "described": dict(described)}
    if "learner" in plain and not plain["learner"]["caps"]:  # uncapped models have none
        del plain["learner"]["caps"]
    return json.loads(json.dumps(plain, sort_keys=True))


@dataclass(frozen=True)
class Store:
    """Records in a folder, which is created with the first of them."""

    root: Path

    def path(self, task: Task, config: Mapping[str, Any]) -> Path:
        """Return the path of a task's record: readable, and different for each configuration."""
        digest = blake2b(json.dumps(config, sort_keys=True).encode(), digest_size=4).hexdigest()
        return self.root / f"{task}-{digest}.json"

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

    def write(self, task: Task, config: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        """Write a record under a temporary name and rename it: a reader sees the old one, the new one or none."""
        text = json.dumps({"configuration": config, **record}, indent=1, sort_keys=True, allow_nan=False) + "\n"
        write_bytes(self.path(task, config), text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file completely or not at all; its folder is created."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_whole(path) as unfinished:
        unfinished.write_bytes(content)
