"""A tabular foundation model as a classifier: the labeled rows are its context, rows are predicted in blocks."""

from __future__ import annotations

import warnings
from os import PathLike
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

from tabcast.checks import check_choice, check_integer
from tabcast.progress import current_progress
from tabcast.table import Floats, Index, learn_columns, take_rows
from tabcast.teachers._foundation_libraries import LIBRARIES, check_limits, find_weights, load_model

OWNER = "FoundationModel"  # what users know it as
DEVICES = ("cpu", "cuda", "mps", "xpu")


class ContextColumns(TransformerMixin, BaseEstimator):
    """A DataFrame as both libraries read it: floats with NaN, and category columns with codes as levels.

    Levels that were not seen in `fit` become missing.

    Parameters
    ----------
    categorical_features : array-like of str, int or bool, default=None
        The categorical columns by name, position or mask. None infers them from the types.
    """

    def __init__(self, categorical_features: ArrayLike | None = None) -> None:
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any = None) -> ContextColumns:
        """Learn the levels."""
        self.columns_ = learn_columns(X, self.categorical_features)
        return self

    def transform(self, X: Any) -> pd.DataFrame:
        """Numbers first, then levels; columns are named by their position."""
        table = self.columns_.encode(X)
        numbers = {f"number_{j}": values for j, values in enumerate(table.continuous.T)}
        levels = {
            f"level_{j}": pd.Categorical.from_codes(np.maximum(codes, -1), categories=pd.RangeIndex(len(column.levels)))
            for j, (codes, column) in enumerate(zip(table.codes.T, self.columns_.categorical, strict=True))
        }
        return pd.DataFrame({**numbers, **levels}, index=range(len(table)))


class FoundationClassifier(ClassifierMixin, BaseEstimator):
    """A foundation model with the interface of scikit-learn, for tables encoded by `ContextColumns`.

    The loaded weights are not part of a copy or a pickle: these load the file again when they predict.

    Parameters
    ----------
    library : {"tabpfn", "tabicl"}
        The library.
    model_path, n_estimators, device, block_rows : see FoundationModel
        Weights and how they are used.
    random_state : int, default=None
        Seed of the library. None: 0.
    """

    classes_: Any

    def __init__(
        self,
        library: str,
        *,
        model_path: str | PathLike[str] | None = None,
        n_estimators: int | None = None,
        device: str = "cpu",
        block_rows: int = 500,
        random_state: int | None = None,
    ) -> None:
        self.library = library
        self.model_path = model_path
        self.n_estimators = n_estimators
        self.device = device
        self.block_rows = block_rows
        self.random_state = random_state

    def check(self) -> None:
        """Raise an error for an invalid parameter, a library that is not installed, or weights that are not there."""
        check_choice(self.library, LIBRARIES, f"library of {OWNER}")
        if self.n_estimators is not None:
            check_integer(self.n_estimators, "n_estimators", OWNER, 1)
        check_integer(self.block_rows, "block_rows", OWNER, 1)
        if not isinstance(self.device, str) or self.device.split(":")[0] not in DEVICES:
            choices = ", ".join(map(repr, DEVICES))
            raise ValueError(f"`device` of {OWNER} must be one of {choices}; got {self.device!r}.")
        if self.model_path is not None and not isinstance(self.model_path, str | PathLike):
            raise ValueError(f"`model_path` of {OWNER} must be a path or None; got {self.model_path!r}.")
        find_weights(LIBRARIES[self.library], self.model_path)

    def fit(self, X: pd.DataFrame, y: Index) -> FoundationClassifier:
        """Load the weights, check that the table is within their limits, and keep the rows as context."""
        self.check()
        library = LIBRARIES[self.library]
        model = self._load()
        self.classes_ = np.unique(y)
        check_limits(library, library.limits(model, self.device), *X.shape, len(self.classes_))
        self._context = X, y
        self._model = _fit_quietly(model, X, y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> Floats:
        """Probabilities of the classes, block by block."""
        if self._model is None:  # a copy
            self._model = _fit_quietly(self._load(), *self._context)
        progress, start = current_progress(), perf_counter()
        firsts = range(0, len(X), self.block_rows)
        blocks = [np.empty((0, len(self.classes_)))]
        for done, first in enumerate(firsts):
            progress.detail(word_block(self.library, done, len(firsts), perf_counter() - start))
            rows = take_rows(X, np.arange(first, min(first + self.block_rows, len(X))))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about speed and levels, once per block
                blocks.append(np.asarray(self._model.predict_proba(rows), dtype=float))
        progress.detail("")
        return self._normalize(np.concatenate(blocks))

    def predict(self, X: pd.DataFrame) -> Any:
        """The most likely classes."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _load(self) -> Any:
        """The library's classifier, with weights."""
        library = LIBRARIES[self.library]
        _check_device(self.device)
        path = find_weights(library, self.model_path)
        return load_model(library, path, self.n_estimators, self.device, self.random_state or 0)

    def _normalize(self, proba: Floats) -> Floats:
        """Rows that sum to 1 in double precision; an error where the model gave no number."""
        n_bad = int((~np.isfinite(proba)).any(axis=1).sum())
        if n_bad:
            raise ValueError(
                f"{LIBRARIES[self.library].title} gave NaN for {n_bad} of {len(proba)} rows, so their class is unknown."
                " Scale or clip columns with very large values, or use another teacher."
            )
        return proba / proba.sum(axis=1, keepdims=True)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), **({"_model": None} if hasattr(self, "_model") else {})}


def word_block(library: str, done: int, total: int, seconds: float) -> str:
    """What is predicted now, and the time left as soon as it is known.

    Examples
    --------
    >>> from tabcast.teachers._foundation_classifier import word_block
    >>> word_block("tabpfn", 0, 12, 0.0)
    'tabpfn, block 1 of 12'
    >>> word_block("tabpfn", 2, 12, 30.0)
    'tabpfn, block 3 of 12, 2:30 left'
    """
    text = f"{library}, block {done + 1} of {total}"
    if done == 0:
        return text
    left = round(seconds / done * (total - done))
    return f"{text}, {left // 60}:{left % 60:02d} left"


def _fit_quietly(model: Any, X: pd.DataFrame, y: Index) -> Any:
    """The library's model with its context, without warnings about speed on a CPU and levels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def _check_device(device: str) -> None:
    """Refuse a device that torch does not have here."""
    import torch

    kind = device.split(":")[0]
    if kind != "cpu" and not getattr(torch, kind).is_available():
        raise ValueError(f"`device` of {OWNER} is {device!r}, which torch does not find here; use device='cpu'.")
