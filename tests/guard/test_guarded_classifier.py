"""The guard: whole classifiers compared on rows they have not seen, a choice, and a verdict."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from tabcast import CASTClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.exceptions import NoUnlabeledRowsWarning, SmallClassWarning
from tabcast.guard import GuardedClassifier
from tabcast.guard import _comparison as comparison
from tabcast.pseudo_labels import TakeAll
from tabcast.teachers import Committee
from tests.conftest import hide_labels, read_dataset
from tests.guard.reference_comparison import (
    reference_comparison,
    reference_gain,
    reference_pooled,
    reference_score,
)


@pytest.fixture(scope="module")
def moons():
    X, truth = make_moons(200, noise=0.25, random_state=0)
    return X, truth, hide_labels(truth, 30, seed=0)


def quick(estimator=None, **more):
    """Self-training that takes milliseconds."""
    estimator = DecisionTreeClassifier(max_depth=3, random_state=0) if estimator is None else estimator
    return SelfTrainingClassifier(estimator, validation=None, **more)


class Liar(DecisionTreeClassifier):
    """Its labels are right as long as it has seen few rows, with many the opposite; or the other way round."""

    def __init__(self, good=True, many=60):
        super().__init__(random_state=0)
        self.good, self.many = good, many

    def predict(self, X, check_input=True):  # the same parameters as the tree's: scikit-learn 1.7 compares them
        right = super().predict(X, check_input)
        return right if self._tells_the_truth() else 1 - right

    def _tells_the_truth(self):
        return (self.tree_.n_node_samples[0] < self.many) == self.good


class TestAgainstTheTwin:
    @pytest.mark.parametrize(
        "classifier",
        [
            quick(GaussianNB()),
            SelfTrainingClassifier(KNeighborsClassifier(3), strategy=TakeAll(), validation=None),
            CASTClassifier(GaussianNB(), alpha=0.5, validation=None),
            CASTClassifier(
                DecisionTreeClassifier(random_state=0), alpha=0.3, random_state=3
            ),  # with its own validation
            SoftSelfTrainingClassifier(GaussianNB(), teacher="self", random_state=3),
            SoftSelfTrainingClassifier(
                DecisionTreeClassifier(random_state=0),
                teacher=Committee(["own", GaussianNB()]),
                random_state=3,
            ),
            SoftSelfTrainingClassifier(
                GaussianNB(), teacher=Committee(["own", KNeighborsClassifier()]), random_state=3
            ),
        ],
        ids=lambda classifier: f"{type(classifier).__name__}-{type(classifier.estimator).__name__}",
    )
    @pytest.mark.parametrize(("n_splits", "n_repeats"), [(5, 1), (3, 2)])
    @pytest.mark.filterwarnings("ignore::tabcast.exceptions.SamplingWarning")  # in a split of the reference
    def test_equal(self, moons, classifier, n_splits, n_repeats):
        X, _, y = moons
        splits = {"n_splits": n_splits, "n_repeats": n_repeats, "random_state": 11}
        ours = GuardedClassifier(classifier, scoring="balanced_accuracy", **splits).fit(X, y)
        theirs = reference_comparison(
            classifier,
            X,
            y,
            n_splits=n_splits,
            n_repeats=n_repeats,
            random_state=11,
        )
        verdict = ours.verdict_
        names = [name for name in ("supervised", "committee", "self_trained") if name in theirs[0]]
        scores = {name: reference_pooled(theirs, name)[0] for name in names}
        for name in names:
            assert verdict.scores[name].tolist() == pytest.approx([reference_score([one], name) for one in theirs])
            assert getattr(verdict, name) == pytest.approx(scores[name])
        assert verdict.scores["n_test"].tolist() == [len(one["truth"]) for one in theirs]
        assert verdict.without == max(names[:-1], key=lambda name: (scores[name], name == "supervised"))
        expected = reference_gain(theirs, "self_trained", verdict.without)
        assert (verdict.gain, verdict.low, verdict.high) == pytest.approx(expected, abs=1e-9)
        total = verdict.total
        assert (total.gain, total.low, total.high) == pytest.approx(
            reference_gain(theirs, "self_trained", "supervised"), abs=1e-9
        )

    def test_the_model_of_all_rows_is_the_classifiers_own(self, moons):
        X, _, y = moons
        classifier = CASTClassifier(GaussianNB(), alpha=0.5, random_state=5)
        ours = GuardedClassifier(classifier, n_splits=2, n_repeats=1, random_state=0).fit(X, y)
        theirs = clone(classifier).fit(X, y)
        np.testing.assert_array_equal(ours.self_trained_.predict_proba(X), theirs.predict_proba(X))
        pd.testing.assert_frame_equal(ours.self_trained_.pseudo_labels_, theirs.pseudo_labels_)
        labeled = y != -1
        alone = GaussianNB().fit(X[labeled], y[labeled])
        np.testing.assert_array_equal(ours.supervised_.predict_proba(X), alone.predict_proba(X))


class TestHeldOutRows:
    def test_nothing_in_a_split_sees_them(self, moons, monkeypatch):
        """Neither a fit nor a prediction, until both models are fitted."""
        X, _, y = moons
        X = np.column_stack([X, np.arange(len(X))])
        seen = []

        class Spy(GaussianNB):
            def fit(self, X, y, sample_weight=None):
                seen.append(("fit", set(X[:, 2].astype(int))))
                return super().fit(X, y, sample_weight)

            def predict_proba(self, X):
                seen.append(("predict", set(X[:, 2].astype(int))))
                return super().predict_proba(X)

        splits = []
        real = comparison.fit_rows

        def fit_rows(classifier, data, train, seed):
            seen.clear()
            model = real(classifier, data, train, seed)
            splits.append((set(train), list(seen)))
            return model

        monkeypatch.setattr(comparison, "fit_rows", fit_rows)
        GuardedClassifier(CASTClassifier(Spy(), alpha=0.5), n_splits=4, n_repeats=1, random_state=0).fit(X, y)
        labeled, pool = set(np.flatnonzero(y != -1)), set(np.flatnonzero(y == -1))
        assert len(splits) == 4
        for train, calls in splits:
            held_out = labeled - train
            assert held_out
            assert not any(rows & held_out for _, rows in calls)
            assert any(rows == train for kind, rows in calls if kind == "fit")  # the supervised model: all the others
            assert any(rows & pool for kind, rows in calls if kind == "fit")

    def test_out_of_fold_probabilities(self, moons):
        X, _, y = moons
        model = GuardedClassifier(quick(GaussianNB()), n_splits=4, random_state=0).fit(X, y)
        out = model.out_of_fold_
        assert out.rows.tolist() == np.flatnonzero(y != -1).tolist()
        assert out.codes.tolist() == y[out.rows].tolist()
        assert sorted(set(out.folds)) == [0, 1, 2, 3]
        for fold in range(4):
            held_out, train = out.rows[out.folds == fold], out.trained[fold]
            assert sorted([*held_out, *train]) == out.rows.tolist()
            alone = GaussianNB().fit(X[train], y[train])
            np.testing.assert_allclose(out.supervised[out.folds == fold], alone.predict_proba(X[held_out]))
            rows = np.setdiff1d(np.arange(len(X)), held_out)
            both = quick(GaussianNB()).fit(X[rows], y[rows])
            np.testing.assert_allclose(out.self_trained[out.folds == fold], both.predict_proba(X[held_out]))
            kept = both if model.chosen_ == "self-trained" else alone
            np.testing.assert_allclose(out.kept[out.folds == fold], kept.predict_proba(X[held_out]))
            assert out.kept_labels[out.folds == fold].tolist() == kept.predict(X[held_out]).tolist()


class TestChoice:
    def test_what_hurts_is_not_kept(self, moons):
        X, truth, y = moons
        model = GuardedClassifier(quick(Liar()), n_splits=5, n_repeats=2, random_state=0).fit(X, y)
        assert (model.chosen_, model.verdict_.word, model.verdict_.more_labels) == ("supervised", "hurt", 0)
        assert model.score(X, truth) > 0.8
        assert model.self_trained_.score(X, truth) < 0.2
        assert model.estimator_ is model.supervised_

    def test_what_helps_is_kept(self, moons):
        X, _, y = moons
        model = GuardedClassifier(quick(Liar(good=False)), n_splits=5, n_repeats=2, random_state=0).fit(X, y)
        assert (model.chosen_, model.verdict_.word) == ("self-trained", "helped")
        assert model.verdict_.low > 0
        np.testing.assert_array_equal(model.predict_proba(X), model.self_trained_.predict_proba(X))

    def test_a_tie_goes_to_the_supervised_model(self, moons):
        X, _, y = moons
        classifier = quick(KNeighborsClassifier(1))  # a row that repeats what its neighbor says changes nothing here
        X = np.where(y[:, None] == -1, 50.0, X)  # the unlabeled rows are far away
        model = GuardedClassifier(classifier, random_state=0).fit(X, y)
        verdict = model.verdict_
        assert (verdict.gain, verdict.chosen, verdict.word) == (0.0, "supervised", "no difference seen")
        assert verdict.low < 0 < verdict.high  # thirty rows are no proof that nothing differs
        assert "Both models scored the same in every split." in str(verdict)

    @pytest.mark.parametrize(("seed", "chosen"), [(1, "self-trained"), (5, "supervised")])
    def test_an_ensemble_keeps_the_unlabeled_rows_unless_they_probably_hurt(self, seed, chosen):
        """Both scores are worse with the unlabeled rows; for seed 5 the odds are four to one that this is no chance."""
        X, y = read_dataset("diabetes")
        rows = np.random.default_rng(seed).permutation(len(y))[:300]
        half_labeled = np.where(np.arange(300) < 40, np.asarray(y, dtype=object)[rows], None)
        verdict = GuardedClassifier(random_state=0).fit(X.iloc[rows].reset_index(drop=True), half_labeled).verdict_
        odds = student.cdf(verdict.gain / ((verdict.high - verdict.low) / 2) * student.ppf(0.95, 4), 4)  # five folds
        assert verdict.gain < 0
        assert verdict.chosen == chosen == ("self-trained" if odds > 0.2 else "supervised")

    def test_self_training_that_ended_with_the_supervised_model(self, moons):
        """Its own validation preferred round 0: both models are the supervised one, and the verdict says so."""
        X, _, y = moons
        model = GuardedClassifier(SelfTrainingClassifier(Liar()), n_splits=3, random_state=0).fit(X, y)
        assert model.self_trained_.best_round_ == 0
        assert model.verdict_.same_model
        assert model.chosen_ == "supervised"

    def test_two_moons_with_forty_labels(self):
        """Where the unlabeled rows truly help, the guard keeps the self-trained model."""
        X, truth = make_moons(600, noise=0.15, random_state=1)
        y = hide_labels(truth, 40, seed=1)
        classifier = SoftSelfTrainingClassifier(
            DecisionTreeClassifier(min_samples_leaf=3), teacher=Committee(["own", KNeighborsClassifier(10)])
        )
        model = GuardedClassifier(classifier, random_state=0).fit(X, y)
        assert model.chosen_ == "self-trained"
        assert model.score(X, truth) > model.supervised_.score(X, truth) + 0.03


class TestVerdict:
    def test_counts(self, moons):
        X, _, y = moons
        verdict = GuardedClassifier(quick(), n_splits=3, n_repeats=4, random_state=0).fit(X, y).verdict_
        assert (verdict.n_labeled, verdict.n_unlabeled, verdict.n_splits, verdict.n_repeats) == (30, 170, 3, 4)
        assert len(verdict.scores) == 12
        assert verdict.scores.columns.tolist() == ["repeat", "fold", "n_test", "supervised", "self_trained"]
        assert verdict.scores.groupby("repeat")["n_test"].sum().tolist() == [30] * 4
        assert (verdict.level, verdict.metric) == (0.9, "accuracy")
        assert verdict.gain == pytest.approx(verdict.self_trained - verdict.supervised)

    def test_is_plain_json(self, moons):
        X, _, y = moons
        verdict = GuardedClassifier(quick(), n_splits=2, random_state=0).fit(X, y).verdict_
        plain = verdict.to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain
        assert plain["scores"][0].keys() == {"repeat", "fold", "n_test", "supervised", "self_trained"}
        assert plain["word"] == verdict.word

    def test_fits_are_counted(self, moons):
        X, _, y = moons
        classifier = quick(GaussianNB(), strategy=TakeAll(), max_rounds=1)
        model = GuardedClassifier(classifier, n_splits=3, n_repeats=1, random_state=0).fit(X, y)
        assert model.n_fits_ == 4 * 2  # on all rows and in three splits, each time the supervised one and another


class TestFewRows:
    def test_no_unlabeled_rows(self, moons):
        X, truth, _ = moons
        with pytest.warns(NoUnlabeledRowsWarning) as caught:
            model = GuardedClassifier(quick(), n_splits=3, random_state=0).fit(X, truth)
        assert len(caught) == 1
        verdict = model.verdict_
        assert (verdict.chosen, verdict.gain, verdict.low, verdict.high) == ("supervised", 0.0, 0.0, 0.0)
        assert str(verdict).startswith("There are no unlabeled rows, so there is nothing to compare")
        assert len(model.out_of_fold_.rows) == 200
        json.dumps(verdict.to_dict(), allow_nan=False)

    def test_a_class_with_one_row_is_never_held_out(self, moons):
        X, _, y = moons
        y = y.copy()
        y[np.flatnonzero(y == -1)[0]] = 2
        with pytest.warns(SmallClassWarning, match="1 class has only one labeled row") as caught:
            model = GuardedClassifier(quick(), n_splits=3, random_state=0).fit(X, y)
        assert len(caught) == 1
        only = np.flatnonzero(y == 2)[0]
        assert only not in model.out_of_fold_.rows
        assert all(only in model.out_of_fold_.trained[fold] for fold in range(3))
        assert model.predict_proba(X).shape == (200, 3)
        assert model.out_of_fold_.self_trained.shape == (30, 3)

    def test_every_class_has_one(self, moons):
        X, _, _ = moons
        y = np.full(len(X), -1)
        y[:3] = [0, 1, 2]
        with pytest.raises(
            ValueError, match=r"every class has only one labeled row\. Label at least two rows of a class"
        ):
            GuardedClassifier(quick(), random_state=0).fit(X, y)

    def test_four_labels(self, moons):
        """Fewer rows than folds: as many splits as there are rows to hold out, and no certainty."""
        X, truth, _ = moons
        y = hide_labels(truth, 4, seed=0)
        model = GuardedClassifier(quick(), n_repeats=1, random_state=0).fit(X, y)
        assert len(model.verdict_.scores) == 4
        assert model.verdict_.word == "no difference seen"

    def test_classes_missing_among_held_out_rows(self):
        """Three classes, one with two labeled rows: most splits hold out none of it, and nobody warns."""
        random = np.random.default_rng(0)
        truth = np.repeat(["big", "middle", "rare"], [100, 60, 20])
        X = random.normal(size=(180, 2)) + np.array([[0, 0], [3, 0], [0, 3]])[np.repeat([0, 1, 2], [100, 60, 20])]
        y = np.full(180, None, dtype=object)
        y[[*range(10), *range(100, 110), 160, 161]] = truth[[*range(10), *range(100, 110), 160, 161]]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for scoring in ("balanced_accuracy", "neg_log_loss", "roc_auc_ovr"):
                model = GuardedClassifier(
                    quick(GaussianNB()), scoring=scoring, n_splits=5, n_repeats=2, random_state=0
                ).fit(X, y)
                missing = model.verdict_.scores["supervised"].isna()
                assert missing.tolist() == model.verdict_.scores["self_trained"].isna().tolist()
                assert missing.sum() == 6  # in each repeat two of five splits have the rare class
                assert model.verdict_.to_dict()["scores"][int(missing.to_numpy().argmax())]["supervised"] is None
                assert np.isfinite([model.verdict_.supervised, model.verdict_.low, model.verdict_.high]).all()

    def test_a_rare_class_that_is_never_found_is_not_forgotten(self):
        """Three positives of forty: a model that misses them all has balanced accuracy 0.5 in every honest count."""
        random = np.random.default_rng(0)
        X, y = random.normal(size=(140, 2)), np.full(140, -1)
        y[:40] = 0
        y[:3] = 1  # nothing in X tells them from the others
        model = GuardedClassifier(quick(LogisticRegression()), scoring="balanced_accuracy", random_state=0).fit(X, y)
        assert model.verdict_.supervised == 0.5  # a mean over folds would be (3 * 0.5 + 2 * 1) / 5 = 0.7

    def test_a_class_that_cannot_be_scored_is_named(self):
        random = np.random.default_rng(0)
        X, y = random.normal(size=(90, 2)), np.full(90, None, dtype=object)
        y[:21] = ["no"] * 10 + ["yes"] * 10 + ["rare"]
        with pytest.warns(SmallClassWarning):
            model = GuardedClassifier(quick(GaussianNB(var_smoothing=0.1)), random_state=0).fit(X, y)
        assert model.verdict_.unscored == ["rare"]
        assert "Class 'rare' has too few labeled rows to hold one out: the scores say nothing about it." in str(
            model.verdict_
        )

    def test_a_score_that_is_never_there(self):
        random = np.random.default_rng(0)
        X, y = random.normal(size=(60, 2)), np.full(60, -1)
        y[:12] = [0] * 5 + [1] * 5 + [2] + [2]
        y[11] = 3  # two classes with one row each
        with (
            pytest.raises(
                ValueError,
                match=r"^`scoring` could be computed on only 0 of 3 .* another score than 'roc_auc_ovr'",
            ),
            pytest.warns(SmallClassWarning),
        ):
            GuardedClassifier(quick(GaussianNB()), scoring="roc_auc_ovr", n_splits=3, random_state=0).fit(X, y)


def opposite_of_errors(model, X, y):
    return -float((model.predict(X) != y).sum())


class TestScoring:
    @pytest.mark.parametrize(
        ("scoring", "name"),
        [
            ("accuracy", "accuracy"),
            ("roc_auc", "roc_auc"),
            (None, "accuracy"),
            (make_scorer(accuracy_score), "accuracy_score"),
            (opposite_of_errors, "opposite_of_errors"),
        ],
    )
    def test_names_and_callables(self, moons, scoring, name):
        X, _, y = moons
        model = GuardedClassifier(quick(), scoring=scoring, n_splits=3, random_state=0).fit(X, y)
        assert model.verdict_.metric == name
        assert np.isfinite(model.verdict_.gain)

    def test_what_is_scored_decides(self, moons):
        """The number of errors is no proportion: differences are given as they are, not in points."""
        X, _, y = moons
        model = GuardedClassifier(quick(Liar()), scoring=opposite_of_errors, random_state=0).fit(X, y)
        assert model.verdict_.gain < -1
        assert "points" not in str(model.verdict_)


class TestTables:
    def test_dataframes_with_everything_in_them(self, mixed_table):
        frame, truth = mixed_table
        y = hide_labels(truth, 50, seed=0, marker=None)
        classifier = SoftSelfTrainingClassifier(teacher="self")
        model = GuardedClassifier(classifier, n_splits=2, n_repeats=1, random_state=0).fit(frame, y)
        assert set(model.predict(frame)) <= {"stays", "leaves"}
        assert model.classes_.tolist() == ["leaves", "stays"]
        assert model.feature_names_in_.tolist() == frame.columns.tolist()
        assert model.out_of_fold_.rows.tolist() == np.flatnonzero(y != np.array(None)).tolist()

    def test_rows_given_apart_are_the_same_rows(self, moons):
        X, _, y = moons
        labeled = y != -1
        together = GuardedClassifier(quick(), random_state=0).fit(np.concatenate([X[labeled], X[~labeled]]), [
            *y[labeled], *y[~labeled]
        ])  # fmt: skip
        apart = GuardedClassifier(quick(), random_state=0).fit(X[labeled], y[labeled], X_unlabeled=X[~labeled])
        pd.testing.assert_frame_equal(apart.verdict_.scores, together.verdict_.scores)
        np.testing.assert_array_equal(apart.predict_proba(X), together.predict_proba(X))

    @pytest.mark.parametrize("marker", [-1, np.nan, None, "?"])
    def test_markers(self, moons, marker):
        X, _, y = moons
        words = np.where(y == -1, None, np.array(["no", "yes"], dtype=object)[y])
        if marker == -1:
            words = y
        elif marker is not None:
            words = np.array([marker if one is None else one for one in words], dtype=object)
        classifier = quick(missing_label="?" if marker == "?" else "auto")
        model = GuardedClassifier(classifier, n_splits=3, random_state=0).fit(X, words)
        assert model.verdict_.n_unlabeled == 170
        reference = GuardedClassifier(quick(), n_splits=3, random_state=0).fit(X, y)
        pd.testing.assert_frame_equal(model.verdict_.scores, reference.verdict_.scores)

    def test_weights_and_row_parameters_follow_their_rows(self, moons):
        X, _, y = moons
        X = np.column_stack([X, np.arange(len(X))])
        weight = np.arange(len(X)) + 1.0
        pairs = []

        class Spy(GaussianNB):
            def fit(self, X, y, sample_weight=None, notes=None, other=None):
                pairs.append((X[:, 2], sample_weight, notes, other))
                return super().fit(X, y, sample_weight)

        GuardedClassifier(quick(Spy()), n_splits=3, n_repeats=1, random_state=0).fit(
            X, y, sample_weight=weight, notes=[f"row {row}" for row in range(len(X))], other={"a": 1}
        )
        assert len(pairs) == 4 * 6
        for rows, weights, notes, other in pairs:
            assert weights.tolist() == (rows + 1).tolist()
            assert notes == [f"row {int(row)}" for row in rows]
            assert other == {"a": 1}

    def test_other_columns_at_predict(self, moons):
        X, _, y = moons
        frame = pd.DataFrame(X, columns=["a", "b"])
        model = GuardedClassifier(quick(), n_splits=2, random_state=0).fit(frame, y)
        with pytest.raises(ValueError, match="feature names"):
            model.predict(frame.rename(columns={"b": "c"}))


class TestEstimator:
    def test_the_same_seed_gives_the_same(self, moons):
        X, _, y = moons
        classifier = SoftSelfTrainingClassifier(
            DecisionTreeClassifier(max_features=1), teacher=Committee(["own", "linear"])
        )
        models = [
            GuardedClassifier(classifier, n_splits=3, n_repeats=1, n_jobs=n_jobs, random_state=seed).fit(X, y)
            for n_jobs, seed in ((None, 0), (2, 0), (None, 1))
        ]
        pd.testing.assert_frame_equal(models[0].verdict_.scores, models[1].verdict_.scores)
        np.testing.assert_array_equal(
            models[0].self_trained_.predict_proba(X), models[1].self_trained_.predict_proba(X)
        )
        assert not models[0].verdict_.scores.equals(models[2].verdict_.scores)

    def test_default_is_soft_self_training(self, moons):
        X, _, y = moons
        model = GuardedClassifier(n_splits=2, n_repeats=1, random_state=0).fit(X[:80], y[:80])
        assert isinstance(model.self_trained_, SoftSelfTrainingClassifier)
        assert model.self_trained_.estimator is None  # an ensemble
        assert model.classifier is None

    def test_clone_and_parameters(self):
        model = GuardedClassifier(quick(), n_splits=3)
        copy = clone(model).set_params(classifier__estimator__max_depth=7)
        assert copy.get_params()["n_splits"] == 3
        assert copy.classifier.estimator.max_depth == 7
        assert model.classifier.estimator.max_depth == 3

    def test_a_pickled_model_predicts_the_same(self, moons):
        X, _, y = moons
        model = GuardedClassifier(quick(), n_splits=2, random_state=0).fit(X, y)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert str(again.verdict_) == str(model.verdict_)

    def test_a_bar_with_the_time_left(self, moons, capsys):
        X, _, y = moons
        GuardedClassifier(quick(verbose=1), n_splits=4, random_state=0, verbose=1).fit(X, y)  # one bar, not two
        shown = capsys.readouterr().out
        assert "tabcast: comparing, 4 of 4" in shown
        assert "5/5 models" in shown
        assert "left" in shown
        assert "SelfTrainingClassifier" not in shown

    @pytest.mark.parametrize(
        ("changes", "error", "message"),
        [
            ({"classifier": LogisticRegression()}, TypeError, "`classifier` of GuardedClassifier must be a SoftSelf"),
            (
                {"n_splits": 1},
                ValueError,
                "`n_splits` of GuardedClassifier must be an integer of at least 2 or None",
            ),
            ({"n_splits": 2.5}, ValueError, "`n_splits` of GuardedClassifier must be an integer of at least 2"),
            ({"n_repeats": 0}, ValueError, "`n_repeats` of GuardedClassifier must be an integer of at least 1; got 0."),
            ({"scoring": "no_such_score"}, ValueError, "no_such_score"),
            ({"classifier": quick(LinearSVC())}, TypeError, "must have predict_proba"),
            ({"classifier": quick(max_rounds=0)}, ValueError, "`max_rounds` of SelfTrainingClassifier must be"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, moons, changes, error, message):
        X, _, y = moons
        with pytest.raises(error, match=message):
            GuardedClassifier(**{"classifier": quick(), **changes}).fit(X, y)
