"""What partitions can be trained with; anything else is refused in one sentence, before any work."""

from __future__ import annotations

from typing import Any

from tabcast.confidence import ClusterAware, Raw
from tabcast.noise_filters import KeepAllRows
from tabcast.partitions._boosting import Boosting
from tabcast.pseudo_labels import Constant, Curriculum, FixedThreshold, TakeAll
from tabcast.self_training._method import Method
from tabcast.self_training._soft import SoftMethod

OBJECTIVES = (None, "binary:logistic", "multi:softprob", "multi:softmax")
STRATEGIES = (Curriculum, FixedThreshold, TakeAll)
OWN = ("objective", "num_class", "base_score", "missing", "enable_categorical", "max_bin", "tree_method", "n_jobs")


def check_supported(owner: str, method: Method, estimator: Any, fit_params: dict[str, Any]) -> None:
    """Refuse what partitions cannot be trained with."""
    advice = "train on rows in memory instead, for instance on a sample"
    _check_estimator(owner, estimator)
    parts = method.parts
    if fit_params:
        raise ValueError(f"{owner} takes no further fit parameters with partitions; got {', '.join(fit_params)}.")
    if isinstance(method, SoftMethod):
        return
    if not isinstance(parts.strategy, STRATEGIES):
        names = "'curriculum', 'threshold' or 'all'"
        raise ValueError(f"`strategy` of {owner} must be {names} with partitions; got {parts.strategy!r}, or {advice}.")
    if not isinstance(parts.confidence, Raw | ClusterAware):
        raise ValueError(
            f"`confidence` of {owner} must be None or ClusterAware with partitions; got {parts.confidence!r}, or "
            f"{advice}."
        )
    if isinstance(parts.confidence, ClusterAware) and parts.confidence.scaling not in ("log", "density"):
        raise ValueError(
            f"`scaling` of {owner} must be 'log' or 'density' with partitions; got {parts.confidence.scaling!r}, or "
            f"{advice}."
        )
    if not isinstance(parts.weighting, Constant):
        raise ValueError(
            f"`pseudo_weight` of {owner} must be a number with partitions; got {parts.weighting!r}, or {advice}."
        )
    if not isinstance(parts.noise_filter, KeepAllRows):
        raise ValueError(
            f"`noise_filter` of {owner} must be None with partitions; got {parts.noise_filter!r}, or {advice}."
        )


def _check_estimator(owner: str, estimator: Any) -> None:
    """Only XGBoost, with parameters that do not depend on the order of rows."""
    if type(estimator).__module__.split(".")[0] != "xgboost" or type(estimator).__name__ != "XGBClassifier":
        raise ValueError(
            f"{owner} trains partitions with XGBoost only: pass estimator=XGBClassifier(...); got {estimator!r}."
        )
    given = estimator.get_xgb_params()
    choices: dict[str, tuple[Any, ...]] = {
        "objective": OBJECTIVES,
        "booster": (None, "gbtree"),
        "tree_method": (None, "auto", "hist"),
        "sampling_method": (None, "uniform"),
        "num_parallel_tree": (None, 1),
    }
    for name, allowed in choices.items():
        if given.get(name) not in allowed:
            raise ValueError(
                f"`{name}` of XGBClassifier must be {' or '.join(map(repr, allowed))} with partitions; got "
                f"{given[name]!r}."
            )
    for name in ("early_stopping_rounds", "callbacks"):
        if getattr(estimator, name, None) is not None:
            raise ValueError(f"`{name}` of XGBClassifier must be None with partitions; set n_estimators instead.")


def make_plan(estimator: Any, n_classes: int, feature_types: list[str]) -> Boosting:
    """How a supported estimator is trained; the class proportions follow with the rows."""
    given = {name: value for name, value in estimator.get_xgb_params().items() if value is not None}
    scale = given.pop("scale_pos_weight", None)
    parameters = {name: value for name, value in given.items() if name not in OWN}
    subsample = float(parameters.pop("subsample", 1.0))
    parameters["nthread"] = estimator.n_jobs or 0
    parameters["seed"] = parameters.pop("random_state", 0)
    return Boosting(
        n_classes,
        estimator.get_num_boosting_rounds(),
        feature_types,
        parameters,
        scale_positive=1.0 if scale is None or n_classes > 2 else float(scale),
        subsample=subsample,
    )
