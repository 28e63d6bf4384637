"""What the base classifier cannot take is explained in one sentence."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from tabcast import SelfTrainingClassifier
from tests.conftest import needs

N = 40
Y = np.where(np.arange(N) < 20, np.arange(N) % 2, -1)
FRAME = pd.DataFrame({"age": np.arange(N) % 7 + 0.5, "city": ["Ulm", "Bonn"] * (N // 2)})


def test_an_error_of_a_pipeline_is_explained():
    model = SelfTrainingClassifier(make_pipeline(make_column_transformer(("passthrough", ["city"])), GaussianNB()))
    sentence = r"^The pipeline of ColumnTransformer, GaussianNB failed to fit \(could not convert .*Column 'city' has"
    with pytest.raises(ValueError, match=sentence) as caught:
        model.fit(FRAME, Y)
    assert caught.value.__cause__ is not None


def test_missing_values_that_only_new_rows_have_are_explained():
    model = SelfTrainingClassifier(LogisticRegression(), validation=None, random_state=0).fit(FRAME[["age"]], Y)
    sentence = r"^LogisticRegression failed to predict \(.*NaN.* Column 'age' has .* rows of fit have"
    with pytest.raises(ValueError, match=sentence):
        model.predict(FRAME[["age"]].assign(age=[np.nan] * N))


def test_values_that_are_too_large_for_the_classifier_are_explained():
    model = SelfTrainingClassifier(DecisionTreeClassifier(random_state=0), validation=None, random_state=0)
    X = FRAME[["age"]].to_numpy()
    model.fit(X, Y)
    sentence = r"^DecisionTreeClassifier failed to {} \(.*too large.*\)\. Column '0' has numbers beyond 3.4e38"
    for action in (model.predict, model.predict_proba):
        with pytest.raises(ValueError, match=sentence.format("predict")):
            action(np.full((2, 1), 1e300))
    with pytest.raises(ValueError, match=sentence.format("fit")):
        model.fit(np.full((N, 1), 1e300), Y)
    with pytest.raises(ValueError, match=sentence.format("predict")):  # in the pool alone
        model.fit(np.where(np.arange(N) < 39, 1.0, 1e300)[:, None], Y)


@needs("xgboost")
def test_what_xgboost_says_of_large_values_has_no_trace():
    from xgboost import XGBClassifier

    X = FRAME[["age"]].assign(age=np.where(np.arange(N) == 3, 1e300, FRAME["age"]))
    with pytest.raises(ValueError, match=r"^XGBClassifier failed to fit .* Column 'age' has numbers beyond") as caught:
        SelfTrainingClassifier(XGBClassifier(n_estimators=2), random_state=0).fit(X, Y)
    assert "Stack trace" not in str(caught.value)
