"""Labels given against the classifier."""

import numpy as np
import pandas as pd

from tabcast.diagnostics import flipped_labels


def table(raw, label):
    n = len(raw)
    return pd.DataFrame(
        {
            "row": np.arange(100, 100 + n),
            "label": np.array(label),
            "raw_label": np.array(raw),
            "confidence": np.linspace(0.2, 0.8, n),
            "raw_confidence": np.linspace(0.3, 0.9, n),
            "density": np.where(np.arange(n) % 2, np.nan, 0.5),
            "selected": True,
            "round": 1,
        }
    )


def test_counts_pairs_and_rows():
    found = flipped_labels(table(["a", "a", "b", "c", "a"], ["b", "b", "b", "a", "a"])).to_dict()
    assert (found["n"], found["n_pool"]) == (3, 5)
    assert found["pairs"] == [{"from": "a", "to": "b", "n": 2}, {"from": "c", "to": "a", "n": 1}]
    assert [row["row"] for row in found["rows"]] == [103, 101, 100]  # most confident first
    assert found["rows"][0] == {
        "row": 103,
        "raw_label": "c",
        "label": "a",
        "raw_confidence": np.linspace(0.3, 0.9, 5)[3],
        "confidence": np.linspace(0.2, 0.8, 5)[3],
        "density": None,
    }


def test_nothing_flipped():
    assert flipped_labels(table([1, 0], [1, 0])).to_dict() == {"n": 0, "n_pool": 2, "pairs": [], "rows": []}


def test_all_are_counted_but_a_hundred_shown():
    found = flipped_labels(table([0] * 150, [1] * 150))
    assert found.n == 150
    assert found.pairs["n"].tolist() == [150]
    assert found.rows["row"].tolist() == list(range(249, 149, -1))
