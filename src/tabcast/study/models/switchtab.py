"""SwitchTab: an autoencoder that switches what two rows have in common, with the paper's search space."""

from __future__ import annotations

from typing import Any

from tabcast.study.models._neural import PRETRAINING, network


def paper() -> dict[str, Any]:
    """Return the search space of the paper's appendix."""
    from optuna.distributions import FloatDistribution, IntDistribution

    return {
        "encoder_head_dim": IntDistribution(16, 256),
        "encoder_depth": IntDistribution(1, 4),
        "n_head": IntDistribution(1, 4),
        "ffn_factor": IntDistribution(1, 3),
        "dropout_rate": FloatDistribution(0.05, 0.3),
        "learning_rate": FloatDistribution(0.0001, 0.05),
        "weight_decay": FloatDistribution(1e-5, 5e-4),
    }


MODEL = network("switchtab", "SwitchTab", paper, PRETRAINING)
