"""Each test starts with empty recorders."""

import pytest

from tests.self_training.sample import Diary, NearestMean


@pytest.fixture(autouse=True)
def _forget():
    for recorder in (NearestMean.fits, Diary.events, Diary.prepared_on):
        recorder.clear()
