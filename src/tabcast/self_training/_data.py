"""What a run works on: what `fit` was given, read and checked, and the splits of the labeled rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import _check_sample_weight, validate_data

from tabcast.exceptions import LargePoolWarning, NoUnlabeledRowsWarning
from tabcast.models._adapted import Adaptation, weight_parameter
from tabcast.table import Floats, Index, Mask
from tabcast.table._columns import find_categorical
from tabcast.table._labels import UNLABELED, Labels, encode_labels, read_labels
from tabcast.table._tables import (
    check_lengths,
    join_blocks,
    map_rows,
    read_table,
    take_rows,
    warn_empty_columns,
)
from tabcast.table._types import learn_types, stack_rows
from tabcast.validation import Validation

if TYPE_CHECKING:
    from tabcast.self_training._self_trainer import SemiSupervisedClassifier

FEW_ROWS = 20_000  # unlabeled rows up to which a copy of them is kept and predicted in one piece


@dataclass(frozen=True)
class TrainingData:
    """Everything `fit` was given, read and checked.

    Attributes
    ----------
    X : array or DataFrame
        All rows, labeled and unlabeled.
    labels : Labels
        Their classes.
    labeled, pool : ndarray of shape (n_labeled,) and (n_unlabeled,)
        Positions of the labeled and of the unlabeled rows.
    sample_weight : ndarray of shape (n_rows,) or None, default=None
        Weight of each row.
    row_params, other_params : mapping
        Fit parameters with one entry per row, and the others.
    validation : tuple (X, class indices) or None, default=None
        Labeled rows that the user set apart for evaluation.
    categorical_features : array-like or None, default=None
        What the user said about columns.
    chosen : ndarray
        Positions of labeled rows that were chosen to be labeled, for instance because a model was uncertain. They train
        and are never held out: scores and class proportions of such rows do not hold for others.
    """

    X: Any
    labels: Labels
    labeled: Index
    pool: Index
    sample_weight: Floats | None = None
    row_params: Mapping[str, Any] = field(default_factory=dict)
    other_params: Mapping[str, Any] = field(default_factory=dict)
    validation: tuple[Any, Index] | None = None
    categorical_features: ArrayLike | None = None
    chosen: Index = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.labels.classes)

    @property
    def X_pool(self) -> Any:
        """The unlabeled rows; a copy that is kept where they are few."""
        return self._few_rows if len(self.pool) <= FEW_ROWS else take_rows(self.X, self.pool)

    def random_of(self, labeled: Index) -> Index:
        """Those of some labeled rows that were not chosen to be labeled."""
        return labeled[~np.isin(labeled, self.chosen)]

    def split(self, validation: Validation, random_state: np.random.RandomState) -> list[tuple[Index, Index]]:
        """Positions of the training rows and of the held-out rows of each split; chosen rows always train."""
        random = self.random_of(self.labeled)
        strata = self.labels.codes[random]
        if len(self.chosen) == 0:
            return [(random[train], random[held_out]) for train, held_out in validation.split(strata, random_state)]
        counts = np.bincount(strata, minlength=self.n_classes)
        # The only random row of a class can be held out where chosen rows of the class train.
        strata[(counts[strata] == 1) & np.isin(strata, self.labels.codes[self.chosen])] = counts.argmax()
        splits = validation.split(strata, random_state)
        return [(np.sort(np.concatenate([random[train], self.chosen])), random[held_out]) for train, held_out in splits]

    @cached_property
    def _few_rows(self) -> Any:
        return take_rows(self.X, self.pool)

    @cached_property
    def categorical(self) -> Mask:
        """Mask of the categorical columns."""
        return find_categorical(self.X, self.categorical_features)

    def encoded(self, adaptation: Adaptation) -> TrainingData:
        """The same rows, with tables as the estimator takes them."""
        if adaptation.columns is None:
            return self
        validation = None if self.validation is None else (adaptation.encode(self.validation[0]), self.validation[1])
        return replace(self, X=adaptation.encode(self.X), validation=validation)

    def map_pool(self, function: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
        """Apply a function that treats every row by itself to the unlabeled rows, block by block."""
        if len(self.pool) <= FEW_ROWS:
            return function(self.X_pool)
        return map_rows(lambda rows: function(take_rows(self.X, rows)), self.pool)

    def sample_pool(self, max_pool: int | None, seed: int) -> tuple[TrainingData, Index | None]:
        """All labeled rows and at most `max_pool` of the others, drawn at random, with the position of each row here.

        Positions are None where no row is left out.
        """
        if max_pool is None or len(self.pool) <= max_pool:
            return self, None
        warnings.warn(
            f"{max_pool:,} of the {len(self.pool):,} unlabeled rows were drawn at random to train with (max_pool); the "
            "model predicts any row. max_pool=None trains with all of them.",
            LargePoolWarning,
            stacklevel=5,
        )
        pool = np.sort(np.random.default_rng(seed).permutation(self.pool)[:max_pool])
        rows = np.sort(np.concatenate([self.labeled, pool]))
        sample = replace(
            self,
            X=take_rows(self.X, rows),
            labels=Labels(self.labels.classes, self.labels.codes[rows], self.labels.marker),
            labeled=np.searchsorted(rows, self.labeled),
            pool=np.searchsorted(rows, pool),
            chosen=np.searchsorted(rows, self.chosen),
            sample_weight=None if self.sample_weight is None else self.sample_weight[rows],
            row_params={name: _safe_indexing(values, rows) for name, values in self.row_params.items()},
        )
        return sample, rows


@dataclass(frozen=True, eq=False)
class Split:
    """The labeled rows divided into rows that train and rows that are held out.

    Attributes
    ----------
    train : ndarray
        Positions of the training rows.
    held_out : tuple (X, class indices) or None, default=None
        The held-out rows, None where there are none.
    held_out_rows : ndarray
        Positions of the held-out rows where they are rows of the table.
    """

    train: Index
    held_out: tuple[Any, Index] | None = None
    held_out_rows: Index = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    @cached_property
    def key(self) -> bytes:
        """Equal exactly if the same rows train and the same rows are held out."""
        rows = np.sort(self.train).tobytes() + b"|" + np.sort(self.held_out_rows).tobytes()
        return blake2b(rows).digest()

    @property
    def y_held_out(self) -> Index:
        """Class indices of the held-out rows."""
        return np.empty(0, dtype=np.intp) if self.held_out is None else self.held_out[1]


@dataclass
class PseudoLabels:
    """The pseudo-labels of one round; all arrays have one entry per unlabeled row.

    Attributes
    ----------
    labels : ndarray of int
        Class index, in a type as small as the number of classes allows.
    raw_labels : ndarray of int
        Class index that the classifier alone would predict.
    chosen : ndarray of bool
        Whether the row is used.
    confidence, raw_confidence : ndarray of float
        Confidence in `labels`, after and before adjusting.
    weight : ndarray of float
        Weight of a chosen row, where a labeled row weighs 1.
    soft : ndarray of shape (n_unlabeled, n_classes) or None, default=None
        Proportions of the classes in a row. None: the row belongs to its label alone.
    required : ndarray of shape (n_classes,) or None, default=None
        Confidence that the strategy required of each class. None: it selects by rank, or everything.
    power : float, default=1.0
        The power that probabilities of a classifier trained on them are raised to; 1 leaves them as they are.
    """

    labels: NDArray[np.integer[Any]]
    raw_labels: NDArray[np.integer[Any]]
    chosen: Mask
    confidence: Floats
    raw_confidence: Floats
    weight: Floats
    soft: Floats | None = None
    required: Floats | None = None
    power: float = 1.0

    @classmethod
    def none(cls, n_rows: int) -> PseudoLabels:
        """Pseudo-labels that use no row: the supervised model."""
        no_class, nothing = np.broadcast_to(np.int8(0), n_rows), np.broadcast_to(0.0, n_rows)
        return cls(no_class, no_class, np.broadcast_to(np.False_, n_rows), nothing, nothing, nothing)

    def forget_reasons(self) -> None:
        """Drop what training does not need: the labels of the classifier alone, and confidences."""
        self.raw_labels, self.confidence, self.raw_confidence = self.labels[:0], self.weight[:0], self.weight[:0]

    @property
    def is_supervised(self) -> bool:
        """Whether no row is used."""
        return not self.chosen.any()

    def count_changes(self, before: PseudoLabels) -> int:
        """Count the rows that came, went or changed their label since the previous round."""
        both = before.chosen & self.chosen
        return int(((before.chosen != self.chosen) | (both & (before.labels != self.labels))).sum())

    @cached_property
    def key(self) -> bytes:
        """Equal exactly if the same rows are used with the same labels and weights."""
        digest = blake2b(np.packbits(self.chosen).data)
        rows: Mask | slice = slice(None) if self.chosen.all() else self.chosen
        digest.update(np.ascontiguousarray(self.labels[rows]).data)
        weight = self.weight[rows]
        digest.update(np.ascontiguousarray(weight[:1] if (weight == weight[:1]).all() else weight).data)
        if self.soft is not None:
            digest.update(np.ascontiguousarray(self.soft[rows]).data)
            digest.update(repr(float(self.power)).encode())
        return digest.digest()


def make_splits(data: TrainingData, validation: Validation, random_state: np.random.RandomState) -> list[Split]:
    """The splits of `validation`, or the one that `validation_data` makes."""
    if data.validation is not None:
        return [Split(data.labeled, data.validation)]
    splits = []
    for train, held_out in data.split(validation, random_state):
        if len(np.unique(data.labels.codes[train])) < 2:
            raise ValueError(
                "A split of `validation` trains on one class only; use stratified splits or fewer of them."
            )
        splits.append(hold_out(data, train, held_out))
    return splits


def hold_out(data: TrainingData, train: Index, rows: Index) -> Split:
    """A split that trains on some labeled rows and holds out others, both given by position."""
    held_out = (take_rows(data.X, rows), data.labels.codes[rows]) if len(rows) else None
    return Split(train, held_out, rows)


def read_training_data(
    classifier: SemiSupervisedClassifier,
    X: Any,
    y: Any,
    X_unlabeled: Any,
    validation_data: Any,
    sample_weight: Any,
    fit_params: dict[str, Any],
) -> TrainingData:
    """Read and check everything that `fit` of a classifier was given; the classifier remembers the columns."""
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
    n_given = len(table)
    if X_unlabeled is not None:
        known, table = learn_types(table), join_blocks(stack_rows(table, read_table(X_unlabeled, name="X_unlabeled")))
        known.warn_unseen(table[n_given:], "X_unlabeled", "X")
        more = np.full(len(table) - n_given, UNLABELED, dtype=np.intp)
        labels = Labels(labels.classes, np.concatenate([labels.codes, more]), labels.marker)
    classifier._column_types = learn_types(table, warn_empty_columns(table))
    pool = np.flatnonzero(~labels.labeled)
    if len(pool) == 0:
        warnings.warn(
            "There are no unlabeled rows: the model is the supervised one. Mark them in y "
            f"(missing_label={classifier.missing_label!r}), or pass them as X_unlabeled.",
            NoUnlabeledRowsWarning,
            stacklevel=4,
        )
    if get_config()["enable_metadata_routing"] and classifier.estimator is not None:
        fit_params = process_routing(classifier, "fit", sample_weight=sample_weight, **fit_params).estimator.fit
        sample_weight = fit_params.pop("sample_weight", None)
    fit_params = dict(fit_params)
    name = weight_parameter(estimator)
    if name in fit_params:  # scikit-learn's own way to pass weights into a pipeline
        if sample_weight is not None:
            raise ValueError(f"Weights were given twice, as `sample_weight` and as {name!r}. Give them once.")
        sample_weight = fit_params.pop(name)
    row_params, other_params = _sort_fit_params(fit_params, n_given, len(table))
    return TrainingData(
        table,
        labels,
        np.flatnonzero(labels.labeled),
        pool,
        _read_weights(estimator, sample_weight, n_given, len(table)),
        row_params,
        other_params,
        _read_validation(classifier, validation_data, labels),
        classifier.categorical_features,
        classifier._chosen,
    )


def read_again(classifier: SemiSupervisedClassifier, X: Any, *, name: str = "X") -> Any:
    """Read another table: checked, with the columns of `fit` and their types."""
    table = validate_data(classifier, read_table(X, name=name), reset=False, skip_check_array=True)
    return classifier._column_types.align(table, name=name)


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
