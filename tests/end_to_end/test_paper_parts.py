"""The paper's comparators plugged into the loop, on a real table: each one trains, predicts and repeats itself."""

import numpy as np
import pytest

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.confidence import (
    Chain,
    ClusterAware,
    GaussianProcessCalibration,
    HistogramBinning,
    SplineCalibration,
    TemperatureScaling,
)
from tabcast.density import EmpiricalLikelihood
from tabcast.pseudo_labels import FixedThreshold
from tests.conftest import hide_labels, read_dataset

CALIBRATORS = [TemperatureScaling(), HistogramBinning(), SplineCalibration(), GaussianProcessCalibration()]


@pytest.fixture(scope="module")
def diabetes():
    X, truth = read_dataset("diabetes")
    y = hide_labels(truth.to_numpy(dtype=object), 120, 0, None)
    return X, truth, y


def fast_xgboost():
    return pytest.importorskip("xgboost").XGBClassifier(n_estimators=20, max_depth=3, n_jobs=1)


def fit_twice(make, X, y, **kwargs):
    first, second = make().fit(X, y, **kwargs), make().fit(X, y, **kwargs)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    return first


@pytest.mark.parametrize(
    ("calibrator", "with_density"),
    [(CALIBRATORS[0], False), *((part, True) for part in CALIBRATORS)],
    ids=lambda part: type(part).__name__,
)
def test_calibrators_alone_and_before_cast(diabetes, calibrator, with_density):
    if isinstance(calibrator, GaussianProcessCalibration):
        pytest.importorskip("gpytorch")
    X, truth, y = diabetes
    part = Chain([calibrator, ClusterAware(EmpiricalLikelihood(), alpha=0.4)]) if with_density else calibrator
    model = fit_twice(
        lambda: SelfTrainingClassifier(
            fast_xgboost(), confidence=part, strategy=FixedThreshold(0.6), max_rounds=2, validation=0.3, random_state=0
        ),
        X,
        y,
    )
    assert model.score(X, truth) > 0.65
    table = model.pseudo_labels_
    assert table["confidence"].between(0, 1 + 1e-9).all()
    assert table["density"].notna().all() == with_density
    assert (table["confidence"] - table["raw_confidence"]).abs().max() > 0.01


def test_calibrators_in_cross_validation(diabetes):
    X, truth, y = diabetes
    model = SelfTrainingClassifier(fast_xgboost(), confidence=TemperatureScaling(), random_state=0).fit(X, y)
    assert model.score(X, truth) > 0.65
    assert model.n_fits_ <= 42


def test_boruta_chooses_what_the_density_sees(diabetes):
    X, truth, y = diabetes
    model = fit_twice(
        lambda: CASTClassifier(fast_xgboost(), alpha=0.5, feature_selection="boruta", validation=None, random_state=0),
        X,
        y,
    )
    assert "plas" in model.selected_features_.tolist()
    assert len(model.selected_features_) < X.shape[1]
    assert model.n_features_in_ == X.shape[1], "the classifier itself sees every column"
    assert model.score(X, truth) > 0.65


def test_mahalanobis_filter_refuses_some_rows_that_were_chosen(diabetes):
    X, truth, y = diabetes
    settings = {"alpha": 0.5, "strategy": "threshold", "max_rounds": 2, "validation": None, "random_state": 0}
    plain = CASTClassifier(fast_xgboost(), **settings).fit(X, y)
    strict = fit_twice(lambda: CASTClassifier(fast_xgboost(), noise_filter="mahalanobis", **settings), X, y)
    assert 0 < strict.history_["n_selected"][1] < plain.history_["n_selected"][1]
    used, truth = strict.pseudo_labels_.query("selected"), truth.to_numpy()
    every = plain.pseudo_labels_.query("selected")
    assert (used["label"] == truth[used["row"]]).mean() > (every["label"] == truth[every["row"]]).mean()
