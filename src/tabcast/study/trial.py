"""A trial is a value: everything that decides its numbers, and the path of its record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Any

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
    >>> from tabcast.study.trial import Learner, Setting, Trial
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
        return {**asdict(self.setting), **self.learner.columns(), **_own(self)}


@dataclass(frozen=True, order=True)
class TuningTask:
    """A search for the parameters of a model on a setting, shared by all methods and folds."""

    setting: Setting
    learner: Learner

    def __str__(self) -> str:
        setting, learner = self.setting, self.learner
        marks = f"label{setting.label_fraction:g}-seed{setting.seed}"
        return f"{setting.dataset}/{learner.model}-{learner.tuning}/tuning/{marks}"


Task = Trial | TuningTask


def configuration(task: Task, described: Mapping[str, Any]) -> dict[str, Any]:
    """Collect everything that decides a task's numbers, as plain JSON values.

    Parameters
    ----------
    task : Task
        A trial or a search for parameters.
    described : mapping of str to object
        What the names in it stand for (the method's settings, the search space), so that changing a member under the
        same name is another configuration.
    """
    plain = {"schema": SCHEMA, **asdict(task), "described": dict(described)}
    if not task.learner.caps:  # as before there were any: records of uncapped models stay valid
        del plain["learner"]["caps"]
    return json.loads(json.dumps(plain, sort_keys=True))


def record_path(task: Task, config: Mapping[str, Any]) -> PurePosixPath:
    """Return the path of a task's record inside the store: readable, and different for each configuration."""
    digest = blake2b(json.dumps(config, sort_keys=True).encode(), digest_size=4).hexdigest()
    return PurePosixPath(f"{task}-{digest}.json")


def _own(trial: Trial) -> dict[str, Any]:
    """Return the fields of a trial besides its setting and learner."""
    names = [field.name for field in fields(trial) if field.name not in ("setting", "learner")]
    return {name: getattr(trial, name) for name in names}
