"""What `fit` is given, read and checked into `TrainingData`."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight, validate_data

from tabcast.exceptions import NoUnlabeledRowsWarning
from tabcast.models import weight_parameter
from tabcast.self_training._data import TrainingData
from tabcast.table import (
    UNLABELED,
    Floats,
    Labels,
    check_lengths,
    encode_labels,
    find_empty_columns,
    join_blocks,
    learn_types,
    n_rows,
    read_labels,
    read_table,
    stack_rows,
    warn_empty_columns,
)

if TYPE_CHECKING:
    from tabcast.self_training._base import SemiSupervisedClassifier


def read_training_data(
    classifier: SemiSupervisedClassifier,
    X: Any,
    y: Any,
    X_unlabeled: Any,
    validation_data: Any,
    sample_weight: Any,
    fit_params: dict[str, Any],
) -> TrainingData:
    """Read and check everything that `fit` of a classifier was given; the classifier remembers the columns.

    Parameters
    ----------
    classifier : SemiSupervisedClassifier
        Says what the base estimator and the markers of unlabeled rows are.
    X, y, X_unlabeled, validation_data, sample_weight : object
        As given to `fit`.
    fit_params : dict
        Parameters for the base estimator's `fit`.

    Returns
    -------
    TrainingData
        The rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast import CASTClassifier
    >>> from tabcast.self_training import read_training_data
    >>> X, y = np.array([[0.0], [1.0], [0.2]]), np.array(["no", "yes", None], dtype=object)
    >>> data = read_training_data(CASTClassifier(), X, y, None, None, None, {})
    >>> data.labeled.tolist(), data.pool.tolist(), data.labels.classes.tolist()
    ([0, 1], [2], ['no', 'yes'])
    """
    estimator = classifier._base_estimator()
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"`estimator` of {type(classifier).__name__} must have predict_proba; {estimator!r} has not. "
            "Wrap it in sklearn.calibration.CalibratedClassifierCV, or set its option for probabilities."
        )
    table = read_table(join_blocks(X))
    _remember_columns(classifier, table)
    labels = read_labels(y, classifier.missing_label)
    check_lengths(table, y=labels.codes)
    n_given = n_rows(table)
    if X_unlabeled is not None:
        table = join_blocks(stack_rows(table, read_table(X_unlabeled, name="X_unlabeled")))
        more = np.full(n_rows(table) - n_given, UNLABELED, dtype=np.intp)
        labels = Labels(labels.classes, np.concatenate([labels.codes, more]), labels.marker)
    empty = find_empty_columns(table)
    warn_empty_columns(table, empty)
    classifier._column_types = learn_types(table, empty)
    pool = np.flatnonzero(~labels.labeled)
    if len(pool) == 0:
        warnings.warn(
            "There are no unlabeled rows: the model is the supervised one. Mark them in y "
            f"(missing_label={classifier.missing_label!r}), or pass them as X_unlabeled.",
            NoUnlabeledRowsWarning,
            stacklevel=4,
        )
    fit_params = dict(fit_params)
    name = weight_parameter(estimator)
    if name in fit_params:  # scikit-learn's own way to pass weights into a pipeline
        if sample_weight is not None:
            raise ValueError(f"Weights were given twice, as `sample_weight` and as {name!r}. Give them once.")
        sample_weight = fit_params.pop(name)
    row_params, other_params = _sort_fit_params(fit_params, n_given, n_rows(table))
    return TrainingData(
        table,
        labels,
        np.flatnonzero(labels.labeled),
        pool,
        _read_weights(estimator, sample_weight, n_given, n_rows(table)),
        row_params,
        other_params,
        _read_validation(classifier, validation_data, labels),
        classifier.categorical_features,
    )


def read_again(classifier: SemiSupervisedClassifier, X: Any, *, name: str = "X") -> Any:
    """Read another table: checked, with the columns of `fit` and their types.

    Parameters
    ----------
    classifier : SemiSupervisedClassifier
        Remembers the columns.
    X : array-like or DataFrame
        What the user passed.
    name : str, default="X"
        What to call it in an error.

    Returns
    -------
    ndarray or DataFrame
        The table.
    """
    table = validate_data(classifier, read_table(X, name=name), reset=False, skip_check_array=True)
    types = getattr(classifier, "_column_types", None)  # a pickle of an older version has none
    return table if types is None else types.align(table, name=name)


def _remember_columns(classifier: SemiSupervisedClassifier, table: Any) -> None:
    """Set what scikit-learn's `validate_data` sets, which takes as long as all other checks of a small table."""
    if isinstance(table, pd.DataFrame) and all(isinstance(name, str) for name in table.columns):
        classifier.n_features_in_ = table.shape[1]
        classifier.feature_names_in_ = np.asarray(table.columns, dtype=object)
    else:
        validate_data(classifier, table, skip_check_array=True)


