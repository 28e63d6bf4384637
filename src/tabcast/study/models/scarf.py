"""SCARF: contrastive learning by random corruption of cells, with the paper's search space."""

from __future__ import annotations

from typing import Any

from tabcast.study.models._neural import PRETRAINING, network, schedule


def paper() -> dict[str, Any]:
    """Return the search space of the paper's appendix."""
    from optuna.distributions import FloatDistribution, IntDistribution

    return {
        "emb_dim": IntDistribution(16, 512),
        "encoder_depth": IntDistribution(2, 6),
        "head_depth": IntDistribution(1, 3),
        "corruption_rate": FloatDistribution(0, 0.7),
        "dropout_rate": FloatDistribution(0.05, 0.3),
        **schedule(),
    }


MODEL = network("scarf", "SCARF", paper, PRETRAINING)
