"""Every row has one role, labels are hidden as stated, cells corrupted as stated, and metrics are scikit-learn's."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, log_loss, roc_auc_score

from tabcast.study.datasets import Split
from tabcast.study.protocol import MetricScorer, choose_labeled, choose_rows, corrupt, f1, make_folds, measure
from tabcast.study.records import Setting
from tests.study.small_study import make_table

ROLES = ("labeled", "pool", "validation", "test")
SETTING = Setting("made up", 0.1)


def with_identity(dataset):
    """The dataset with a column that tells rows apart."""
    X = dataset.X.assign(identity=np.arange(len(dataset.X), dtype=float))
    return replace(dataset, X=X)


def identities(fold, role):
    table = getattr(fold, f"X_{role}")
    return (table["identity"] if isinstance(table, pd.DataFrame) else table[:, -1]).astype(int)


@pytest.fixture(scope="module")
def three_classes():
    return with_identity(make_table(300, n_classes=3, metric="balanced_accuracy"))


@pytest.fixture(scope="module")
def folds(three_classes):
    return list(make_folds(three_classes, SETTING))


class TestRoles:
    def test_every_row_has_exactly_one(self, folds):
        for fold in folds:
            rows = np.concatenate([identities(fold, role) for role in ROLES])
            assert sorted(rows) == list(range(300))

    def test_rows_keep_their_class(self, folds, three_classes):
        for fold in folds:
            for role in ROLES:
                np.testing.assert_array_equal(getattr(fold, f"y_{role}"), three_classes.y[identities(fold, role)])

    def test_the_same_test_rows_in_every_fold(self, folds):
        assert len(folds) == 3
        assert len(folds[0].y_test) == 60
        for fold in folds[1:]:
            assert set(identities(fold, "test")) == set(identities(folds[0], "test"))

    def test_every_other_row_validates_once(self, folds):
        validated = np.concatenate([identities(fold, "validation") for fold in folds])
        assert sorted(validated) == sorted(set(range(300)) - set(identities(folds[0], "test")))

    def test_splits_are_stratified(self, folds, three_classes):
        shares = np.bincount(three_classes.y) / 300
        for fold in folds:
            for y in (fold.y_validation, fold.y_test, np.concatenate([fold.y_labeled, fold.y_pool])):
                np.testing.assert_allclose(np.bincount(y), shares * len(y), atol=1.0)

    def test_the_share_of_each_class_keeps_its_label(self, folds):
        for fold in folds:
            labeled, hidden = np.bincount(fold.y_labeled), np.bincount(fold.y_pool)
            assert labeled.tolist() == [round(0.1 * n) for n in labeled + hidden]


def split_by_thirds(y, random):
    """Twelve labeled rows and thirty unlabeled ones of the first hundred, test rows of the others."""
    rows = random.permutation(100)
    return Split(rows[:12], rows[12:42], 100 + random.permutation(200)[:150])


class TestOwnSplit:
    @pytest.fixture
    def split_itself(self, three_classes):
        return replace(three_classes, info=replace(three_classes.info, split=split_by_thirds))

    def test_rows_have_the_role_it_says(self, split_itself):
        folds = list(make_folds(split_itself, replace(SETTING, seed=4)))
        assert len(folds) == 3
        for number, fold in enumerate(folds):
            split = split_by_thirds(split_itself.y, np.random.default_rng([4, number]))
            for role in ("labeled", "pool", "test"):
                rows = getattr(split, role)
                assert identities(fold, role).tolist() == rows.tolist()
                assert getattr(fold, f"y_{role}").tolist() == split_itself.y[rows].tolist()
            assert fold.X_validation.shape == (0, 5)
            assert len(fold.y_validation) == 0

    def test_another_seed_takes_other_rows(self, split_itself):
        [one, _, _], [other, _, _] = (list(make_folds(split_itself, replace(SETTING, seed=seed))) for seed in (0, 1))
        assert identities(one, "labeled").tolist() != identities(other, "labeled").tolist()

    @pytest.mark.parametrize(("name", "value"), [("label_fraction", 0.2), ("max_rows", 100)])
    def test_settings_without_effect_are_refused(self, split_itself, name, value):
        with pytest.raises(ValueError, match=f"Dataset 'made up' splits itself: `{name}` has no effect on it"):
            next(make_folds(split_itself, replace(SETTING, **{name: value})))

    def test_a_row_with_two_roles_is_refused(self, split_itself):
        twice = replace(
            split_itself.info, split=lambda y, random: Split(np.arange(9), np.arange(8, 20), np.arange(30, 60))
        )
        with pytest.raises(ValueError, match="`split` of dataset 'made up' must give each row one role"):
            next(make_folds(replace(split_itself, info=twice), SETTING))


class TestSeeds:
    def test_the_same_one_gives_the_same_rows(self, three_classes, folds):
        for fold, again in zip(folds, make_folds(three_classes, SETTING), strict=True):
            for role in ROLES:
                np.testing.assert_array_equal(getattr(again, f"X_{role}"), getattr(fold, f"X_{role}"))

    def test_more_labels_add_to_fewer(self, three_classes, folds):
        for fewer, more in zip(folds, make_folds(three_classes, replace(SETTING, label_fraction=0.3)), strict=True):
            assert set(identities(fewer, "labeled")) < set(identities(more, "labeled"))
            assert set(identities(fewer, "test")) == set(identities(more, "test"))


class TestChooseLabeled:
    @pytest.mark.parametrize("share", [0.001, 0.05, 0.1, 0.3, 1.0])
    def test_share_of_each_class_at_least_one_row(self, share):
        y = np.repeat([0, 1, 2, 3], [100, 40, 7, 1])
        labeled = choose_labeled(y, share, np.random.default_rng(0))
        for one, size in enumerate([100, 40, 7, 1]):
            assert labeled[y == one].sum() == max(1, round(share * size))


class TestMaxRows:
    def test_stratified_sample(self, three_classes):
        folds = list(make_folds(three_classes, replace(SETTING, max_rows=120)))
        rows = np.concatenate([identities(folds[0], role) for role in ROLES])
        assert len(set(rows)) == len(rows) == 120
        counts = np.bincount(three_classes.y[rows])
        np.testing.assert_allclose(counts, np.bincount(three_classes.y) * 120 / 300, atol=1.0)

    @pytest.mark.parametrize("most", [None, 50, 51])
    def test_no_fewer_rows_than_there_are(self, most):
        y = np.repeat([0, 1], 25)
        assert choose_rows(y, most, 0).tolist() == list(range(50))


class TestCorrupt:
    @pytest.fixture
    def table(self):
        random = np.random.default_rng(1)
        numbers = pd.DataFrame(random.normal(size=(200, 8)), columns=[f"number {j}" for j in range(8)])
        levels = pd.Categorical(random.choice(["x", "y", "z"], 200), categories=["x", "y", "z", "never"])
        holes = pd.Series(np.where(random.random(200) < 0.3, np.nan, random.normal(size=200)))
        return numbers.assign(level=levels, holes=holes, index=np.arange(200.0)).set_index(np.arange(500, 700))

    def test_exact_share_of_each_row(self):
        table = pd.DataFrame(np.arange(200 * 10.0).reshape(200, 10))
        for share in (0.1, 0.2, 0.5, 1.0):
            changed = (corrupt(table, share, np.random.default_rng(0)) != table).to_numpy().sum(axis=1)
            n_cells = round(share * 10)
            assert changed.max() == n_cells  # cells all differ: every hit shows, unless the donor is the row itself
            assert changed.sum() >= 0.98 * 200 * n_cells

    def test_columns_are_hit_equally_often_and_rows_differ(self):
        table = pd.DataFrame(np.arange(4000 * 5.0).reshape(4000, 5))
        changed = (corrupt(table, 0.4, np.random.default_rng(0)) != table).to_numpy()
        np.testing.assert_allclose(changed.mean(axis=0), 0.4, atol=0.04)  # five standard errors
        pairs = np.unique(changed[changed.sum(axis=1) == 2], axis=0)
        assert len(pairs) == 10  # all pairs of five columns

    def test_values_are_the_columns_own(self, table):
        damaged = corrupt(table, 0.5, np.random.default_rng(0))
        for name in table:
            assert set(damaged[name].dropna()) <= set(table[name].dropna())
            assert damaged[name].tolist() != table[name].tolist()

    @pytest.mark.parametrize("share", [0.0, 0.01])
    def test_nothing_to_do(self, table, share):
        pd.testing.assert_frame_equal(corrupt(table, share, np.random.default_rng(0)), table.reset_index(drop=True))

    @pytest.mark.parametrize("preprocessing", ["paper", "native"])
    def test_only_training_rows(self, preprocessing):
        dataset = make_table(150, mixed=True)
        clean = list(make_folds(dataset, replace(SETTING, preprocessing=preprocessing)))
        dirty = list(make_folds(dataset, replace(SETTING, preprocessing=preprocessing, corruption=0.4)))
        for before, after in zip(clean, dirty, strict=True):
            for role in ("validation", "test"):
                kept, given = getattr(after, f"X_{role}"), getattr(before, f"X_{role}")
                pd.testing.assert_frame_equal(pd.DataFrame(kept), pd.DataFrame(given))
                np.testing.assert_array_equal(getattr(after, f"y_{role}"), getattr(before, f"y_{role}"))
            train = [np.concatenate([np.asarray(fold.X_labeled), np.asarray(fold.X_pool)]) for fold in (before, after)]
            rows = [{tuple(row) for row in table[:, 1:4].astype(float)} for table in train]
            assert len(rows[1] - rows[0]) > 0.5 * len(train[1])


class TestPreprocessing:
    def test_learns_from_training_rows_only(self):
        """Other values in validation and test rows change nothing in the training rows, imputed cells included."""
        dataset = with_identity(make_table(150, mixed=True))
        [fold, *_] = make_folds(dataset, SETTING)
        others = np.concatenate([identities(fold, "validation"), identities(fold, "test")])
        X = dataset.X.copy()
        X.loc[others, ["b", "c", "d"]] *= 100
        X.loc[others, "a"] = 1000.0
        [again, *_] = make_folds(replace(dataset, X=X), SETTING)
        assert dataset.X["a"].isna()[identities(fold, "pool")].any()  # something was imputed
        np.testing.assert_array_equal(again.X_labeled, fold.X_labeled)
        np.testing.assert_array_equal(again.X_pool, fold.X_pool)


def random_predictions(n_classes, seed=0):
    random = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), random.integers(0, n_classes, 80)])
    proba = random.dirichlet(np.ones(n_classes), len(y)) + 0.5 * np.eye(n_classes)[y] * random.random((len(y), 1))
    return y, proba / proba.sum(axis=1, keepdims=True)


class TestMeasure:
    @pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "f1"])
    def test_two_classes(self, metric):
        y, proba = random_predictions(2)
        found, predicted = measure(y, proba, metric), proba[:, 1] > 0.5
        assert found["accuracy"] == accuracy_score(y, predicted)
        assert found["balanced_accuracy"] == balanced_accuracy_score(y, predicted)
        assert found["f1"] == f1_score(y, predicted)
        assert found["macro_f1"] == (f1_score(y, predicted) + f1_score(1 - y, ~predicted)) / 2
        assert found["auc"] == pytest.approx(roc_auc_score(y, proba[:, 1]))
        assert found["log_loss"] == pytest.approx(log_loss(y, proba))
        assert found["score"] == found[metric]

    @pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "f1"])
    def test_several_classes(self, metric):
        y, proba = random_predictions(4)
        found, predicted = measure(y, proba, metric), proba.argmax(axis=1)
        by_hand = [
            2 * (one & right).sum() / (one.sum() + right.sum())
            for one, right in ((predicted == k, y == k) for k in range(4))
        ]
        assert found["f1"] == found["macro_f1"] == pytest.approx(np.mean(by_hand))
        assert found["accuracy"] == accuracy_score(y, predicted)
        assert found["balanced_accuracy"] == balanced_accuracy_score(y, predicted)
        one_against_rest = [roc_auc_score(y == k, proba[:, k]) for k in range(4)]
        assert found["auc"] == pytest.approx(np.mean(one_against_rest))
        assert found["log_loss"] == pytest.approx(-np.log(proba[np.arange(len(y)), y]).mean())
        assert found["score"] == found[metric]

    def test_single_precision_probabilities(self):
        """They do not quite sum to one; scikit-learn would refuse or warn."""
        y, proba = random_predictions(3)
        found = measure(y, proba.astype(np.float32).astype(float), "accuracy")
        assert found["auc"] == pytest.approx(measure(y, proba, "accuracy")["auc"], abs=1e-6)


class TestScorer:
    @pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "f1"])
    def test_is_the_metric_of_what_a_model_predicts(self, metric):
        y, proba = random_predictions(2)

        class Model:
            def predict(self, X):
                return X.argmax(axis=1)

        assert MetricScorer(metric, 2)(Model(), proba, y) == measure(y, proba, metric)["score"]

    def test_f1_of_three_classes_is_the_mean_even_where_two_occur(self):
        y, predicted = np.array([1, 1, 0, 0]), np.array([1, 0, 0, 0])
        assert f1(y, predicted, 3) == pytest.approx((2 / 3 + 4 / 5) / 2)
