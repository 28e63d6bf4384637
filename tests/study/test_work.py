"""Sharing changes nothing: a trial gives what the public classifiers give, and nothing is computed twice."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tabcast import SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.confidence import ClusterAware, Raw, TemperatureScaling
from tabcast.density import EmpiricalLikelihood, KernelDensity
from tabcast.feature_selection import BorutaShap, KeepAll
from tabcast.noise_filters import KeepAllRows, MahalanobisFilter
from tabcast.pseudo_labels import Curriculum, FixedThreshold, TakeAll
from tabcast.study import work as work_module
from tabcast.study.catalog import load_catalog
from tabcast.study.methods import Request
from tabcast.study.methods.others import fit_without_validation, rank_by_density
from tabcast.study.methods.paper import SameBudget, shuffle_gamma
from tabcast.study.models import Model, Space
from tabcast.study.protocol import make_folds
from tabcast.study.records import Setting
from tabcast.study.work import ChosenColumns, Work, describe_part
from tabcast.table._types import stack_rows
from tabcast.teachers import SelfTeacher
from tests.conftest import needs
from tests.study.small_study import make_table

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")

METHODS = load_catalog().methods
STRATEGIES = {"threshold": FixedThreshold(0.6), "curriculum": Curriculum(0.2), "all": TakeAll()}
FILTERS = {"none": KeepAllRows(), "mahalanobis": MahalanobisFilter()}


def model_of(estimator, vary=None):
    """A model of the study whose parameters are its own."""
    return Model("given", "Given", lambda params, seed: estimator, {"none": Space({})}, vary=vary)


def smoother(model, seed):
    return GaussianNB(var_smoothing=10.0**-seed)


def ask(estimator, strategy="none", noise_filter="none", vary=None):
    return Request(model_of(estimator, vary), {}, 0, strategy, noise_filter)


@pytest.fixture(scope="module")
def fold():
    """Three classes, numbers only; one column matters more than others."""
    [fold, *_] = make_folds(make_table(240, 3, "balanced_accuracy", noise=1.8, seed=10), Setting("made up", 0.2))
    return fold


@pytest.fixture(scope="module")
def binary_fold():
    [fold, *_] = make_folds(make_table(240, 2, "f1", noise=2.5, seed=2), Setting("made up", 0.15))
    return fold


@pytest.fixture(scope="module")
def native_fold():
    """Levels and holes, as they are."""
    dataset = make_table(240, 3, "accuracy", noise=1.8, seed=10, mixed=True)
    [fold, *_] = make_folds(dataset, Setting("made up", 0.2, preprocessing="native"))
    return fold


@pytest.fixture(scope="module")
def shared(fold):
    """One work for all tests that compare: whatever one leaves behind, the next one meets."""
    return Work(fold, 0)


def fit_public(classifier, fold):
    """A public classifier trained and judged on the rows of a fold; its probabilities of the test rows."""
    y = np.concatenate([fold.y_labeled, np.full(len(fold.y_pool), -1)])
    classifier.set_params(
        scoring="f1" if fold.metric == "f1" else fold.metric,
        patience=1,
        max_rounds=10,
        categorical_features=fold.categorical,
        random_state=0,
    )
    X = stack_rows(fold.X_labeled, fold.X_pool)
    return classifier.fit(X, y, validation_data=(fold.X_validation, fold.y_validation))


def check_same(answer, public, fold):
    np.testing.assert_array_equal(answer.proba, public.predict_proba(fold.X_test))
    assert answer.facts["best_round"] == public.best_round_
    assert answer.facts["n_rounds"] == public.n_rounds_
    assert answer.facts["stopped"] == public.termination_reason_
    assert answer.facts["alpha"] == getattr(public.confidence, "alpha", None)
    assert answer.facts["n_selected"] == public.pseudo_labels_["selected"].sum()
    assert answer.facts["validation_score"] == public.history_["score"].max()
    assert [one["score"] for one in answer.history] == public.history_["score"].tolist()
    assert [one["n_selected"] for one in answer.history] == public.history_["n_selected"].tolist()


CONFIDENCES = {
    "likelihood": ClusterAware(EmpiricalLikelihood(n_bins=10, smoothing=0.0)),
    "kernel": ClusterAware(KernelDensity(bandwidth="normal_reference"), scaling="density"),
}


def check_cast(method, density, selection, work, request):
    """The trial equals public self-training with the paper's confidence and the alpha that the trial chose."""
    answer, fold = METHODS[method].run(work, request), work.fold
    public = SelfTrainingClassifier(
        request.model.build({}, 0),
        confidence=clone(CONFIDENCES[density]).set_params(alpha=answer.facts["alpha"]),
        strategy=STRATEGIES[request.strategy],
        noise_filter=FILTERS[request.noise_filter],
        feature_selection=selection,
    )
    check_same(answer, fit_public(public, fold), fold)


