"""Predictions as a table: every row once, in blocks."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from tabcast.decisions import resolve_decision
from tabcast.runs import _predictions as predictions


@pytest.mark.parametrize(
    "rows", [np.arange(40), np.arange(1, 40, 3), np.empty(0, dtype=int)], ids=["all", "some", "none"]
)
def test_blocks_make_no_difference(rows, monkeypatch):
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(40, 2)), columns=["a", "b"])
    names = pd.DataFrame({"name": [f"row {one}" for one in range(40)]})
    model = LogisticRegression().fit(table, np.where(table["a"] > 0, "yes", "no"))
    rule = resolve_decision("accuracy", "test").fit(model.classes_, np.array([0.5, 0.5]))
    whole = predictions.tabulate_predictions(model, rule, table, rows, names)
    sizes, predict_proba = [], model.predict_proba
    monkeypatch.setattr(predictions, "BLOCK", 7)
    model.predict_proba = lambda X: sizes.append(len(X)) or predict_proba(X)
    in_blocks = predictions.tabulate_predictions(model, rule, table, rows, names)
    pd.testing.assert_frame_equal(in_blocks, whole)
    assert in_blocks["name"].tolist() == names["name"][rows].tolist()
    assert max(sizes, default=0) <= 7
    assert sum(sizes) == len(rows)
