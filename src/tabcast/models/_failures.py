"""What a classifier cannot take, in one sentence: refused before any fit where that is known, explained otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, get_tags

from tabcast.models._adapted import find_learner, has_missing, is_plain
from tabcast.table._columns import find_categorical
from tabcast.table._tables import column_names, take_columns

ENCODE = (
    "put an encoder before it in a Pipeline, or use estimator=None, XGBoost, LightGBM or CatBoost, for which tabcast "
    "encodes text and dates."
)
IMPUTE = "Fill them, put an imputer before it in a Pipeline, or use estimator=None, which takes them."


def refuse_columns(estimator: Any, X: Any) -> None:
    """Refuse a table with columns that a classifier of scikit-learn does not take.

    Parameters
    ----------
    estimator : classifier
        The classifier. One of another library, or with another estimator inside, is not checked.
    X : ndarray or DataFrame
        The user's table.
    """
    inner = {"estimator", "estimators", "steps"}
    if not type(estimator).__module__.startswith("sklearn.") or inner & estimator.get_params(deep=False).keys():
        return
    if find_learner(estimator) is not None:  # tabcast encodes the table for it
        return
    name, tags = type(estimator).__name__, get_tags(estimator).input_tags
    if not is_plain(X) and not _are_numbers(X):
        bad = [repr(one) for at, one in enumerate(column_names(X)) if not _are_numbers(take_columns(X, np.array([at])))]
        if bad:
            raise ValueError(
                f"{name} takes numbers only, and column {', '.join(bad[:10])} cannot be converted to numbers. Leave it "
                f"out, {ENCODE}"
            )
    if not tags.allow_nan and has_missing(X):
        bad = [repr(one) for at, one in enumerate(column_names(X)) if has_missing(take_columns(X, np.array([at])))]
        raise ValueError(f"{name} does not take missing values (NaN), which column {', '.join(bad[:10])} has. {IMPUTE}")


@contextmanager
def explained(estimator: Any, X: Any, action: str) -> Iterator[None]:
    """Turn an error of the base classifier into one sentence that names it; ours go on as they are.

    Parameters
    ----------
    estimator : classifier
        The base classifier.
    X : ndarray or DataFrame
        What it was given.
    action : str
        What it was to do, for example "fit".

    Yields
    ------
    None
        Nothing.
    """
    try:
        yield
    except (ArithmeticError, TypeError, ValueError) as error:
        if _is_ours(error):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        levels = [repr(name) for name, text in zip(column_names(X), find_categorical(X), strict=True) if text]
        advice = (
            f"It got columns that are not numbers ({', '.join(levels[:10])}); if it cannot take them, {ENCODE}"
            if levels
            else "Check that it takes the values of these columns, or use another estimator."
        )
        raise kind(f"{_name(estimator)} failed to {action} ({' '.join(str(error).split())}). {advice}") from error


def _name(estimator: Any) -> str:
    """The class of a classifier; in a pipeline, those of its steps."""
    if isinstance(estimator, Pipeline):
        return f"The pipeline of {', '.join(type(step).__name__ for _, step in estimator.steps)}"
    return type(estimator).__name__


def _are_numbers(X: Any) -> bool:
    """Whether scikit-learn can convert a table to numbers."""
    try:
        check_array(X, dtype=np.float64, ensure_all_finite=False)
    except (ArithmeticError, TypeError, ValueError):
        return False
    return True


def _is_ours(error: BaseException) -> bool:
    """Whether an error was raised by tabcast itself."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__")).startswith("tabcast.")