class TestSameAsPublic:
    @pytest.mark.parametrize("strategy", STRATEGIES)
    @pytest.mark.parametrize(("method", "confidence"), [("baseline", Raw()), ("ts", TemperatureScaling())])
    def test_self_training(self, shared, fold, method, confidence, strategy):
        answer = METHODS[method].run(shared, ask(GaussianNB(), strategy))
        public = SelfTrainingClassifier(GaussianNB(), confidence=confidence, strategy=STRATEGIES[strategy])
        check_same(answer, fit_public(public, fold), fold)

    @pytest.mark.parametrize("strategy", STRATEGIES)
    @pytest.mark.parametrize(("method", "density"), [("cast-l", "likelihood"), ("cast-d", "kernel")])
    @needs("xgboost")
    def test_cast(self, shared, method, density, strategy):
        selection = ChosenColumns(shared.selection("boruta")[0].support)  # the next test looks at Boruta itself
        check_cast(method, density, selection, shared, ask(GaussianNB(), strategy))

    @needs("xgboost")
    def test_columns_are_those_that_boruta_chooses(self, shared, fold):
        boruta = BorutaShap(random_state=0).fit(fold.X_labeled, fold.y_labeled, fold.categorical)
        np.testing.assert_array_equal(shared.selection("boruta")[0].support, boruta.support_)
        assert 0 < boruta.support_.sum() < len(boruta.support_)  # it makes a difference here
        assert shared.selection("all")[0].support.all()

    @pytest.mark.parametrize(
        ("method", "density"), [("cast-l-no-selection", "likelihood"), ("cast-d-no-selection", "kernel")]
    )
    def test_cast_with_all_columns_and_noise_filter(self, shared, method, density):
        check_cast(method, density, KeepAll(), shared, ask(GaussianNB(), "curriculum", "mahalanobis"))

    def test_cast_without_alpha(self, shared):
        request = ask(GaussianNB(), "threshold")
        assert METHODS["cast-l-plain"].run(shared, request).facts["alpha"] == 1.0
        check_cast("cast-l-plain", "likelihood", KeepAll(), shared, request)

    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_levels_and_holes(self, native_fold, strategy):
        xgboost = pytest.importorskip("xgboost")
        estimator = xgboost.XGBClassifier(n_estimators=5, max_depth=2, n_jobs=1, enable_categorical=True)
        check_cast("cast-l-no-selection", "likelihood", KeepAll(), Work(native_fold, 0), ask(estimator, strategy))

    def test_boosting_and_f1(self, binary_fold):
        xgboost = pytest.importorskip("xgboost")
        estimator = xgboost.XGBClassifier(n_estimators=5, max_depth=2, n_jobs=1)
        answer = METHODS["baseline"].run(Work(binary_fold, 0), ask(estimator, "threshold"))
        public = SelfTrainingClassifier(estimator, strategy=FixedThreshold(0.6))
        check_same(answer, fit_public(public, binary_fold), binary_fold)

    @needs("xgboost")
    def test_something_happens_in_these_comparisons(self, shared):
        facts = [
            METHODS[method].run(shared, ask(GaussianNB(), strategy)).facts
            for method in ("baseline", "ts", "cast-l", "cast-d")
            for strategy in STRATEGIES
        ]
        assert len({one["best_round"] for one in facts}) >= 3
        assert len({one["alpha"] for one in facts}) >= 3

    def test_supervised_is_the_plain_estimator(self, shared, fold):
        answer = METHODS["supervised"].run(shared, ask(GaussianNB()))
        plain = GaussianNB().fit(fold.X_labeled, fold.y_labeled)
        np.testing.assert_array_equal(answer.proba, plain.predict_proba(fold.X_test))


