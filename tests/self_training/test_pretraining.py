"""The pool reaches an estimator that can be pretrained once per run."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.naive_bayes import GaussianNB

from tabcast import CASTClassifier, GuardedClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tests.reference.reference_pretraining import PretrainsInEveryFit
from tests.self_training.sample import draw, validation_rows

N_ROWS, N_LABELED = 60, 16
PARAMETERS = {"max_rounds": 2, "random_state": 0}


class Sleeper(ClassifierMixin, BaseEstimator):
    """Learns nothing without labels, but records what it was given. The first column of X is the row number."""

    pretrainings: list = []
    fits: list = []

    def __init__(self, pretrained=None, random_state=None):
        self.pretrained, self.random_state = pretrained, random_state

    def pretrain(self, X):
        self.pretrainings.append(np.asarray(X)[:, 0].astype(int))
        copy = clone(self)
        copy.pretrained = "yes"
        return copy

    def fit(self, X, y, sample_weight=None):
        self.fits.append(self.pretrained)
        self.inner_ = GaussianNB().fit(np.asarray(X)[:, 1:], y, sample_weight)
        self.classes_ = self.inner_.classes_
        return self

    def predict_proba(self, X):
        return self.inner_.predict_proba(np.asarray(X)[:, 1:])

    def predict(self, X):
        return self.inner_.predict(np.asarray(X)[:, 1:])


@pytest.fixture(autouse=True)
def _forget():
    Sleeper.pretrainings.clear()
    Sleeper.fits.clear()


@pytest.fixture(scope="module")
def rows():
    X, y, _ = draw(n_rows=N_ROWS, n_labeled=N_LABELED)
    return X, y


@pytest.mark.parametrize(
    "classifier",
    [
        CASTClassifier(Sleeper(), alpha="search", validation="cv", **PARAMETERS),
        SelfTrainingClassifier(Sleeper(), validation=None, **PARAMETERS),
        SoftSelfTrainingClassifier(Sleeper(), teacher="self", **PARAMETERS),
    ],
    ids=["cast", "self_training", "soft"],
)
def test_one_pretraining_per_run_on_the_pool(classifier, rows):
    """Rounds, alphas and splits share it, and no labeled row, which a split may hold out, is in it."""
    X, y = rows
    model = clone(classifier).fit(X, y)
    [seen] = Sleeper.pretrainings
    assert_array_equal(seen, np.flatnonzero(y == -1))
    assert len(Sleeper.fits) >= model.n_fits_ > 1
    assert set(Sleeper.fits) == {"yes"}
    assert model.estimator.pretrained is None


def test_further_unlabeled_rows_are_in_it_and_validation_data_are_not(rows):
    X, y = rows
    more = draw(seed=1, n_rows=10)[0] + [500, 0, 0, 0, 0]
    SelfTrainingClassifier(Sleeper(), **PARAMETERS).fit(X, y, X_unlabeled=more, validation_data=validation_rows())
    [seen] = Sleeper.pretrainings
    assert_array_equal(seen, [*np.flatnonzero(y == -1), *more[:, 0].astype(int)])


def test_held_out_rows_of_the_guard_never_reach_it(rows):
    """One pretraining per split of the guard and one for the final model, none with a labeled row."""
    X, y = rows
    inner = SelfTrainingClassifier(Sleeper(), validation=None, **PARAMETERS)
    model = GuardedClassifier(inner, n_splits=3, n_repeats=1, random_state=0).fit(X, y)
    pool = np.flatnonzero(y == -1)
    assert len(Sleeper.pretrainings) == 4
    for seen in Sleeper.pretrainings:
        assert_array_equal(seen, pool)
    assert not set(model.out_of_fold_.rows) & set(pool)


def test_what_the_user_pretrained_stays(rows):
    X, y = rows
    SelfTrainingClassifier(Sleeper(pretrained="by the user"), validation=None, **PARAMETERS).fit(X, y)
    assert Sleeper.pretrainings == []
    assert set(Sleeper.fits) == {"by the user"}


def test_with_few_unlabeled_rows_each_fit_pretrains_on_its_own_rows():
    """A handful of rows would know fewer levels and quantiles than the labeled ones."""
    X, y, _ = draw(n_rows=40, n_labeled=30)
    SelfTrainingClassifier(Sleeper(), validation=None, **PARAMETERS).fit(X, y)
    assert Sleeper.pretrainings == []
    assert set(Sleeper.fits) == {None}


class TestNets:
    """The same with real ones."""

    def test_bit_identical_to_pretraining_in_every_fit(self, rows):
        pytest.importorskip("torch")
        from tests.models.neural.nets import SELF_SUPERVISED

        X, y = rows
        net = clone(SELF_SUPERVISED["scarf"]).set_params(epochs=2, pretrain_epochs=2)
        settings = {"alpha": [0.2, 0.6], "validation": 0.3, **PARAMETERS}
        hooked = CASTClassifier(clone(net), **settings).fit(X, y)
        reference = CASTClassifier(PretrainsInEveryFit(net, X[y == -1]), **settings).fit(X, y)
        assert hooked.history_.equals(reference.history_)
        assert hooked.pseudo_labels_.equals(reference.pseudo_labels_)
        assert_array_equal(hooked.predict_proba(X), reference.predict_proba(X))
        assert hooked.n_fits_ > 2

    def test_vime_draws_its_unlabeled_batches_from_the_pool(self, rows):
        pytest.importorskip("torch")
        from tests.models.neural.nets import SELF_SUPERVISED

        X, y = rows
        net = clone(SELF_SUPERVISED["vime"]).set_params(epochs=1, pretrain_epochs=1)
        model = SelfTrainingClassifier(net, validation=None, max_rounds=1, random_state=0).fit(X, y)
        cells = model.supervised_.pretrained.cells
        assert len(cells) == (y == -1).sum()
        other = SelfTrainingClassifier(clone(net).set_params(beta=0.0), validation=None, max_rounds=1, random_state=0)
        assert not np.allclose(other.fit(X, y).supervised_.predict_proba(X), model.supervised_.predict_proba(X))
