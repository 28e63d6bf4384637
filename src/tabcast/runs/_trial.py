"""A trial prediction: a model from a file predicts a few synthetic rows before it is given to the user.

Whatever does not fit together in a damaged or changed model then fails while it is loaded, not with a user's table.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from tabcast.models._adapted import AdaptedClassifier
from tabcast.self_training import AveragedClassifier, SoftenedClassifier
from tabcast.table import Columns

MAX_ROWS = 300  # enough for every level of a column that gradient boosting takes


class TrialError(ValueError):
    """A model that does not predict probabilities."""


def try_out(classifier: Any) -> None:
    """Raise whatever a prediction raises, or a TrialError if the result is not one probability per row and class."""
    table = _make_table(classifier)
    n_rows, n_classes = len(table), len(classifier.classes_)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        proba = np.asarray(classifier.predict_proba(table))
        labels = np.asarray(classifier.predict(table))
    if proba.dtype.kind != "f" or proba.shape != (n_rows, n_classes) or labels.shape != (n_rows,):
        raise TrialError("predictions have the wrong shape")
    if not (np.isfinite(proba).all() and (proba >= 0).all() and np.allclose(proba.sum(axis=1), 1, atol=1e-3)):
        raise TrialError("predictions are no probabilities")
    if not np.isin(labels, classifier.classes_).all():
        raise TrialError("predictions are no classes")


def can_be_tried(classifier: Any) -> bool:
    """Whether a model that was just fitted passes; one with encoders of its own may refuse synthetic rows."""
    try:
        try_out(classifier)
    except Exception:
        return False
    return True


def known_names(classifier: Any) -> set[Any] | None:
    """Names of the columns that the model was trained on, None if it does not know them."""
    columns = _find_columns(classifier)
    return set(columns.names) if columns is not None and columns.named else None


def _make_table(classifier: Any) -> Any:
    """Rows with the values that the model knows: every level, the range of numbers, missing values."""
    columns = _find_columns(classifier)
    if columns is not None:
        return _fill_columns(columns)
    classifier = _unwrap(classifier)
    values = np.outer([0.0, 1.0, -1.0], np.ones(int(classifier.n_features_in_)))
    names = getattr(classifier, "feature_names_in_", None)
    return values if names is None else pd.DataFrame(values, columns=list(names))


def _unwrap(classifier: Any) -> Any:
    """The classifier inside, the first one of several."""
    while isinstance(classifier, AdaptedClassifier | SoftenedClassifier | AveragedClassifier):
        if isinstance(classifier, AveragedClassifier):
            classifier = classifier.members[0]
        else:
            classifier = classifier.estimator if isinstance(classifier, SoftenedClassifier) else classifier.estimator_
    return classifier


def _find_columns(classifier: Any) -> Columns | None:
    """What tabcast's encoder, if there is one in front of the model, knows about the table."""
    if isinstance(classifier, SoftenedClassifier):
        return _find_columns(classifier.estimator)
    if isinstance(classifier, AveragedClassifier):
        found = map(_find_columns, classifier.members)
        return next((columns for columns in found if columns is not None), None)
    if isinstance(classifier, AdaptedClassifier):
        encoder = classifier.adaptation_.columns
        return _find_columns(classifier.estimator_) if encoder is None else encoder.columns_
    encoder = classifier.steps[0][1] if isinstance(classifier, Pipeline) else getattr(classifier, "encoder_", None)
    known = getattr(encoder, "columns_", None)
    return known if isinstance(known, Columns) else None


def _fill_columns(columns: Columns) -> Any:
    """One row per level of the column with most of them, and one without any value."""
    n_levels = max((len(column.levels) for column in columns.categorical), default=0)
    n_rows = min(max(n_levels, 3), MAX_ROWS)
    cells: dict[int, Any] = {}
    for position, number in zip(columns.continuous_index.tolist(), columns.continuous, strict=True):
        cells[position] = np.append(np.resize([number.center, number.low, number.high], n_rows), np.nan)
    for position, column in zip(columns.categorical_index.tolist(), columns.categorical, strict=True):
        levels = column.levels.tolist() or [None]
        cells[position] = pd.Series([*(levels[row % len(levels)] for row in range(n_rows)), None], dtype=object)
    if sorted(cells) != list(range(len(set(columns.names)))):
        raise TrialError("columns disagree")
    if columns.named:
        table = pd.concat([pd.Series(cells[position]) for position in range(len(cells))], axis=1)
        table.columns = pd.Index(columns.names, tupleize_cols=False)
        return table
    if not columns.categorical:
        return np.column_stack([cells[position] for position in range(len(cells))])
    return pd.concat([pd.Series(cells[p], dtype=object) for p in range(len(cells))], axis=1).to_numpy(dtype=object)
