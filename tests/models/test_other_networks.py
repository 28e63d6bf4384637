"""Networks of other packages run inside CASTClassifier as they are: `make test-pytabkit`."""

import numpy as np
import pandas as pd
import pytest

from tabcast import CASTClassifier

pytabkit = pytest.importorskip("pytabkit")
SMALL = {"n_epochs": 2, "device": "cpu", "n_threads": 1, "n_cv": 1, "verbosity": 0}
NETWORKS = {
    "tabm": lambda: pytabkit.TabM_D_Classifier(**SMALL, n_blocks=1, d_block=16, tabm_k=4),
    "realmlp": lambda: pytabkit.RealMLP_TD_S_Classifier(**SMALL, hidden_sizes=[16]),
}


@pytest.fixture(scope="module")
def rows():
    """Numbers and categories; pytabkit's networks take no missing numbers."""
    random = np.random.default_rng(0)
    X = pd.DataFrame({"size": random.normal(size=90), "city": pd.Categorical(random.choice(["Ulm", "Bonn"], 90))})
    y = np.where(X["size"] + (X["city"] == "Ulm") > 0.5, "large", "small").astype(object)
    y[40:] = None
    return X, y


@pytest.mark.filterwarnings("ignore")  # of pytabkit and of what it is built on
@pytest.mark.parametrize("name", NETWORKS)
def test_inside_cast(name, rows):
    X, y = rows
    model = CASTClassifier(NETWORKS[name](), alpha=0.5, validation=None, max_rounds=1, random_state=0).fit(X, y)
    proba = model.predict_proba(X)
    assert proba.shape == (90, 2)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-5)
    assert model.n_rounds_ == 1
    assert set(model.predict(X)) <= {"large", "small"}