def _read_weights(estimator: Any, sample_weight: Any, n_given: int, n_all: int) -> Floats | None:
    """Weights of all rows; those of X_unlabeled are 1 where only X's were given."""
    if sample_weight is None:
        return None
    if weight_parameter(estimator) is None:
        raise ValueError(f"`sample_weight` was given, but fit of {estimator!r} does not take it.")
    if not isinstance(sample_weight, Real):
        sample_weight = np.asarray(sample_weight)
    if np.ndim(sample_weight) == 1 and len(sample_weight) == n_given < n_all:
        sample_weight = np.concatenate([sample_weight, np.ones(n_all - n_given)])
    if np.ndim(sample_weight) == 1 and len(sample_weight) != n_all:
        raise ValueError(
            f"`sample_weight` must have one entry per row of X, that is {n_given}"
            f"{f', or of X and X_unlabeled, that is {n_all}' if n_all > n_given else ''}; got {len(sample_weight)}."
        )
    refuse_bad_weights(sample_weight)
    return _check_sample_weight(sample_weight, np.empty((n_all, 1)), dtype=np.float64, copy=True)


def refuse_bad_weights(sample_weight: Any) -> None:
    """Refuse weights that are negative, missing, infinite or not numbers: some estimators would take them."""
    if sample_weight is None:
        return
    advice = "Give each row a finite number of at least 0."
    weights = np.asarray(sample_weight)
    try:
        weights = weights.astype(float, casting="unsafe" if weights.dtype == object else "same_kind")
    except (TypeError, ValueError):
        raise ValueError(f"`sample_weight` must be numbers; got {weights.dtype}. {advice}") from None
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ValueError(
            f"`sample_weight` must not be negative, missing or infinite; row {bad[0]} has {np.ravel(weights)[bad[0]]:g}"
            f"{f', and {len(bad) - 1} more rows are like it' if len(bad) > 1 else ''}. {advice}"
        )


def _read_validation(
    classifier: SemiSupervisedClassifier, validation_data: Any, labels: Labels
) -> tuple[Any, NDArray[np.intp]] | None:
    """Labeled rows that the user set apart for evaluation."""
    if validation_data is None:
        return None
    if not isinstance(validation_data, tuple | list) or len(validation_data) != 2:
        raise ValueError("`validation_data` must be a pair (X, y) of labeled rows.")
    table = read_again(classifier, validation_data[0], name="validation_data")
    codes = encode_labels(validation_data[1], labels, name="validation_data")
    check_lengths(table, **{"y of validation_data": codes})
    return table, codes


def _sort_fit_params(params: dict[str, Any], n_given: int, n_all: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fit parameters with one entry per row, and the others."""
    by_row, others = {}, {}
    for name, values in params.items():
        length = None if isinstance(values, str | bytes | dict) or not hasattr(values, "__len__") else len(values)
        if length == n_all:
            by_row[name] = values
        elif length == n_given:
            raise ValueError(
                f"Fit parameter {name!r} has {n_given} entries, one per row of X, but none for the {n_all - n_given} "
                "rows of X_unlabeled. Give it one per row of both, X first."
            )
        else:
            others[name] = values
    return by_row, others
