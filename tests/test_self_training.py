"""What a user of the loop relies on: what is fitted, how often, on which rows, and what is told about it."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification, make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.cast_classifier import ALPHA_GRID, count_fits, plan_search, thin_grid
from tabcast.confidence import Chain, ClusterAware, Confidence
from tabcast.density import EmpiricalLikelihood
from tabcast.exceptions import NoUnlabeledRowsWarning
from tabcast.feature_selection import FeatureSelection
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Curriculum, FixedThreshold, TakeAll, TopK, Weighting
from tabcast.search import Candidate, Run, choose_candidate, standard_error
from tabcast.training import Fitted, PseudoLabels, Split
from tabcast.validation import CrossValidation, Holdout

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")


class Training(NamedTuple):
    """What `fit` of the base estimator got; `ids` are the rows, by position in X."""

    ids: tuple[int, ...]
    y: tuple[Any, ...]
    weights: tuple[float, ...] | None
    tags: Any
    option: Any


class NearestMean(ClassifierMixin, BaseEstimator):
    """A cheap classifier that remembers every training set. The first column of X is the row's number."""

    fits: ClassVar[list[Training]] = []

    def fit(self, X, y, sample_weight=None, tags=None, option=None):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        weights = None if sample_weight is None else tuple(np.asarray(sample_weight).tolist())
        self.fits.append(Training(tuple(X[:, 0].astype(int).tolist()), tuple(y.tolist()), weights, tags, option))
        self.classes_ = np.unique(y)
        counted = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        members = [y == one for one in self.classes_]
        self.means_ = np.array([np.average(X[mask, 1:], axis=0, weights=counted[mask]) for mask in members])
        return self

    def predict_proba(self, X):
        X = np.asarray(X, dtype=float)[:, 1:]
        likely = np.exp(-((X[:, None, :] - self.means_) ** 2).sum(axis=2))
        return likely / likely.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.fixture(autouse=True)
def _forget():
    for recorder in (NearestMean.fits, RefuseClass.fitted_on, FirstColumns.fitted_on, Diary.events, Diary.prepared_on):
        recorder.clear()


def draw(seed: int = 0, n_rows: int = 90, n_classes: int = 2, n_labeled: int = 30) -> tuple[Any, Any, Any]:
    """Rows with their number in front, markers scattered over y, and the truth."""
    X, truth = make_classification(
        n_rows, 4, n_informative=3, n_redundant=0, n_classes=n_classes, n_clusters_per_class=1, random_state=seed
    )
    known = np.random.default_rng(seed).permutation(n_rows)[:n_labeled]
    y = np.full(n_rows, -1)
    y[known] = truth[known]
    return np.column_stack([np.arange(n_rows), X]), y, truth


def judges(seed: int = 0, n_rows: int = 40) -> tuple[Any, Any]:
    """Rows to judge by, numbered from 1000."""
    X, _, truth = draw(seed, 90 + n_rows)
    X[:, 0] += 1000
    return X[90:], truth[90:]


# --- What is fitted, and how often ---------------------------------------------------------------------------------

MODELS = {
    "curriculum": SelfTrainingClassifier(NearestMean()),
    "threshold, row keeps its label": SelfTrainingClassifier(
        NearestMean(), strategy=FixedThreshold(0.8), relabel=False, patience=4
    ),
    "top k": SelfTrainingClassifier(NearestMean(), strategy=TopK(7), patience=9),
    "all": SelfTrainingClassifier(NearestMean(), strategy=TakeAll(), patience=9),
    "hold-out": SelfTrainingClassifier(NearestMean(), validation=0.3),
    "unvalidated": SelfTrainingClassifier(NearestMean(), validation=None, strategy=FixedThreshold(0.7)),
    "search": CASTClassifier(NearestMean()),
    "long search": CASTClassifier(NearestMean(), density="kernel", max_fits=None, validation=CrossValidation(2)),
    "search, hold-out": CASTClassifier(NearestMean(), max_fits=None, validation=Holdout(0.3)),
    "search, all": CASTClassifier(NearestMean(), strategy="all", alpha=[0, 0.1, 0.5, 1], patience=9),
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
    model = MODELS[name].set_params(random_state=0).fit(X, y, validation_data=judges())
    assert model.n_fits_ == len(NearestMean.fits) == len(set(NearestMean.fits))


@pytest.mark.parametrize("seed", range(4))
def test_equal_splits_of_few_rows_are_fitted_once(seed):
    """Four labeled rows can be halved in two ways only, so two repeats often agree."""
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
    model.fit(X, y, validation_data=judges())
    assert [one.ids for one in NearestMean.fits].count(labeled) == 1
    assert model.n_fits_ <= 1 + 6 * 5


def test_alphas_that_choose_the_same_rows_cost_nothing():
    X, y, _ = draw()
    one = CASTClassifier(NearestMean(), density="uniform", alpha=0.5, random_state=0).fit(X, y)
    many = CASTClassifier(NearestMean(), density="uniform", max_fits=None, random_state=0).fit(X, y)
    assert len(many.alpha_scores_) == len(ALPHA_GRID)
    assert many.alpha_scores_["score"].nunique() == 1
    # Multiplying and adding may round confidences that are equal in exact arithmetic apart.
    assert many.n_fits_ <= one.n_fits_ + 7


def test_default_search_spends_at_most_120_fits():
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), random_state=0).fit(X, y)
    assert len(NearestMean.fits) == model.n_fits_ <= 120
    assert model.alpha_scores_["alpha"].iloc[0] == 0
    assert len(model.alpha_scores_) >= 3


def test_whole_grid_on_request():
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), max_fits=None, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.alpha_scores_["alpha"], [0, *np.linspace(0.2, 0.75, 8)], atol=1e-6)
    assert model.n_fits_ > 120


