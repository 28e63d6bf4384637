"""The choice among kinds of models: by cross-validation on the labeled rows, toward the simpler."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from tabcast import CASTClassifier, GuardedClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.models import Portfolio, make_model, say_choice
from tabcast.models import _portfolio as module
from tabcast.models._portfolio import compare_losses, encode_kind, find_simplest, out_of_fold_losses

CHEAP = ["logistic_regression", "extra_trees", "hist_gradient_boosting"]


def checkerboard(n, seed):
    """No linear model can learn it; trees can."""
    X = np.random.default_rng(seed).uniform(0, 2, (n, 2))
    return X, (X.astype(int).sum(axis=1) % 2).astype(int)


class TestChoice:
    def test_a_linear_problem_gets_a_linear_model(self):
        X, y = make_classification(60, 8, n_informative=8, n_redundant=0, n_clusters_per_class=1, random_state=0)
        assert Portfolio(CHEAP, random_state=0).fit(X, y).choice_.name == "logistic_regression"

    def test_a_checkerboard_does_not(self):
        X, y = checkerboard(200, 0)
        choice = Portfolio(CHEAP, random_state=0).fit(X, y).choice_
        assert choice.name != "logistic_regression"
        assert choice.scores["model"].tolist() == CHEAP
        assert choice.scores.loc[choice.scores["chosen"], "model"].tolist() == [choice.name]
        assert choice.scores["log_loss"].idxmin() > 0

    def test_the_simplest_within_one_standard_error(self):
        """The second is best; the first is 0.1 worse on average."""
        random = np.random.default_rng(0)
        best = random.random(100)
        near, far = best + 0.1 + random.normal(0, 2, 100), best + 0.1 + random.normal(0, 0.1, 100)
        near += best.mean() + 0.1 - near.mean()
        for losses, position in ([near, best], 0), ([far, best], 1), ([best, near], 0):
            assert find_simplest(*compare_losses(np.array(losses))) == position

    def test_errors_are_those_of_paired_differences_on_rows_that_all_have(self):
        losses = np.array([[1.0, 2.0, np.nan, 4.0], [1.5, 2.0, 9.0, 3.0]])
        means, errors = compare_losses(losses)
        assert means == pytest.approx([7 / 3, 6.5 / 3])
        assert errors == pytest.approx([np.std([-0.5, 0, 1], ddof=1) / np.sqrt(3), 0])

    def test_a_kind_that_is_clearly_worse_gets_no_second_repeat(self, monkeypatch):
        evaluated = []

        def losses(kind, y, weight, folds):
            name = type(kind.model).__name__
            evaluated.append(name)
            size = {"LogisticRegression": 0.5, "LeanExtraTrees": 0.4}.get(name, 0.9)
            return size + 0.3 * np.sin(np.arange(len(y)) * (1 + len(name)))

        monkeypatch.setattr(module, "out_of_fold_losses", losses)
        X, y = checkerboard(200, 0)
        choice = Portfolio(CHEAP, n_repeats=3).choose(X, y)
        assert evaluated[:3] == ["LogisticRegression", "LeanExtraTrees", "HistGradientBoostingClassifier"]
        assert evaluated[3:] == []
        assert choice.name == "extra_trees"
        assert choice.scores["n_repeats"].tolist() == [1, 1, 1]
        evaluated.clear()
        monkeypatch.setattr(module, "CLEARLY", 8.0)  # now only boosting is
        assert Portfolio(CHEAP, n_repeats=3).choose(X, y).scores["n_repeats"].tolist() == [3, 3, 1]
        assert len(evaluated) == 3 + 2 + 2

    def test_same_seed_same_choice(self):
        X, y = checkerboard(60, 1)
        one, other = (Portfolio(CHEAP[:2], n_splits=3, random_state=3).fit(X, y) for _ in range(2))
        pd.testing.assert_frame_equal(one.choice_.scores, other.choice_.scores)
        assert np.array_equal(one.predict_proba(X), other.predict_proba(X))

    def test_losses_against_a_literal_loop(self):
        X, y = make_classification(40, 4, random_state=2)
        folds = list(StratifiedKFold(4).split(X, y))
        expected = np.zeros(40)
        scores = make_model("logistic_regression")[0].fit_transform(X)  # encoded once, without labels
        for train, held_out in folds:
            model = make_model("logistic_regression")[1].fit(scores[train], y[train])
            shares = (np.bincount(y[train], minlength=2) + 1) / (len(train) + 2)
            for row in held_out:
                p = dict(zip(model.classes_, model.predict_proba(scores[[row]])[0], strict=True))[y[row]]
                expected[row] = -np.log(0.95 * p + 0.05 * shares[y[row]])
        kind = encode_kind(make_model("logistic_regression"), X, 2)
        assert out_of_fold_losses(kind, y, None, folds) == pytest.approx(expected)

    def test_boosting_needs_rows_unless_it_was_named(self):
        X, y = make_classification(40, 4, random_state=0)
        choice = Portfolio(random_state=0).choose(X, y)
        assert choice.scores["model"].tolist() == ["logistic_regression", "extra_trees"]
        assert choice.left_out[0] == "hist_gradient_boosting"
        assert "Gradient boosting is compared from 50 labeled rows on." in say_choice(choice.to_dict())
        assert Portfolio(CHEAP)._read_members(40) == (CHEAP, ())
        assert Portfolio()._read_members(50)[0][:3] == CHEAP


class TestTables:
    def test_categories_missing_values_and_labels_of_any_type(self):
        random = np.random.default_rng(0)
        X = pd.DataFrame({"size": random.normal(size=60), "city": pd.Series(random.choice(["Ulm", "Kiel"], 60))})
        X.loc[::7, "size"] = np.nan
        y = np.where(X["city"] == "Ulm", "south", "north")
        model = Portfolio(CHEAP, random_state=0).fit(X, y, sample_weight=random.random(60))
        assert (model.predict(X) == y).all()
        assert model.predict_proba(X).shape == (60, 2)

    def test_a_class_with_one_row_is_never_held_out(self):
        X, y = make_classification(31, 4, random_state=0)
        y[0] = 2
        model = Portfolio(CHEAP, random_state=0).fit(X, y)
        assert model.predict_proba(X).shape == (31, 3)
        assert model.choice_.scores["log_loss"].notna().all()

    @pytest.mark.parametrize("name", ["logistic_regression", "hist_gradient_boosting", "xgboost", "lightgbm"])
    def test_a_fold_may_lack_a_class_and_a_column_its_values(self, name):
        if name in ("xgboost", "lightgbm"):
            pytest.importorskip(name)
        y = np.repeat([0, 1, 2], [12, 2, 12])
        X = pd.DataFrame({"size": y + np.arange(26) / 26, "rare": np.where(np.arange(26) == 5, 1.0, np.nan)})
        X["city"] = np.where(y == 2, "Ulm", "Kiel")
        folds = [(np.setdiff1d(np.arange(26), rows), rows) for rows in (np.array([12, 13, 5]), np.array([0, 20]))]
        losses = out_of_fold_losses(encode_kind(make_model(name, seed=0), X, 3), y, None, folds)
        assert np.isfinite(losses).sum() == 5
        assert losses[12] > losses[20]  # of class 1 there was no training row

    def test_one_row_per_class_gets_the_simplest(self):
        choice = Portfolio(CHEAP).fit(np.eye(3), [0, 1, 2]).choice_
        assert choice.name == "logistic_regression"
        assert choice.to_dict()["scores"][0]["log_loss"] is None


@pytest.mark.parametrize(
    "classifier",
    [
        SoftSelfTrainingClassifier(Portfolio(CHEAP[::2]), teacher="self", random_state=0),
        CASTClassifier(Portfolio(CHEAP[::2]), alpha=0.5, validation=None, max_rounds=1, random_state=0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_self_training_chooses_once_on_the_labeled_rows(classifier):
    X, truth = make_classification(150, 6, n_informative=6, n_redundant=0, n_clusters_per_class=1, random_state=0)
    y = np.where(np.arange(150) % 3 == 0, truth, -1)
    model = classifier.fit(X, y)
    alone = Portfolio(CHEAP[::2], random_state=5).fit(X[::3], truth[::3])
    assert model.model_choice_.name == alone.choice_.name == "logistic_regression"
    for one in (model.estimator_, model.supervised_):
        assert isinstance(one, Pipeline)
        assert isinstance(one[-1], LogisticRegression)


class TestAuto:
    X, truth = make_classification(90, 5, n_informative=5, n_redundant=0, n_clusters_per_class=1, random_state=1)
    y = np.where(np.arange(90) % 3 == 0, truth, -1)

    @pytest.mark.parametrize(
        "kind", [SoftSelfTrainingClassifier, CASTClassifier, SelfTrainingClassifier], ids=lambda one: one.__name__
    )
    def test_the_same_as_a_portfolio(self, kind):
        options = {"validation": None, "max_rounds": 1, "random_state": 0}
        options |= {CASTClassifier: {"alpha": 0.5}, SoftSelfTrainingClassifier: {"teacher": "self"}}.get(kind, {})
        auto, portfolio = (kind(estimator, **options).fit(self.X, self.y) for estimator in ("auto", Portfolio()))
        assert auto.model_choice_.name == portfolio.model_choice_.name
        assert np.array_equal(auto.predict_proba(self.X), portfolio.predict_proba(self.X))

    def test_guarded(self):
        classifier = SoftSelfTrainingClassifier("auto", teacher="self")
        model = GuardedClassifier(classifier, n_splits=2, n_repeats=1, random_state=0).fit(self.X, self.y)
        assert model.self_trained_.model_choice_.n_rows == 30
        assert not isinstance(model.estimator_, Portfolio)
        assert set(model.predict(self.X)) == {0, 1}

    def test_other_names_are_refused(self):
        with pytest.raises(ValueError, match=r"`estimator` of CASTClassifier must be .*; got 'xgboost'"):
            CASTClassifier("xgboost").fit(self.X, self.y)


def test_the_choice_in_words():
    scores = [
        {"model": "logistic_regression", "log_loss": 0.25, "n_repeats": 2},
        {"model": "extra_trees", "log_loss": 0.24, "n_repeats": 2},
    ]
    choice = {"name": "logistic_regression", "scores": scores, "left_out": []}
    assert say_choice(choice) == (
        "Model: logistic regression, chosen among 2 kinds by cross-validated log-loss on the labeled rows (logistic "
        "regression 0.250, extra trees 0.240). It is simpler than extra trees, and within one standard error of it."
    )
    assert say_choice({**choice, "name": "extra_trees"}).endswith("extra trees 0.240).")


class TestBadInput:
    def test_unknown_members(self):
        with pytest.raises(ValueError, match="Unknown member of Portfolio: 'forest'"):
            Portfolio(["forest"]).fit(np.eye(4), [0, 1, 0, 1])
        with pytest.raises(ValueError, match="`members` of Portfolio must be a list of model names; got 'extra_trees'"):
            Portfolio("extra_trees").fit(np.eye(4), [0, 1, 0, 1])
