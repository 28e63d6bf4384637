"""What the neural models of the paper share in a study: how they are built and varied, and some ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any

from sklearn.base import clone

from tabcast.models import make_model
from tabcast.study.models._base import Model
from tabcast.study.models._space import Space

MISSING = "torch is not installed; pip install 'tabcast[nn]'"
EPOCHS = {"epochs": 30}  # the default of all networks but FT-Transformer, as the next
PRETRAINING = {**EPOCHS, "pretrain_epochs": 50}


def schedule() -> dict[str, Any]:
    """Return the learning rate and its schedule, the same in five of the six appendix tables."""
    from optuna.distributions import FloatDistribution, IntDistribution

    return {
        "learning_rate": FloatDistribution(0.0001, 0.05),
        "scheduler_gamma": FloatDistribution(0.1, 0.95),
        "scheduler_step_size": IntDistribution(10, 100),
    }


def class_weight() -> dict[str, Any]:
    """Return a choice that the appendix does not have: without it a network may never predict a rare class.

    XGBoost's space has `scale_pos_weight`; the paper does not say what its networks do about rare classes, and their F1
    on gusto would be 0.
    """
    from optuna.distributions import CategoricalDistribution

    return {"class_weight": CategoricalDistribution((None, "balanced"))}


def network(name: str, label: str, paper: Callable[[], Mapping[str, Any]], sizes: Mapping[str, int]) -> Model:
    """Return a network of tabcast, which takes the table with its categories and missing values."""
    return Model(
        name,
        label,
        partial(build, name),
        {"paper": lambda: Space({**paper(), **class_weight()})},
        unavailable=None if find_spec("torch") else MISSING,
        vary=vary,
        preprocessing="native",
        sizes=sizes,
    )


def build(name: str, params: Mapping[str, Any], seed: int) -> Any:
    """Build the network with these parameters."""
    return make_model(name, seed=seed).set_params(**params)


def vary(estimator: Any, seed: int) -> Any:
    """Copy with other initial weights and batches."""
    return clone(estimator).set_params(random_state=seed)
