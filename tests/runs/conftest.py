"""Runs here have committees with a few trees and comparisons with few splits: what is tested is around them."""

import pytest

from tabcast import GuardedClassifier


@pytest.fixture(scope="module", autouse=True)
def quick(small_committee):
    """For every test of the folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tabcast.guard._guarded_classifier.FEW_LABELS", 0)
        patch.setattr("os.cpu_count", lambda: 1)  # other processes would not know of this
        for name, value in {"n_splits": 3, "n_repeats": 1}.items():
            patch.setitem(GuardedClassifier.__init__.__kwdefaults__, name, value)
        yield
