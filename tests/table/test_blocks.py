"""Large tables block by block: the same result as in one piece."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tabcast.table import _blocks, map_rows, row_blocks, slice_rows


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(_blocks, "MANY_ROWS", 10)
    monkeypatch.setattr(_blocks, "ROWS_AT_A_TIME", 4)


def test_blocks_hold_every_row_once(few):
    for n_rows in (0, 1, 10, 11, 12, 13):
        rows = [row for block in row_blocks(n_rows) for row in range(n_rows)[block]]
        assert rows == list(range(n_rows))
    assert [block.stop - block.start for block in row_blocks(11)] == [4, 4, 3]
    assert list(row_blocks(10)) == [slice(0, 10)]


@pytest.mark.parametrize("n_rows", [1, 10, 11, 17])
@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, pl.DataFrame, list])
def test_result_is_that_of_one_piece(few, kind, n_rows):
    values = np.random.default_rng(0).normal(size=(n_rows, 3))
    sizes = []

    def total(X, sign):
        sizes.append(len(X))
        return np.asarray(X).sum(axis=1) * sign

    result = map_rows(total, kind(values), np.arange(n_rows))
    np.testing.assert_array_equal(result, values.sum(axis=1) * np.arange(n_rows))
    assert max(sizes) == (n_rows if n_rows <= 10 else 4)


def test_slices_of_arrays_are_views():
    values = np.arange(6).reshape(3, 2)
    assert np.shares_memory(slice_rows(values, slice(1, 3)), values)
