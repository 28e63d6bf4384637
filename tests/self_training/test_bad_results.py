"""What would make a result wrong without a word is an error: lengths, weights, probabilities that are no numbers."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

from tabcast import GuardedClassifier, SelfTrainingClassifier
from tabcast.exceptions import AmbiguousLabelWarning
from tabcast.validation import LabeledScorer, SemiSupervisedSplit

X = np.random.default_rng(0).normal(size=(60, 2))
TRUTH = (X[:, 0] > 0).astype(int)
Y = np.where(np.arange(60) % 3, -1, TRUTH)


def fit(estimator=None, X=X, y=Y, missing_label="auto", **options):
    model = SelfTrainingClassifier(
        estimator or LogisticRegression(), validation=None, max_rounds=1, missing_label=missing_label, random_state=0
    )
    return model.fit(X, y, **options)


@pytest.mark.parametrize("y", [TRUTH[:20], Y[:20], np.append(TRUTH, 1), np.append(Y, 1)])
def test_score_needs_a_label_per_row(y):
    with pytest.raises(ValueError, match=f"`y` must have one entry per row of X, that is 60; got {len(y)}"):
        fit().score(X, y)
    with pytest.raises(ValueError, match="`y` must have one entry per row"):
        LabeledScorer("accuracy")(fit(), X, y)


@pytest.mark.parametrize("y", [TRUTH, Y])
def test_score_needs_a_weight_per_row(y):
    with pytest.raises(ValueError, match="`sample_weight` must have one entry per row of X, that is 60; got 3"):
        fit().score(X, y, np.ones(3))
    with pytest.raises(ValueError, match="`sample_weight` must not be negative"):
        fit().score(X, y, -np.ones(60))


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("estimator", [None, LogisticRegression()], ids=["trees", "linear"])
def test_weights_that_make_no_sense_are_refused(bad, estimator):
    weight = np.ones(60)
    weight[7] = bad
    with pytest.raises(
        ValueError, match=f"`sample_weight` must not be negative, missing or infinite; row 7 has {bad:g}"
    ):
        SelfTrainingClassifier(estimator).fit(X, Y, sample_weight=weight)
    with pytest.raises(ValueError, match="row 7"):
        GuardedClassifier(SelfTrainingClassifier(estimator)).fit(X, Y, sample_weight=weight)


def test_weights_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="`sample_weight` must be numbers; got <U1"):
        fit(sample_weight=["a"] * 60)
    with pytest.raises(ValueError, match="`sample_weight` must be numbers; got complex"):
        fit(sample_weight=np.ones(60) * 1j)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_probabilities_that_are_no_numbers_are_refused():
    constant = np.column_stack([X[:, 0], np.zeros(60)])
    with pytest.raises(ValueError, match=r"predict_proba of GaussianNB\(var_smoothing=0\) gave NaN for 40 of 40 rows"):
        fit(GaussianNB(var_smoothing=0), constant)
    model = fit(GaussianNB())
    with pytest.raises(ValueError, match=r"predict_proba of GaussianNB\(\) gave NaN for 60 of 60 rows"):
        model.predict_proba(X * 1e200)


BOTH = np.where(np.arange(60) % 4 == 1, np.nan, np.where(np.arange(60) % 4 == 2, -1.0, TRUTH))


def test_minus_one_beside_missing_values_warns_once_per_call():
    with pytest.warns(AmbiguousLabelWarning) as said:
        model = fit(y=BOTH)
    assert len(said) == 1
    assert model.classes_.tolist() == [0, 1]
    for call in (
        lambda: model.score(X, BOTH),
        lambda: LabeledScorer("accuracy")(model, X, BOTH),
        lambda: list(SemiSupervisedSplit(3).split(X, BOTH)),
    ):
        with pytest.warns(AmbiguousLabelWarning) as said:
            call()
        assert len(said) == 1


def test_an_explicit_choice_is_followed_everywhere():
    with warnings.catch_warnings():
        warnings.simplefilter("error", AmbiguousLabelWarning)
        model = fit(y=BOTH, missing_label=None)
        assert model.classes_.tolist() == [-1, 0, 1]
        assert fit(y=BOTH, missing_label=-1).classes_.tolist() == [0, 1]
        folds = list(SemiSupervisedSplit(3, missing_label=None).split(X, BOTH))
        assert sorted(np.concatenate([test for _, test in folds])) == np.flatnonzero(~np.isnan(BOTH)).tolist()
        known = ~np.isnan(BOTH)
        assert model.score(X, BOTH) == np.mean(model.predict(X[known]) == BOTH[known])
        scorer = LabeledScorer("accuracy", missing_label=None)
        assert np.isfinite(
            cross_val_score(model, X, BOTH, cv=SemiSupervisedSplit(3, missing_label=None), scoring=scorer)
        ).all()
