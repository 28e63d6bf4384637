"""Rows worth a label (undecided, typical, diverse), and labels changed by density or alignment."""

import json

import numpy as np
import pandas as pd
import pytest

from tabcast.diagnostics import rows_to_label
from tabcast.diagnostics._rows import choose_apart, margin_uncertainty


def two_clusters(seed=0):
    """Two clusters of 100 rows and 20 scattered ones; what the classifier says is set by the test."""
    random = np.random.default_rng(seed)
    centers = np.repeat([[0.0, 0.0], [8.0, 8.0]], 100, axis=0)
    return np.vstack([centers + random.normal(size=(200, 2)), random.uniform(-30, 30, (20, 2))])


def test_a_sure_row_is_not_worth_it():
    X = two_clusters()
    proba = np.tile([0.99, 0.01], (220, 1))
    proba[40:60] = [0.5, 0.5]
    chosen = rows_to_label(X, proba, ["a", "b"], count=5).rows
    assert set(chosen["row"]) <= set(range(40, 60))


def test_of_equally_undecided_rows_typical_ones_are_chosen():
    chosen = rows_to_label(two_clusters(), np.full((220, 2), 0.5), ["a", "b"], count=6).rows
    assert (chosen["row"] < 200).all()  # none of the scattered ones
    assert (chosen["representativeness"] > 0.4).all()


def test_chosen_rows_come_from_both_clusters():
    chosen = rows_to_label(two_clusters(), np.full((220, 2), 0.5), ["a", "b"], count=4).rows
    assert (chosen["row"] < 100).any()
    assert (chosen["row"] >= 100).any()


def test_copies_of_a_row_are_chosen_once():
    X = np.repeat(np.arange(8.0), 50)[:, None]  # eight places, fifty copies each
    chosen = rows_to_label(X, np.full((400, 2), 0.5), ["a", "b"], count=20).rows
    assert len(chosen) == 8
    assert sorted(X[chosen["row"], 0]) == list(range(8))


def test_scores_fall_and_are_at_most_the_product():
    random = np.random.default_rng(3)
    proba = random.dirichlet([1, 1, 1], 220)
    chosen = rows_to_label(two_clusters(), proba, [10, 20, 30]).rows
    assert len(chosen) == 10
    assert (np.diff(chosen["score"]) <= 1e-12).all()
    assert (chosen["score"] <= chosen["uncertainty"] * chosen["representativeness"] + 1e-12).all()
    assert chosen["uncertainty"].to_numpy() == pytest.approx(margin_uncertainty(proba[chosen["row"]]))


def test_what_is_said_of_a_row():
    proba = np.tile([0.2, 0.35, 0.4, 0.05], (30, 1))
    X = np.random.default_rng(0).normal(size=(30, 2))
    found = rows_to_label(X, proba, np.array(["w", "x", "y", "z"]), rows=np.arange(1000, 1030), count=1)
    row = json.loads(json.dumps(found.to_dict(), allow_nan=False))["rows"][0]
    assert row["row"] >= 1000
    assert row["likely"] == [
        {"label": "y", "probability": 0.4},
        {"label": "x", "probability": 0.35},
        {"label": "w", "probability": 0.2},
    ]
    assert row["why"].startswith("undecided: y 40%, x 35%; more typical than ")


def test_tables_with_levels_and_missing_values():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": np.where(random.random(80) < 0.2, np.nan, random.normal(size=80)),
            "color": random.choice(["red", "blue", None], 80),
        }
    )
    chosen = rows_to_label(frame, random.dirichlet([1, 1], 80), ["no", "yes"]).rows
    assert len(chosen) == 10
    assert chosen["row"].is_unique
    assert chosen["score"].notna().all()


@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_tiny_pools(n_rows):
    X = np.arange(float(n_rows))[:, None]
    chosen = rows_to_label(X, np.full((n_rows, 2), 0.5), ["a", "b"]).rows
    assert chosen["row"].is_unique
    assert len(chosen) <= n_rows


def test_large_pools_are_drawn_from_with_a_seed():
    random = np.random.default_rng(0)
    X, proba = random.normal(size=(6000, 3)), random.dirichlet([1, 1], 6000)
    one, again = (rows_to_label(X, proba, [0, 1], random_state=2).to_dict() for _ in range(2))
    assert one == again
    assert all(row["uncertainty"] > 0.5 for row in one["rows"])


def test_choosing_apart_by_hand():
    places = np.array([[0.0], [0.0], [1.0], [10.0]])
    chosen, scores = choose_apart(np.array([0.9, 0.8, 0.7, 0.1]), places, 1.0, 4)
    assert chosen.tolist() == [0, 2, 3]  # the second is where the first is
    assert scores == pytest.approx([0.9, 0.7 * (1 - np.exp(-1)), 0.1])
