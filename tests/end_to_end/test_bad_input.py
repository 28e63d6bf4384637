"""Bad input raises one clear message before any fit."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsClassifier

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.confidence import ClusterAware
from tabcast.density import KernelDensity
from tabcast.exceptions import EmptyColumnWarning, NoUnlabeledRowsWarning, SmallClassWarning
from tests.fuzz.invariants import is_clear

X = np.column_stack([np.arange(12.0), np.arange(12.0)[::-1] ** 2])
Y = np.array([0, 1, 0, 1, 0, 1, -1, -1, -1, -1, -1, -1])
FRAME = pd.DataFrame(X, columns=["age", "size"])


class NeverFitted(LogisticRegression):
    """Fails the test when a fit begins although the input is bad."""

    def fit(self, X, y, sample_weight=None):
        raise AssertionError("a fit began before the input was checked")


def with_infinity(table):
    table = table.copy()
    table.iloc[2, 1] = np.inf
    return table


BAD = {
    "no labeled rows": ((X, np.full(12, -1)), {}, ValueError, "y has no labeled row"),
    "one class": ((X, np.where(Y == 1, -1, Y)), {}, ValueError, "only one class among its 3 labeled rows, 0"),
    "lengths": ((X, Y[:-1]), {}, ValueError, "`y` must have one entry per row of X, that is 12; got 11"),
    "sparse": ((sparse.csr_matrix(X), Y), {}, TypeError, "sparse matrix; a dense one is required"),
    "infinite array": ((np.where(X == 4, np.inf, X), Y), {}, ValueError, "contains infinity.* in column 0, 1. Replace"),
    "infinite column": ((with_infinity(FRAME), Y), {}, ValueError, "contains infinity.* in column 'size'"),
    "infinite label": ((X, np.where(Y == 1, np.inf, Y)), {}, ValueError, "y contains infinity"),
    "infinite label beside None": ((X, [np.inf, 0.0, 1.0, None] * 3), {}, ValueError, "y contains infinity"),
    "an empty list": (([], []), {}, ValueError, "got a 1D array"),
    "no y": ((X, None), {}, ValueError, "requires y"),
    "continuous y": ((X, Y + 0.5), {}, ValueError, "Unknown label type: continuous"),
    "mixed labels": ((X, np.array(["a", 1, None] * 4, dtype=object)), {}, ValueError, "one kind; got numbers and text"),
    "double names": ((pd.DataFrame(X, columns=["a", "a"]), Y), {}, ValueError, "names of X must differ; 'a'"),
    "text array": ((np.array([["a", "b"]] * 12), Y), {}, ValueError, "could not convert|numeric"),
    "a series": ((FRAME["age"], Y), {}, ValueError, "Expected 2D"),
    "no rows": ((FRAME.iloc[:0], Y[:0]), {}, ValueError, "0 sample"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("kind", [SelfTrainingClassifier, CASTClassifier])
def test_bad_data(case, kind):
    arguments, options, error, sentence = BAD[case]
    with pytest.raises(error, match=sentence) as caught:
        kind(NeverFitted(), random_state=0).fit(*arguments, **options)
    assert is_clear(caught.value)


BAD_PARAMETERS = {
    "alpha above 1": ({"alpha": 1.5}, r"`alpha` of CASTClassifier must be a number in \[0, 1\] or 'search'; got 1.5"),
    "alpha below 0": ({"alpha": [0.2, -0.1]}, "got -0.1"),
    "alpha a word": ({"alpha": "find"}, r"must be a number in \[0, 1\] or 'search'; got 'find'"),
    "no alpha": ({"alpha": []}, "at least one number"),
    "density": ({"density": "kernl"}, "must be 'likelihood', 'kernel', 'uniform' .* Did you mean 'kernel'"),
    "density object": ({"density": 3}, "a member of tabcast.density; got 3"),
    "strategy": ({"strategy": "fpl"}, "`strategy` of CASTClassifier must be None, 'curriculum'"),
    "feature selection": ({"feature_selection": "none"}, "`feature_selection` of CASTClassifier must be None, 'all'"),
    "noise filter": ({"noise_filter": "x"}, "a member of tabcast.noise_filters; got 'x'"),
    "validation": ({"validation": "loo"}, "`validation` must be 'cv', None, a fraction"),
    "fraction": ({"validation": 1.5}, r"`fraction` of Holdout must be a number in \(0, 1\); got 1.5"),
    "rounds": ({"max_rounds": 0}, "`max_rounds` of CASTClassifier must be an integer of at least 1; got 0"),
    "columns": ({"categorical_features": ["color"]}, "names column 'color', which X does not have. Columns: 0, 1"),
}


@pytest.mark.parametrize("case", BAD_PARAMETERS)
def test_bad_parameters(case):
    parameters, sentence = BAD_PARAMETERS[case]
    with pytest.raises(ValueError, match=sentence):
        CASTClassifier(NeverFitted(), random_state=0, **parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"patience": 0}, "`patience` .* got 0"),
        ({"pseudo_weight": -1}, "`pseudo_weight` .* must be a positive number, 'soft' or .* got -1"),
        ({"confidence": ClusterAware(KernelDensity(), scaling="minmx")}, "`scaling` of ClusterAware must be one of"),
    ],
)
def test_bad_parts(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        SelfTrainingClassifier(NeverFitted(), **parameters).fit(X, Y)


def test_estimator_without_probabilities():
    with pytest.raises(TypeError, match=r"must have predict_proba; Perceptron\(\) has not. Wrap it in"):
        CASTClassifier(Perceptron()).fit(X, Y)


def test_estimator_without_sample_weight():
    model = SelfTrainingClassifier(KNeighborsClassifier(2), pseudo_weight=0.5)
    with pytest.raises(ValueError, match="needs an estimator whose fit takes sample_weight"):
        model.fit(X, Y)
    with pytest.raises(ValueError, match="`sample_weight` was given, but fit of KNeighbors"):
        CASTClassifier(KNeighborsClassifier(2)).fit(X, Y, sample_weight=np.ones(12))


def test_different_columns():
    model = CASTClassifier(LogisticRegression(), alpha=0.5, validation=None, random_state=0)
    with pytest.raises(ValueError, match="Columns differ between X and X_unlabeled: missing 'size'; unexpected 'Size'"):
        model.fit(FRAME, Y, X_unlabeled=FRAME.rename(columns={"size": "Size"}))
    with pytest.raises(ValueError, match="same columns; got 2 and 1 columns"):
        model.fit(X, Y, X_unlabeled=X[:, :1])
    with pytest.raises(TypeError, match="same kind of table; got a pandas DataFrame and a numpy ndarray"):
        model.fit(FRAME, Y, X_unlabeled=X)
    with pytest.warns(SmallClassWarning):
        model.fit(FRAME, Y)
    with pytest.raises(ValueError, match=r"feature names should match(.|\n)*unseen at fit time:\n- Size"):
        model.predict(FRAME.rename(columns={"size": "Size"}))
    with pytest.raises(ValueError, match="has 1 features, but CASTClassifier is expecting 2"):
        model.predict(X[:, :1])


def test_validation_data():
    model = CASTClassifier(NeverFitted(), random_state=0)
    with pytest.raises(ValueError, match=r"must be a pair \(X, y\)"):
        model.fit(X, Y, validation_data=X)
    with pytest.raises(ValueError, match=r"one of the classes of the labeled rows, \[0, 1\]; got 2"):
        model.fit(X, Y, validation_data=(X[:2], [0, 2]))
    with pytest.raises(ValueError, match="feature names"):
        model.fit(FRAME, Y, validation_data=(FRAME.rename(columns={"size": "Size"}), np.abs(Y)))


def test_per_row_parameters_of_the_wrong_length():
    model = CASTClassifier(LogisticRegression(), random_state=0)
    with pytest.raises(ValueError, match="Fit parameter 'eggs' has 12 entries, one per row of X, but none for the 3"):
        model.fit(X, Y, X_unlabeled=X[:3], eggs=np.ones(12))
    with pytest.raises(ValueError, match=r"`sample_weight` must have one entry per row of X, that is 12; got 5"):
        model.fit(X, Y, sample_weight=np.ones(5))


def test_no_unlabeled_rows_warns_and_trains_the_supervised_model():
    with pytest.warns(NoUnlabeledRowsWarning, match="the model is the supervised one"):
        model = CASTClassifier(LogisticRegression(), random_state=0).fit(X, np.abs(Y))
    assert model.termination_reason_ == "no_unlabeled_rows"
    assert model.n_fits_ == 1
    assert model.best_round_ == 0
    np.testing.assert_array_equal(model.predict_proba(X), LogisticRegression().fit(X, np.abs(Y)).predict_proba(X))


@pytest.mark.parametrize("table", ["array", "frame"])
def test_a_column_without_values_is_named(table):
    full = np.column_stack([X, np.full(12, np.nan)])
    data = pd.DataFrame(full, columns=["age", "size", "void"]) if table == "frame" else full
    name = "'void'" if table == "frame" else "2"
    with pytest.warns(EmptyColumnWarning, match=f"Column {name} has no value in any row"):
        model = CASTClassifier(alpha=0.5, random_state=0).fit(data, Y)
    assert np.isfinite(model.pseudo_labels_["density"]).all()


def test_a_class_with_one_labeled_row_warns_once_and_still_trains():
    y = np.array([0, 1, 0, 1, 0, 1, 2, -1, -1, -1, -1, -1])
    with pytest.warns(
        SmallClassWarning, match="1 class has only one labeled row, which is always trained on"
    ) as caught:
        model = SelfTrainingClassifier(LogisticRegression(), random_state=0).fit(X, y)
    assert len(caught) == 1
    assert model.classes_.tolist() == [0, 1, 2]
