"""Columns as bytes: bins of numbers, merged levels, missing and unseen cells."""

import numpy as np
import pandas as pd
import pytest

from tabcast.partitions import CutColumns
from tabcast.partitions._cuts import NO_VALUE, cut, find_edges


def cut_slowly(value, edges):
    """A reference."""
    return NO_VALUE if np.isnan(value) else sum(edge < value for edge in edges)


@pytest.mark.parametrize("most", [2, 16, 255])
def test_a_value_is_in_the_bin_between_its_edges(most):
    values = np.append(np.random.default_rng(0).normal(size=2_000), [np.nan, 7.0, 7.0])
    edges = find_edges(values, most)
    codes = cut(values, edges)
    assert codes.tolist() == [cut_slowly(value, edges) for value in values]
    assert len(edges) < most
    assert (np.diff(edges) > 0).all()
    counts = np.bincount(codes[codes != NO_VALUE])
    assert counts.max() <= 3 * 2_000 / most + 2  # bins hold about equally many


def test_few_values_have_a_code_each():
    values = np.array([3.0, 1.0, 2.0, 1.0, np.nan, np.nextafter(3.0, 4.0)])
    assert cut(values, find_edges(values, 255)).tolist() == [2, 0, 1, 0, NO_VALUE, 3]


@pytest.mark.parametrize("values", [[np.nan, np.nan], [5.0, 5.0], [-1e308, 1e308]])
def test_odd_columns_have_codes(values):
    values = np.array(values)
    assert len(set(cut(values, find_edges(values, 255)).tolist())) == len(set(values[~np.isnan(values)])) or 1


def test_levels_of_other_partitions_count_and_their_order_does_not_matter():
    sample = pd.DataFrame(
        {"city": ["Ulm", None, "Kiel"], "on": [True, False, True], "when": pd.to_datetime(["2020"] * 3)}
    )
    first = CutColumns().fit(sample, levels={"city": ["Rom", "Ulm"]})
    second = CutColumns().fit(sample.iloc[::-1], levels={"city": ["Ulm", "Rom", "Kiel"]})
    rows = pd.DataFrame({"city": ["Kiel", "Rom", "Ulm", "Oslo", None]})
    rows = rows.assign(on=[True, False, True, True, True], when=pd.to_datetime(["2020"] * 4 + [None]))
    codes = first.transform(rows)
    assert np.array_equal(codes, second.transform(rows))
    assert codes.tolist() == [[0, 1, 0], [1, 0, 0], [2, 1, 0], [255, 1, 0], [255, 1, 255]]
    assert first.feature_types == ["c", "c", "q"]


def test_the_rarest_of_too_many_levels_are_missing():
    names = [f"level {number:03}" for number in range(300)]
    frame = pd.DataFrame({"name": names + names[45:]})
    codes = CutColumns().fit(frame).transform(frame)[:300, 0]
    assert (codes[:45] == NO_VALUE).all()
    assert codes[45:].tolist() == list(range(255))
