"""Class proportions with their uncertainty."""

import numpy as np
import pytest

from tabcast.diagnostics import class_prior
from tabcast.statistics import wilson_interval


def test_proportions_have_wilson_intervals():
    found = class_prior(np.repeat([0, 2], [37, 3]), ["a", "b", "c"])
    assert found.classes["n"].tolist() == [37, 0, 3]
    assert found.classes["proportion"].tolist() == [0.925, 0.0, 0.075]
    low, high = wilson_interval(np.array([0.925, 0.0, 0.075]), np.array([40, 40, 40]))
    assert found.classes["low"].tolist() == pytest.approx(low)
    assert found.classes["high"].tolist() == pytest.approx(high)
    assert found.classes["high"][1] > 0.05  # none of 40 is no proof of none at all
    assert found.n_rows == 40
