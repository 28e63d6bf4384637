"""The user's labels, of whatever type, as class indices."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from tabcast.exceptions import AmbiguousLabelWarning
from tabcast.table import Index, Mask
from tabcast.table._tables import describe_type

UNLABELED = -1  # class index of a row without a label
MARKERS_OF_AUTO = "Set missing_label=None if -1 is a class, or missing_label=-1 if it means unlabeled."


@dataclass(frozen=True)
class Labels:
    """The classes and the class of each row."""

    classes: NDArray[Any]  # in sorted order
    codes: Index  # index of each row's class, or UNLABELED
    marker: Any  # the user's own marker for unlabeled rows

    @property
    def labeled(self) -> Mask:
        """Mask of the labeled rows."""
        return self.codes != UNLABELED

    def values(self, codes: Index) -> NDArray[Any]:
        """Return the classes for class indices, with the user's own marker for UNLABELED."""
        known = codes != UNLABELED
        if known.all():
            return self.classes[codes]
        result = np.empty(len(codes), dtype=_room_for(self.classes, self.marker))
        result[~known] = self.marker
        result[known] = self.classes[codes[known]]
        return result


def find_unlabeled(y: Any, missing_label: Any = "auto") -> Mask:
    """Find the rows without a label: missing values, and the marker, by which "auto" means -1 among numbers."""
    return _find_markers(_to_numpy(y), missing_label)


def _is_auto(missing_label: Any) -> bool:
    return isinstance(missing_label, str) and missing_label == "auto"


def _find_markers(values: NDArray[Any], missing_label: Any) -> Mask:
    """Which labels are missing, or the marker of unlabeled rows."""
    unlabeled = np.asarray(pd.isna(values), dtype=bool)
    known = values[~unlabeled]
    if _is_auto(missing_label):
        missing_label = -1 if _is_numeric(known) else None
    if not _is_missing(missing_label):
        unlabeled[~unlabeled] = known == missing_label
    return unlabeled


def warn_ambiguous(y: Any, missing_label: Any = "auto", *, stacklevel: int = 3) -> None:
    """Warn if -1 may be a class: where missing values mark unlabeled rows as well, and nobody chose."""
    if not _is_auto(missing_label):
        return
    values = _to_numpy(y)
    missing = np.asarray(pd.isna(values), dtype=bool)
    known = values[~missing]
    if missing.any() and _is_numeric(known) and (known == -1).any():
        warnings.warn(
            "y has both missing values and -1: either both mean unlabeled, which is assumed here, or -1 is a class "
            f"and only missing values mean unlabeled. {MARKERS_OF_AUTO}",
            AmbiguousLabelWarning,
            stacklevel=stacklevel,
        )


