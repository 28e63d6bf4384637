"""Base classifiers by name, for the command line.

Each takes tables with categories and missing values (tabcast encodes around the boosting libraries, the others have
their own encoding) and sample weights, and is set for few labeled rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from tabcast.checks import check_choice
from tabcast.table._encoders import NormalScores, TableCodes

N_TREES = 200
# With 20 rows per leaf, scikit-learn's default, 41 labeled rows cannot be split twice: docs/benchmarks.md.
MIN_SAMPLES_LEAF = 8
MAX_LEAF_NODES = 5  # in the ensemble, beside other kinds of models: as good, and faster on soft labels
# Small trees, shrinkage and sampling: what a few dozen labeled rows can support.
BOOSTING = {"n_estimators": 100, "learning_rate": 0.1, "subsample": 0.8, "colsample_bytree": 0.8}
PACKAGES = {"xgboost": "XGBoost", "lightgbm": "LightGBM", "catboost": "CatBoost"}


def default_classifier() -> HistGradientBoostingClassifier:
    """Return scikit-learn's gradient boosting, with leaves small enough for few labeled rows."""
    return HistGradientBoostingClassifier(min_samples_leaf=MIN_SAMPLES_LEAF)


class EnsembleBooster(HistGradientBoostingClassifier):
    """The gradient boosting of the ensemble; it is given indicators of levels in place of category columns.

    scikit-learn's splits by category leave out levels with fewer than ten rows, which with a few dozen labels are most.
    """


def ensemble_booster() -> EnsembleBooster:
    """Return the gradient boosting of the ensemble, with small leaves and small trees."""
    return EnsembleBooster(min_samples_leaf=MIN_SAMPLES_LEAF, max_leaf_nodes=MAX_LEAF_NODES)


def resolve_estimator(estimator: Any, owner: str) -> Any:
    """The base estimator that a parameter stands for: a classifier stands for itself, None for the default one."""
    if isinstance(estimator, str):
        raise ValueError(
            f"`estimator` of {owner} must be a classifier or None; got {estimator!r}. tabcast.models.make_model "
            "returns one by its name."
        )
    return default_classifier() if estimator is None else estimator


def _default(seed: int | None, n_jobs: int | None) -> Any:
    """scikit-learn's gradient boosting; its threads are those of OpenMP, whatever `n_jobs` is."""
    return default_classifier().set_params(random_state=seed)


def _forest(kind: type[Any], seed: int | None, n_jobs: int | None) -> Any:
    """A forest on numbers and codes of levels."""
    return Pipeline([("codes", TableCodes()), ("forest", kind(N_TREES, n_jobs=n_jobs, random_state=seed))])


def _logistic_regression(seed: int | None, n_jobs: int | None) -> Any:
    """The linear member of the committee: its solver draws nothing at random and has one thread."""
    regression = LogisticRegression(C=0.3, max_iter=1000, random_state=seed)
    return Pipeline([("scores", NormalScores()), ("regression", regression)])


def _xgboost(seed: int | None, n_jobs: int | None) -> Any:
    parameters = {**BOOSTING, "max_depth": 4, "tree_method": "hist", "n_jobs": n_jobs or 1, "verbosity": 0}
    return import_package("xgboost").XGBClassifier(**parameters, random_state=seed)


def _lightgbm(seed: int | None, n_jobs: int | None) -> Any:
    """Rows are sampled for every tree (`subsample_freq`), which LightGBM does not do by itself."""
    few_rows = {"num_leaves": 15, "min_child_samples": MIN_SAMPLES_LEAF, "subsample_freq": 1}
    repeatable = {"deterministic": True, "force_row_wise": True}
    parameters = {**BOOSTING, **few_rows, **repeatable, "n_jobs": n_jobs or 1, "verbose": -1}
    return import_package("lightgbm").LGBMClassifier(**parameters, random_state=seed)


def _catboost(seed: int | None, n_jobs: int | None) -> Any:
    """CatBoost finds its own learning rate; it must not leave files behind."""
    parameters = {"iterations": N_TREES, "depth": 4, "allow_writing_files": False, "verbose": False}
    return import_package("catboost").CatBoostClassifier(**parameters, thread_count=n_jobs or 1, random_state=seed)


def _net(kind: str, seed: int | None, n_jobs: int | None) -> Any:
    """A network; its threads are those of torch, whatever `n_jobs` is."""
    return getattr(import_module("tabcast.models.neural"), kind)(random_state=seed)


MODELS: dict[str, Callable[[int | None, int | None], Any]] = {
    "hist_gradient_boosting": _default,
    "random_forest": partial(_forest, RandomForestClassifier),
    "extra_trees": partial(_forest, ExtraTreesClassifier),
    "logistic_regression": _logistic_regression,
    "xgboost": _xgboost,
    "lightgbm": _lightgbm,
    "catboost": _catboost,
    "mlp": partial(_net, "MLPClassifier"),
    "ft_transformer": partial(_net, "FTTransformerClassifier"),
    "vime": partial(_net, "VIMEClassifier"),
    "subtab": partial(_net, "SubTabClassifier"),
    "scarf": partial(_net, "SCARFClassifier"),
    "switchtab": partial(_net, "SwitchTabClassifier"),
}
MODEL_NAMES = tuple(MODELS)


def make_model(name: str, *, seed: int | None = None, n_jobs: int | None = None) -> Any:
    """Return an unfitted base classifier by its name.

    Parameters
    ----------
    name : str
        One of `MODEL_NAMES`.
    seed : int, default=None
        Seed of everything random in it.
    n_jobs : int, default=None
        Number of threads; None means one, -1 all. "hist_gradient_boosting" uses the threads of OpenMP (OMP_NUM_THREADS)
        instead, networks those of torch, and "logistic_regression" one.

    Returns
    -------
    classifier
        A classifier with `predict_proba`.

    Examples
    --------
    >>> from tabcast.models import make_model
    >>> make_model("hist_gradient_boosting", seed=0)
    HistGradientBoostingClassifier(min_samples_leaf=8, random_state=0)
    >>> make_model("random_forrest")
    Traceback (most recent call last):
    ValueError: Unknown model: 'random_forrest'. Choices: hist_gradient_boosting, ... Did you mean 'random_forest'?
    """
    check_choice(name, MODEL_NAMES, "model")
    return MODELS[name](seed, n_jobs)


def import_package(package: str) -> Any:
    """A package that only some models need."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise ModuleNotFoundError(
            f"{PACKAGES[package]} is needed for model {package!r}. Install it with: pip install 'tabcast[{package}]'.",
            name=package,
        ) from None