@pytest.mark.parametrize("strategy", ["curriculum", "threshold", "top_k", "all"])
def test_search_with_any_strategy_tries_density(strategy):
    """A search that can afford only alpha 0 would be self-training without CAST."""
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), strategy=strategy, random_state=0).fit(X, y)
    assert model.n_fits_ <= 120
    assert model.alpha_scores_["alpha"].max() > 0


@pytest.mark.parametrize("max_fits", [10, 45, 75, 150])
def test_max_fits_is_kept_or_refused(max_fits):
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), max_fits=max_fits, random_state=0)
    try:
        model.fit(X, y)
    except ValueError as error:
        assert "max_fits" in str(error)  # noqa: PT017
        assert max_fits < 72  # two alphas on six splits of five rounds, and the final model
    else:
        assert len(NearestMean.fits) <= max_fits
        assert model.alpha_scores_["alpha"].max() > 0


def test_search_without_anything_to_judge_by_is_refused():
    X, y, _ = draw()
    with pytest.raises(ValueError, match="alpha"):
        CASTClassifier(NearestMean(), validation=None).fit(X, y)
    assert not NearestMean.fits


def test_n_fits_is_bounded_as_documented():
    X, y, _ = draw()
    model = SelfTrainingClassifier(NearestMean(), random_state=0).fit(X, y)
    assert model.n_fits_ <= (6 + 1) * (1 + model.n_rounds_)
    assert SelfTrainingClassifier(NearestMean(), validation=0.3).fit(X, y).n_fits_ <= 6


# --- When it stops, and which round wins ---------------------------------------------------------------------------


def fit_for_reason(**settings: Any) -> Any:
    X, y, _ = draw()
    return SelfTrainingClassifier(NearestMean(), random_state=0, **settings).fit(X, y, validation_data=None)


def test_schedule_finished():
    model = fit_for_reason(strategy=Curriculum(0.25), patience=1)
    assert (model.termination_reason_, model.n_rounds_) == ("schedule_finished", 4)


def test_max_rounds():
    model = fit_for_reason(strategy=Curriculum(0.25), max_rounds=2)
    assert (model.termination_reason_, model.n_rounds_) == ("max_rounds", 2)
    model = fit_for_reason(strategy=TopK(5), max_rounds=3, validation=None)
    assert (model.termination_reason_, model.n_rounds_, model.best_round_) == ("max_rounds", 3, 3)
    assert model.history_["n_selected"].tolist() == [0, 5, 10, 15]


def test_all_labeled():
    model = fit_for_reason(strategy=TakeAll(), validation=None, max_rounds=50)
    assert model.termination_reason_ == "all_labeled"
    assert model.n_rounds_ < 50
    assert (model.labeled_iter_ >= 0).all()
    assert (model.transduction_ != -1).all()


def test_no_change():
    model = fit_for_reason(strategy=FixedThreshold(0.9), validation=None, max_rounds=50)
    assert model.termination_reason_ == "no_change"
    assert 0 < model.pseudo_labels_["selected"].sum() < 60
    assert model.history_["n_changed"].iloc[1:].gt(0).all()  # a round without change is not run


def test_nothing_selected():
    model = fit_for_reason(strategy=FixedThreshold(1.0, strict=True))
    assert (model.termination_reason_, model.n_rounds_, model.best_round_) == ("nothing_selected", 0, 0)
    assert not model.pseudo_labels_["selected"].any()


def test_no_unlabeled_rows():
    X, _, truth = draw()
    with pytest.warns(NoUnlabeledRowsWarning, match="X_unlabeled"):
        model = CASTClassifier(NearestMean(), random_state=0).fit(X, truth)
    assert (model.termination_reason_, model.n_rounds_, model.best_round_) == ("no_unlabeled_rows", 0, 0)
    assert model.n_fits_ == len(NearestMean.fits) == 1
    assert len(NearestMean.fits[0].ids) == len(truth)
    assert len(model.pseudo_labels_) == 0
    np.testing.assert_array_equal(model.transduction_, truth)


def misleading_rows() -> tuple[Any, Any, Any, tuple[Any, Any]]:
    """A pool in the gap, on one side of it: pseudo-labels pull a class mean over rows of the other class."""
    values = [*np.linspace(-1.2, -0.8, 6), *np.linspace(0.8, 1.2, 6)]
    y = [0] * 6 + [1] * 6
    pool = np.linspace(0.2, 0.6, 60)
    X = np.column_stack([np.arange(72), [*values, *pool]])
    held_out = np.column_stack([1000 + np.arange(20), [*np.linspace(-0.3, -0.05, 10), *np.linspace(0.9, 1.1, 10)]])
    return X[:12], np.array(y), X[12:], (held_out, np.array([0] * 10 + [1] * 10))


@pytest.mark.parametrize("strategy", [Curriculum(), TakeAll(), FixedThreshold(0.6), TopK(10)])
def test_supervised_model_wins_when_pseudo_labels_hurt(strategy):
    X, y, pool, held_out = misleading_rows()
    model = SelfTrainingClassifier(NearestMean(), strategy=strategy)
    model.fit(X, y, X_unlabeled=pool, validation_data=held_out)
    supervised = NearestMean().fit(X, y)
    assert model.best_round_ == 0
    assert model.n_rounds_ >= 1
    assert (model.history_["score"].iloc[1:] <= model.history_["score"].iloc[0]).all()
    assert model.history_["score"].min() < model.history_["score"].iloc[0]
    np.testing.assert_array_equal(model.predict_proba(held_out[0]), supervised.predict_proba(held_out[0]))
    assert (model.transduction_[12:] == -1).all()
    assert (model.labeled_iter_[12:] == -1).all()
    told = model.pseudo_labels_
    assert not told["selected"].any()
    assert (told["round"] == -1).all()
    assert (told["label"] == 1).all()  # what the next round would have said
    np.testing.assert_array_equal(told["raw_confidence"], supervised.predict_proba(pool)[:, 1])


