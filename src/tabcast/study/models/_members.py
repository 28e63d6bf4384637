"""The base classifiers of the study and what is searched for each: the paper's appendix tables, and saner ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
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
from tabcast.models._catalog import MIN_SAMPLES_LEAF, default_classifier
from tabcast.study.models._model import Model, Space

# A pair of whole numbers or of floats is a range, "log" one on the logarithmic scale, a list its choices.
Ranges = Mapping[str, Any]

SCHEDULE: Ranges = {
    "learning_rate": (0.0001, 0.05),
    "scheduler_gamma": (0.1, 0.95),
    "scheduler_step_size": (10, 100),
}
# A choice that the appendix does not have. XGBoost's space has `scale_pos_weight`; the paper does not say what its
# networks do about rare classes, and without a weight their F1 on gusto would be 0.
CLASS_WEIGHT: Ranges = {"class_weight": [None, "balanced"]}
# A learning rate of exactly 0 learns nothing, and `scale_pos_weight` only acts on two classes. Trees of 300 leaves or
# more cannot be filled by a few dozen labeled rows, so `max_leaves` never binds there.
PAPER_XGBOOST: Ranges = {
    "max_leaves": (300, 4000),
    "n_estimators": (10, 3000),
    "learning_rate": (0.0, 1.0),
    "max_depth": (3, 20),
    "scale_pos_weight": (1, 100),
}
# The "sane" searches start at the defaults of the untuned model, so that tuning does no harm on the rows it scores.
SANE_XGBOOST: Ranges = {
    "n_estimators": (10, 300, "log"),
    "learning_rate": (0.01, 0.3, "log"),
    "max_depth": (1, 6),
    "min_child_weight": (0.1, 10.0, "log"),
    "subsample": (0.5, 1.0),
    "colsample_bytree": (0.5, 1.0),
    "reg_lambda": (0.1, 10.0, "log"),
}
XGBOOST_DEFAULTS = {
    "n_estimators": 100,
    "learning_rate": 0.3,
    "max_depth": 6,
    "min_child_weight": 1.0,
    "subsample": 1.0,
    "colsample_bytree": 1.0,
    "reg_lambda": 1.0,
}
SMALL_TREES = {"n_estimators": 100, "learning_rate": 0.1, "max_depth": 4, "subsample": 0.8, "colsample_bytree": 0.8}
SANE_BOOSTING: Ranges = {
    "max_iter": (10, 300, "log"),
    "learning_rate": (0.01, 0.3, "log"),
    "max_leaf_nodes": (2, 31),
    "min_samples_leaf": (2, 20),
    "l2_regularization": (0.0, 10.0),
}
BOOSTING_DEFAULTS = {
    "max_iter": 100,
    "learning_rate": 0.1,
    "max_leaf_nodes": 31,
    "min_samples_leaf": MIN_SAMPLES_LEAF,
    "l2_regularization": 0.0,
}
SANE_FOREST: Ranges = {
    "n_estimators": (50, 500, "log"),
    "max_features": ["sqrt", "log2", 0.3, 0.6, 1.0],
    "min_samples_leaf": (1, 10),
}
FOREST_DEFAULTS = {"n_estimators": 100, "max_features": "sqrt", "min_samples_leaf": 1}
NETWORKS: dict[str, tuple[str, Ranges]] = {
    "ft_transformer": (
        "FT-Transformer",
        {
            "input_embed_dim": [16, 24, 32, 48],
            "embedding_dropout": (0.05, 0.3),
            "share_embedding": [True, False],
            "num_heads": [1, 2, 4, 8],
            "num_attn_blocks": (2, 10),
            "transformer_activation": ["GEGLU", "ReGLU", "SwiGLU"],
            "use_batch_norm": [True, False],
            "batch_norm_continuous_input": [True, False],
            **SCHEDULE,
        },
    ),
    "mlp": (
        "MLP",
        {
            "embedding_dropout": (0.0, 0.2),
            "layers": ["128-64-32", "256-128-64", "128-64-32-16", "256-128-64-32"],
            "activation": ["ReLU", "LeakyReLU"],
            **SCHEDULE,
        },
    ),
    "scarf": (
        "SCARF",
        {
            "emb_dim": (16, 512),
            "encoder_depth": (2, 6),
            "head_depth": (1, 3),
            "corruption_rate": (0.0, 0.7),
            "dropout_rate": (0.05, 0.3),
            **SCHEDULE,
        },
    ),
    "subtab": (  # `tau` is its temperature
        "SubTab",
        {
            "emb_dim": (4, 1024),
            "tau": (0.05, 0.15),
            "use_cosine_similarity": [True, False],
            "use_contrastive": [True, False],
            "use_distance": [True, False],
            "n_subsets": (2, 7),
            "overlap_ratio": (0.0, 1.0),
            "mask_ratio": (0.1, 0.3),
            "noise_level": (0.5, 2.0),
            "noise_type": ["Swap", "Gaussian", "Zero_Out"],
            **SCHEDULE,
        },
    ),
    "switchtab": (
        "SwitchTab",
        {
            "encoder_head_dim": (16, 256),
            "encoder_depth": (1, 4),
            "n_head": (1, 4),
            "ffn_factor": (1, 3),
            "dropout_rate": (0.05, 0.3),
            "learning_rate": (0.0001, 0.05),
            "weight_decay": (1e-5, 5e-4),
        },
    ),
    # `p_m` is the proportion of masked cells, `alpha_1` and `alpha_2` weigh the reconstruction of categories and of
    # numbers, `beta` the consistency loss, `K` counts the masked copies of a row.
    "vime": (
        "VIME",
        {
            "predictor_hidden_dim": (16, 512),
            "p_m": (0.1, 0.9),
            "alpha_1": (0.1, 5.0),
            "alpha_2": (0.1, 5.0),
            "beta": (0.1, 10.0),
            "K": (2, 20),
            **SCHEDULE,
        },
    ),
}
# Epochs, which are not searched but may be capped, have the networks' own defaults.
SIZES = {"ft_transformer": {"epochs": 60}, "mlp": {"epochs": 30}}
PRETRAINED = {"epochs": 30, "pretrain_epochs": 50}
MISSING = "torch is not installed; pip install 'tabcast[nn]'"
VARIED_SUBSAMPLE = 0.8
# scikit-learn rounds the number of columns up: a larger proportion would be all of the four that some tables have.
VARIED_FEATURES = 0.6


def make_space(ranges: Ranges, start: Mapping[str, Any] | None = None) -> Space:
    """Return the search space with Optuna's distributions."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    def read(given: Any) -> Any:
        if isinstance(given, list):
            return CategoricalDistribution(tuple(given))
        low, high, *scale = given
        kind = IntDistribution if isinstance(low, int) else FloatDistribution
        return kind(low, high, log=bool(scale))

    return Space({name: read(given) for name, given in ranges.items()}, start)


