"""Calibrators get the held-out rows of their round."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tabcast import SelfTrainingClassifier
from tabcast.confidence import Chain, ClusterAware
from tabcast.density import EmpiricalLikelihood
from tests.self_training.sample import Diary, NearestMean, draw, validation_rows

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")


class Numbered(NearestMean):
    """Certain about training rows; other probabilities encode the row number and the number of training rows."""

    def fit(self, X, y, sample_weight=None):
        self.known_ = set(np.asarray(X)[:, 0].astype(int).tolist())
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X):
        likely = super().predict_proba(X).argmax(axis=1)
        ids = np.asarray(X)[:, 0].astype(int)
        sure = np.where([i in self.known_ for i in ids], 1.0, 0.6 + ids * 1e-5 + len(self.known_) * 1e-9)
        proba = np.column_stack([1 - sure, 1 - sure])
        proba[np.arange(len(ids)), likely] = sure
        return proba


def read_numbers(proba: np.ndarray) -> tuple[list[int], list[int]]:
    """For each row its number, and the number of rows that the classifier was trained on."""
    assert proba.max() < 1  # none of them is a training row
    digits = np.round((proba.max(axis=1) - 0.6) * 1e9).astype(int)
    return (digits // 10_000).tolist(), (digits % 10_000).tolist()


@pytest.mark.parametrize("best_round", [0, 5])
@pytest.mark.parametrize("mode", ["cv", "hold-out", "validation data"])
def test_calibration_sees_held_out_rows_of_its_round(mode, best_round):
    X, y, _ = draw()
    held_out = validation_rows()
    truth = dict(enumerate(y.tolist())) | dict(zip(held_out[0][:, 0].astype(int), held_out[1], strict=True))
    labeled = set(np.flatnonzero(y != -1).tolist())
    model = SelfTrainingClassifier(
        Numbered(),
        confidence=Diary(),
        validation={"hold-out": 0.3}.get(mode, "cv"),
        scoring=lambda model, X, y: len(model.known_) * (1 if best_round else -1),
        random_state=0,
    ).fit(X, y, validation_data=held_out if mode == "validation data" else None)
    assert model.best_round_ == best_round

    kinds = [kind for kind, _ in Diary.events]
    assert kinds == ["calibrate", "adjust"] * (len(kinds) // 2)  # in each round, before it is used
    shown = [proba_and_y for kind, proba_and_y in Diary.events if kind == "calibrate"]
    for proba, codes in shown:
        assert [truth[i] for i in read_numbers(proba)[0]] == codes.tolist()

    n_runs = 6 if mode == "cv" else 1
    sizes: dict[frozenset[int], list[int]] = {}  # held-out rows of a split: number of training rows per round
    for proba, _ in shown[: 5 * n_runs]:
        ids, [n_train, *others] = read_numbers(proba)
        assert set(others) <= {n_train}
        sizes.setdefault(frozenset(ids), []).append(n_train)
    if mode == "validation data":
        assert set(sizes) == {frozenset(held_out[0][:, 0].astype(int).tolist())}
    else:
        splits = [one.ids for one in NearestMean.fits if set(one.ids) <= labeled][:n_runs]
        assert set(sizes) == {frozenset(labeled - set(split)) for split in splits}
    for own in sizes.values():
        assert own == sorted(set(own))  # one classifier per round, each trained on more rows
        assert len(own) == 5

    again = shown[5 * n_runs :]
    if mode == "cv":  # the final run uses the held-out rows of all splits, of the same round
        assert len(again) == max(best_round, 1)
        for round_number, (proba, _) in enumerate(again):
            ids, n_train = read_numbers(proba)
            assert Counter(ids) == dict.fromkeys(labeled, 2)
            assert set(n_train) == {own[round_number] for own in sizes.values()}
    else:  # where round 0 wins, pseudo_labels_ shows the proposal for round 1
        assert len(again) == (best_round == 0)


@pytest.mark.parametrize("confidence", [Diary(), Chain([Diary(), ClusterAware(EmpiricalLikelihood())])])
def test_calibration_without_held_out_rows_is_refused(confidence):
    X, y, _ = draw()
    with pytest.raises(ValueError, match=r"has to be calibrated on held-out rows, but validation=None holds out none"):
        SelfTrainingClassifier(NearestMean(), confidence=confidence, validation=None).fit(X, y)
    assert not NearestMean.fits
    SelfTrainingClassifier(NearestMean(), confidence=confidence, validation=None).fit(
        X, y, validation_data=validation_rows()
    )
    assert Diary.events
