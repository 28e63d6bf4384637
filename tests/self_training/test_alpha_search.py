"""The search for alpha: which one is chosen, and how many are tried."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit

from tabcast import CASTClassifier
from tabcast.pseudo_labels import Strategy, TopK
from tabcast.self_training._method import MAX_FITS
from tabcast.validation import CrossValidation
from tests.self_training.sample import NearestMean, draw

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")

N_LABELED = 12
GRID = [0, *np.linspace(0.2, 0.75, 8).round(6)]
Scores = dict[tuple[float, int], tuple[float, ...]]


class Certain(NearestMean):
    """Predicts with probability 1 and remembers the number of pseudo-labels that it was trained on."""

    def fit(self, X, y, sample_weight=None):
        self.n_pseudo_labels_ = int((X[:, 0] >= N_LABELED).sum())
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X):
        return np.eye(2)[super().predict_proba(X).argmax(axis=1)]


class RevealAlpha(Strategy):
    """Selects 100 * alpha + round rows, so that the size of a training set tells both.

    Raw confidences are 1 and the pool belongs to one class: the row of the lowest density has confidence 1 - alpha.
    """

    n_rounds = 2

    def select(self, confidence, round_number):
        alpha = 1 - confidence.max(axis=1).min()
        return np.arange(len(confidence)) < round(100 * alpha) + round_number


def search(scores: Scores, **settings: Any) -> CASTClassifier:
    """A search in which an alpha and round have the given scores, one per fold; by default 0."""

    def score(model, X, y):
        percent, round_number = model.n_pseudo_labels_ // 10 * 10, model.n_pseudo_labels_ % 10
        by_fold = scores.get((percent / 100, round_number), (0.0, 0.0, 0.0))
        return by_fold[int(X[0, 0]) % len(by_fold)]

    values = [*np.linspace(-1.2, -0.8, 6), *np.linspace(0.8, 1.2, 6), *np.linspace(0.5, 2, 120)]
    X, y = np.column_stack([np.arange(len(values)), values]), np.repeat([0, 1, -1], [6, 6, 120])
    settings = {"alpha": sorted({alpha for alpha, _ in scores}), **settings}
    settings = {"validation": PredefinedSplit(np.arange(N_LABELED) % 3), **settings}
    return CASTClassifier(Certain(), strategy=RevealAlpha(), scoring=score, random_state=0, **settings).fit(X, y)


def test_smallest_alpha_within_one_standard_error():
    # Paired differences to the best: 0.03 +- 0.015 and 0.01 +- 0.01.
    far, near, best = {(0.0, 1): (0.87, 0.92, 0.88)}, {(0.4, 1): (0.90, 0.92, 0.91)}, {(0.7, 1): (0.90, 0.92, 0.94)}
    model = search({**far, **near, **best}, max_rounds=1)
    assert model.alpha_ == 0.4
    np.testing.assert_allclose(model.alpha_scores_["score"], [0.89, 0.91, 0.92])
    assert search({**far, **best}, max_rounds=1).alpha_ == 0.7


def test_differences_are_paired():
    """Scores vary more between splits than between alphas, but one alpha is better on each split."""
    model = search({(0.0, 1): (0.48, 0.69, 0.88), (0.5, 1): (0.50, 0.70, 0.90)}, max_rounds=1)
    assert model.alpha_ == 0.5
    assert (model.alpha_scores_["score_std_error"] > 0.1).all()


def test_one_split_has_no_standard_error():
    settings = {"validation": 0.3, "max_rounds": 1}
    assert search({(0.0, 1): (0.80,), (0.5, 1): (0.81,)}, **settings).alpha_ == 0.5
    assert search({(0.0, 1): (0.7,), (0.2, 1): (0.8,), (0.5, 1): (0.8,)}, **settings).alpha_ == 0.2


def test_alphas_are_compared_by_their_best_rounds():
    early, late = {(0.0, 1): (0.6, 0.6, 0.6), (0.0, 2): (0.2, 0.2, 0.2)}, {(0.5, 1): (0.5, 0.5, 0.5)}
    model = search({**early, **late, (0.5, 2): (0.9, 0.9, 0.9)})
    assert (model.alpha_, model.best_round_) == (0.5, 2)
    assert model.alpha_scores_["best_round"].tolist() == [1, 2]


def test_rounding_of_a_mean_makes_no_round_better():
    """The same scores on different splits are no improvement, in whichever order they are added."""
    scores = {(0.0, 0): (0.3, 0.2, 0.1), (0.0, 1): (0.1, 0.2, 0.3)}
    assert np.mean(scores[0.0, 1]) > np.mean(scores[0.0, 0])
    assert search(scores).best_round_ == 0


SPLITS = {  # validation, splits, rounds, and whether all labeled rows are trained on in the end
    "default": ("cv", 6, 5, True),
    "hold-out": (0.3, 1, 5, False),
    "three folds, two rounds": (CrossValidation(3, n_repeats=1), 3, 2, True),
}


@pytest.mark.parametrize("name", SPLITS)
def test_as_many_alphas_as_the_fits_allow(name):
    validation, n_splits, n_rounds, refits = SPLITS[name]
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), validation=validation, max_rounds=n_rounds, random_state=0).fit(X, y)
    alphas = model.alpha_scores_["alpha"].tolist()

    def most_fits(n_alphas):
        return n_splits * (1 + n_alphas * n_rounds) + refits * (1 + n_rounds)

    assert model.n_rounds_ == n_rounds  # a schedule is not cut
    assert model.n_fits_ <= most_fits(len(alphas)) <= MAX_FITS
    assert alphas == GRID or most_fits(len(alphas) + 1) > MAX_FITS
    assert alphas == sorted(set(alphas))
    assert set(alphas) <= set(GRID)
    assert (alphas[0], alphas[-1]) == (0.0, 0.75)


def test_without_a_schedule_rounds_are_given_up_for_three_alphas():
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), strategy=TopK(5), random_state=0).fit(X, y)
    assert len(model.alpha_scores_) == 3
    assert model.n_rounds_ <= 5
