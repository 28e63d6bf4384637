"""BorutaShap finds the columns that matter, for every kind of table and tree model, and warns if it finds none."""

import sys
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, false_discovery_control
from sklearn.base import clone
from sklearn.ensemble import (
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from tabcast.exceptions import NoFeatureConfirmedWarning
from tabcast.feature_selection import _selections
from tabcast.feature_selection._selections import BorutaShap, find_significant, two_sided_p_values
from tabcast.feature_selection._shap_importance import default_forest, shap_importance
from tests.conftest import needs, read_dataset

EFFECTS = [
    lambda x: x,
    lambda x: (np.abs(x) - 0.8) / 0.6,
    lambda x: np.where(x > 0.3, 1.3, -0.8),
]


def lightgbm(**parameters):
    """A parameter of tests: a classifier of LightGBM, where it is installed."""
    model = find_spec("lightgbm") and import_module("lightgbm").LGBMClassifier(verbosity=-1, n_jobs=1, **parameters)
    return pytest.param(model, marks=needs("lightgbm"), id="LGBMClassifier")


def xgboost(**parameters):
    """A classifier of XGBoost, where it is installed."""
    return find_spec("xgboost") and import_module("xgboost").XGBClassifier(**parameters)


def problem(seed, rows=(400, 1000), informative=(3, 7), noise=(10, 30), classes=(2, 4)):
    """A table whose informative columns are known: (X, y, informative, categorical).

    Each informative column changes the classes' scores by the same amount: linearly, by absolute value, by a threshold,
    or by level. The others are normal, exponential, correlated with their neighbor, or levels. In every third problem
    a tenth of the cells is missing.
    """
    random = np.random.default_rng(1000 + seed)
    n, n_informative, n_noise, n_classes = (
        int(random.integers(*bounds, endpoint=True)) for bounds in (rows, informative, noise, classes)
    )
    n_columns = n_informative + n_noise
    X, categorical = random.normal(size=(n, n_columns)), np.zeros(n_columns, dtype=bool)
    for j in range(n_informative, n_columns):
        kind = random.integers(4)
        if kind == 1:
            X[:, j] = random.exponential(size=n)
        elif kind == 2:
            X[:, j], categorical[j] = random.integers(0, random.integers(2, 7), n), True
        elif kind == 3 and j > n_informative:
            X[:, j] = 0.8 * X[:, j - 1] + 0.6 * X[:, j]
    scores = np.zeros((n, n_classes))
    for j in range(n_informative):
        kind = random.integers(4)
        if kind == 3:
            levels = random.permutation(np.linspace(-1.5, 1.5, int(random.integers(3, 6))))
            X[:, j], categorical[j] = random.integers(0, len(levels), n), True
            effect = levels[X[:, j].astype(int)]
        else:
            effect = EFFECTS[kind](X[:, j])
        push = random.normal(size=n_classes)
        push -= push.mean()
        scores += np.outer(effect, 1.5 * np.sqrt(n_classes / 2) * push / np.linalg.norm(push))
    proba = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    y = (proba.cumsum(axis=1) > random.random((n, 1))).argmax(axis=1)
    if seed % 3 == 0:
        X[random.random(X.shape) < 0.1] = np.nan
    order = random.permutation(n_columns)
    return X[:, order], y, order < n_informative, categorical[order]


def rates(problems, **parameters):
    """Proportion of informative columns that are found, and of other columns that are kept by mistake."""
    found, informative, wrong, others = 0, 0, 0, 0
    for seed, (X, y, truth, categorical) in enumerate(problems):
        support = BorutaShap(random_state=seed, **parameters).fit(X, y, categorical).support_
        found, informative = found + (support & truth).sum(), informative + truth.sum()
        wrong, others = wrong + (support & ~truth).sum(), others + (~truth).sum()
    return found / informative, wrong / others


@needs("xgboost")
class TestFindsWhatMatters:
    def test_small_problems(self):
        small = [problem(seed, (250, 300), (2, 3), (7, 10), (2, 3)) for seed in range(2)]
        recall, false_positives = rates(small, max_iter=12)
        assert recall >= 0.95
        assert false_positives <= 0.05

    @pytest.mark.slow
    def test_thirty_problems(self):
        recall, false_positives = rates([problem(seed) for seed in range(30)])
        print(f"recall {recall:.3f}, false positives {false_positives:.3f}")
        assert recall >= 0.95
        assert false_positives <= 0.05

    def test_that_a_value_is_missing_can_matter(self):
        random = np.random.default_rng(0)
        X, y = random.normal(size=(300, 5)), random.integers(0, 2, 300)
        X[(y == 1) & (random.random(300) < 0.7), 2] = np.nan
        X[random.random(300) < 0.4, 4] = np.nan
        assert np.flatnonzero(BorutaShap(max_iter=20, random_state=0).fit(X, y).support_).tolist() == [2]

    @pytest.mark.slow
    def test_few_rows_many_columns(self):
        X, y = read_dataset("Bioresponse")
        rows = np.random.default_rng(0).permutation(len(X))[:250]
        X, y = X.iloc[rows], y.to_numpy()[rows].astype(int)
        selection = BorutaShap(max_iter=9, random_state=0).fit(X, y)
        # Nine iterations without a hit are enough to reject most of the 1,776 columns.
        assert (selection.decision_ == "rejected").mean() > 0.9
        assert 1 <= selection.support_.sum() < 100
        assert selection.transform(X).shape == (250, selection.support_.sum())


class TestTables:
    def frame(self):
        random = np.random.default_rng(3)
        n = 300
        frame = pd.DataFrame(
            {
                "city": random.choice(["Ulm", "Bonn", "Kiel", "Hof"], n),
                "plan": pd.Categorical(random.choice(["basic", "gold"], n), categories=["basic", "gold", "never"]),
                "active": random.random(n) < 0.5,
                "member": pd.array(random.choice([True, False, None], n), dtype="boolean"),
                "visits": pd.array(random.integers(0, 9, n), dtype="Int64"),
                "income": np.where(random.random(n) < 0.1, np.nan, random.lognormal(3, 0.5, n)),
                "age": random.normal(40, 10, n),
                "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, n), unit="D"),
            }
        )
        frame.loc[3, "visits"] = pd.NA
        score = 3 * frame["city"].isin(["Ulm", "Kiel"]) + 0.15 * (frame["age"] - 40) + 2 * frame["active"]
        return frame, (score + random.normal(0, 0.5, n) > 2.5).astype(int).to_numpy()

    @needs("xgboost")
    def test_every_kind_of_column(self):
        frame, y = self.frame()
        selection = BorutaShap(max_iter=12, random_state=0).fit(frame, y)
        assert selection.transform(frame).columns.tolist() == ["city", "active", "age"]

    @pytest.mark.parametrize("estimator", [pytest.param(None, marks=needs("xgboost")), lightgbm(n_estimators=20)])
    def test_codes_are_levels_if_declared(self, estimator):
        # 40 levels in no order: of use only to a model that splits sets of levels.
        random = np.random.default_rng(0)
        X = random.integers(0, 40, size=(1500, 1)).astype(float)
        good = random.permutation(40) < 20
        y = good[X[:, 0].astype(int)].astype(int)

        def accuracy(categorical):
            model = clone(estimator) if estimator else default_forest(1, random_state=0, n_jobs=1)
            shap_importance(
                model.set_params(max_depth=1), X, y, categorical=np.array([categorical]), explained=np.arange(9)
            )
            return (model.predict(X) == y).mean()

        seen = {as_levels: accuracy(as_levels) for as_levels in (False, True)}
        assert seen[True] > seen[False] + 0.15

    @pytest.mark.parametrize("estimator", [pytest.param(None, marks=needs("xgboost")), lightgbm(n_estimators=5)])
    def test_columns_without_a_value_or_with_a_level_for_each_row(self, estimator):
        random = np.random.default_rng(0)
        y = np.arange(60) % 2
        frame = pd.DataFrame(
            {
                "empty": pd.Series([None] * 60, dtype=object),
                "nothing": np.full(60, np.nan),
                "id": [f"row {i}" for i in range(60)],
                "good": y + random.normal(0, 0.2, 60),
            }
        )
        selection = BorutaShap(estimator, max_iter=9, random_state=0).fit(frame, y)
        assert selection.decision_[[0, 1, 3]].tolist() == ["rejected", "rejected", "confirmed"]


class TestModels:
    X = np.random.default_rng(5).normal(size=(250, 7))
    y = (X[:, 2] + X[:, 5] + np.random.default_rng(6).normal(0, 0.3, 250) > 0).astype(int)

    @pytest.mark.parametrize(
        "estimator",
        [
            pytest.param(xgboost(n_estimators=30, max_depth=3, n_jobs=1), marks=needs("xgboost"), id="XGBClassifier"),
            lightgbm(n_estimators=30, max_depth=3),
        ],
        ids=lambda estimator: type(estimator).__name__,
    )
    def test_models_of_both_libraries(self, estimator):
        selection = BorutaShap(estimator, max_iter=12, random_state=0).fit(self.X, self.y)
        assert np.flatnonzero(selection.decision_ == "confirmed").tolist() == [2, 5]
        assert not hasattr(estimator, "classes_")

    @needs("xgboost")
    def test_default_model_of_three_classes(self):
        classes = self.y + (self.X[:, 5] > 1)
        selection = BorutaShap(max_iter=9, random_state=0).fit(self.X, classes)
        assert np.flatnonzero(selection.decision_ == "confirmed").tolist() == [2, 5]

    def test_nothing_installed(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "xgboost", None)
        with pytest.raises(ImportError, match=r"needs XGBoost.*pip install 'tabcast\[xgboost\]'"):
            BorutaShap().fit(self.X, self.y)

    @pytest.mark.parametrize(
        "estimator",
        [LogisticRegression(), RandomForestClassifier(), make_pipeline(RandomForestClassifier()), "xgboost"],
        ids=lambda estimator: type(estimator).__name__,
    )
    def test_models_without_shap_values(self, estimator):
        with pytest.raises(TypeError, match="`estimator` of BorutaShap must be None or a classifier of XGBoost"):
            BorutaShap(estimator).fit(self.X, self.y)


@needs("xgboost")
class TestDecisions:
    """With scripted importances instead of a model, each decision can be computed by hand."""

    X, y = np.random.default_rng(0).normal(size=(40, 4)), np.arange(40) % 2

    @pytest.fixture
    def script(self, monkeypatch):
        """Column 0 always hits, column 1 never, column 2 every other time, column 3 four times out of five."""
        seen = []

        def importance(model, X, y, *, categorical, explained):
            turn = len(seen)
            seen.append(X)
            own = {0: 2.0, 1: 0.5, 2: 2.0 * (turn % 2), 3: 3.0 * (turn % 5 > 0)}
            first = [tuple(column) for column in X.T[:4]]
            columns = [j for j in range(4) if tuple(self.X[:, j]) in first]
            return np.array([own[j] for j in columns] + [1.0] * (X.shape[1] - len(columns)))

        monkeypatch.setattr(_selections, "shap_importance", importance)
        return seen

    def test_decision_on_each_column(self, script):
        selection = BorutaShap(max_iter=30, random_state=0).fit(self.X, self.y)
        assert selection.decision_.tolist() == ["confirmed", "rejected", "tentative", "confirmed"]
        assert selection.tentative_.tolist() == [False, False, True, False]
        assert selection.n_iter_ == 30
        assert selection.hits_.tolist() == [30, 0, 15, 24]
        # As many hits as misses: its median is the shadows', which is not above it.
        assert selection.support_.tolist() == [True, False, False, True]
        np.testing.assert_allclose(selection.importance_, [2.0, 0.5, 1.0, 2.4])
        np.testing.assert_allclose(selection.shadow_importance_, np.ones(30))

    def test_tentative_column_with_more_hits_than_misses_is_kept(self, script):
        selection = BorutaShap(max_iter=9, random_state=0).fit(self.X, self.y)
        assert selection.decision_.tolist() == ["confirmed", "rejected", "tentative", "tentative"]
        assert selection.support_.tolist() == [True, False, False, True]

    def test_rejected_columns_leave_after_nine_misses(self, script):
        BorutaShap(max_iter=12, random_state=0).fit(self.X, self.y)
        # 2 * 0.5^9 = 0.0039 is the first to pass 0.05 / iterations; the column leaves, 30 shadows remain.
        assert [X.shape[1] for X in script] == [34] * 9 + [33] * 3

    def test_there_are_enough_shadows_and_each_is_a_shuffled_column(self, script):
        BorutaShap(max_iter=10, random_state=0).fit(self.X, self.y)
        original = {tuple(np.sort(column)) for column in self.X.T}
        for X in script:
            n_real = X.shape[1] - 30
            assert all(tuple(np.sort(shadow)) in original for shadow in X.T[n_real:])
            assert not any(np.array_equal(shadow, real) for shadow in X.T[n_real:] for real in self.X.T)
        assert not np.array_equal(script[0][:, 4:], script[1][:, 4:])

    def test_percentile_lowers_the_bar(self, monkeypatch):
        def importance(model, X, y, **_):
            return np.concatenate([[0.6], np.linspace(0, 1, X.shape[1] - 1)])

        monkeypatch.setattr(_selections, "shap_importance", importance)
        X = self.X[:, :1]
        assert BorutaShap(percentile=50, random_state=0).fit(X, self.y).decision_.tolist() == ["confirmed"]
        with pytest.warns(NoFeatureConfirmedWarning):
            assert BorutaShap(random_state=0).fit(X, self.y).decision_.tolist() == ["rejected"]

    @pytest.mark.parametrize(
        ("estimator", "n_jobs", "expected"),
        [(None, None, 1), (None, 2, 2), (xgboost(n_jobs=3), None, 3), (xgboost(n_jobs=3), 2, 2)],
    )
    def test_threads(self, monkeypatch, estimator, n_jobs, expected):
        threads = []

        def importance(model, X, y, **_):
            threads.append(model.n_jobs)
            return np.append(np.full(4, 2.0), np.ones(X.shape[1] - 4))

        monkeypatch.setattr(_selections, "shap_importance", importance)
        BorutaShap(estimator, n_jobs=n_jobs, max_iter=2, random_state=0).fit(self.X, self.y)
        assert threads == [expected] * 2

    def test_cap_keeps_the_most_important(self, script):
        for cap, expected in [(1, [3]), (2, [0, 3]), (3, [0, 3])]:
            script.clear()
            selection = BorutaShap(max_iter=30, max_features=cap, random_state=0).fit(self.X, self.y)
            assert np.flatnonzero(selection.support_).tolist() == expected
            assert selection.decision_[0] == "confirmed"


@needs("xgboost")
class TestNothingConfirmed:
    X, y = np.random.default_rng(0).normal(size=(80, 12)), np.arange(80) % 2

    def test_most_important_columns_are_kept_with_a_warning(self):
        message = "could not confirm that any of the 12 columns matters for the class: it keeps the 5 most important"
        with pytest.warns(NoFeatureConfirmedWarning, match=message):
            selection = BorutaShap(max_iter=12, random_state=1).fit(self.X, self.y)
        assert selection.support_.sum() == 5
        assert selection.importance_[selection.support_].min() >= selection.importance_[~selection.support_].max()


@needs("xgboost")
class TestRepeatable:
    X, y, truth, categorical = problem(4, (250, 250), (3, 3), (6, 6), (2, 2))

    def test_same_seed_same_result(self):
        first, second = (BorutaShap(max_iter=6, random_state=3).fit(self.X, self.y, self.categorical) for _ in range(2))
        np.testing.assert_array_equal(first.importance_, second.importance_)
        np.testing.assert_array_equal(first.shadow_importance_, second.shadow_importance_)
        other = BorutaShap(max_iter=6, random_state=4).fit(self.X, self.y, self.categorical)
        assert (other.importance_ != first.importance_).any()

    def test_seed_reaches_the_users_model(self):
        model = xgboost(n_estimators=10, subsample=0.5, n_jobs=1)
        first, second = (BorutaShap(model, max_iter=3, random_state=0).fit(self.X, self.y) for _ in range(2))
        np.testing.assert_array_equal(first.importance_, second.importance_)

    def test_progress_is_shown_on_request(self, capsys):
        BorutaShap(max_iter=3, random_state=0).fit(self.X, self.y)
        assert capsys.readouterr().out == ""
        BorutaShap(max_iter=3, random_state=0, verbose=1).fit(self.X, self.y)
        assert "Boruta: 0 confirmed, 9 undecided" in capsys.readouterr().out


class TestStatistics:
    @pytest.mark.parametrize("n_trials", [1, 9, 51])
    def test_p_values_are_those_of_the_binomial_test(self, n_trials):
        hits = np.arange(n_trials + 1)
        expected = [binomtest(int(count), n_trials).pvalue for count in hits]
        np.testing.assert_allclose(two_sided_p_values(hits, n_trials), expected)

    @pytest.mark.parametrize("seed", range(2))
    def test_two_step_is_benjamini_hochberg_and_a_bound(self, seed):
        p_values = np.random.default_rng(seed).random(50) ** 5
        expected = (false_discovery_control(p_values) <= 0.05) & (p_values <= 0.05 / 12)
        found = find_significant(p_values, 0.05, 12)
        np.testing.assert_array_equal(found, expected)
        assert 0 < found.sum() < 50


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_iter": 0}, r"`max_iter` of BorutaShap must be an integer of at least 1; got 0\."),
        ({"max_features": 0}, r"`max_features` of BorutaShap must be an integer of at least 1 or None; got 0\."),
        ({"alpha": 1.0}, r"`alpha` of BorutaShap must be a number in \(0, 1\); got 1\.0\."),
        ({"percentile": 0}, r"`percentile` of BorutaShap must be a number in \(0, 100\]; got 0\."),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(ValueError, match=message):
        BorutaShap(**parameters).fit(X, y)


def test_one_class_is_not_enough():
    with pytest.raises(ValueError, match="BorutaShap needs labeled rows of at least two classes; got 1"):
        BorutaShap().fit(np.zeros((5, 2)), np.zeros(5, dtype=int))
