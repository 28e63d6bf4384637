"""Sentences for what does not hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

SUM_TOLERANCE = 1e-6  # what single precision may add to a sum of probabilities


def that(holds: bool | np.bool_, sentence: str) -> None:
    """Raise an AssertionError with a sentence for what does not hold."""
    if not holds:
        raise AssertionError(sentence)


def raises(expected: type[Exception], call: Callable[[], Any], what: str) -> None:
    """Require that a call raises an exception."""
    try:
        call()
    except expected:
        return
    except Exception as error:
        raise AssertionError(f"{what} must raise {expected.__name__}; it raises {type(error).__name__}.") from error
    raise AssertionError(f"{what} must raise {expected.__name__}; it raises nothing.")


def numbers(result: Any, shape: tuple[int, ...], context: str, *, least: float = -np.inf) -> None:
    """Require finite floats in a given shape, none of them below `least`."""
    good = isinstance(result, np.ndarray) and result.dtype.kind == "f" and result.shape == shape
    that(good, f"with {context} it gives {describe(result)}, not floats with shape {shape}.")
    that(np.isfinite(result).all(), f"with {context} it gives numbers that are not finite.")
    that((result >= least).all(), f"with {context} it gives numbers below {least:g}.")


def probabilities(result: Any, shape: tuple[int, ...], context: str) -> None:
    """Require numbers of that shape, none negative, rows that sum to 1."""
    numbers(result, shape, context, least=0)
    off = np.abs(result.sum(axis=1) - 1).max(initial=0.0)
    that(off < SUM_TOLERANCE, f"with {context} rows miss a sum of 1 by {off:.2g}.")


def mask(result: Any, n_entries: int, context: str) -> None:
    """Require a boolean array of a given length."""
    good = isinstance(result, np.ndarray) and result.dtype == bool and result.shape == (n_entries,)
    that(good, f"with {context} it gives {describe(result)}, not a boolean array with shape ({n_entries},).")


def describe(result: Any) -> str:
    """A short description of a value."""
    if isinstance(result, np.ndarray):
        return f"an array of {result.dtype} with shape {result.shape}"
    return f"a {type(result).__name__}"


def same(one: Any, other: Any, sentence: str) -> None:
    """Require that two tables or arrays hold the same, missing values included."""
    if isinstance(one, pd.DataFrame):
        that(one.equals(other) and list(one.dtypes) == list(other.dtypes), sentence)
    else:
        that(np.array_equal(one, other, equal_nan=np.asarray(one).dtype.kind == "f"), sentence)
