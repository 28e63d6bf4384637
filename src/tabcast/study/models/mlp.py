"""Multilayer perceptron: the paper's basic neural network, with its search space."""

from tabcast.study.models._neural import SCHEDULE, announced
from tabcast.study.models._space import Choice, Real

MODEL = announced(
    "mlp",
    "MLP",
    {
        "embedding_dropout": Real(0, 0.2),
        "layers": Choice(("128-64-32", "256-128-64", "128-64-32-16", "256-128-64-32")),
        "activation": Choice(("ReLU", "LeakyReLU")),
        **SCHEDULE,
    },
)