@pytest.mark.parametrize("validation", ["cv", 0.3, None])
def test_the_supervised_model_and_the_class_mix_are_kept(validation):
    X, truth = make_moons(160, noise=0.2, random_state=0)
    y = np.where(np.arange(160) % 4 == 0, truth, -1)
    model = SelfTrainingClassifier(DecisionTreeClassifier(), validation=validation, random_state=3).fit(X, y)
    rows = np.flatnonzero(y >= 0)
    assert model.class_mix_.shape == (model.n_rounds_ + 1, 2)
    np.testing.assert_allclose(model.class_mix_.sum(axis=1), model.history_["n_selected"])
    assert model.class_mix_[0].tolist() == [0, 0]
    if validation != 0.3:  # every labeled row trains
        alone = clone(model.supervised_).fit(X[rows], y[rows])
        np.testing.assert_array_equal(model.supervised_.predict_proba(X), alone.predict_proba(X))
    told = model.pseudo_labels_
    if validation is None:  # without a density the classifier's own label is the label
        np.testing.assert_array_equal(told["raw_label"], told["label"])


def test_tables_of_a_fit_are_those_of_the_last_fit():
    X, truth = make_moons(80, noise=0.2, random_state=0)
    model = SelfTrainingClassifier(DecisionTreeClassifier(), validation=None, random_state=0)
    assert not hasattr(model, "history_")
    assert not hasattr(model, "pseudo_labels_")
    first = model.fit(X, np.where(np.arange(80) % 4 == 0, truth, -1)).pseudo_labels_
    assert model.pseudo_labels_ is first
    second = model.fit(X, np.where(np.arange(80) % 2 == 0, truth, -1)).pseudo_labels_
    assert (len(first), len(second)) == (60, 40)


def test_supervised_model_wins_ties():
    X, y, pool, _ = misleading_rows()
    model = SelfTrainingClassifier(NearestMean(), strategy=TakeAll())
    model.fit(X, y, X_unlabeled=pool, validation_data=(X, y))
    assert model.history_["score"].tolist()[:2] == [1.0, 1.0]
    assert model.best_round_ == 0


def test_pseudo_labels_win_when_they_help():
    """The labeled rows of a class lie at its far end; the pool shows where its middle is."""
    values = [
        *np.linspace(-1.2, -0.8, 6),
        *np.linspace(2.8, 3.2, 6),
        *np.linspace(-1.5, -0.5, 40),
        *np.linspace(0.5, 3, 80),
    ]
    X = np.column_stack([np.arange(132), values])
    y = np.array([0] * 6 + [1] * 6 + [-1] * 120)
    truth = (X[:, 1] > 0).astype(int)
    held_out = (X[12::2], truth[12::2])
    model = SelfTrainingClassifier(NearestMean(), strategy=TakeAll()).fit(X, y, validation_data=held_out)
    supervised = NearestMean().fit(X[:12], y[:12])
    assert model.best_round_ >= 1
    assert model.history_["score"].max() > model.history_["score"].iloc[0]
    assert model.score(X, truth) > supervised.score(X, truth)


@pytest.mark.parametrize("patience", [1, 2, 4])
def test_patience(patience):
    X, y, pool, held_out = misleading_rows()
    model = SelfTrainingClassifier(NearestMean(), strategy=TopK(4), patience=patience, max_rounds=10)
    model.fit(X, y, X_unlabeled=pool, validation_data=held_out)
    assert model.termination_reason_ == "no_improvement"
    assert model.n_rounds_ == model.best_round_ + patience


def test_patience_waits_for_a_round_that_improves():
    """A score that first falls, then rises above the start: patience decides whether anybody sees it."""
    X, y, pool, _ = misleading_rows()

    def score(model, X, y):
        return {12: 0.5, 16: 0.4, 20: 0.3, 24: 0.9}.get(n_seen(model), 0.1)

    def n_seen(model):
        return next(len(one.ids) for one in reversed(NearestMean.fits) if one.ids)

    settings = {"strategy": TopK(4), "scoring": score, "max_rounds": 10}
    hasty = SelfTrainingClassifier(NearestMean(), patience=2, **settings)
    patient = SelfTrainingClassifier(NearestMean(), patience=3, **settings)
    assert hasty.fit(X, y, X_unlabeled=pool, validation_data=(X, y)).best_round_ == 0
    assert patient.fit(X, y, X_unlabeled=pool, validation_data=(X, y)).best_round_ == 3
    assert patient.history_["score"].tolist()[:5] == [0.5, 0.4, 0.3, 0.9, 0.1]
    assert patient.pseudo_labels_["selected"].sum() == 12


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(("scoring", "n_classes"), [("roc_auc", 2), ("neg_log_loss", 3), ("roc_auc_ovr", 3)])
def test_a_part_without_a_class_does_not_spoil_the_judgment(scoring, n_classes):
    """Two labeled rows of a class, three parts: one part cannot be scored by ranking. Never a silent last round."""
    X, _, truth = draw(1, 120, n_classes)
    y = np.full(len(truth), -1)
    for one in range(n_classes):
        y[np.flatnonzero(truth == one)[: 2 if one else 9]] = one
    model = SelfTrainingClassifier(NearestMean(), scoring=scoring, validation=CrossValidation(3), random_state=0)
    try:
        model.fit(X, y)
    except ValueError as error:
        assert "`scoring`" in str(error)  # noqa: PT017
    else:
        scores = model.history_["score"]
        assert scores.notna().all()
        assert model.best_round_ == scores.argmax()


# --- Weights and fit parameters ------------------------------------------------------------------------------------


