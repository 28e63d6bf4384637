"""Class shares round by round."""

import numpy as np

from tabcast.diagnostics import class_mix


def test_shares_of_each_round_and_of_the_labeled_rows():
    mix = class_mix(np.array([[0, 0, 0], [5.5, 4.5, 0], [10, 10, 20]]), np.array([0, 0, 1, 2]), ["a", "b", "c"])
    assert mix.to_dict() == {
        "classes": ["a", "b", "c"],
        "labeled": [0.5, 0.25, 0.25],
        "rounds": [
            {"round": 1, "n": 10.0, "shares": [0.55, 0.45, 0.0]},
            {"round": 2, "n": 40.0, "shares": [0.25, 0.25, 0.5]},
        ],
    }


def test_a_round_that_uses_no_row_has_no_shares():
    mix = class_mix([[0, 0], [0, 0]], np.array([0, 1]), [False, True])
    assert mix.to_dict()["rounds"] == [{"round": 1, "n": 0.0, "shares": [None, None]}]
    assert mix.to_dict()["classes"] == [False, True]


def test_no_round_at_all():
    assert class_mix([[0, 0]], np.array([0, 1]), [0, 1]).to_dict()["rounds"] == []
