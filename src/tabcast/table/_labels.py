"""The user's labels, of whatever type, as class indices."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from tabcast.exceptions import AmbiguousLabelWarning
from tabcast.table._arrays import Index, Mask
from tabcast.table._tables import describe_type

UNLABELED = -1  # class index of a row without a label
LARGEST_WHOLE = 2.0**53  # larger floats are not next to each other
CONVERT_LABELS = "Convert them, for instance to text with str()."
MARKERS_OF_AUTO = "Set missing_label=None if -1 is a class, or missing_label=-1 if it means unlabeled."


@dataclass(frozen=True)
class Labels:
    """The classes and the class of each row.

    Attributes
    ----------
    classes : ndarray
        The classes in sorted order.
    codes : ndarray of int of shape (n_rows,)
        Index of each row's class, or UNLABELED.
    marker : object
        The user's own marker for unlabeled rows.

    See Also
    --------
    read_labels : Makes one from y.
    """

    classes: NDArray[Any]
    codes: Index
    marker: Any

    @property
    def labeled(self) -> Mask:
        """Mask of the labeled rows."""
        return self.codes != UNLABELED

    def values(self, codes: Index) -> NDArray[Any]:
        """Return class values for class indices.

        Parameters
        ----------
        codes : ndarray of int
            Class indices, or UNLABELED.

        Returns
        -------
        ndarray
            The classes, with the user's own marker for UNLABELED.
        """
        if (codes != UNLABELED).all():
            return self.classes[codes]
        result = np.empty(len(codes), dtype=_room_for(self.classes, self.marker))
        result[codes == UNLABELED] = self.marker
        result[codes != UNLABELED] = self.classes[codes[codes != UNLABELED]]
        return result


def find_unlabeled(y: Any, missing_label: Any = "auto") -> Mask:
    """Find the rows without a label.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels and markers.
    missing_label : object, default="auto"
        With "auto", missing values and -1 in a numeric y are markers. Any other value is a marker beside missing
        values.

    Returns
    -------
    ndarray of bool of shape (n_rows,)
        True for unlabeled rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import find_unlabeled
    >>> find_unlabeled(np.array([0, 1, -1]))
    array([False, False,  True])
    >>> find_unlabeled(np.array([0, 1, -1]), missing_label=1)
    array([False,  True, False])
    """
    return _find_markers(_to_numpy(y), missing_label)


def _find_markers(values: NDArray[Any], missing_label: Any) -> Mask:
    """Which labels are missing, or the marker of unlabeled rows."""
    unlabeled = np.asarray(pd.isna(values), dtype=bool)
    known = values[~unlabeled]
    if isinstance(missing_label, str) and missing_label == "auto":
        if not _is_numeric(known):
            return unlabeled
        missing_label = -1
    if not _is_missing(missing_label):
        unlabeled[~unlabeled] = known == missing_label
    return unlabeled


def warn_ambiguous(y: Any, missing_label: Any = "auto") -> None:
    """Warn if -1 may be a class: where missing values mark unlabeled rows as well, and nobody chose.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels and markers.
    missing_label : object, default="auto"
        Which label means unlabeled; see :func:`find_unlabeled`. Anything but "auto" is a choice.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from tabcast.table import warn_ambiguous
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_ambiguous(np.array([0.0, 1.0, -1.0, np.nan]))
    ...
    >>> caught[0].category.__name__
    'AmbiguousLabelWarning'
    """
    if isinstance(missing_label, str) and missing_label == "auto":
        _warn_both_markers(_to_numpy(y), stacklevel=4)


def _warn_both_markers(values: NDArray[Any], stacklevel: int) -> None:
    """Warn if some labels are missing and others are -1."""
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
    """Find the labeled rows and their classes, and refuse what cannot be classified.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Strings, booleans, integers or whole floats, with markers for unlabeled rows.
    missing_label : object, default="auto"
        Which label means unlabeled; see :func:`find_unlabeled`.

    Returns
    -------
    Labels
        Classes and class indices.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import read_labels
    >>> labels = read_labels(np.array(["yes", None, "no"], dtype=object))
    >>> labels.classes.tolist(), labels.codes.tolist()
    (['no', 'yes'], [1, -1, 0])
    """
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    values = _to_numpy(y)
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    if isinstance(missing_label, str) and missing_label == "auto":
        _warn_both_markers(values, stacklevel=4)
    unlabeled = _find_markers(values, missing_label)
    known = _to_plain(values[~unlabeled])
    if len(known) == 0:
        raise ValueError(
            f"y has no labeled row: each of its {len(values)} values is a marker for unlabeled. "
            "Label some rows of at least two classes."
        )
    if known.dtype.kind not in "iubU":  # integers, booleans and text are classes in any case
        _check_whole(known)
    classes, codes = np.unique(known, return_inverse=True)
    all_codes = np.full(len(values), UNLABELED, dtype=np.intp)
    all_codes[~unlabeled] = codes
    if len(classes) < 2:
        chosen = not (isinstance(missing_label, str) and missing_label == "auto")
        both = not chosen and bool((values[unlabeled] == -1).any())
        raise ValueError(
            f"y has only one class among its {len(known)} labeled rows, {classes.tolist()[0]!r}; a classifier needs "
            f"at least two.{' Rows with -1 were read as unlabeled. ' + MARKERS_OF_AUTO if both else ''}"
        )
    return Labels(classes, all_codes, _choose_marker(values, unlabeled, missing_label))


def encode_labels(y: Any, labels: Labels, *, name: str) -> Index:
    """Return class indices of another y, for instance that of a validation set.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Classes; every row must be labeled with a known class.
    labels : Labels
        The known classes.
    name : str
        What to call `y` in an error.

    Returns
    -------
    ndarray of int of shape (n_rows,)
        Class indices.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import encode_labels, read_labels
    >>> labels = read_labels(np.array(["yes", "no", None], dtype=object))
    >>> encode_labels(np.array(["no", "yes"], dtype=object), labels, name="y")
    array([0, 1])
    """
    values = _to_numpy(y)
    index = {value: code for code, value in enumerate(labels.classes.tolist())}
    try:
        return np.array([index[value] for value in values.tolist()], dtype=np.intp)
    except (KeyError, TypeError):
        unknown = sorted({repr(value) for value in values.tolist() if value not in index})
        raise ValueError(
            f"Every label of {name} must be one of the classes of the labeled rows, {labels.classes.tolist()}; "
            f"got {', '.join(unknown[:5])}."
        ) from None


def _to_numpy(y: Any) -> NDArray[Any]:
    """y as a one-dimensional array, missing values as None or NaN."""
    if isinstance(y, pd.DataFrame):
        y = y.to_numpy()
    if isinstance(y, np.ma.MaskedArray):  # a masked label is a missing one
        mask, y = np.ma.getmaskarray(y), y.data
        if mask.any():
            y = y.astype(object)
            y[mask] = None
    if isinstance(y, pd.Series | pd.Index | pd.api.extensions.ExtensionArray):
        series = pd.Series(y)
        plain = series.dtype.kind in "iufb" and isinstance(series.dtype, np.dtype)
        return series.to_numpy() if plain else series.astype(object).to_numpy()
    if type(y).__module__.partition(".")[0] in ("polars", "pyarrow"):
        return _foreign_to_numpy(y)
    if isinstance(y, list | tuple) and not any(np.iterable(value) and not isinstance(value, str) for value in y):
        # Value by value: numpy would make one type of all, and the word 'nan' of a missing value among words.
        y = np.fromiter(y, dtype=object, count=len(y))
    try:
        if np.asarray(y).dtype.kind == "c":
            raise TypeError(f"Labels in y are complex numbers. {CONVERT_LABELS}")
        values = y if isinstance(y, np.ndarray) and y.ndim == 1 else column_or_1d(y, warn=True)
    except ValueError:
        if isinstance(y, list | tuple) and any(isinstance(value, list | tuple | dict | set) for value in y):
            raise ValueError(f"Labels in y must be single values; some are lists or tuples. {CONVERT_LABELS}") from None
        raise
    return values


def _foreign_to_numpy(y: Any) -> NDArray[Any]:
    """y as an array of objects, from a column of polars or pyarrow: integers beside missing values stay integers."""
    if hasattr(y, "to_series") and y.shape[1] == 1:  # a DataFrame of one column
        y = y.to_series()
    to_list = getattr(y, "to_list", None) or getattr(y, "to_pylist", None)
    if to_list is None or hasattr(y, "num_columns"):
        raise ValueError(f"y must be one column of labels; got a {describe_type(y)}. Take the column out of it.")
    return _to_numpy(pd.Series(to_list(), dtype=object))


def _to_plain(values: NDArray[Any]) -> NDArray[Any]:
    """Labels without markers in their natural type: an object array of strings becomes one of strings, and so on."""
    if values.dtype != object:
        return values
    kinds = {_kind(value): value for value in _distinct(values)}
    if len(kinds) > 1:
        raise ValueError(
            f"Labels in y must all be of one kind; got {' and '.join(sorted(kinds))}. Convert them to one."
        )
    for kind, value in kinds.items():
        if kind not in ("booleans", "numbers", "text"):
            raise ValueError(
                f"Labels in y must be text, booleans or whole numbers; got {value!r} ({kind}). {CONVERT_LABELS}"
            )
    _refuse_nul(_distinct(values))
    return np.array(values.tolist())


def _check_whole(known: NDArray[Any]) -> None:
    """Refuse labels that are no classes: numbers that are not whole, or of a type that cannot be a class."""
    if known.dtype.kind == "f" and np.abs(known).max() >= LARGEST_WHOLE:
        raise ValueError(
            f"Labels in y must be whole numbers below 2**53 in size where they are floats; got {np.abs(known).max():g}"
            f", which a float may have rounded. {CONVERT_LABELS}"
        )
    if known.dtype.kind not in "f":
        what = "an integer beyond 64 bits" if known.dtype == object else known.dtype.name
        raise ValueError(
            f"Labels in y must be text, booleans or whole numbers; got {known.tolist()[0]!r} ({what}). {CONVERT_LABELS}"
        )
    check_classification_targets(known)


def _refuse_nul(values: Iterable[Any]) -> None:
    """Refuse text that numpy cannot hold: it drops NUL characters at the end."""
    for value in values:
        if isinstance(value, str) and value.endswith("\x00"):
            raise ValueError(
                f"Label {value!r} in y ends in a NUL character, which numpy drops, so that it may become equal to "
                "another label. Remove the character, or choose another spelling."
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
    if isinstance(missing_label, str) and missing_label == "auto":
        return -1 if _is_numeric(values) else None
    return missing_label


def _room_for(classes: NDArray[Any], marker: Any) -> Any:
    """A type that holds both the classes and the marker."""
    if classes.dtype.kind in "iuf" and isinstance(marker, int | float) and not isinstance(marker, bool):
        return np.result_type(classes.dtype, np.array(marker).dtype) if classes.dtype.kind != "u" else np.int64
    return object