def check_weights(expected: np.ndarray, unlabeled: set[int], pseudo_weight: float) -> None:
    """Every fit got each row's own weight, pseudo-labeled rows `pseudo_weight` times theirs."""
    rounds = [one for one in NearestMean.fits if unlabeled & set(one.ids)]
    assert rounds
    for one in NearestMean.fits:
        if one not in rounds and one.weights is None:
            np.testing.assert_array_equal(expected[list(one.ids)], 1.0)  # nothing to say: nothing was passed
            continue
        wanted = [expected[i] * (pseudo_weight if i in unlabeled else 1) for i in one.ids]
        np.testing.assert_allclose(one.weights, wanted)


ESTIMATORS = {
    "classifier": lambda: NearestMean(),
    "pipeline": lambda: make_pipeline(FunctionTransformer(), NearestMean()),
    "pipeline in a pipeline": lambda: make_pipeline(
        FunctionTransformer(), make_pipeline(FunctionTransformer(), NearestMean())
    ),
}
VALIDATIONS = {"cv": "cv", "hold-out": 0.3, "none": None}


@pytest.mark.parametrize("validation", VALIDATIONS)
@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("weighted", [True, False])
def test_weights_follow_their_rows(name, validation, weighted):
    X, y, _ = draw()
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    model = SelfTrainingClassifier(
        ESTIMATORS[name](), pseudo_weight=0.25, validation=VALIDATIONS[validation], random_state=0
    )
    model.fit(X, y, sample_weight=weights if weighted else None)
    check_weights(weights, set(np.flatnonzero(y == -1).tolist()), 0.25)


def test_no_weights_where_nobody_asked():
    X, y, _ = draw()
    SelfTrainingClassifier(NearestMean(), random_state=0).fit(X, y)
    assert {one.weights for one in NearestMean.fits} == {None}


@pytest.mark.parametrize("whole", [True, False])
def test_weights_of_rows_apart(whole):
    """Weights of X_unlabeled count 1 where only X's were given."""
    X, y, _ = draw()
    known = np.flatnonzero(y != -1)
    rest = np.flatnonzero(y == -1)
    weights = np.linspace(0.5, 2, len(y))
    given = weights[np.concatenate([known, rest])] if whole else weights[known]
    model = SelfTrainingClassifier(NearestMean(), pseudo_weight=0.5, random_state=0)
    model.fit(X[known], y[known], X_unlabeled=X[rest], sample_weight=given)
    if not whole:
        weights[rest] = 1.0
    check_weights(weights, set(rest.tolist()), 0.5)


def test_weights_change_the_model():
    X, y, _ = draw()
    light = SelfTrainingClassifier(NearestMean(), strategy=TakeAll(), max_rounds=1, validation=None)
    half = SelfTrainingClassifier(NearestMean(), strategy=TakeAll(), max_rounds=1, validation=None, pseudo_weight=1e-9)
    supervised = NearestMean().fit(X[y != -1], y[y != -1])
    np.testing.assert_allclose(half.fit(X, y).predict_proba(X), supervised.predict_proba(X), atol=1e-6)
    assert np.abs(light.fit(X, y).predict_proba(X) - supervised.predict_proba(X)).max() > 1e-3


class Doubt(Weighting):
    """A row counts as much as its label is trusted."""

    def weigh(self, confidence, labels):
        return confidence[np.arange(len(labels)), labels]


@pytest.mark.parametrize("relabel", [True, False])
def test_weights_by_confidence(relabel):
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), alpha=0.5, pseudo_weight=Doubt(), relabel=relabel, validation=None).fit(X, y)
    last = NearestMean.fits[-1]
    used = model.pseudo_labels_.set_index("row").query("selected")["confidence"]
    assert len(used) == len(last.ids) - 30
    expected = [used.get(i, 1.0) for i in last.ids]  # labeled rows count 1
    np.testing.assert_allclose(last.weights, expected)
    assert len(set(last.weights)) > 10


def test_weights_given_by_the_name_of_the_step_meet_pseudo_weight():
    """scikit-learn's own way to pass weights into a pipeline is not overwritten by ours."""
    X, y, _ = draw()
    weights = np.linspace(0.5, 2, len(y))
    model = SelfTrainingClassifier(ESTIMATORS["pipeline"](), pseudo_weight=0.5, validation=None)
    model.fit(X, y, nearestmean__sample_weight=weights)
    check_weights(weights, set(np.flatnonzero(y == -1).tolist()), 0.5)


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series], ids=["list", "tuple", "array", "series"])
@pytest.mark.parametrize("apart", [True, False])
def test_fit_parameters_follow_their_rows(kind, apart):
    X, y, _ = draw()
    tags = np.array([f"row {i}" for i in range(len(y))])
    if apart:
        order = np.argsort(y == -1, kind="stable")
        n_labeled = int((y != -1).sum())
        model = SelfTrainingClassifier(NearestMean(), random_state=0)
        rows = {"X_unlabeled": X[order[n_labeled:]]}
        model.fit(X[order[:n_labeled]], y[order[:n_labeled]], tags=kind(tags[order]), option="kept", **rows)
    else:
        SelfTrainingClassifier(NearestMean(), random_state=0).fit(X, y, tags=kind(tags), option="kept")
    assert len(NearestMean.fits) > 10
    for one in NearestMean.fits:
        assert list(one.tags) == [f"row {i}" for i in one.ids]
        assert one.option == "kept"


def test_fit_parameters_follow_their_rows_into_a_pipeline():
    X, y, _ = draw()
    model = CASTClassifier(ESTIMATORS["pipeline"](), alpha=0.5, random_state=0)
    model.fit(X, y, nearestmean__tags=np.arange(len(y)), nearestmean__option=("not", "rows"))
    for one in NearestMean.fits:
        assert tuple(one.tags) == one.ids
        assert one.option == ("not", "rows")


def test_fit_parameter_for_half_of_the_rows():
    X, y, _ = draw()
    with pytest.raises(ValueError, match=r"'tags' has 90 entries.* none for the 5 rows of X_unlabeled"):
        SelfTrainingClassifier(NearestMean()).fit(X, y, X_unlabeled=X[:5], tags=np.arange(90))


