"""The paper's CAST written with the public classes is what the study runs."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tabcast.study.catalog import load_catalog
from tabcast.study.methods import Request
from tabcast.study.models import Model, Space
from tabcast.study.protocol import make_folds
from tabcast.study.records import Setting
from tabcast.study.work import Work
from tabcast.table._types import stack_rows
from tests.conftest import needs
from tests.study.small_study import make_table

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")

PAPER = Path(__file__).parents[2] / "paper"
METHODS = load_catalog().methods


@pytest.fixture(scope="module")
def fit_papers_cast():
    return runpy.run_path(str(PAPER / "recipe.py"))["fit_papers_cast"]


@pytest.fixture(scope="module")
def work():
    """A fold on which alpha and the columns make a difference, and what the study computes of it."""
    [fold, *_] = make_folds(make_table(240, 3, "balanced_accuracy", noise=1.8, seed=10), Setting("made up", 0.2))
    return Work(fold, 0)


@needs("xgboost")
@pytest.mark.parametrize(
    ("method", "density", "strategy"),
    [("cast-l", "likelihood", "curriculum"), pytest.param("cast-d", "kernel", "threshold", marks=pytest.mark.slow)],
)
def test_it_equals_the_trial_of_the_study(fit_papers_cast, work, method, density, strategy):
    fold = work.fold
    model = Model("given", "Given", lambda params, seed: GaussianNB(), {"none": Space({})})
    answer = METHODS[method].run(work, Request(model, {}, 0, strategy, "none"))
    y = np.concatenate([fold.y_labeled, np.full(len(fold.y_pool), -1)])
    public = fit_papers_cast(
        GaussianNB(),
        stack_rows(fold.X_labeled, fold.X_pool),
        y,
        (fold.X_validation, fold.y_validation),
        density=density,
        strategy=strategy,
        scoring=fold.metric,
        categorical_features=fold.categorical,
    )
    np.testing.assert_array_equal(answer.proba, public.predict_proba(fold.X_test))
    assert answer.facts["alpha"] == public.parts_.confidence.alpha
    assert answer.facts["best_round"] == public.best_round_ > 0
