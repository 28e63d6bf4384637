"""Calls as bytes, on their way to a worker and back."""

from __future__ import annotations

import pickle
import traceback
from typing import Any

from tabcast.study.backends._base import Crashed, Function


def check_importable(function: Function, backend: str) -> None:
    """Refuse a function that workers could not import, before any of them is started."""
    try:
        pickle.dumps(function)
    except Exception as error:
        raise TypeError(
            f"`function` of the {backend} backend must stand at the top level of a module; got {function!r}."
        ) from error


def pack(function: Function, item: Any) -> bytes | Crashed:
    """A call as bytes, or the item as crashed if it cannot be pickled."""
    try:
        return pickle.dumps((function, item), protocol=pickle.HIGHEST_PROTOCOL)
    except Exception:
        return Crashed(item, traceback.format_exc())


def call_packed(packed: bytes) -> bytes:
    """Run a packed call in a worker and return its outcome as bytes; an error becomes a traceback."""
    try:
        function, item = pickle.loads(packed)
        return pickle.dumps((True, function(item)), protocol=pickle.HIGHEST_PROTOCOL)
    except BaseException:
        return pickle.dumps((False, traceback.format_exc()), protocol=pickle.HIGHEST_PROTOCOL)


def unpack(item: Any, outcome: bytes) -> Any:
    """The result in an outcome, or the item as crashed."""
    try:
        succeeded, value = pickle.loads(outcome)
    except Exception:
        return Crashed(item, traceback.format_exc())
    return value if succeeded else Crashed(item, value)
