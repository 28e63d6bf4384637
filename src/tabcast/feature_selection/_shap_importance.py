"""How much each column changes a tree model's predictions, by the exact SHAP values of XGBoost and LightGBM."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from tabcast.table import Floats, Index, Mask


def shap_importance(model: Any, X: Floats, y: Index, *, categorical: Mask, explained: Index) -> Floats:
    """Fit a tree model, and return the mean absolute SHAP value of each column over the explained rows and classes.

    In `X` missing is NaN, a category the position of its level.
    """
    contributions = find_explainer(model)(model, X, y, categorical, explained)
    return np.abs(contributions).mean(axis=2, dtype=np.float64).mean(axis=0)


def default_forest(n_columns: int, *, random_state: int, n_jobs: int) -> Any:
    """A random forest of shallow trees that can explain itself.

    Each split considers sqrt(n_columns) columns, so that a column stays visible beside redundant ones; the number of
    trees grows likewise, up to 300, so that each column has its chance.
    """
    n_trees = min(300, max(100, ceil(15 * sqrt(n_columns))))
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise ImportError(
            "BorutaShap without an `estimator` needs XGBoost. Install it with: pip install 'tabcast[xgboost]', or pass "
            "a classifier of LightGBM."
        ) from error
    return XGBClassifier(
        n_estimators=1,  # one round of many trees, without shrinkage, is a forest
        num_parallel_tree=n_trees,
        learning_rate=1.0,
        reg_lambda=1e-5,
        max_depth=4,
        subsample=0.63,
        colsample_bynode=1 / sqrt(n_columns),
        random_state=random_state,
        n_jobs=n_jobs,
    )


def find_explainer(estimator: Any) -> Callable[..., NDArray[Any]]:
    """The function that fits and explains models of the estimator's library; an error if it cannot give SHAP values."""
    libraries = [one.__module__.partition(".")[0] for one in type(estimator).__mro__]
    for library, explain in _EXPLAINERS.items():
        if library in libraries and is_classifier(estimator):
            return explain
    raise TypeError(
        f"`estimator` of BorutaShap must be None or a classifier of XGBoost or LightGBM; got {estimator!r}."
    )


def _explain_xgboost(model: Any, X: Floats, y: Index, categorical: Mask, rows: Index) -> NDArray[Any]:
    """(n_explained, n_columns, n_outputs), in log-odds."""
    from xgboost import DMatrix

    types = ["c" if levels else "q" for levels in categorical]
    model.set_params(feature_types=types, enable_categorical=True)
    model.fit(X, y)
    data = DMatrix(X[rows], feature_types=types, enable_categorical=True, nthread=model.n_jobs)
    values = model.get_booster().predict(data, pred_contribs=True)
    return values[:, :-1, None] if values.ndim == 2 else values[:, :, :-1].transpose(0, 2, 1)


def _explain_lightgbm(model: Any, X: Floats, y: Index, categorical: Mask, rows: Index) -> NDArray[Any]:
    """(n_explained, n_columns, n_outputs), in log-odds."""
    model.fit(X, y, categorical_feature=np.flatnonzero(categorical).tolist())
    values = model.booster_.predict(X[rows], pred_contrib=True, num_threads=model.n_jobs or 0)
    return values.reshape(len(rows), -1, X.shape[1] + 1)[:, :, :-1].transpose(0, 2, 1)


_EXPLAINERS: dict[str, Callable[..., NDArray[Any]]] = {
    "xgboost": _explain_xgboost,
    "lightgbm": _explain_lightgbm,
}
