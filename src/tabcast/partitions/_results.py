"""Tables of results, computed a partition at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from tabcast.files import TableFileError
from tabcast.files._atomic import name_unfinished, remove, remove_abandoned


class PartitionedTable:
    """A table whose partitions are computed when they are looked at; nothing is written by itself.

    Parameters
    ----------
    parts : sequence of callable
        Each returns the DataFrame of a partition.

    See Also
    --------
    tabcast.CASTClassifier : Its `pseudo_labels_` is one after a fit on partitions.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.partitions import PartitionedTable
    >>> table = PartitionedTable([lambda: pd.DataFrame({"row": [0, 1]}), lambda: pd.DataFrame({"row": [2]})])
    >>> [len(frame) for frame in table], table.to_pandas()["row"].tolist()
    ([2, 1], [0, 1, 2])
    """

    def __init__(self, parts: Sequence[Callable[[], pd.DataFrame]]) -> None:
        self.parts = parts

    def __len__(self) -> int:
        """Return the number of partitions."""
        return len(self.parts)

    def __iter__(self) -> Iterator[pd.DataFrame]:
        return (part() for part in self.parts)

    def to_pandas(self) -> pd.DataFrame:
        """Compute all partitions, into memory.

        Returns
        -------
        DataFrame
            All rows.
        """
        return pd.concat(list(self), ignore_index=True)

    def to_parquet(self, folder: str | os.PathLike[str]) -> int:
        """Write a Parquet file per partition; the folder is there whole or not at all.

        Parameters
        ----------
        folder : path
            A folder that does not exist yet, or an empty one.

        Returns
        -------
        int
            Number of rows.
        """
        folder, n_rows = Path(folder), 0
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise TableFileError(f"{folder} is there already; name a new folder.")
        remove_abandoned(folder)
        unfinished = name_unfinished(folder)
        try:
            unfinished.mkdir(parents=True)
            for number, frame in enumerate(self):
                frame.to_parquet(unfinished / f"part-{number:05}.parquet", index=False)
                n_rows += len(frame)
            if folder.exists():
                folder.rmdir()
            os.replace(unfinished, folder)
        except BaseException:
            remove(unfinished)
            raise
        return n_rows
