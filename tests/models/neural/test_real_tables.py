"""Networks on real tables, alone and as the base classifier of self-training."""

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

from tests.conftest import hide_labels, read_dataset

pytest.importorskip("torch")

from tabcast import CASTClassifier, SoftSelfTrainingClassifier
from tabcast.models.neural import MLPClassifier, SCARFClassifier


class Recorded(MLPClassifier):
    """Remembers the columns that it was given."""

    def fit(self, X, y, sample_weight=None):
        self.dtypes_ = X.dtypes
        return super().fit(X, y, sample_weight)


def few_rows(name, n_rows, n_labeled, seed=0):
    """Some rows of a table, a few of them labeled."""
    X, y = read_dataset(name)
    rows = np.random.default_rng(seed).permutation(len(X))[:n_rows]
    X, y = X.iloc[rows].reset_index(drop=True), np.asarray(y, dtype=object)[rows]
    return X, y, hide_labels(y, n_labeled, seed, marker=None)


class TestSelfTraining:
    def test_cast_runs_on_a_network_unchanged(self):
        """The DataFrame, with its categories, reaches the network as it is."""
        X, _, y = few_rows("credit-g", 120, 40)
        net = Recorded(layers="16", epochs=3, learning_rate=0.01)
        model = CASTClassifier(net, alpha=0.5, feature_selection=None, validation=None, max_rounds=2, random_state=0)
        model.fit(X, y)
        assert isinstance(model.estimator_, Recorded)
        assert model.estimator_.dtypes_.equals(X.dtypes)
        assert len(model.estimator_.encoder_.columns_.categorical) == (X.dtypes == "category").sum() > 5
        assert model.n_rounds_ == 2
        proba = model.predict_proba(X)
        assert np.isfinite(proba).all()
        again = CASTClassifier(net, alpha=0.5, feature_selection=None, validation=None, max_rounds=2, random_state=0)
        np.testing.assert_array_equal(again.fit(X, y).predict_proba(X), proba)

    def test_soft_self_training_from_a_pretrained_network(self):
        """Pretrained once on all rows, which every fit of the run starts from."""
        X, _, y = few_rows("car", 120, 40)
        net = SCARFClassifier(emb_dim=16, encoder_depth=2, epochs=3, pretrain_epochs=2, random_state=0).pretrain(X)
        model = SoftSelfTrainingClassifier(net, teacher="self", random_state=0).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        assert model.estimator_.pretrained is net.pretrained


@pytest.mark.slow
class TestQuality:
    def test_41_labels_of_diabetes(self):
        """Ten seeds: at least three points above the larger class, which has 65%."""
        X, y = read_dataset("diabetes")
        scores = []
        for seed in range(10):
            train, test = train_test_split(np.arange(len(y)), train_size=41, stratify=y, random_state=seed)
            model = MLPClassifier(random_state=seed).fit(X.iloc[train], y.iloc[train])
            scores.append(model.score(X.iloc[test], y.iloc[test]))
        assert np.mean(scores) >= y.value_counts(normalize=True).max() + 0.03

    def test_rare_class_of_ozone(self):
        """One row in sixteen is positive; balanced class weights find some of them."""
        X, y = read_dataset("ozone-level-8hr")
        positive = (y == y.value_counts().idxmin()).to_numpy()
        scores = []
        for seed in range(3):
            train, test = train_test_split(np.arange(len(y)), train_size=0.1, stratify=y, random_state=seed)
            model = MLPClassifier(class_weight="balanced", random_state=seed).fit(X.iloc[train], positive[train])
            scores.append(f1_score(positive[test], model.predict(X.iloc[test])))
        assert np.mean(scores) > 0.2
