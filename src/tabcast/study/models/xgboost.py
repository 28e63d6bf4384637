"""XGBoost, the paper's gradient boosting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone

from tabcast.study.models._base import Model
from tabcast.study.models._space import Integer, Real, Space

VARIED_SUBSAMPLE = 0.8

# The paper's appendix. Two of its ranges have an empty end: a learning rate of exactly 0 learns nothing, and
# `scale_pos_weight` acts on two classes only (XGBoost ignores it for more). Trees of 300 leaves or more cannot be
# filled by a few dozen labeled rows, so there `max_leaves` never binds.
PAPER = Space(
    {
        "max_leaves": Integer(300, 4000),
        "n_estimators": Integer(10, 3000),
        "learning_rate": Real(0, 1),
        "max_depth": Integer(3, 20),
        "scale_pos_weight": Integer(1, 100),
    }
)

# Small trees, shrinkage and sampling for a few dozen labeled rows. It starts at XGBoost's defaults, so that a tuned
# model is no worse than an untuned one on the rows that tuning looks at.
SANE = Space(
    {
        "n_estimators": Integer(10, 300, log=True),
        "learning_rate": Real(0.01, 0.3, log=True),
        "max_depth": Integer(1, 6),
        "min_child_weight": Real(0.1, 10, log=True),
        "subsample": Real(0.5, 1),
        "colsample_bytree": Real(0.5, 1),
        "reg_lambda": Real(0.1, 10, log=True),
    },
    start={
        "n_estimators": 100,
        "learning_rate": 0.3,
        "max_depth": 6,
        "min_child_weight": 1,
        "subsample": 1,
        "colsample_bytree": 1,
        "reg_lambda": 1,
    },
)


def build(params: Mapping[str, Any], seed: int) -> Any:
    """An XGBoost classifier on one thread; category columns are taken as they are."""
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise ImportError(
            "XGBoost is needed for model 'xgboost'. Install it with: pip install 'tabcast[xgboost]'."
        ) from error
    fixed = {"tree_method": "hist", "enable_categorical": True, "n_jobs": 1, "random_state": seed, "verbosity": 0}
    return XGBClassifier(**{**fixed, **params})


def vary(estimator: Any, seed: int) -> Any:
    """A copy whose trees see random rows: without that, XGBoost fits the same trees whatever the seed."""
    subsample = estimator.subsample
    sampled = subsample is not None and subsample < 1
    return clone(estimator).set_params(subsample=subsample if sampled else VARIED_SUBSAMPLE, random_state=seed)


MODEL = Model(
    "xgboost",
    "XGBoost",
    build,
    {"paper": PAPER, "sane": SANE, "none": Space({})},
    vary=vary,
    trees="n_estimators",
)
