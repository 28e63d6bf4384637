"""scikit-learn's random forest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OrdinalEncoder

from tabcast.study.models._base import Model
from tabcast.study.models._columns import category_columns, number_columns
from tabcast.study.models._space import Space


def sane() -> Space:
    """Return a search that starts at scikit-learn's defaults."""
    from optuna.distributions import CategoricalDistribution, IntDistribution

    return Space(
        {
            "n_estimators": IntDistribution(50, 500, log=True),
            "max_features": CategoricalDistribution(("sqrt", "log2", 0.3, 0.6, 1.0)),
            "min_samples_leaf": IntDistribution(1, 10),
        },
        start={"n_estimators": 100, "max_features": "sqrt", "min_samples_leaf": 1},
    )


def build(params: Mapping[str, Any], seed: int) -> Any:
    """Build a forest on one thread; category columns become codes, missing numbers stay missing."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1)
    columns = ColumnTransformer([("categories", codes, category_columns), ("numbers", "passthrough", number_columns)])
    forest = RandomForestClassifier(n_jobs=1, random_state=seed).set_params(**params)
    return Pipeline([("columns", columns), ("forest", forest)])


def vary(estimator: Any, seed: int) -> Any:
    """Copy with other rows and columns in its trees."""
    return clone(estimator).set_params(forest__random_state=seed)


MODEL = Model(
    "random_forest",
    "Random forest",
    build,
    {"sane": sane},
    vary=vary,
    trees="n_estimators",
)