def test_weights_that_nobody_takes():
    from sklearn.neighbors import KNeighborsClassifier

    X, y, _ = draw()
    with pytest.raises(ValueError, match=r"`sample_weight` was given, but fit of KNeighborsClassifier.* does not"):
        SelfTrainingClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match=r"`pseudo_weight`=0.5 needs an estimator whose fit takes sample_weight"):
        SelfTrainingClassifier(KNeighborsClassifier(), pseudo_weight=0.5).fit(X, y)


# --- The same result again -----------------------------------------------------------------------------------------

RANDOM = {
    "random tree": DecisionTreeClassifier(splitter="random"),
    "forest": RandomForestClassifier(5, max_depth=4),
    "pipeline": make_pipeline(FunctionTransformer(), DecisionTreeClassifier(splitter="random")),
}


def assert_same_result(first: Any, second: Any, X: Any) -> None:
    pd.testing.assert_frame_equal(first.history_, second.history_)
    pd.testing.assert_frame_equal(first.pseudo_labels_, second.pseudo_labels_)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    assert first.n_fits_ == second.n_fits_
    assert first.termination_reason_ == second.termination_reason_
    if isinstance(first, CASTClassifier):
        pd.testing.assert_frame_equal(first.alpha_scores_, second.alpha_scores_)


@pytest.mark.parametrize("name", RANDOM)
@pytest.mark.parametrize(
    "validation", ["cv", 0.3, None, StratifiedKFold(3, shuffle=True)], ids=["cv", "hold-out", "none", "splitter"]
)
def test_same_random_state_same_result(name, validation):
    X, y, _ = draw()
    model = CASTClassifier(RANDOM[name], alpha=0.4, validation=validation, random_state=3)
    first = model.fit(X, y)
    second = CASTClassifier(RANDOM[name], alpha=0.4, validation=validation, random_state=3).fit(X, y)
    assert_same_result(first, second, X)


