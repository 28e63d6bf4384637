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
from tabcast.study.models._space import Real, Space

# Starts at scikit-learn's default.
SANE = Space({"C": Real(1e-3, 1e3, log=True)}, start={"C": 1.0})


def build(params: Mapping[str, Any], seed: int) -> Any:
    """One column per level for categories, numbers imputed by the median and scaled, then the regression.

    Its solver draws nothing at random: the seed does not change the fit.
    """
    numbers = Pipeline(
        [("impute", SimpleImputer(strategy="median", keep_empty_features=True)), ("scale", StandardScaler())]
    )
    levels = OneHotEncoder(handle_unknown="ignore")
    columns = ColumnTransformer([("categories", levels, category_columns), ("numbers", numbers, number_columns)])
    regression = LogisticRegression(max_iter=1000, random_state=seed).set_params(**params)
    return Pipeline([("columns", columns), ("regression", regression)])


MODEL = Model("logistic_regression", "Logistic regression", build, {"sane": SANE, "none": Space({})})
