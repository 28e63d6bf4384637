"""Real tables as folders of Parquet files."""

import numpy as np

from tests.conftest import read_dataset


class Pool:
    """A real table with a few labeled rows; the others can be written as a folder."""

    def __init__(self, name, n_labeled, n_unlabeled, folder):
        X, y = read_dataset(name)
        X = X.reset_index(drop=True)
        rows = np.random.default_rng(0).permutation(len(X))
        labeled, unlabeled = rows[:n_labeled], np.sort(rows[n_labeled : n_labeled + n_unlabeled])
        self.X, self.y = X.iloc[labeled].reset_index(drop=True), np.asarray(y)[labeled]
        self.unlabeled = X.iloc[unlabeled].reset_index(drop=True)
        self.folder = folder

    def write(self, n_parts):
        """A folder with so many files, of different sizes and with different levels."""
        folder = self.folder / f"{n_parts}-parts"
        if not folder.exists():
            folder.mkdir()
            weights = np.cumsum(np.arange(1, n_parts + 1))
            ends = (weights * len(self.unlabeled) // weights[-1]).tolist()
            for number, (first, last) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
                rows = self.unlabeled.iloc[first:last]
                for column in rows.select_dtypes("category"):
                    rows = rows.assign(**{column: rows[column].cat.remove_unused_categories()})
                rows.to_parquet(folder / f"part-{number}.parquet", index=False)
        return folder
