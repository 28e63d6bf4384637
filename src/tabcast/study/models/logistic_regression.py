"""scikit-learn's logistic regression: the linear model that few labeled rows can support."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tabcast.study.models._base import Model
from tabcast.study.models._columns import category_columns, number_columns
from tabcast.study.models._space import Space


def sane() -> Space:
    """Return a search of the regularization that starts at scikit-learn's default."""
    from optuna.distributions import FloatDistribution

    return Space({"C": FloatDistribution(1e-3, 1e3, log=True)}, start={"C": 1.0})


def build(params: Mapping[str, Any], seed: int) -> Any:
    """Build a regression on one-hot categories and on numbers that are imputed by the median and scaled.

    Its solver draws nothing at random: the seed does not change the fit.
    """
    numbers = Pipeline(
        [("impute", SimpleImputer(strategy="median", keep_empty_features=True)), ("scale", StandardScaler())]
    )
    levels = OneHotEncoder(handle_unknown="ignore")
    columns = ColumnTransformer([("categories", levels, category_columns), ("numbers", numbers, number_columns)])
    regression = LogisticRegression(max_iter=1000, random_state=seed).set_params(**params)
    return Pipeline([("columns", columns), ("regression", regression)])


MODEL = Model("logistic_regression", "Logistic regression", build, {"sane": sane})