class TestAlpha:
    def test_ties_go_to_the_smallest(self, fold):
        """A threshold nobody reaches: round 0 wins for every alpha."""
        answer = Work(fold, 0).self_train(
            GaussianNB(var_smoothing=1e3),
            ClusterAware(EmpiricalLikelihood()),
            "threshold",
            "none",
            alphas=(0.75, 0.2, 0.5),
        )
        assert answer.facts["best_round"] == 0
        assert answer.facts["alpha"] == 0.2

    @needs("xgboost")
    def test_is_the_best_on_validation_rows(self, shared):
        """Each alpha alone is never better than the one that was chosen."""
        cast = METHODS["cast-l"]
        chosen = cast.run(shared, ask(GaussianNB(), "curriculum")).facts
        alone = [
            replace(cast, alphas=(alpha,)).run(shared, ask(GaussianNB(), "curriculum")).facts for alpha in cast.alphas
        ]
        best = max(one["validation_score"] for one in alone)
        assert chosen["validation_score"] == best
        assert chosen["alpha"] == min(one["alpha"] for one in alone if one["validation_score"] == best)


class TestPseudoLabels:
    def test_are_judged_by_the_hidden_labels(self, shared, fold):
        answer = METHODS["baseline"].run(shared, ask(GaussianNB(), "curriculum"))
        public = fit_public(SelfTrainingClassifier(GaussianNB(), strategy=Curriculum(0.2)), fold)
        taken = public.pseudo_labels_[public.pseudo_labels_["selected"]]
        right = taken["label"].to_numpy() == fold.y_pool[taken["row"] - len(fold.y_labeled)]
        assert answer.facts["best_round"] > 0
        assert answer.facts["pseudo_accuracy"] == right.mean()

    def test_nobody_was_selected(self, fold):
        answer = Work(fold, 0).self_train(GaussianNB(var_smoothing=1e3), Raw(), "threshold", "none")
        assert answer.facts["n_selected"] == 0
        assert answer.facts["pseudo_accuracy"] is None

    @pytest.mark.parametrize(
        "method",
        [
            *("supervised", "baseline", "ts", "same-budget", "operating-point"),
            pytest.param("cast-l", marks=needs("xgboost")),
        ],
    )
    def test_hidden_and_test_labels_change_no_probability(self, fold, shared, method):
        blind = replace(fold, y_pool=np.zeros_like(fold.y_pool), y_test=np.zeros_like(fold.y_test))
        other = Work(blind, 0)
        other._selections.update(shared._selections)  # Boruta is slow, and sees labeled rows only
        answers = [
            METHODS[method].run(work, ask(GaussianNB(), "curriculum", vary=smoother)) for work in (shared, other)
        ]
        np.testing.assert_array_equal(answers[0].proba, answers[1].proba)


class CountingTree(DecisionTreeClassifier):
    """Remembers what copies of it were fitted on."""

    fits: list = []

    def fit(self, X, y, **params):
        self.fits.append((np.asarray(X).tobytes(), np.asarray(y).tobytes(), self.max_depth))
        return super().fit(X, y, **params)


class TestNothingTwice:
    @pytest.fixture(autouse=True)
    def forget(self):
        CountingTree.fits.clear()

    def test_fits(self, fold):
        work, estimator = Work(fold, 0), CountingTree(max_depth=3, random_state=0)
        for method in ("supervised", "operating-point", "baseline", "ts", "cast-l-no-selection", "cast-d-no-selection"):
            for strategy in STRATEGIES:
                METHODS[method].run(work, ask(estimator, strategy))
        assert len(CountingTree.fits) > 20
        assert len(set(CountingTree.fits)) == len(CountingTree.fits)

    def test_equal_parameters_share_and_others_do_not(self, fold):
        work = Work(fold, 0)
        assert work.fitter(CountingTree(max_depth=2)) is work.fitter(CountingTree(max_depth=2))
        assert work.fitter(CountingTree(max_depth=2)) is not work.fitter(CountingTree(max_depth=3))
        assert work.fitter(CountingTree(max_depth=2)) is not work.fitter(DecisionTreeClassifier(max_depth=2))

    def test_forgotten_fits_are_fitted_anew(self, fold):
        work = Work(fold, 0)
        for _ in range(2):
            METHODS["supervised"].run(work, ask(CountingTree(random_state=0)))
            work.forget_fits()
        assert len(CountingTree.fits) == 2

    def test_boruta_and_densities(self, fold, monkeypatch):
        calls = []

        class Counting(BorutaShap):
            def fit(self, X, y, categorical_features=None):
                calls.append("boruta")
                self.support_ = np.array([True, False, True, True])
                return self

        class CountingDensity(EmpiricalLikelihood):
            def fit(self, X, categorical_features=None):
                calls.append("density")
                return super().fit(X, categorical_features)

        monkeypatch.setattr(work_module, "BorutaShap", Counting)
        work = Work(fold, 0)
        for estimator in (GaussianNB(), GaussianNB(var_smoothing=0.1)):
            for strategy in STRATEGIES:
                work.self_train(
                    estimator, ClusterAware(CountingDensity()), strategy, "none", alphas=(0.2, 0.5), selection="boruta"
                )
            work.forget_fits()
        assert calls.count("boruta") == 1
        once = len(calls) - 1
        ClusterAware(CountingDensity()).prepare(fold.X_labeled, fold.y_labeled, fold.X_pool, n_classes=3)
        assert len(calls) - 1 == 2 * once

    def test_the_first_to_ask_does_not_pay_alone(self, fold):
        """Seconds are as if nobody had done a part before."""
        work = Work(fold, 0)
        first, second = (
            METHODS["cast-l-no-selection"].run(work, ask(GaussianNB(), "curriculum")).seconds for _ in range(2)
        )
        assert first == second


