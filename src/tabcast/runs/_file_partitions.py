"""Files of a folder as partitions: read as every table file is, and converted as the training table was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files import Notation, Understanding, open_table_file
from tabcast.files._delimited import DelimitedTable
from tabcast.partitions import Partition
from tabcast.partitions._partition import BATCH, reading
from tabcast.partitions._sources import list_files

SETTLE_ROWS = 10_000  # at a time while the notation is settled


@dataclass(frozen=True)
class FilePartition(Partition):
    """A table file of any format, with values as `read_table_file` reads them.

    Attributes
    ----------
    where : str
        Path of the file.
    """

    where: str

    @property
    def names(self) -> list[str]:
        """The columns."""
        with reading(self.where):
            return open_table_file(self.where).names

    def count_rows(self) -> int:
        """Read the first column."""
        with reading(self.where):
            file = open_table_file(self.where)
            return sum(len(frame) for frame, _ in file.batches(BATCH, file.names[:1]))

    def kinds(self) -> Mapping[Any, str | None]:
        """The columns; what they hold is understood later."""
        return dict.fromkeys(self.names)

    def read(self, columns: Sequence[Any]) -> Iterator[pd.DataFrame]:
        """Batches of the file."""
        with reading(self.where):
            for frame, _ in open_table_file(self.where).batches(BATCH, list(columns)):
                if len(frame):
                    yield frame


@dataclass(frozen=True, eq=False)
class FeaturePartition(Partition):
    """The features of some rows of a file.

    Attributes
    ----------
    file : FilePartition
        The file.
    understanding : Understanding
        How the training table was interpreted.
    rows : ndarray of int or None
        Positions of the rows in the file, in increasing order. None: all.
    """

    file: FilePartition
    understanding: Understanding
    rows: NDArray[Any] | None = None

    @property
    def where(self) -> str:  # type: ignore[override]
        """The file."""
        return self.file.where

    def count_rows(self) -> int:
        """The rows, without reading them where positions are known."""
        return self.file.count_rows() if self.rows is None else len(self.rows)

    def kinds(self) -> Mapping[Any, str | None]:
        """The features; a file that lacks a column is refused."""
        with reading(self.where):
            self.understanding.check_columns(self.file.names)
        return dict.fromkeys(self.understanding.output_names)

    def read(self, columns: Sequence[Any]) -> Iterator[pd.DataFrame]:
        """Features, in batches."""
        for _, _, features in self.read_beside(()):
            if len(features):
                yield features[list(columns)]

    def read_beside(self, kept: Sequence[str]) -> Iterator[tuple[NDArray[Any], pd.DataFrame, pd.DataFrame]]:
        """Positions of rows, columns that are passed through, and features, in batches.

        Parameters
        ----------
        kept : sequence of str
            The columns to pass through.

        Yields
        ------
        tuple
            Positions in the file, columns as they are, features.
        """
        with reading(self.where):
            file, first, names = open_table_file(self.where), 0, self.understanding.feature_names
            notation = self._settle(file)
            for frame, passed in file.batches(BATCH, names, list(kept)):
                positions = np.arange(first, first + len(frame))
                if self.rows is not None:
                    positions = self.rows[slice(*np.searchsorted(self.rows, [first, first + len(frame)]))]
                inside, first = positions - first, first + len(frame)
                features = self.understanding.convert(frame.iloc[inside], notation).features
                beside = passed.iloc[inside] if kept else pd.DataFrame(index=range(len(inside)))
                yield positions, beside.reset_index(drop=True), features.reset_index(drop=True)

    def _settle(self, file: Any) -> Notation:
        """How the file writes numbers and dates; only text files have a notation of their own."""
        names = self.understanding.text_columns
        if not names or not isinstance(file, DelimitedTable):
            return Notation({})
        return self.understanding.settle_notation(batch for batch, _ in file.batches(SETTLE_ROWS, names))


def open_files(source: str | PathLike[str]) -> list[FilePartition]:
    """The table files of a folder or a pattern.

    Parameters
    ----------
    source : path
        The folder.

    Returns
    -------
    list of FilePartition
        One per file, by name.
    """
    return [FilePartition(str(path)) for path in list_files(str(source))]
