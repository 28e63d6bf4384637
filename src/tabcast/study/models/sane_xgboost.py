"""XGBoost for few rows and no time to tune: small trees, shrinkage, sampling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tabcast.study.models import xgboost
from tabcast.study.models._base import Model

PARAMETERS = {"n_estimators": 100, "learning_rate": 0.1, "max_depth": 4, "subsample": 0.8, "colsample_bytree": 0.8}


def build(params: Mapping[str, Any], seed: int) -> Any:
    """Build an XGBoost classifier on one thread."""
    return xgboost.build({**PARAMETERS, **params}, seed)


MODEL = Model("sane_xgboost", "XGBoost, small trees", build, vary=xgboost.vary, trees="n_estimators")