def search(ranges: Ranges, start: Mapping[str, Any] | None = None) -> Callable[[], Space]:
    """Return a function that makes the space: Optuna is only imported where something is tuned."""
    return partial(make_space, ranges, start)


def build_xgboost(fixed: Mapping[str, Any], params: Mapping[str, Any], seed: int) -> Any:
    """Build an XGBoost classifier on one thread; it takes category columns as they are."""
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise ImportError(
            "XGBoost is needed for model 'xgboost'. Install it with: pip install 'tabcast[xgboost]'."
        ) from error
    always = {"tree_method": "hist", "enable_categorical": True, "n_jobs": 1, "random_state": seed, "verbosity": 0}
    return XGBClassifier(**{**always, **fixed, **params})


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


def network(name: str) -> Model:
    """Return a network of tabcast, which takes the table with its categories and missing values."""
    label, paper = NETWORKS[name]
    return Model(
        name,
        label,
        lambda params, seed: make_model(name, seed=seed).set_params(**params),
        {"paper": search({**paper, **CLASS_WEIGHT})},
        unavailable=None if find_spec("torch") else MISSING,
        vary=lambda estimator, seed: clone(estimator).set_params(random_state=seed),
        preprocessing="native",
        sizes=SIZES.get(name, PRETRAINED),
    )


MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model(
            "xgboost",
            "XGBoost",
            partial(build_xgboost, {}),
            {"paper": search(PAPER_XGBOOST), "sane": search(SANE_XGBOOST, XGBOOST_DEFAULTS)},
            vary=vary_xgboost,
            trees="n_estimators",
        ),
        Model(  # for few rows and no time to tune: small trees, shrinkage, sampling
            "sane_xgboost",
            "XGBoost, small trees",
            partial(build_xgboost, SMALL_TREES),
            vary=vary_xgboost,
            trees="n_estimators",
        ),
        Model(
            "hist_gradient_boosting",
            "HistGradientBoosting",
            build_boosting,
            {"sane": search(SANE_BOOSTING, BOOSTING_DEFAULTS)},
            vary=vary_boosting,
            trees="max_iter",
        ),
        Model(
            "random_forest",
            "Random forest",
            build_forest,
            {"sane": search(SANE_FOREST, FOREST_DEFAULTS)},
            vary=vary_forest,
            trees="n_estimators",
        ),
        Model(
            "logistic_regression",
            "Logistic regression",
            build_regression,
            {"sane": search({"C": (1e-3, 1e3, "log")}, {"C": 1.0})},
        ),
        *map(network, NETWORKS),
    )
}
