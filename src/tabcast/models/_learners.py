"""Families of learners that need something encoded, and what each of them needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Learner:
    """Requirements of a family of learners.

    Attributes
    ----------
    module : str
        Module of its classes.
    whole_labels : bool
        Whether classes must be 0, 1, 2, ...
    max_levels : int or None
        Maximum number of levels of a category column.
    level_switch : str or None
        Parameter that turns category columns on, if there is one.
    names_levels : bool
        Whether `fit` needs the names of the category columns, which hold text (CatBoost).
    needs_values : bool
        Whether `fit` fails on a column without any value, as the labeled rows alone may have one.
    bad_signs : str
        Characters that it refuses in column names; if there are any, it refuses an empty name as well.
    joins_words : bool
        Whether it replaces spaces in column names by underscores, so that two names may become equal.
    """

    module: str
    whole_labels: bool = False
    max_levels: int | None = None
    level_switch: str | None = None
    names_levels: bool = False
    needs_values: bool = False
    bad_signs: str = ""
    joins_words: bool = False


LEARNERS = (
    Learner("sklearn.ensemble._hist_gradient_boosting", max_levels=254, needs_values=True),
    Learner("xgboost", whole_labels=True, level_switch="enable_categorical", bad_signs="[]<\0"),
    Learner("lightgbm", bad_signs='[]{}",:\n\r\0', joins_words=True),
    Learner("catboost", names_levels=True),
)


def find_learner(estimator: Any) -> Learner | None:
    """The family an estimator belongs to, if it is a known one."""
    module = type(estimator).__module__
    return next((one for one in LEARNERS if module == one.module or module.startswith(one.module + ".")), None)
