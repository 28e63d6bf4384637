"""The choice among kinds of models: by cross-validation on the labeled rows, toward the simpler."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from tabcast import CASTClassifier, SoftSelfTrainingClassifier
from tabcast.models import Portfolio, make_model
from tabcast.models._portfolio import _choose, _losses

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
        assert _choose(["a", "b"], np.column_stack([near, best])).name == "a"
        assert _choose(["a", "b"], np.column_stack([far, best])).name == "b"
        assert _choose(["b", "a"], np.column_stack([best, near])).name == "b"

    def test_same_seed_same_choice(self):
        X, y = checkerboard(60, 1)
        one, other = (Portfolio(CHEAP, random_state=3).fit(X, y) for _ in range(2))
        pd.testing.assert_frame_equal(one.choice_.scores, other.choice_.scores)
        assert np.array_equal(one.predict_proba(X), other.predict_proba(X))

    def test_losses_against_a_literal_loop(self):
        X, y = make_classification(40, 4, random_state=2)
        folds = list(StratifiedKFold(4).split(X, y))
        expected = np.zeros(40)
        for train, held_out in folds:
            model = make_model("logistic_regression").fit(X[train], y[train])
            shares = (np.bincount(y[train], minlength=2) + 1) / (len(train) + 2)
            for row in held_out:
                p = dict(zip(model.classes_, model.predict_proba(X[[row]])[0], strict=True))[y[row]]
                expected[row] = -np.log(0.95 * p + 0.05 * shares[y[row]])
        assert _losses(make_model("logistic_regression"), X, y, None, folds) == pytest.approx(expected)


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

    def test_one_row_per_class_gets_the_simplest(self):
        assert Portfolio(CHEAP).fit(np.eye(3), [0, 1, 2]).choice_.name == "logistic_regression"


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


class TestBadInput:
    def test_unknown_members(self):
        with pytest.raises(ValueError, match="Unknown member of Portfolio: 'forest'"):
            Portfolio(["forest"]).fit(np.eye(4), [0, 1, 0, 1])
        with pytest.raises(ValueError, match="`members` of Portfolio must be a list of model names; got 'extra_trees'"):
            Portfolio("extra_trees").fit(np.eye(4), [0, 1, 0, 1])
