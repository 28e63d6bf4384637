"""What must hold: success or one clear sentence of ours, and results that are right."""

from __future__ import annotations

import linecache
import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tabcast

PACKAGE = Path(tabcast.__file__).parent
RUN_FILES = {"model.skops", "predictions.csv", "pseudo_labels.csv", "report.html", "summary.json"}

# Sentences of scikit-learn that its checks of estimators require word for word.
BORROWED = (
    r"^X has \d+ features, but \w+ is expecting \d+ features as input",
    r"^The feature names should match those that were passed during fit",
    r"^Unknown label type",
    r"^y should be a 1d array, got an array of shape",
)


class Wrong(AssertionError):
    """A result that breaks an invariant."""


@dataclass(frozen=True)
class Refusal:
    """One clear sentence of ours instead of a result."""

    sentence: str


def is_clear(error: BaseException) -> bool:
    """Whether an exception is one sentence of ours.

    It is a ValueError, TypeError or ImportError with one line of text that a `raise` statement of tabcast raised. A
    message that comes from elsewhere is foreign, even if it passes through tabcast: `int("x")` in our code as well as
    an error of scikit-learn.
    """
    message = str(error).strip()
    if not isinstance(error, ValueError | TypeError | ImportError) or not message:
        return False
    if any(re.search(pattern, message) for pattern in BORROWED):
        return True
    frames = traceback.extract_tb(error.__traceback__)
    if not frames or "\n" in message or not Path(frames[-1].filename).is_relative_to(PACKAGE):
        return False
    return linecache.getline(frames[-1].filename, frames[-1].lineno or 0).strip().startswith("raise")


def attempt(function: Any, *arguments: Any, **options: Any) -> Any:
    """The result of a call, or its refusal; a foreign error goes on."""
    try:
        return function(*arguments, **options)
    except Exception as error:
        if is_clear(error):
            return Refusal(" ".join(str(error).split()))
        raise


def require(holds: Any, what: str) -> None:
    """Raise `Wrong` where something does not hold."""
    if not holds:
        raise Wrong(what)


def check_same(first: Any, second: Any, what: str) -> None:
    """Labels or probabilities of the same rows; probabilities may differ by rounding."""
    first, second = np.asarray(first), np.asarray(second)
    require(first.shape == second.shape, f"{what}: shapes {first.shape} and {second.shape}")
    if first.dtype.kind == "f" and second.dtype.kind == "f":
        same = np.isclose(first, second, rtol=0, atol=1e-6, equal_nan=True)
    else:
        same = first == second
    require(np.all(same), f"{what}: {int(np.size(same) - np.sum(same))} of {np.size(same)} values differ")


def check_probabilities(proba: Any, n_rows: int, n_classes: int) -> None:
    """One row per row, each a distribution over the classes."""
    require(proba.shape == (n_rows, n_classes), f"predict_proba has shape {proba.shape}, not {(n_rows, n_classes)}")
    require(np.isfinite(proba).all(), "predict_proba gives values that are not finite")
    require(np.allclose(proba.sum(axis=1), 1, atol=1e-5), "probabilities of a row do not sum to 1")


def check_classes(classes: Any, y: Any, unlabeled: Any) -> None:
    """`classes_` are the labels of y: each of them, with value and type."""
    values = y.to_list() if hasattr(y, "to_list") else np.asarray(y).tolist() if isinstance(y, np.ndarray) else list(y)
    known = {value for value, missing in zip(values, unlabeled, strict=True) if not missing}
    found = np.asarray(classes).tolist()
    kinds = {type(value).__name__ for value in known}
    if any(isinstance(value, float) for value in values):  # numpy makes floats of integers beside NaN
        kinds |= {"float"} if kinds == {"int"} else set()
    require(len(found) == len(known) and set(found) == known, f"classes_ {found!r} of labels {known!r}")
    require({type(value).__name__ for value in found} <= kinds, f"labels of type {kinds} come back as {found!r}")


def normal_label(value: Any) -> Any:
    """A label as a file holds it: `1`, `1.0` and "1" are the same class."""
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value).strip().lower() if str(value).strip().lower() in ("true", "false") else str(value).strip()


def check_file_classes(classes: Any, labels: list[Any]) -> None:
    """The classes of a run are the labels in its table."""
    found, known = {normal_label(one) for one in np.asarray(classes).tolist()}, {normal_label(one) for one in labels}
    require(found == known, f"classes {sorted(map(str, found))} of labels {sorted(map(str, known))}")


def check_by_id(first: pd.DataFrame, second: pd.DataFrame, what: str) -> None:
    """Two tables of predictions agree row by row, joined by `id`."""
    require(sorted(first["id"]) == sorted(second["id"]), f"{what}: other rows")
    joined = first.set_index("id").loc[second["id"]]
    for name in (name for name in second.columns if name.startswith(("prediction", "probability_"))):
        require(name in joined.columns, f"{what}: no column {name}")
        check_same(joined[name].to_numpy(), second[name].to_numpy(), what)


def check_folder(folder: Path) -> None:
    """The folder of a run is absent or complete, and there is nothing else beside it."""
    if folder.exists():
        files = {path.name for path in folder.iterdir()}
        require(files == RUN_FILES, f"the folder of a run has {sorted(files)}")
    strangers = [path.name for path in folder.parent.iterdir() if "unfinished" in path.name]
    require(not strangers, f"left behind: {strangers}")
