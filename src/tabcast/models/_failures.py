"""What a classifier cannot take, explained in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from tabcast.models._adapted import are_numbers, has_missing
from tabcast.table._tables import column_names, take_columns
from tabcast.wording import list_names

SINGLE = float(np.finfo(np.float32).max)


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
        tables = [take_columns(X, np.array([at])) for at in range(len(column_names(X)))]
        named = dict(zip(column_names(X), tables, strict=True))
        odd = [name for name, table in named.items() if not are_numbers(table) or has_missing(table)]
        plain = {name: np.asarray(table, dtype=float) for name, table in named.items() if name not in odd}
        huge = [name for name, numbers in plain.items() if np.abs(numbers).max() > SINGLE]
        if huge:
            advice = f"Column {list_names(huge)} has numbers beyond 3.4e38, too large for it: divide them."
        elif odd:
            advice = (
                f"Column {list_names(odd)} has text, dates or missing values: encode or fill it, or leave it out. "
                "tabcast itself encodes only what rows of fit have, and nothing for a ColumnTransformer."
            )
        else:
            advice = "Check that it takes the values of these columns, or use another estimator."
        reason = " ".join(str(error).partition("Stack trace")[0].split()).rstrip(".")
        raise kind(f"{_name(estimator)} failed to {action} ({reason}). {advice}") from error


def _name(estimator: Any) -> str:
    """The class of a classifier; in a pipeline, those of its steps."""
    if isinstance(estimator, Pipeline):
        return f"The pipeline of {', '.join(type(step).__name__ for _, step in estimator.steps)}"
    return type(estimator).__name__


def _is_ours(error: BaseException) -> bool:
    """Whether an error was raised by tabcast itself."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__")).startswith("tabcast.")
