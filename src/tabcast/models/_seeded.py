"""One seed for everything random in an estimator."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, clone


def seeded(estimator: Any, seed: int) -> Any:
    """Return a copy of an estimator in which every random state that is not set is the seed.

    Parameters
    ----------
    estimator : estimator
        Any estimator; those inside it, also in lists, are seeded as well.
    seed : int
        The seed.

    Returns
    -------
    estimator
        An unfitted copy.
    """
    estimator = clone(estimator)
    parameters = estimator.get_params(deep=True)
    new: dict[str, Any] = {name: seed for name, value in parameters.items() if value is None and _is_seed(name)}
    for name, value in parameters.items():
        if isinstance(value, list) and value and all(isinstance(member, BaseEstimator) for member in value):
            new[name] = [seeded(member, seed) for member in value]
    if "random_state" in new:  # the usual case; set_params of XGBoost reads all its parameters again
        estimator.random_state = new.pop("random_state")
    return estimator.set_params(**new) if new else estimator


def _is_seed(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")
