"""What the base classifier cannot take is refused in one sentence with the column and the cure."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tabcast import CASTClassifier, GuardedClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.models._failures import refuse_columns

N = 40
Y = np.where(np.arange(N) < 20, np.arange(N) % 2, -1)
FRAME = pd.DataFrame({"age": np.arange(N) % 7 + 0.5, "city": ["Ulm", "Bonn"] * (N // 2)})
CLASSIFIERS = [SelfTrainingClassifier, CASTClassifier, SoftSelfTrainingClassifier]


def never(*_):
    raise AssertionError("a fit began before the columns were checked")


@pytest.fixture
def tree(monkeypatch):
    def fit(self, X, y, sample_weight=None, check_input=True):  # the tree's: scikit-learn 1.7 looks at them
        never()

    monkeypatch.setattr(DecisionTreeClassifier, "fit", fit)
    return DecisionTreeClassifier()


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("convert", [lambda X: X, lambda X: X.astype({"city": "category"}), pl.from_pandas])
def test_text_is_refused_before_any_fit(kind, convert, tree):
    sentence = "^DecisionTreeClassifier takes numbers only, and column 'city' cannot .* put an encoder before it"
    with pytest.raises(ValueError, match=sentence):
        kind(tree, random_state=0).fit(convert(FRAME), Y)


def test_text_among_the_unlabeled_rows_is_refused_before_any_fit(tree):
    frame = pd.DataFrame({"age": pd.Series(["1"] * 39 + ["one"], dtype=object)})
    with pytest.raises(ValueError, match="column 'age' cannot be converted"):
        SelfTrainingClassifier(tree).fit(frame, Y)


def test_guarded_as_well(tree):
    with pytest.raises(ValueError, match="column 'city' cannot be converted"):
        GuardedClassifier(SelfTrainingClassifier(tree)).fit(FRAME, Y)


def test_missing_values_are_refused_before_any_fit(monkeypatch):
    monkeypatch.setattr(GaussianNB, "fit", never)
    frame = FRAME[["age"]].assign(size=[1.0] * 39 + [np.nan])
    for X, column in ((frame, "'size'"), (frame.to_numpy(), "1"), (pl.from_pandas(frame), "'size'")):
        sentence = rf"^GaussianNB does not take missing values \(NaN\), which column {column} has. .* imputer"
        with pytest.raises(ValueError, match=sentence):
            SelfTrainingClassifier(GaussianNB()).fit(X, Y)


@pytest.mark.parametrize(
    "X",
    [
        FRAME[["age"]].assign(digits=["1", "2"] * 20, flag=[True, False] * 20, whole=pd.array([1, None] * 20, "Int64")),
        FRAME[["age"]].astype(object),
        FRAME[["age"]].astype("category"),
    ],
)
def test_what_the_classifier_can_convert_is_not_refused(X):
    model = SelfTrainingClassifier(DecisionTreeClassifier(random_state=0), validation=None, random_state=0).fit(X, Y)
    assert set(model.predict(X)) <= {0, 1}


def test_a_classifier_with_another_one_inside_is_not_judged_by_its_class():
    frame = FRAME.astype({"city": "category"})
    boosting = HistGradientBoostingClassifier(max_iter=2, categorical_features="from_dtype")
    with pytest.raises(ValueError, match="takes numbers only, and column 'city'"):
        refuse_columns(GaussianNB(), frame)  # its class is judged
    model = SelfTrainingClassifier(CalibratedClassifierCV(boosting, cv=2), validation=None, random_state=0)
    assert set(model.fit(frame, Y).predict(frame)) <= {0, 1}


def test_an_error_of_a_pipeline_is_explained():
    model = SelfTrainingClassifier(make_pipeline(StandardScaler(), LogisticRegression()))
    sentence = r"^The pipeline of StandardScaler, LogisticRegression failed to fit \(could not convert .* \('city'\)"
    with pytest.raises(ValueError, match=sentence) as caught:
        model.fit(FRAME, Y)
    assert caught.value.__cause__ is not None


def test_values_that_are_too_large_for_the_classifier_are_explained():
    model = SelfTrainingClassifier(DecisionTreeClassifier(random_state=0), validation=None, random_state=0)
    X = FRAME[["age"]].to_numpy()
    model.fit(X, Y)
    sentence = r"^DecisionTreeClassifier failed to {} \(.*too large.*\)\. Check that it takes"
    for action in (model.predict, model.predict_proba):
        with pytest.raises(ValueError, match=sentence.format("predict")):
            action(np.full((2, 1), 1e300))
    with pytest.raises(ValueError, match=sentence.format("fit")):
        model.fit(np.full((N, 1), 1e300), Y)
    with pytest.raises(ValueError, match=sentence.format("predict")):  # in the pool alone
        model.fit(np.where(np.arange(N) < 39, 1.0, 1e300)[:, None], Y)
