"""The base classifiers of the study; `spaces.toml` has what is searched for each."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import pandas as pd
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from tabcast.models import make_model
from tabcast.models._catalog import default_classifier, import_package
from tabcast.study.models._model import Build, Model, Space

SMALL_TREES = {"n_estimators": 100, "learning_rate": 0.1, "max_depth": 4, "subsample": 0.8, "colsample_bytree": 0.8}
NETWORKS = {
    "ft_transformer": "FT-Transformer",
    "mlp": "MLP",
    "scarf": "SCARF",
    "subtab": "SubTab",
    "switchtab": "SwitchTab",
    "vime": "VIME",
}
# A choice that the appendix does not have. XGBoost's space has `scale_pos_weight`; the paper does not say what its
# networks do about rare classes, and without a weight their F1 on gusto would be 0.
CLASS_WEIGHT = {"class_weight": {"choices": [None, "balanced"]}}
# Epochs, which are not searched but may be capped, have the networks' own defaults.
SIZES = {"ft_transformer": {"epochs": 60}, "mlp": {"epochs": 30}}
PRETRAINED = {"epochs": 30, "pretrain_epochs": 50}
MISSING = "torch is not installed; pip install 'tabcast[nn]'"
VARIED_SUBSAMPLE = 0.8
# scikit-learn rounds the number of columns up: a larger proportion would be all of the four that some tables have.
VARIED_FEATURES = 0.6


@cache
def read_spaces() -> dict[str, dict[str, dict[str, Any]]]:
    """Read `spaces.toml`: by model and tuning, what is searched."""
    return tomllib.loads(files("tabcast.study.models").joinpath("spaces.toml").read_text(encoding="utf-8"))


def make_space(model: str, tuning: str) -> Space:
    """Return the search space with Optuna's distributions."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    def read(given: Any) -> Any:
        if isinstance(given, dict):
            return CategoricalDistribution(tuple(given["choices"]))
        low, high, *scale = given
        kind = IntDistribution if isinstance(low, int) else FloatDistribution
        return kind(low, high, log=bool(scale))

    ranges = read_spaces()[model][tuning] | (CLASS_WEIGHT if model in NETWORKS else {})
    start = ranges.pop("start", None)
    return Space({name: read(given) for name, given in ranges.items()}, start)


def spaces_of(model: str) -> dict[str, Callable[[], Space]]:
    """Return functions that make the spaces of a model: Optuna is only imported where something is tuned."""
    return {tuning: partial(make_space, model, tuning) for tuning in read_spaces()[model]}


def build_xgboost(fixed: Mapping[str, Any], params: Mapping[str, Any], seed: int) -> Any:
    """Build an XGBoost classifier on one thread; it takes category columns as they are."""
    always = {"tree_method": "hist", "enable_categorical": True, "n_jobs": 1, "random_state": seed, "verbosity": 0}
    return import_package("xgboost").XGBClassifier(**{**always, **fixed, **params})


def vary_xgboost(estimator: Any, seed: int) -> Any:
    """Copy with trees on random rows: without them, XGBoost fits the same trees for every seed."""
    subsample = estimator.subsample
    sampled = subsample is not None and subsample < 1
    return clone(estimator).set_params(subsample=subsample if sampled else VARIED_SUBSAMPLE, random_state=seed)


def build_boosting(params: Mapping[str, Any], seed: int) -> Any:
    """Build tabcast's default classifier with these parameters."""
    return default_classifier().set_params(random_state=seed, **params)


def vary_boosting(estimator: Any, seed: int) -> Any:
    """Copy with random columns at each split: with all of them, every seed gives the same trees.

    It takes three columns or more to make a difference.
    """
    features = estimator.max_features
    return clone(estimator).set_params(max_features=features if features < 1 else VARIED_FEATURES, random_state=seed)


def category_columns(X: Any) -> list[Any]:
    """List the pandas category columns; none in an array."""
    if not isinstance(X, pd.DataFrame):
        return []
    return [name for name, dtype in X.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)]


def number_columns(X: Any) -> list[Any]:
    """List the other columns: names in a DataFrame, positions in an array."""
    if not isinstance(X, pd.DataFrame):
        return list(range(X.shape[1]))
    categories = set(category_columns(X))
    return [name for name in X.columns if name not in categories]


def build_forest(params: Mapping[str, Any], seed: int) -> Any:
    """Build a forest on one thread; category columns become codes, missing numbers stay missing."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1)
    columns = ColumnTransformer([("categories", codes, category_columns), ("numbers", "passthrough", number_columns)])
    forest = RandomForestClassifier(n_jobs=1, random_state=seed).set_params(**params)
    return Pipeline([("columns", columns), ("forest", forest)])


def vary_forest(estimator: Any, seed: int) -> Any:
    """Copy with other rows and columns in its trees."""
    return clone(estimator).set_params(forest__random_state=seed)


def build_regression(params: Mapping[str, Any], seed: int) -> Any:
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


def searched(name: str, label: str, build: Build, **options: Any) -> Model:
    """Return a model with all its search spaces."""
    return Model(name, label, build, spaces_of(name), **options)


def network(name: str) -> Model:
    """Return a network of tabcast, which takes the table with its categories and missing values."""
    return searched(
        name,
        NETWORKS[name],
        lambda params, seed: make_model(name, seed=seed).set_params(**params),
        unavailable=None if find_spec("torch") else MISSING,
        vary=lambda estimator, seed: clone(estimator).set_params(random_state=seed),
        preprocessing="native",
        sizes=SIZES.get(name, PRETRAINED),
    )


XGBOOST: dict[str, Any] = {"vary": vary_xgboost, "trees": "n_estimators"}
MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        searched("xgboost", "XGBoost", partial(build_xgboost, {}), **XGBOOST),
        # For few rows and no time to tune: small trees, shrinkage, sampling.
        Model("sane_xgboost", "XGBoost, small trees", partial(build_xgboost, SMALL_TREES), **XGBOOST),
        searched(
            "hist_gradient_boosting", "HistGradientBoosting", build_boosting, vary=vary_boosting, trees="max_iter"
        ),
        searched("random_forest", "Random forest", build_forest, vary=vary_forest, trees="n_estimators"),
        searched("logistic_regression", "Logistic regression", build_regression),
        *map(network, NETWORKS),
    )
}
