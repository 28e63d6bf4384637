"""Short descriptions of how a column differs between labeled and unlabeled rows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.table import MISSING, Columns, Floats, Mask, column_names

WORTH_SAYING = 0.05  # difference in the proportion of missing values
LONGEST = 40  # characters of a level


def describe_sides(X: Any, columns: Columns, name: Any, is_pool: Mask) -> tuple[str, str]:
    """Describe a column's labeled and unlabeled rows, each in a few words that show the difference.

    Numbers: the medians, or the middle halves where the medians are close. Levels: the proportion of the level that
    differs most. Missing values where they differ by five percent of the rows.

    Parameters
    ----------
    X : ndarray or DataFrame
        The table.
    columns : Columns
        Its columns.
    name : object
        Name of the column.
    is_pool : ndarray of bool
        Which rows are unlabeled.

    Returns
    -------
    labeled : str
        The labeled rows.
    unlabeled : str
        The unlabeled rows.
    """
    table = columns.encode(X)
    categorical = [column.name for column in columns.categorical]
    if name in categorical:
        position = categorical.index(name)
        levels, codes = columns.categorical[position].levels, table.codes[:, position]
        return _compare_levels(codes[~is_pool], codes[is_pool], levels)
    values = table.continuous[:, [column.name for column in columns.continuous].index(name)]
    show = _show_date if _is_date(X, name) else show_number
    return _compare_numbers(values[~is_pool], values[is_pool], show)


def _compare_levels(ours: NDArray[np.int32], theirs: NDArray[np.int32], levels: pd.Index[Any]) -> tuple[str, str]:
    """Proportion of the level, or of missing values, that differs most."""
    first, second = (np.bincount(codes - MISSING, minlength=len(levels) + 1) / len(codes) for codes in (ours, theirs))
    apart = np.abs(first - second)
    alike = np.flatnonzero(np.isclose(apart, apart.max()))  # of two levels both, if there are no others
    most = int(alike[np.argmax(first[alike])])
    name = "missing" if most == 0 else _shorten(str(levels[most - 1]))
    return f"{name} {show_share(float(first[most]))}", f"{name} {show_share(float(second[most]))}"


def _compare_numbers(ours: Floats, theirs: Floats, show: Any) -> tuple[str, str]:
    """Medians or middle halves, and missing values where they differ."""
    sides = [values[~np.isnan(values)] for values in (ours, theirs)]
    missing = [float(np.isnan(values).mean()) for values in (ours, theirs)]
    if min(map(len, sides)) == 0:
        return f"missing {show_share(missing[0])}", f"missing {show_share(missing[1])}"
    quartiles = [np.quantile(values, [0.25, 0.5, 0.75]) for values in sides]
    width = max(float(high - low) for low, _, high in quartiles)
    if abs(quartiles[0][1] - quartiles[1][1]) > 0.1 * width or width == 0:
        words = [f"median {show(middle)}" for _, middle, _ in quartiles]
    else:
        words = [f"middle half {show(low)} to {show(high)}" for low, _, high in quartiles]
    if abs(missing[0] - missing[1]) >= WORTH_SAYING:
        words = [f"{word}, missing {show_share(share)}" for word, share in zip(words, missing, strict=True)]
    return words[0], words[1]


def show_number(value: float) -> str:
    """A number with at most four significant digits, or all before the decimal point."""
    if value == 0 or 1e-4 <= abs(value) < 1e4:
        return f"{value:.4g}"
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e12 else f"{value:.3g}"


def show_share(share: float) -> str:
    """A proportion as percent."""
    percent = 100 * share
    return f"{percent:.0f}%" if percent >= 1 or percent == 0 else "under 1%"


def _show_date(seconds: float) -> str:
    """Seconds since 1970 as a date."""
    return datetime.fromtimestamp(seconds, tz=UTC).date().isoformat()


def _is_date(X: Any, name: Any) -> bool:
    """Whether a column holds dates."""
    if not isinstance(X, pd.DataFrame):
        return False
    dtype = X.dtypes.iloc[column_names(X).index(name)]
    return bool(pd.api.types.is_datetime64_any_dtype(dtype))


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