class Jitter(Confidence):
    """Confidence with noise."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def adjust(self, proba):
        return proba * check_random_state(self.random_state).uniform(0.5, 1, proba.shape)


@pytest.mark.parametrize("confidence", [Jitter(), Chain([Jitter()])], ids=["part", "part of a chain"])
def test_random_parts_are_seeded(confidence):
    X, y, _ = draw()
    first, second = (SelfTrainingClassifier(NearestMean(), confidence=confidence, random_state=3) for _ in range(2))
    assert_same_result(first.fit(X, y), second.fit(X, y), X)


def test_another_random_state_another_result():
    X, y, _ = draw()
    scores = {
        tuple(SelfTrainingClassifier(RANDOM["random tree"], random_state=seed).fit(X, y).history_["score"])
        for seed in range(3)
    }
    assert len(scores) == 3


def test_result_does_not_depend_on_n_jobs():
    X, y, _ = draw(n_rows=60)
    one = CASTClassifier(RANDOM["random tree"], random_state=0, n_jobs=1).fit(X, y)
    two = CASTClassifier(RANDOM["random tree"], random_state=0, n_jobs=2).fit(X, y)
    assert_same_result(one, two, X)
    noisy = {"strategy": FixedThreshold(0.8), "validation": Holdout(0.3), "random_state": 1}
    one = SelfTrainingClassifier(RANDOM["forest"], n_jobs=1, **noisy).fit(X, y)
    two = SelfTrainingClassifier(RANDOM["forest"], n_jobs=2, **noisy).fit(X, y)
    assert_same_result(one, two, X)


def test_random_state_of_the_estimator_is_left_alone():
    X, y, _ = draw()
    tree = DecisionTreeClassifier(splitter="random", random_state=11)
    model = SelfTrainingClassifier(tree, validation=None, random_state=0).fit(X, y)
    assert model.estimator_.random_state == 11
    assert tree.random_state == 11
    unset = SelfTrainingClassifier(DecisionTreeClassifier(), validation=None, random_state=0).fit(X, y)
    assert unset.estimator_.random_state is not None
    assert unset.estimator.random_state is None


# --- What it tells -------------------------------------------------------------------------------------------------

TOLD = {
    "cv": (SelfTrainingClassifier(LogisticRegression()), False),
    "cv, keep": (SelfTrainingClassifier(LogisticRegression(), relabel=False, strategy=TopK(6), patience=5), False),
    "judged": (SelfTrainingClassifier(DecisionTreeClassifier(max_depth=3), strategy=TakeAll()), True),
    "unvalidated": (SelfTrainingClassifier(LogisticRegression(), strategy=FixedThreshold(0.8), validation=None), False),
    "cast-l": (CASTClassifier(LogisticRegression()), False),
    "cast-d": (CASTClassifier(DecisionTreeClassifier(max_depth=3), density="kernel", scaling="density"), True),
    "cast, hold-out": (CASTClassifier(LogisticRegression(), strategy="all", alpha=[0.2, 0.9], validation=0.4), False),
}


@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_told_agrees(name, seed):
    model, judged = TOLD[name]
    X, codes, truth = draw(seed, 120, n_classes=3)
    X = X[:, 1:]  # these classifiers would learn from the number, too
    names = np.array(["no", "perhaps", "yes"])
    y = np.where(codes == -1, None, names[codes])
    data = (X[:20], names[truth[:20]]) if judged else None
    model.set_params(random_state=seed).fit(X, y, validation_data=data)
    pool, labeled = np.flatnonzero(codes == -1), np.flatnonzero(codes != -1)

    history = model.history_
    assert history["round"].tolist() == list(range(model.n_rounds_ + 1))
    assert history.loc[0, ["n_selected", "n_changed"]].tolist() == [0, 0]
    assert history["n_selected"].le(len(pool)).all()
    if history["score"].notna().all():
        assert model.best_round_ == history["score"].argmax()  # the first of equally good ones
    else:
        assert history["score"].isna().all()
        assert model.best_round_ == model.n_rounds_

    told = model.pseudo_labels_
    assert told["row"].tolist() == pool.tolist()
    assert set(told["label"]) <= set(names)
    assert told["selected"].dtype == bool
    assert (told["selected"] == (told["round"] >= 1)).all()
    assert told["round"].max() <= model.best_round_
    assert told["confidence"].between(0, 1).all()
    assert (told["confidence"] <= told["raw_confidence"] + 1e-12).all()
    if isinstance(model, CASTClassifier):
        assert told["density"].between(0, 1).all()
        expected = told["raw_confidence"] * (1 - model.alpha_ * (1 - told["density"]))
        np.testing.assert_allclose(told["confidence"], expected, rtol=1e-12)
    else:
        assert told["density"].isna().all()

    assert model.transduction_[labeled].tolist() == y[labeled].tolist()
    assert (model.labeled_iter_[labeled] == 0).all()
    assert model.labeled_iter_[pool].tolist() == told["round"].tolist()
    in_use = np.where(told["selected"], told["label"], None)
    assert model.transduction_[pool].tolist() == in_use.tolist()
    if judged or name in ("unvalidated", "cast, hold-out"):  # one run: history is about this very run
        assert history["n_selected"].iloc[model.best_round_] == told["selected"].sum()
    np.testing.assert_array_equal(model.predict(X), model.estimator_.predict(X))
    np.testing.assert_array_equal(model.classes_, names)

    if isinstance(model, CASTClassifier):
        scores = model.alpha_scores_
        assert scores["alpha"].is_monotonic_increasing
        [chosen] = scores.loc[scores["chosen"]].itertuples()
        assert chosen.alpha == model.alpha_
        assert chosen.best_round == model.best_round_
        assert chosen.score == history["score"].iloc[model.best_round_]
        assert chosen.score_std_error == history["score_std_error"].iloc[model.best_round_]
        assert scores["score"].max() - chosen.score <= 1


def test_given_alphas_are_tried_once_each_smallest_first():
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), alpha=[0.6, 0, 0.6, 0.3], validation=0.3, random_state=0).fit(X, y)
    assert model.alpha_scores_["alpha"].tolist() == [0.0, 0.3, 0.6]


@pytest.mark.parametrize("alpha", [-0.1, 1.5, np.nan, "auto", [0.1, 2], [], None, True])
def test_alpha_that_is_none(alpha):
    X, y, _ = draw()
    with pytest.raises(ValueError, match="`alpha` of CASTClassifier must"):
        CASTClassifier(NearestMean(), alpha=alpha).fit(X, y)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"max_rounds": 0}, "`max_rounds` of SelfTrainingClassifier must be a positive integer; got 0."),
        ({"max_rounds": 2.5}, "`max_rounds` of SelfTrainingClassifier must be a positive integer; got 2.5."),
        ({"patience": 0}, "`patience` of SelfTrainingClassifier must be a positive integer; got 0."),
        ({"pseudo_weight": 0}, "`pseudo_weight` of SelfTrainingClassifier must be a positive number.*; got 0"),
        ({"pseudo_weight": np.inf}, "`pseudo_weight` of SelfTrainingClassifier must be a positive number.*; got inf"),
        ({"strategy": "curriculums"}, "`strategy` of SelfTrainingClassifier must be None or a member of tabcast"),
        ({"confidence": TakeAll()}, "`confidence` of SelfTrainingClassifier must be None or a member of tabcast.conf"),
        ({"strategy": Curriculum(0)}, r"`step` of Curriculum must be in \(0, 1\]; got 0."),
        ({"validation": Holdout(1)}, r"`fraction` of Holdout must be in \(0, 1\); got 1."),
    ],
)
def test_parameters_are_refused_before_any_work(settings, sentence):
    X, y, _ = draw()
    with pytest.raises(ValueError, match=sentence):
        SelfTrainingClassifier(NearestMean(), **settings).fit(X, y)
    assert not NearestMean.fits


def test_name_that_is_nearly_right():
    X, y, _ = draw()
    with pytest.raises(ValueError, match=r"got 'kernle'\. Did you mean 'kernel'\?"):
        CASTClassifier(NearestMean(), density="kernle").fit(X, y)


@pytest.mark.parametrize("model", [SelfTrainingClassifier(NearestMean()), CASTClassifier(NearestMean())])
def test_verbose(model, capfd):
    X, y, _ = draw(n_rows=50)
    model.set_params(verbose=0, random_state=0).fit(X, y)
    assert tuple(capfd.readouterr()) == ("", "")
    model.set_params(verbose=1).fit(X, y)
    shown = capfd.readouterr().out
    assert type(model).__name__ in shown
    assert "round" in shown
    assert "fits" in shown


# --- Noise filter and feature selection ----------------------------------------------------------------------------


class RefuseClass(NoiseFilter):
    """Refuses pseudo-labels of one class, given by its index."""

    fitted_on: ClassVar[list[tuple[int, ...]]] = []

    def __init__(self, refused: int = 0) -> None:
        self.refused = refused

    def fit(self, X, y, categorical_features=None):
        self.fitted_on.append(tuple(np.asarray(X)[:, 0].astype(int).tolist()))
        assert len(y) == len(X)
        assert set(y) <= {0, 1}
        return self

    def keep(self, X, labels):
        assert len(X) == len(labels)
        return labels != self.refused


class FirstColumns(FeatureSelection):
    """Keeps the first columns."""

    fitted_on: ClassVar[list[tuple[int, ...]]] = []

    def __init__(self, n_columns: int = 2) -> None:
        self.n_columns = n_columns

    def fit(self, X, y, categorical_features=None):
        self.fitted_on.append(tuple(np.asarray(X)[:, 0].astype(int).tolist()))
        assert len(categorical_features) == X.shape[1]
        self.support_ = np.arange(X.shape[1]) < self.n_columns
        return self


class Diary(Confidence):
    """Writes down what it is shown. The number of a row is read off its probabilities; see `Numbered`."""

    events: ClassVar[list[tuple[str, Any]]] = []
    prepared_on: ClassVar[list[tuple[tuple[int, ...], int]]] = []
    needs_held_out = True

    def prepare(self, X, y, X_pool, *, n_classes, categorical_features=None):
        self.prepared_on.append((tuple(np.asarray(X)[:, 0].astype(int).tolist()), X.shape[1]))
        assert len(y) == len(X)
        assert X_pool.shape[1] == X.shape[1] == len(categorical_features)
        return self

    def calibrate(self, proba, y):
        self.events.append(("calibrate", (proba.copy(), y.copy())))
        return self

    def adjust(self, proba):
        self.events.append(("adjust", proba.copy()))
        return proba


@pytest.mark.parametrize("refused", [0, 1])
@pytest.mark.parametrize("relabel", [True, False])
@pytest.mark.parametrize("strategy", [Curriculum(), TakeAll(), FixedThreshold(0.6)])
def test_noise_filter_is_respected(refused, relabel, strategy):
    X, y, _ = draw()
    model = SelfTrainingClassifier(
        NearestMean(), strategy=strategy, noise_filter=RefuseClass(refused), relabel=relabel, validation=None
    ).fit(X, y)
    unlabeled = set(np.flatnonzero(y == -1).tolist())
    for one in NearestMean.fits:
        assert all(label != refused for i, label in zip(one.ids, one.y, strict=True) if i in unlabeled)
    told = model.pseudo_labels_
    assert told["selected"].any()
    assert not told.loc[told["label"] == refused, "selected"].any()
    if isinstance(strategy, TakeAll):
        assert told.loc[told["label"] != refused, "selected"].all()


def test_feature_selection_limits_what_the_density_sees():
    X, y, _ = draw()
    frame = pd.DataFrame(X, columns=["number", "a", "b", "c", "d"])
    frame["a"] = np.where(frame["a"] > 0, "up", "down")
    frame = frame.assign(number=0.0)
    classifier = make_pipeline(FunctionTransformer(lambda X: X.drop(columns="a")), NearestMean())
    model = CASTClassifier(
        classifier, alpha=0.5, feature_selection=FirstColumns(2), validation=None, random_state=0
    ).fit(frame, y)
    assert model.selected_features_.tolist() == ["number", "a"]
    told = model.pseudo_labels_
    pool, first = frame[y == -1], told.groupby("label")["density"]
    # Two levels in one column and a constant: a row is as dense as can be for its class, or not at all.
    assert set(told["density"]) == {0.0, 1.0}
    for label, density in first:
        assert density.groupby(pool["a"].to_numpy()[density.index]).nunique().max() == 1, label
    assert all(len(one.ids) for one in NearestMean.fits)
    np.testing.assert_array_equal(NearestMean.fits[0].ids, [0] * 30)  # the classifier saw its own columns
    assert model.estimator_[-1].means_.shape == (2, 3)


def test_selected_features_of_an_array_are_positions():
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), alpha=0.5, feature_selection=FirstColumns(3), validation=None).fit(X, y)
    assert model.selected_features_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("mode", ["cv", "splitter", "hold-out", "validation data", "none"])
def test_parts_are_fitted_on_training_rows_only(mode):
    X, y, _ = draw()
    labeled = set(np.flatnonzero(y != -1).tolist())
    validation = {"cv": "cv", "splitter": StratifiedKFold(4), "hold-out": 0.3, "validation data": "cv", "none": None}
    confidence = Diary() if mode != "none" else None
    model = SelfTrainingClassifier(
        NearestMean(),
        confidence=confidence,
        noise_filter=RefuseClass(),
        feature_selection=FirstColumns(3),
        validation=validation[mode],
        random_state=0,
    ).fit(X, y, validation_data=judges() if mode == "validation data" else None)
    supervised = [one.ids for one in NearestMean.fits if set(one.ids) <= labeled]
    n_stages = {"cv": 6 + 1, "splitter": 4 + 1}.get(mode, 1)
    assert len(supervised) == n_stages
    assert Counter(RefuseClass.fitted_on) == Counter(supervised)
    assert Counter(FirstColumns.fitted_on) == Counter(supervised)
    if confidence is not None:
        assert Counter(Diary.prepared_on) == Counter((ids, 3) for ids in supervised)
    parts, whole = supervised[: n_stages - 1], supervised[-1]
    if parts:
        assert set(whole) == labeled
        held_out = [labeled - set(part) for part in parts]
        assert all(held_out)
        assert set().union(*held_out) == labeled
    assert (len(whole) < len(labeled)) == (mode == "hold-out")
    assert model.selected_features_.tolist() == [0, 1, 2]


# --- Calibration on held-out rows ----------------------------------------------------------------------------------


class Numbered(NearestMean):
    """Says for a row it was trained on: certain; for another: its number and how many rows it was trained on."""

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
    """For each row its number, and on how many rows the classifier was trained."""
    assert proba.max() < 1  # none of them was trained on
    digits = np.round((proba.max(axis=1) - 0.6) * 1e9).astype(int)
    return (digits // 10_000).tolist(), (digits % 10_000).tolist()


@pytest.mark.parametrize("best_round", [0, 5])
@pytest.mark.parametrize("mode", ["cv", "hold-out", "validation data"])
def test_calibration_sees_held_out_rows_of_its_round(mode, best_round):
    X, y, _ = draw()
    held_out = judges()
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
    assert kinds == ["calibrate", "adjust"] * (len(kinds) // 2)  # each round anew, before it is used
    shown = [proba_and_y for kind, proba_and_y in Diary.events if kind == "calibrate"]
    for proba, codes in shown:
        assert [truth[i] for i in read_numbers(proba)[0]] == codes.tolist()

    n_runs = 6 if mode == "cv" else 1
    sizes: dict[frozenset[int], list[int]] = {}  # held-out rows of a split: rows trained on, round by round
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
        assert own == sorted(set(own))  # by a classifier of its own every round, trained on more rows
        assert len(own) == 5

    again = shown[5 * n_runs :]
    if mode == "cv":  # the final run has no held-out rows of its own: those of all splits, of the same round
        assert len(again) == max(best_round, 1)
        for round_number, (proba, _) in enumerate(again):
            ids, n_train = read_numbers(proba)
            assert Counter(ids) == dict.fromkeys(labeled, 2)
            assert set(n_train) == {own[round_number] for own in sizes.values()}
    else:  # where round 0 won, what round 1 would have said is shown
        assert len(again) == (best_round == 0)


@pytest.mark.parametrize("confidence", [Diary(), Chain([Diary(), ClusterAware(EmpiricalLikelihood())])])
def test_calibration_without_held_out_rows_is_refused(confidence):
    X, y, _ = draw()
    with pytest.raises(ValueError, match=r"has to be calibrated on held-out rows, but validation=None holds out none"):
        SelfTrainingClassifier(NearestMean(), confidence=confidence, validation=None).fit(X, y)
    assert not NearestMean.fits
    SelfTrainingClassifier(NearestMean(), confidence=confidence, validation=None).fit(X, y, validation_data=judges())
    assert Diary.events


# --- The search for alpha ------------------------------------------------------------------------------------------


def candidate(alpha: float, *scores: float) -> Candidate:
    return Candidate(alpha, [], scores=[np.array(scores)])


def by_alpha(one: Candidate) -> float:
    return one.alpha or 0.0


def test_smallest_alpha_within_one_standard_error():
    # Paired differences to the best: 0.03 +- 0.015 and 0.01 +- 0.01.
    best = candidate(0.7, 0.90, 0.92, 0.94)
    near = candidate(0.4, 0.90, 0.92, 0.91)
    far = candidate(0.0, 0.87, 0.92, 0.88)
    assert standard_error(best.best_scores - near.best_scores) == pytest.approx(0.01)
    assert choose_candidate([far, near, best], by_alpha) is near
    assert choose_candidate([best, near, far], by_alpha) is near  # in any order
    assert choose_candidate([far, best], by_alpha) is best


def test_differences_are_paired():
    """Splits differ much, alphas differ little but always: the better one wins however wide the splits spread."""
    best = candidate(0.5, 0.50, 0.70, 0.90)
    worse = candidate(0.0, 0.48, 0.69, 0.88)
    assert standard_error(best.best_scores) > 0.1
    assert choose_candidate([worse, best], by_alpha) is best


def test_one_split_has_no_standard_error():
    assert standard_error(np.array([0.7])) == 0
    assert choose_candidate([candidate(0.0, 0.8), candidate(0.5, 0.81)], by_alpha).alpha == 0.5
    assert choose_candidate([candidate(0.2, 0.8), candidate(0.5, 0.8), candidate(0.0, 0.7)], by_alpha).alpha == 0.2


def test_best_round_of_each_candidate_counts():
    late = Candidate(0.5, [], scores=[np.array([0.5, 0.5]), np.array([0.9, 0.9])], best_round=1)
    early = Candidate(0.0, [], scores=[np.array([0.6, 0.6]), np.array([0.2, 0.2])], best_round=0)
    assert choose_candidate([early, late], by_alpha) is late


def test_rounding_of_a_mean_makes_no_round_better():
    """The same scores on other splits are no improvement, whichever way they add up."""

    def loop():
        while True:
            yield PseudoLabels.none(1)

    one = Candidate(None, [Run(Split(np.arange(1)), loop()) for _ in range(3)])
    nothing = np.empty((0, 2))
    for round_number, scores in enumerate([(0.3, 0.2, 0.1), (0.1, 0.2, 0.3)]):
        one.record(round_number, [Fitted(None, nothing, nothing, score) for score in scores])
    assert np.mean([0.1, 0.2, 0.3]) > np.mean([0.3, 0.2, 0.1])
    assert one.best_round == 0


def test_grid_is_the_papers_and_0():
    np.testing.assert_allclose(ALPHA_GRID, [0, *np.linspace(0.2, 0.75, 8)], atol=1e-6)


@pytest.mark.parametrize("count", range(2, 12))
def test_thin_grid(count):
    thin = thin_grid(ALPHA_GRID, count)
    assert thin == sorted(set(thin))
    assert len(thin) == min(count, len(ALPHA_GRID))
    assert set(thin) <= set(ALPHA_GRID)
    assert (thin[0], thin[-1]) == (0.0, 0.75)


@pytest.mark.parametrize("max_fits", [72, 100, 120, 200, 1000])
@pytest.mark.parametrize(("n_splits", "n_rounds", "refits"), [(6, 5, True), (1, 5, False), (3, 2, True)])
def test_plan_of_a_schedule_spends_what_it_may(max_fits, n_splits, n_rounds, refits):
    n_alphas, rounds = plan_search(max_fits, n_splits, n_rounds, True, refits)
    assert rounds == n_rounds
    assert count_fits(n_alphas, n_splits, rounds, refits) <= max_fits
    assert n_alphas == len(ALPHA_GRID) or count_fits(n_alphas + 1, n_splits, rounds, refits) > max_fits


def test_plan_without_a_schedule_gives_up_rounds_for_three_alphas():
    assert plan_search(120, 6, 10, False, True) == (3, 5)
    assert plan_search(1000, 6, 10, False, True) == (9, 10)


def test_plan_that_cannot_be_afforded():
    with pytest.raises(ValueError, match=r"`max_fits`=71 .* two alphas cost up to 72 fits"):
        plan_search(71, 6, 5, True, True)
