"""scikit-learn's gradient boosting, tabcast's default classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone

from tabcast.models import default_classifier
from tabcast.models._default import MIN_SAMPLES_LEAF
from tabcast.study.models._base import Model
from tabcast.study.models._space import Space

# scikit-learn rounds the number of columns up: a larger proportion would be all of the four that some tables have.
VARIED_FEATURES = 0.6


def sane() -> Space:
    """Return a search that starts at tabcast's default classifier."""
    from optuna.distributions import FloatDistribution, IntDistribution

    return Space(
        {
            "max_iter": IntDistribution(10, 300, log=True),
            "learning_rate": FloatDistribution(0.01, 0.3, log=True),
            "max_leaf_nodes": IntDistribution(2, 31),
            "min_samples_leaf": IntDistribution(2, 20),
            "l2_regularization": FloatDistribution(0, 10),
        },
        start={
            "max_iter": 100,
            "learning_rate": 0.1,
            "max_leaf_nodes": 31,
            "min_samples_leaf": MIN_SAMPLES_LEAF,
            "l2_regularization": 0.0,
        },
    )


def build(params: Mapping[str, Any], seed: int) -> Any:
    """Build tabcast's default classifier with these parameters."""
    return default_classifier().set_params(random_state=seed, **params)


def vary(estimator: Any, seed: int) -> Any:
    """Copy with random columns at each split: with all of them, every seed gives the same trees.

    It takes three columns or more to make a difference.
    """
    features = estimator.max_features
    return clone(estimator).set_params(max_features=features if features < 1 else VARIED_FEATURES, random_state=seed)


MODEL = Model(
    "hist_gradient_boosting",
    "HistGradientBoosting",
    build,
    {"sane": sane},
    vary=vary,
    trees="max_iter",
)
