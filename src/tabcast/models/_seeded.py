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

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from tabcast.models import seeded
    >>> seeded(RandomForestClassifier(), 7).random_state
    7
    """
    estimator = clone(estimator)
    if not any(hasattr(value, "get_params") or isinstance(value, list) for value in vars(estimator).values()):
        if getattr(estimator, "random_state", seed) is None:  # nothing is inside; get_params of XGBoost is slow
            estimator.random_state = seed
        return estimator
    parameters = estimator.get_params(deep=True)
    new: dict[str, Any] = {name: seed for name, value in parameters.items() if value is None and _is_seed(name)}
    for name, value in parameters.items():
        if isinstance(value, list) and value and all(isinstance(member, BaseEstimator) for member in value):
            new[name] = [seeded(member, seed) for member in value]
    return estimator.set_params(**new) if new else estimator


def is_random(part: Any) -> bool:
    """Tell whether an estimator, or one inside it, has a random state that is not set; cheaper than to seed a copy.

    Parameters
    ----------
    part : estimator
        Any estimator.

    Returns
    -------
    bool
        Whether :func:`seeded` would change anything.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from tabcast.models import is_random
    >>> is_random(DecisionTreeClassifier()), is_random(DecisionTreeClassifier(random_state=0))
    (True, False)
    """
    inside = part if isinstance(part, list) else vars(part).values()
    if getattr(part, "random_state", 0) is None:
        return True
    return any(is_random(member) for member in inside if isinstance(member, BaseEstimator | list))


def _is_seed(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")