def read_labels(y: Any, missing_label: Any = "auto") -> Labels:
    """Find the labeled rows and their classes, and refuse what cannot be classified."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    values = _to_numpy(y)
    warn_ambiguous(values, missing_label, stacklevel=4)
    unlabeled = _find_markers(values, missing_label)
    if unlabeled.all():
        raise ValueError(
            f"y has no labeled row: each of its {len(values)} values is a marker for unlabeled. "
            "Label some rows of at least two classes."
        )
    known = _to_plain(values[~unlabeled])
    classes, codes = np.unique(known, return_inverse=True)
    if len(classes) < 2:
        both = _is_auto(missing_label) and -1 in values[unlabeled & ~np.asarray(pd.isna(values), dtype=bool)]
        raise ValueError(
            f"y has only one class among its {len(known)} labeled rows, {classes.tolist()[0]!r}; a classifier needs "
            f"at least two.{' Rows with -1 were read as unlabeled. ' + MARKERS_OF_AUTO if both else ''}"
        )
    all_codes = np.full(len(values), UNLABELED, dtype=np.intp)
    all_codes[~unlabeled] = codes
    return Labels(classes, all_codes, _choose_marker(values, unlabeled, missing_label))


def encode_labels(y: Any, labels: Labels, *, name: str) -> Index:
    """Return class indices of another y, for instance that of a validation set; every row must have a known class."""
    values = _to_numpy(y).tolist()
    index = {value: code for code, value in enumerate(labels.classes.tolist())}
    try:
        return np.array([index[value] for value in values], dtype=np.intp)
    except (KeyError, TypeError):
        unknown = sorted({repr(value) for value in values if value not in index})
        raise ValueError(
            f"Every label of {name} must be one of the classes of the labeled rows, {labels.classes.tolist()}; "
            f"got {', '.join(unknown[:5])}."
        ) from None


def _to_numpy(y: Any) -> NDArray[Any]:
    """y as a one-dimensional array, missing values as None or NaN."""
    if type(y).__module__.partition(".")[0] in ("polars", "pyarrow"):
        y = _to_series(y)
    if isinstance(y, pd.DataFrame):
        y = y.to_numpy()
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        y = y.tolist()  # a masked label is None
    if isinstance(y, pd.Series | pd.Index | pd.api.extensions.ExtensionArray):
        series = pd.Series(y)
        plain = series.dtype.kind in "iufb" and isinstance(series.dtype, np.dtype)
        return series.to_numpy() if plain else series.astype(object).to_numpy()
    if isinstance(y, list | tuple) and not (y and all(np.iterable(one) and not isinstance(one, str) for one in y)):
        # Value by value: numpy would make one type of all, and the word 'nan' of a missing value among words.
        y = np.fromiter(y, dtype=object, count=len(y))
    return y if isinstance(y, np.ndarray) and y.ndim == 1 else column_or_1d(y, warn=True)


def _to_series(y: Any) -> pd.Series[Any]:
    """A column of polars or pyarrow as objects: integers beside missing values stay integers."""
    if hasattr(y, "to_series") and y.shape[1] == 1:  # a DataFrame of one column
        y = y.to_series()
    to_list = getattr(y, "to_list", None) or getattr(y, "to_pylist", None)
    if to_list is None or hasattr(y, "num_columns"):
        raise ValueError(f"y must be one column of labels; got a {describe_type(y)}. Take the column out of it.")
    return pd.Series(to_list(), dtype=object)


def _to_plain(values: NDArray[Any]) -> NDArray[Any]:
    """Labels without markers in their natural type, for instance text instead of objects; other types are refused."""
    if values.dtype == object:
        distinct = _distinct(values)
        kinds = {_kind(value): value for value in distinct}
        if len(kinds) > 1:
            raise ValueError(
                f"Labels in y must all be of one kind; got {' and '.join(sorted(kinds))}. Convert them to one."
            )
        kind, value = kinds.popitem()
        if kind not in ("booleans", "numbers", "text"):
            _refuse_label(value, kind)
        if kind == "text" and any(value.endswith("\x00") for value in distinct):
            raise ValueError("A label in y ends in a NUL character, which numpy drops. Remove the character.")
        values = np.array(values.tolist())
    if values.dtype.kind == "f":
        if np.isinf(values).any():
            raise ValueError("Input y contains infinity, which is no class. Replace it, or mark the row as unlabeled.")
        check_classification_targets(values)
    elif values.dtype.kind not in "iubU":
        _refuse_label(values.tolist()[0], values.dtype.name)
    return values


def _refuse_label(value: Any, kind: str) -> NoReturn:
    raise ValueError(
        f"Labels in y must be text, booleans or whole numbers; got {value!r} ({kind}). Convert them, for instance to "
        "text with str()."
    )


def _distinct(values: NDArray[Any]) -> Iterable[Any]:
    """The different values, or all of them where they cannot be compared by their hash."""
    try:
        return set(values.tolist())
    except TypeError:
        return values.tolist()


def _kind(value: Any) -> str:
    """Booleans, numbers, text, or the type's own name."""
    if isinstance(value, bool | np.bool_):
        return "booleans"
    if isinstance(value, int | float | np.number):
        return "numbers"
    return "text" if isinstance(value, str) else type(value).__name__


def _is_numeric(values: NDArray[Any]) -> bool:
    """Whether labels are numbers (booleans are not)."""
    if values.dtype == object:
        return len(values) > 0 and all(_kind(value) == "numbers" for value in _distinct(values))
    return values.dtype.kind in "iuf"


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value))


def _choose_marker(values: NDArray[Any], unlabeled: Mask, missing_label: Any) -> Any:
    """What stands for unlabeled in results: what stood for it in y."""
    if unlabeled.any():
        marker = values[unlabeled][0]
        return marker.item() if isinstance(marker, np.generic) else marker
    if _is_auto(missing_label):
        return -1 if _is_numeric(values) else None
    return missing_label


def _room_for(classes: NDArray[Any], marker: Any) -> Any:
    """A type that holds both the classes and the marker."""
    if classes.dtype.kind in "iuf" and isinstance(marker, int | float) and not isinstance(marker, bool):
        signed = np.dtype(np.int64) if classes.dtype.kind == "u" else classes.dtype
        room = np.result_type(signed, np.array(marker).dtype)
        if classes.astype(room).tolist() == classes.tolist():  # floats do not hold every long integer
            return room
    return object
