"""A run is a value: everything that decides the numbers of a trial, and the one place its record lies in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Any

SCHEMA = 1  # of the records; a change of meaning makes it another number, and old records are not reused


@dataclass(frozen=True, order=True)
class Setting:
    """What trials share that see the same rows: a table, cut and labeled in the same way.

    Attributes
    ----------
    dataset : name in the catalog, or of a plug-in.
    label_fraction : share of the training rows that keep their label.
    corruption : share of the cells of each training row that are replaced by another row's.
    preprocessing : "paper" (label encoding, iterative imputation) or "native" (categories and NaN as they are).
    max_rows : most rows taken of the table; None: all.
    seed : seed of the cuts, the labels, the corruption, the tuning and the models.
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

    Attributes
    ----------
    model : name of a member of `tabcast.study.models`.
    tuning : name of one of its search spaces; "none": the model's defaults.
    n_tuning_trials : number of parameter settings tried.
    max_trees : upper end of `n_estimators`; None: as the space says.
    """

    model: str
    tuning: str = "none"
    n_tuning_trials: int = 0
    max_trees: int | None = None


@dataclass(frozen=True, order=True)
class Trial:
    """One method with one model on one fold of a table.

    Attributes
    ----------
    setting, learner : which rows, and which base classifier.
    fold : which third of the rows that are not test rows is the validation fold.
    method : name of a member of `tabcast.study.methods`.
    strategy : "threshold", "curriculum", "all", or "none" for methods without one.
    noise_filter : "none" or "mahalanobis".

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
        """The trial as columns of the results table."""
        return {**asdict(self.setting), **asdict(self.learner), **_own(self)}


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
    """Everything that decides a task's numbers, as plain JSON values.

    Parameters
    ----------
    task : a trial or a search for parameters.
    described : what the names in it stand for (the method's settings, the search space), so that changing a member
        under the same name is another configuration.
    """
    plain = {"schema": SCHEMA, **asdict(task), "described": dict(described)}
    return json.loads(json.dumps(plain, sort_keys=True))


def record_path(task: Task, config: Mapping[str, Any]) -> PurePosixPath:
    """Where the record of a task lies, relative to the store: readable, and different for each configuration."""
    digest = blake2b(json.dumps(config, sort_keys=True).encode(), digest_size=4).hexdigest()
    return PurePosixPath(f"{task}-{digest}.json")


def _own(trial: Trial) -> dict[str, Any]:
    """Fields of a trial that are not in its parts."""
    names = [field.name for field in fields(trial) if field.name not in ("setting", "learner")]
    return {name: getattr(trial, name) for name in names}
