"""XGBoost trained on proportions of the classes in each row, without a weighted copy of the row per class.

Copies of a row weighted by its proportions have the gradients and Hessians of the row with the proportions as its
label. Two classes: XGBoost's logistic objective takes fractions. More: its softmax objective takes none, so that the
trees are grown with a label matrix and the same gradients from here, and written back as an ordinary model.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabcast.table import Floats, row_blocks

# Parameters of XGBClassifier that mean the same for rows and for copies of them. Rows are not drawn (`subsample`), no
# labels are compared with 1 (`scale_pos_weight`), and nothing looks at the classes (evaluation, objectives of a user).
ALIKE = {
    "n_estimators",
    "max_depth",
    "max_leaves",
    "max_bin",
    "grow_policy",
    "learning_rate",
    "verbosity",
    "n_jobs",
    "gamma",
    "min_child_weight",
    "max_delta_step",
    "reg_alpha",
    "reg_lambda",
    "colsample_bytree",
    "colsample_bylevel",
    "colsample_bynode",
    "random_state",
    "missing",
    "enable_categorical",
    "max_cat_to_onehot",
    "max_cat_threshold",
    "monotone_constraints",
    "interaction_constraints",
    "importance_type",
    "validate_parameters",
    "num_parallel_tree",
}
ALLOWED = {
    "objective": ("binary:logistic", "multi:softprob"),
    "booster": ("gbtree",),
    "tree_method": ("auto", "hist"),
    "device": ("cpu",),
    "multi_strategy": ("one_output_per_tree",),
    "subsample": (1,),
    "scale_pos_weight": (1,),
}
SMALLEST_HESSIAN = 1e-16  # XGBoost's
FIRST_RELEASE = (3, 1)  # in which a model has an intercept per class


def takes_soft_labels(estimator: Any) -> bool:
    """Tell whether :func:`fit_soft` gives what weighted copies of rows would.

    Parameters
    ----------
    estimator : classifier
        Any unfitted classifier.

    Returns
    -------
    bool
        True for an XGBClassifier whose parameters mean the same without copies.

    Examples
    --------
    >>> from xgboost import XGBClassifier
    >>> from tabcast.models._soft_labels import takes_soft_labels
    >>> takes_soft_labels(XGBClassifier(max_depth=3)), takes_soft_labels(XGBClassifier(subsample=0.5))
    (True, False)
    """
    if type(estimator).__module__ != "xgboost.sklearn" or type(estimator).__name__ != "XGBClassifier":
        return False
    import xgboost

    if tuple(int(part) for part in xgboost.__version__.split(".")[:2]) < FIRST_RELEASE:
        return False
    given = {name: value for name, value in estimator.get_params().items() if value is not None}
    return all(name in ALIKE or (name in ALLOWED and value in ALLOWED[name]) for name, value in given.items())


def fit_soft(model: Any, X: Any, soft: NDArray[np.float32], weight: Floats | None = None) -> Any:
    """Fit an XGBClassifier on proportions of the classes.

    Parameters
    ----------
    model : XGBClassifier
        Unfitted; one that :func:`takes_soft_labels`.
    X : ndarray or DataFrame of shape (n_rows, n_columns)
        A table that it takes.
    soft : ndarray of float32 of shape (n_rows, n_classes)
        Proportions of the classes in each row. They sum to 1, and each class has some.
    weight : ndarray of shape (n_rows,), default=None
        Weight of each row. None means 1.

    Returns
    -------
    XGBClassifier
        The model, fitted, as after its own `fit` with the classes 0, 1, 2, ...
    """
    import xgboost

    n_classes = soft.shape[1]
    parameters = {name: value for name, value in model.get_xgb_params().items() if value is not None}
    parameters["objective"] = "binary:logistic" if n_classes == 2 else "multi:softprob"
    with xgboost.config_context(**({} if model.verbosity is None else {"verbosity": model.verbosity})):
        matrix = xgboost.QuantileDMatrix(
            X,
            label=soft[:, 1] if n_classes == 2 else soft,
            weight=weight,
            missing=model.missing,
            nthread=model.n_jobs,
            max_bin=model.max_bin,
            enable_categorical=model.enable_categorical,
        )
        n_rounds = model.get_num_boosting_rounds()
        if n_classes == 2:
            booster = xgboost.train(parameters, matrix, n_rounds)
        else:
            booster = _train_softmax(parameters, matrix, n_rounds, soft, weight)
    model.n_classes_ = n_classes
    model.objective = parameters["objective"]
    model._Booster = booster
    return model


def _train_softmax(
    parameters: dict[str, Any], matrix: Any, n_rounds: int, soft: NDArray[np.float32], weight: Floats | None
) -> Any:
    """Trees for a label matrix, as an ordinary softmax model."""
    import xgboost

    n_classes = soft.shape[1]
    log_share = np.log(np.average(soft, axis=0, weights=weight))
    intercept = (log_share - log_share.mean()).astype(np.float32).tolist()
    # With an objective of one's own XGBoost wants the default one in its parameters, and no number of classes.
    trained = xgboost.train(
        {**parameters, "objective": "reg:squarederror", "base_score": intercept},
        matrix,
        n_rounds,
        obj=_Softmax(soft, weight),
    )
    content = json.loads(bytes(trained.save_raw("json")))
    learner = content["learner"]
    learner["objective"] = {"name": "multi:softprob", "softmax_multiclass_param": {"num_class": str(n_classes)}}
    learner["learner_model_param"] |= {"num_class": str(n_classes), "num_target": "1", "boost_from_average": "1"}
    booster = xgboost.Booster(model_file=bytearray(json.dumps(content).encode()))
    # Constraints count in training alone, and are not taken in this form.
    kept = {name: value for name, value in parameters.items() if not name.endswith("_constraints")}
    booster.set_param({**kept, "num_class": n_classes})
    return booster


class _Softmax:
    """Gradients and Hessians of XGBoost's softmax objective for proportions, in single precision as there."""

    def __init__(self, soft: NDArray[np.float32], weight: Floats | None) -> None:
        self.soft = soft
        self.weight = None if weight is None else np.asarray(weight, dtype=np.float32)[:, None]
        self.gradient, self.hessian = np.empty_like(soft), np.empty_like(soft)

    def __call__(self, margin: NDArray[np.float32], matrix: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        for rows in row_blocks(len(margin)):
            proba = np.exp(margin[rows] - margin[rows].max(axis=1, keepdims=True))
            proba /= proba.sum(axis=1, keepdims=True)
            self.gradient[rows] = proba - self.soft[rows]
            self.hessian[rows] = 2 * proba * (1 - proba)
            if self.weight is not None:
                self.gradient[rows] *= self.weight[rows]
                self.hessian[rows] *= self.weight[rows]
        np.maximum(self.hessian, SMALLEST_HESSIAN, out=self.hessian)
        return self.gradient, self.hessian