class TestPermuted:
    def test_rows_of_gamma_are_the_same_in_another_order(self, fold):
        part = ClusterAware(EmpiricalLikelihood())
        part.prepare(fold.X_labeled, fold.y_labeled, fold.X_pool, n_classes=3)
        before = part.gamma_.copy()
        shuffled = shuffle_gamma(part, 0)
        assert sorted(map(tuple, shuffled.gamma_)) == sorted(map(tuple, before))
        assert (shuffled.gamma_ != before).any(axis=1).mean() > 0.9
        np.testing.assert_array_equal(part.gamma_, before)
        np.testing.assert_array_equal(shuffle_gamma(part, 0).gamma_, shuffled.gamma_)
        assert (shuffle_gamma(part, 1).gamma_ != shuffled.gamma_).any()

    @pytest.mark.parametrize("density", ["l", "d"])
    @needs("xgboost")
    def test_does_not_disturb_the_real_one(self, shared, fold, density):
        before = METHODS[f"cast-{density}"].run(shared, ask(GaussianNB(), "curriculum"))
        control = METHODS[f"cast-{density}-permuted"].run(shared, ask(GaussianNB(), "curriculum"))
        after = METHODS[f"cast-{density}"].run(shared, ask(GaussianNB(), "curriculum"))
        np.testing.assert_array_equal(before.proba, after.proba)
        assert before.history == after.history
        assert control.history != before.history


class TestOperatingPoint:
    def test_keeps_the_auc_and_moves_the_line(self, binary_fold):
        work, request = Work(binary_fold, 0), ask(LogisticRegression())
        supervised = METHODS["supervised"].run(work, request).proba
        moved = METHODS["operating-point"].run(work, request).proba
        y = binary_fold.y_test
        assert roc_auc_score(y, moved[:, 1]) == roc_auc_score(y, supervised[:, 1])
        np.testing.assert_allclose(moved.sum(axis=1), 1.0)
        # The rare class is said more often: exactly where its probability exceeds its share.
        share = binary_fold.y_labeled.mean()
        assert share < 0.5
        np.testing.assert_array_equal(moved.argmax(axis=1), supervised[:, 1] > share)
        assert moved.argmax(axis=1).sum() > supervised.argmax(axis=1).sum()


