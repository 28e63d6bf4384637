"""Soft self-training gives what its reference implementation gives."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tabcast import SoftSelfTrainingClassifier
from tabcast.study.methods.others import AlignedSelfTraining
from tabcast.table._encoders import TableCodes
from tabcast.teachers import Committee
from tabcast.teachers import _committee as committee_module

from . import reference_soft

# The reference also splits classes that have fewer rows than folds.
pytestmark = pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")

EXACT = {"rtol": 0, "atol": 1e-6}  # EM and alignment stop short of the last digits
STUDENT = {"rtol": 0, "atol": 1e-4}  # a student's own optimizer stops at 1e-4

ESTIMATORS = {
    "logistic": LogisticRegression(max_iter=1000, tol=1e-8, random_state=0),
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
}
FEW_TREES = 7


def draw(seed, n_classes, n_labeled=18, n_pool=40):
    """Overlapping blobs, labeled rows among the others."""
    random = np.random.default_rng(seed)
    centers = random.normal(size=(n_classes, 3)) * 1.3
    X, truth = make_blobs(n_labeled + n_pool, 3, centers=centers, random_state=seed)
    X = X.astype(np.float32).astype(float)  # what trees see, so that every classifier sees the same
    labeled = np.sort(random.permutation(len(X))[:n_labeled])
    y = np.full(len(X), -1)
    y[labeled] = truth[labeled]
    assert (np.bincount(y[labeled], minlength=n_classes) > 0).all()
    new, _ = make_blobs(30, 3, centers=centers, random_state=seed + 1000)
    return X, y, new.astype(np.float32).astype(float)


def seed_of(random_state):
    """The seed passed to everything random in a fit."""
    return np.random.RandomState(random_state).randint(np.iinfo(np.int32).max)


@pytest.fixture
def few_trees(monkeypatch):
    """The committee's forest with few trees: the same method in less time."""
    trees = committee_module.Recipe(
        TableCodes,
        lambda: ExtraTreesClassifier(n_estimators=FEW_TREES),
        lambda: committee_module.IndicatorTrees(n_estimators=FEW_TREES // 2, max_features="sqrt"),
    )
    monkeypatch.setattr(committee_module, "MEMBERS", {**committee_module.MEMBERS, "trees": trees})


def compare(estimator, X, y, new, *, committee, prior, seed, n_trees=FEW_TREES, **settings):
    kind = SoftSelfTrainingClassifier if prior is None else AlignedSelfTraining
    ours = kind(estimator, teacher="committee" if committee else "self", random_state=seed, **settings).fit(X, y)
    labeled, pool = X[y >= 0].tolist(), X[y < 0].tolist()
    classes = y[y >= 0].tolist()
    reference = reference_soft.soft_self_train(
        estimator,
        labeled,
        classes,
        pool,
        committee=committee,
        temperature=settings.get("temperature", 0.5 if committee else 1.0),
        prior=reference_soft.class_shares(classes, max(classes) + 1) if prior == "labeled" else prior,
        seed=seed_of(seed),
        n_trees=n_trees,
    )
    if committee:
        np.testing.assert_allclose(ours.teacher_.weights_, reference.weights, **EXACT)
    np.testing.assert_allclose(ours.soft_labels_, reference.soft, **EXACT)
    labels = ours.pseudo_labels_["label"].to_numpy()
    np.testing.assert_allclose(
        ours.pseudo_labels_["raw_confidence"], np.array(reference.taught)[np.arange(len(labels)), labels], **EXACT
    )
    if prior is None:
        np.testing.assert_allclose(ours.predict_proba(new), reference.predict(new), **STUDENT)
    np.testing.assert_allclose(ours.estimator_.predict_proba(new), reference.student.predict_proba(new), **STUDENT)
    return ours, reference


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("prior", ["labeled", None])
@pytest.mark.parametrize(("seed", "name"), [(1, "logistic"), (2, "tree"), (5, "bayes")])
@pytest.mark.usefixtures("few_trees")
def test_committee(seed, name, prior, n_classes):
    ours, reference = compare(ESTIMATORS[name], *draw(seed, n_classes), committee=True, prior=prior, seed=seed)
    assert np.ptp(ours.teacher_.weights_) > 0.01  # weights differ from equal ones
    assert len(reference.training_weights) > len(ours.transduction_) + 3  # some rows are split between classes
    assert (ours.soft_labels_ == 0).any()  # some entries are dropped


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("prior", ["labeled", None])
@pytest.mark.parametrize(("seed", "name"), [(1, "logistic"), (5, "bayes")])
def test_self_teacher(seed, name, prior, n_classes):
    compare(ESTIMATORS[name], *draw(seed, n_classes), committee=False, prior=prior, seed=seed)


def test_temperature():
    compare(ESTIMATORS["logistic"], *draw(1, 3), committee=False, prior=None, temperature=0.3, seed=0)


@pytest.mark.usefixtures("few_trees")
def test_a_class_with_one_row_is_never_held_out():
    X, y, new = draw(2, 3)
    y[np.flatnonzero(y == 2)[1:]] = -1
    compare(ESTIMATORS["bayes"], X, y, new, committee=True, prior=None, seed=3)


def test_the_default_committee():
    """Two hundred trees, nothing replaced."""
    X, y, new = draw(4, 2, n_labeled=12, n_pool=8)
    ours, _ = compare(ESTIMATORS["logistic"], X, y, new, committee=True, prior="labeled", seed=4, n_trees=200)
    assert Committee().members == ("own", "trees", "linear")
    assert ours.n_fits_ == 7
