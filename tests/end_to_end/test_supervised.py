"""The model that is compared with is not handicapped: it is the base classifier trained on the labeled rows alone."""

import warnings

import numpy as np
import pytest

from tabcast import SoftSelfTrainingClassifier
from tabcast.models import AdaptedClassifier, make_model
from tests.conftest import needs, read_dataset

TABLES = ["car", "cmc", "credit-g", "diabetes", "kc2", "vehicle"]
MORE = [
    *("adult", "bank-marketing", "blood-transfusion-service-center", "churn", "jm1", "kr-vs-kp", "ozone-level-8hr"),
    *("pc3", "pc4", "qsar-biodeg", "splice", "steel-plates-fault", "wall-robot-navigation", "Bioresponse"),
]


@needs("xgboost", "lightgbm")
@pytest.mark.parametrize("name", [*TABLES, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE)])
def test_the_supervised_model_of_a_run_is_the_base_classifier_alone(name):
    X, y = read_dataset(name)
    rows = np.random.default_rng(0).permutation(len(y))[:700]
    X, y = X.iloc[rows].reset_index(drop=True).iloc[:, :200], np.asarray(y)[rows].astype(str).astype(object)
    labeled = np.arange(len(y)) < 60  # some levels have no labeled row
    hidden = np.where(labeled, y, None)
    for kind in ("xgboost", "lightgbm", "hist_gradient_boosting", "logistic_regression"):
        base = make_model(kind, seed=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            inside = SoftSelfTrainingClassifier(base, random_state=0).fit(X, hidden).supervised_
            alone = AdaptedClassifier(base).fit(X[labeled], y[labeled])
            expected = alone.predict_proba(X[~labeled])
        np.testing.assert_array_equal(inside.predict_proba(X[~labeled]), expected, err_msg=kind)
