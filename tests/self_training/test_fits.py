"""Number of fits: no training set is fitted twice, and no more fits than allowed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.pseudo_labels import FixedThreshold, TakeAll, TopK
from tabcast.self_training._method import ALPHA_GRID
from tabcast.validation import CrossValidation, Holdout
from tests.self_training.sample import NearestMean, draw, validation_rows

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")

MODELS = {
    "curriculum": SelfTrainingClassifier(NearestMean()),
    "threshold, labels kept": SelfTrainingClassifier(
        NearestMean(), strategy=FixedThreshold(0.8), relabel=False, patience=4
    ),
    "top k": SelfTrainingClassifier(NearestMean(), strategy=TopK(7), patience=9),
    "all": SelfTrainingClassifier(NearestMean(), strategy=TakeAll(), patience=9),
    "hold-out": SelfTrainingClassifier(NearestMean(), validation=0.3),
    "unvalidated": SelfTrainingClassifier(NearestMean(), validation=None, strategy=FixedThreshold(0.7)),
    "search": CASTClassifier(NearestMean()),
    "long search": CASTClassifier(NearestMean(), density="kernel", alpha=ALPHA_GRID, validation=CrossValidation(2)),
    "search, hold-out": CASTClassifier(NearestMean(), alpha=ALPHA_GRID, validation=Holdout(0.3)),
    "search, all": CASTClassifier(NearestMean(), strategy="all", alpha=[0, 0.1, 0.5, 1]),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(3))
def test_no_training_set_is_fitted_twice(name, seed):
    X, y, _ = draw(seed)
    model = MODELS[name].set_params(random_state=seed).fit(X, y)
    assert model.n_fits_ == len(NearestMean.fits)
    assert max(Counter(NearestMean.fits).values()) == 1


@pytest.mark.parametrize("name", ["curriculum", "search", "search, all"])
def test_no_training_set_is_fitted_twice_with_validation_data(name):
    X, y, _ = draw()
    model = MODELS[name].set_params(random_state=0).fit(X, y, validation_data=validation_rows())
    assert model.n_fits_ == len(NearestMean.fits) == len(set(NearestMean.fits))


@pytest.mark.parametrize("seed", range(4))
def test_equal_splits_of_few_rows_are_fitted_once(seed):
    """Four labeled rows can be split into halves in two ways only, so repeats often agree."""
    X, truth = draw(0)[0], draw(0)[2]
    y = np.full(len(truth), -1)
    for one in (0, 1):
        y[np.flatnonzero(truth == one)[:2]] = one
    SelfTrainingClassifier(NearestMean(), validation=CrossValidation(2, n_repeats=3), random_state=seed).fit(X, y)
    assert max(Counter(NearestMean.fits).values()) == 1


def test_supervised_model_is_shared_by_all_alphas():
    X, y, _ = draw()
    labeled = tuple(np.flatnonzero(y != -1).tolist())
    model = CASTClassifier(NearestMean(), alpha=[0, 0.2, 0.4, 0.6, 0.8, 1], random_state=0)
    model.fit(X, y, validation_data=validation_rows())
    assert [one.ids for one in NearestMean.fits].count(labeled) == 1
    assert model.n_fits_ <= 1 + 6 * 5


def test_alphas_that_select_the_same_rows_cost_no_fit():
    X, y, _ = draw()
    one = CASTClassifier(NearestMean(), density="uniform", alpha=0.5, random_state=0).fit(X, y)
    many = CASTClassifier(NearestMean(), density="uniform", alpha=ALPHA_GRID, random_state=0).fit(X, y)
    assert len(many.alpha_scores_) == 9
    assert many.alpha_scores_["score"].nunique() == 1
    # Rounding may separate confidences that are equal in exact arithmetic.
    assert many.n_fits_ <= one.n_fits_ + 7


def test_default_search_spends_at_most_120_fits():
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), random_state=0).fit(X, y)
    assert len(NearestMean.fits) == model.n_fits_ <= 120
    assert model.alpha_scores_["alpha"].iloc[0] == 0
    assert len(model.alpha_scores_) >= 3


def test_whole_grid_on_request():
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), alpha=ALPHA_GRID, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.alpha_scores_["alpha"], [0, *np.linspace(0.2, 0.75, 8)], atol=1e-6)
    assert model.n_fits_ > 120


@pytest.mark.parametrize("strategy", ["curriculum", "threshold", "top_k", "all"])
def test_search_with_any_strategy_tries_density(strategy):
    """A search that can afford only alpha 0 would be self-training without CAST."""
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), strategy=strategy, random_state=0).fit(X, y)
    assert model.n_fits_ <= 120
    assert model.alpha_scores_["alpha"].max() > 0


def test_search_without_held_out_rows_is_refused():
    X, y, _ = draw()
    with pytest.raises(ValueError, match="alpha"):
        CASTClassifier(NearestMean(), validation=None).fit(X, y)
    assert not NearestMean.fits


def test_n_fits_is_bounded_as_documented():
    X, y, _ = draw()
    model = SelfTrainingClassifier(NearestMean(), random_state=0).fit(X, y)
    assert model.n_fits_ <= (6 + 1) * (1 + model.n_rounds_)
    assert SelfTrainingClassifier(NearestMean(), validation=0.3).fit(X, y).n_fits_ <= 6
