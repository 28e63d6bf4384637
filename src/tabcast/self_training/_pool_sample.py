"""Some of the unlabeled rows: a seeded sample that is compared or chosen with, and the positions of its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from sklearn.utils import _safe_indexing

from tabcast.self_training._data import Split, TrainingData
from tabcast.table import Index, Labels, take_rows


@dataclass(frozen=True, eq=False)
class PoolSample:
    """All labeled rows and some of the unlabeled ones.

    Attributes
    ----------
    data : TrainingData
        These rows, numbered anew; the whole data where the sample has every unlabeled row.
    rows : ndarray of int or None, default=None
        Position in the whole data of each of them, in ascending order; None where the sample has every row.

    See Also
    --------
    draw_pool : Draws the unlabeled rows.
    """

    data: TrainingData
    rows: Index | None = None

    def inside(self, positions: Index) -> Index:
        """Find rows in the sample.

        Parameters
        ----------
        positions : ndarray of int
            Positions in the whole data.

        Returns
        -------
        ndarray of int
            Positions in the sample.
        """
        return positions if self.rows is None else np.searchsorted(self.rows, positions)

    def outside(self, positions: Index) -> Index:
        """Find rows of the sample in the whole data.

        Parameters
        ----------
        positions : ndarray of int
            Positions in the sample.

        Returns
        -------
        ndarray of int
            Positions in the whole data.
        """
        return positions if self.rows is None else self.rows[positions]

    def split_outside(self, split: Split) -> Split:
        """Number the rows of a split as in the whole data.

        Parameters
        ----------
        split : Split
            A split of the sample.

        Returns
        -------
        Split
            The same rows.
        """
        return replace(split, train=self.outside(split.train), held_out_rows=self.outside(split.held_out_rows))


def draw_pool(pool: Index, n_rows: int | None, seed: int) -> Index:
    """Draw unlabeled rows at random; a larger sample with the same seed has every row of a smaller one.

    Parameters
    ----------
    pool : ndarray of int
        Positions of the unlabeled rows.
    n_rows : int or None
        How many. None: all.
    seed : int
        Seed of the order in which rows are drawn.

    Returns
    -------
    ndarray of int
        Positions of the drawn rows in ascending order; `pool` itself where it has no more rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.self_training import draw_pool
    >>> set(draw_pool(np.arange(10), 3, seed=0)) <= set(draw_pool(np.arange(10), 5, seed=0))
    True
    """
    if n_rows is None or len(pool) <= n_rows:
        return pool
    return np.sort(np.random.default_rng(seed).permutation(pool)[:n_rows])


def take_pool(data: TrainingData, pool: Index) -> PoolSample:
    """Take the labeled rows and some of the unlabeled ones.

    Parameters
    ----------
    data : TrainingData
        All rows.
    pool : ndarray of int
        Positions of the unlabeled rows to take, in ascending order.

    Returns
    -------
    PoolSample
        The rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.self_training import TrainingData, take_pool
    >>> from tabcast.table import read_labels
    >>> labels = read_labels([0, 1, -1, -1, -1], "auto")
    >>> data = TrainingData(np.zeros((5, 1)), labels, np.array([0, 1]), np.array([2, 3, 4]))
    >>> take_pool(data, np.array([3])).rows
    array([0, 1, 3])
    """
    if len(pool) == len(data.pool):
        return PoolSample(data)
    rows = np.sort(np.concatenate([data.labeled, pool]))
    part = replace(
        data,
        X=take_rows(data.X, rows),
        labels=Labels(data.labels.classes, data.labels.codes[rows], data.labels.marker),
        labeled=np.searchsorted(rows, data.labeled),
        pool=np.searchsorted(rows, pool),
        sample_weight=None if data.sample_weight is None else data.sample_weight[rows],
        row_params={name: _safe_indexing(values, rows) for name, values in data.row_params.items()},
    )
    return PoolSample(part, rows)
