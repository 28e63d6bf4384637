"""A results table as the study gives it, and the paper's published numbers."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

PUBLISHED = Path(__file__).parents[3] / "paper" / "published"
METHODS = ("baseline", "ts", "hb", "sp", "gp", "cast-d", "cast-l")


def read_published(name):
    return pd.read_csv(PUBLISHED / f"{name}.csv", keep_default_na=False, na_values=[""])


@pytest.fixture
def published():
    return read_published


@pytest.fixture
def results(all_results):
    """A copy that a test may change."""
    return all_results.copy()


@pytest.fixture(scope="session")
def all_results():
    """Two datasets, two models, supervised and three methods with two strategies, three seeds, two folds: all done."""
    rng = np.random.default_rng(3)
    methods = [("supervised", "none"), *product(("baseline", "cast-d", "cast-l"), ("threshold", "curriculum"))]
    rows = [
        {
            "dataset": dataset,
            "model": model,
            "tuning": "paper",
            "n_tuning_trials": 10,
            "max_trees": None,
            "method": method,
            "strategy": strategy,
            "noise_filter": "none",
            "label_fraction": 0.1,
            "corruption": 0.0,
            "preprocessing": "paper",
            "max_rows": None,
            "seed": seed,
            "fold": fold,
            "status": "done",
            "reason": None,
            "score": 0.5 + 0.1 * rng.random(),
        }
        for dataset, model, (method, strategy), seed, fold in product(
            ("diabetes", "cmc"), ("xgboost", "mlp"), methods, range(3), range(2)
        )
    ]
    table = pd.DataFrame(rows)
    return table.assign(auc=table["score"] + 0.1, log_loss=1 - table["score"])
