"""XGBoost, the paper's gradient boosting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone

from tabcast.study.models._base import Model
from tabcast.study.models._space import Space

VARIED_SUBSAMPLE = 0.8


def paper() -> Space:
    """Return the search space of the paper's appendix.

    A learning rate of exactly 0 learns nothing, and `scale_pos_weight` only acts on two classes. Trees of 300 leaves or
    more cannot be filled by a few dozen labeled rows, so `max_leaves` never binds there.
    """
    from optuna.distributions import FloatDistribution, IntDistribution

    return Space(
        {
            "max_leaves": IntDistribution(300, 4000),
            "n_estimators": IntDistribution(10, 3000),
            "learning_rate": FloatDistribution(0, 1),
            "max_depth": IntDistribution(3, 20),
            "scale_pos_weight": IntDistribution(1, 100),
        }
    )


def sane() -> Space:
    """Return a space of small trees, shrinkage and sampling for a few dozen labeled rows.

    The search starts at XGBoost's defaults, so that a tuned model is no worse than an untuned one on the rows that
    tuning scores.
    """
    from optuna.distributions import FloatDistribution, IntDistribution

    return Space(
        {
            "n_estimators": IntDistribution(10, 300, log=True),
            "learning_rate": FloatDistribution(0.01, 0.3, log=True),
            "max_depth": IntDistribution(1, 6),
            "min_child_weight": FloatDistribution(0.1, 10, log=True),
            "subsample": FloatDistribution(0.5, 1),
            "colsample_bytree": FloatDistribution(0.5, 1),
            "reg_lambda": FloatDistribution(0.1, 10, log=True),
        },
        start={
            "n_estimators": 100,
            "learning_rate": 0.3,
            "max_depth": 6,
            "min_child_weight": 1.0,
            "subsample": 1.0,
            "colsample_bytree": 1.0,
            "reg_lambda": 1.0,
        },
    )


def build(params: Mapping[str, Any], seed: int) -> Any:
    """Build an XGBoost classifier on one thread; it takes category columns as they are."""
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise ImportError(
            "XGBoost is needed for model 'xgboost'. Install it with: pip install 'tabcast[xgboost]'."
        ) from error
    fixed = {"tree_method": "hist", "enable_categorical": True, "n_jobs": 1, "random_state": seed, "verbosity": 0}
    return XGBClassifier(**{**fixed, **params})


def vary(estimator: Any, seed: int) -> Any:
    """Copy with trees on random rows: without them, XGBoost fits the same trees for every seed."""
    subsample = estimator.subsample
    sampled = subsample is not None and subsample < 1
    return clone(estimator).set_params(subsample=subsample if sampled else VARIED_SUBSAMPLE, random_state=seed)


MODEL = Model(
    "xgboost",
    "XGBoost",
    build,
    {"paper": paper, "sane": sane},
    vary=vary,
    trees="n_estimators",
)
