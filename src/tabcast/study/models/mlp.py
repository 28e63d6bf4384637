"""Multilayer perceptron: the paper's basic neural network, with its search space."""

from __future__ import annotations

from typing import Any

from tabcast.study.models._neural import EPOCHS, network, schedule


def paper() -> dict[str, Any]:
    """Return the search space of the paper's appendix."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    return {
        "embedding_dropout": FloatDistribution(0, 0.2),
        "layers": CategoricalDistribution(("128-64-32", "256-128-64", "128-64-32-16", "256-128-64-32")),
        "activation": CategoricalDistribution(("ReLU", "LeakyReLU")),
        **schedule(),
    }


MODEL = network("mlp", "MLP", paper, EPOCHS)
