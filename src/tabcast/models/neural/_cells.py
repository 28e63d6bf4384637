"""A table as networks take it: cells as tensors, with the encoder that makes them from the user's table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from sklearn.preprocessing import QuantileTransformer
from torch import Tensor

from tabcast.table import MISSING, Columns, Floats, learn_columns

CLIP = 3.0  # scores of numbers beyond are clipped: one outlier must not dominate a network
N_QUANTILES = 1_000
UNKNOWN = 0  # code of a level that the training rows do not have


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows of a table, one cell per row and column.

    Attributes
    ----------
    numbers : Tensor of shape (n_rows, n_numbers)
        Scores of the numeric columns, NaN where missing.
    codes : Tensor of int of shape (n_rows, n_categories)
        Levels of the categorical columns, from 1; 0 for an unknown level. Missing is a level of its own.
    """

    numbers: Tensor
    codes: Tensor

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Tensor | slice) -> Cells:
        """The cells of some rows."""
        return Cells(self.numbers[rows], self.codes[rows])

    def join(self, other: Cells) -> Cells:
        """The cells of these rows, then those of others."""
        return Cells(torch.cat([self.numbers, other.numbers]), torch.cat([self.codes, other.codes]))

    def to(self, device: str) -> Cells:
        """The cells on another device."""
        return Cells(self.numbers.to(device), self.codes.to(device))


@dataclass(frozen=True)
class TableShape:
    """What a network has to know about a table.

    Attributes
    ----------
    n_numbers : int
        Number of numeric columns.
    gaps : tuple of int
        Positions among the numeric columns of those with missing values; only these get an indicator.
    n_levels : tuple of int
        Number of levels of each categorical column, missing included.
    """

    n_numbers: int
    gaps: tuple[int, ...]
    n_levels: tuple[int, ...]

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.n_numbers + len(self.n_levels)


class TableEncoder:
    """Encodes tables by what the training rows hold.

    A number becomes the normal quantile of its rank among the training rows, clipped to [-3, 3]; a column without any
    number is 0. Each level of a categorical column becomes a code. A missing cell is a level if the training rows have
    missing cells there, and unknown otherwise.

    Parameters
    ----------
    X : ndarray or DataFrame
        The training rows.
    categorical_features : array-like of str, int or bool, default=None
        Categorical columns of an array; None infers them from the types.

    Attributes
    ----------
    columns_ : Columns
        The columns of the table.
    quantiles_ : QuantileTransformer or None
        Maps numbers to normal scores; None without numeric columns.
    """

    def __init__(self, X: Any, categorical_features: ArrayLike | None = None) -> None:
        self.columns_: Columns = learn_columns(X, categorical_features)
        self.quantiles_: QuantileTransformer | None = None
        if self.columns_.continuous:
            numbers = self.columns_.encode(X).continuous
            n_quantiles = min(N_QUANTILES, len(numbers))
            scaler = QuantileTransformer(n_quantiles=n_quantiles, output_distribution="normal", random_state=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # columns without a number
                self.quantiles_ = scaler.fit(numbers)

    @property
    def shape(self) -> TableShape:
        """What a network has to know about the table."""
        continuous, categorical = self.columns_.continuous, self.columns_.categorical
        gaps = tuple(j for j, column in enumerate(continuous) if column.has_missing)
        return TableShape(
            len(continuous), gaps, tuple(len(column.levels) + column.has_missing for column in categorical)
        )

    def encode(self, X: Any) -> Cells:
        """Encode a table."""
        table = self.columns_.encode(X)
        codes = np.where(table.codes >= 0, table.codes + 1, UNKNOWN).astype(np.int64)
        for j, column in enumerate(self.columns_.categorical):
            if column.has_missing:
                codes[table.codes[:, j] == MISSING, j] = len(column.levels) + 1
        return Cells(torch.from_numpy(self._scores(table.continuous)), torch.from_numpy(codes))

    def _scores(self, numbers: Floats) -> Any:
        """Normal scores in single precision; missing numbers stay NaN, unless the column has no number at all."""
        if self.quantiles_ is None:
            return np.empty((len(numbers), 0), dtype=np.float32)
        scores = np.clip(self.quantiles_.transform(numbers), -CLIP, CLIP)
        empty = np.isnan(self.quantiles_.quantiles_).all(axis=0)
        scores[:, empty] = np.where(np.isnan(numbers[:, empty]), np.nan, 0.0)
        return scores.astype(np.float32)