class TestSameBudget:
    def test_first_try_is_the_baseline(self, shared):
        baseline = METHODS["baseline"].run(shared, ask(GaussianNB(), "curriculum"))
        once = SameBudget("once", "Once", n_tries=1).run(
            shared, ask(GaussianNB(), "curriculum", vary=lambda model, seed: 1 / 0)
        )
        np.testing.assert_array_equal(once.proba, baseline.proba)
        assert once.facts == baseline.facts

    def test_keeps_the_best_try_on_validation_rows(self, shared):
        seeds = []

        def vary(estimator, seed):
            seeds.append(seed)
            return GaussianNB(var_smoothing=10.0**-seed)

        found = SameBudget("some", "Some", n_tries=4).run(shared, ask(GaussianNB(), "curriculum", vary=vary))
        assert seeds == [1, 2, 3]
        tries = [
            METHODS["baseline"].run(shared, ask(one, "curriculum"))
            for one in (GaussianNB(), *(GaussianNB(var_smoothing=10.0**-seed) for seed in (1, 2, 3)))
        ]
        scores = [one.facts["validation_score"] for one in tries]
        np.testing.assert_array_equal(found.proba, tries[int(np.argmax(scores))].proba)
        assert found.seconds["search"] == pytest.approx(sum(one.seconds["fit"] for one in tries))

    def test_equal_tries_give_the_first(self, shared):
        baseline = METHODS["baseline"].run(shared, ask(GaussianNB(), "curriculum"))
        found = METHODS["same-budget"].run(
            shared, ask(GaussianNB(), "curriculum", vary=lambda model, seed: GaussianNB(priors=None))
        )
        np.testing.assert_array_equal(found.proba, baseline.proba)

    def test_randomized_is_the_second_try(self, shared):
        found = METHODS["randomized"].run(shared, ask(GaussianNB(), "curriculum", vary=smoother))
        second = METHODS["baseline"].run(shared, ask(GaussianNB(var_smoothing=0.1), "curriculum"))
        np.testing.assert_array_equal(found.proba, second.proba)
        assert METHODS["randomized"].why_skip(model_of(GaussianNB())) == METHODS["same-budget"].why_skip(
            model_of(GaussianNB())
        )

    def test_xgboost_without_sampling_ignores_the_seed_and_so_is_sampled(self, binary_fold):
        """What docs/study.md says of the control: the seed alone is no variation in the paper's search space."""
        pytest.importorskip("xgboost")
        model = load_catalog().models["xgboost"]
        plain = model.build({"n_estimators": 5}, 0)
        rows = binary_fold.X_labeled, binary_fold.y_labeled

        def predict(estimator):
            return estimator.fit(*rows).predict_proba(binary_fold.X_test)

        np.testing.assert_array_equal(predict(plain), predict(model.build({"n_estimators": 5}, 1)))
        assert (predict(model.vary(plain, 1)) != predict(model.vary(plain, 2))).any()
        assert model.vary(plain, 1).subsample == 0.8
        sampled = model.build({"subsample": 0.6}, 0)  # the sane space may sample: then only the seed differs
        differing = {
            name
            for name, value in model.vary(sampled, 1).get_params().items()
            if value is not sampled.get_params()[name] and value != sampled.get_params()[name] and value == value
        }
        assert differing == {"random_state"}


class TestFits:
    """`n_fits` in the results table: the fits of all settings tried, the supervised fit in each."""

    def test_of_rounds_alphas_and_tries(self, shared):
        baseline = METHODS["baseline"].run(shared, ask(GaussianNB(), "curriculum")).facts
        assert baseline["n_fits"] == 1 + baseline["n_rounds"] == 6
        cast = METHODS["cast-l-no-selection"].run(shared, ask(GaussianNB(), "curriculum")).facts
        assert cast["n_fits"] == 8 * 6
        tries = METHODS["same-budget"].run(shared, ask(GaussianNB(), "curriculum", vary=smoother)).facts
        assert tries["n_fits"] == 8 * 6

    def test_of_a_classifier_without_validation_fold(self, shared, fold):
        answer = fit_without_validation(shared, SoftSelfTrainingClassifier(GaussianNB(), teacher=SelfTeacher()))
        assert answer.facts["n_fits"] == 2


@needs("xgboost")
class TestDensityQuality:
    def test_ranking_within_each_pseudo_label(self, shared, fold):
        [everything, *classes] = METHODS["density-quality"].run(shared, ask(GaussianNB())).details["ranking"]
        assert (everything["label"], everything["n"]) == (None, len(fold.y_pool))
        assert [one["label"] for one in classes] == [0, 1, 2]
        for name in ("n", "correct"):
            assert everything[name] == sum(one[name] for one in classes)

    def test_density_may_rank_well_over_all_and_badly_within_a_class(self):
        """Class 1 is sparse and mostly wrong; inside it the sparse rows are the right ones."""
        labels, truth = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 0, 0])
        ranking = rank_by_density(np.array([7.0, 8.0, 9.0, 1.0, 2.0, 3.0]), labels, truth, 2)
        assert [one["auc"] for one in ranking] == [0.75, None, 0.0]


class TestDescription:
    @needs("xgboost")
    def test_of_every_model_and_method_is_the_same_in_every_process(self):
        catalog = load_catalog()
        described = [describe_part(one.build({}, 0)) for one in catalog.models.values() if one.unavailable is None]
        described += [one.settings() for one in catalog.methods.values()]
        assert len(described) > 20
        assert " at 0x" not in repr(described)
        assert described == [
            *(describe_part(one.build({}, 0)) for one in load_catalog().models.values() if one.unavailable is None),
            *(one.settings() for one in load_catalog().methods.values()),
        ]

    def test_names_defaults_and_inner_parts(self):
        described = describe_part(ClusterAware(EmpiricalLikelihood()))
        assert described[""] == "ClusterAware"
        assert described["density"] == "EmpiricalLikelihood"
        assert described["density__n_bins"] == "10"
