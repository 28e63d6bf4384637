"""Sentences for what does not hold, and copies to try it on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

SUM_TOLERANCE = 1e-6  # what single precision may add to a sum of probabilities
ORDER_TOLERANCE = 1e-7  # sums over rows in another order differ by rounding


def require(holds: bool | np.bool_, sentence: str) -> None:
    if not holds:
        raise AssertionError(sentence)


def require_raises(expected: type[Exception], call: Callable[[], Any], what: str) -> None:
    try:
        call()
    except expected:
        return
    except Exception as error:
        raise AssertionError(f"{what} must raise {expected.__name__}; it raises {type(error).__name__}.") from error
    raise AssertionError(f"{what} must raise {expected.__name__}; it raises nothing.")


def require_numbers(result: Any, shape: tuple[int, ...], context: str) -> None:
    """Finite floats in a given shape."""
    good = isinstance(result, np.ndarray) and result.dtype.kind == "f" and result.shape == shape
    require(good, f"with {context} it gives {describe(result)}, not floats with shape {shape}.")
    require(np.isfinite(result).all(), f"with {context} it gives numbers that are not finite.")


def require_mask(result: Any, n_entries: int, context: str) -> None:
    """A boolean array of a given length."""
    good = isinstance(result, np.ndarray) and result.dtype == bool and result.shape == (n_entries,)
    require(good, f"with {context} it gives {describe(result)}, not a boolean array with shape ({n_entries},).")


def describe(result: Any) -> str:
    """A short description of a value."""
    if isinstance(result, np.ndarray):
        return f"an array of {result.dtype} with shape {result.shape}"
    return f"a {type(result).__name__}"


def equal(one: Any, other: Any) -> bool:
    """Whether two tables or arrays hold the same, missing values included."""
    if isinstance(one, pd.DataFrame):
        return bool(one.equals(other)) and list(one.dtypes) == list(other.dtypes)
    return np.array_equal(one, other, equal_nan=np.asarray(one).dtype.kind == "f")


def fresh_copy(member: Any) -> Any:
    """An unfitted copy in which everything random has a seed."""
    copy = clone(member)
    seeds = {name: 0 for name in copy.get_params() if name.rsplit("__", 1)[-1] == "random_state"}
    return copy.set_params(**seeds) if seeds else copy


def require_probabilities(result: Any, shape: tuple[int, ...], context: str) -> None:
    """Numbers of that shape, none negative, rows that sum to 1."""
    require_numbers(result, shape, context)
    require((result >= 0).all(), f"with {context} some probability is negative.")
    off = np.abs(result.sum(axis=1) - 1).max(initial=0.0)
    require(off < SUM_TOLERANCE, f"with {context} rows miss a sum of 1 by {off:.2g}.")
