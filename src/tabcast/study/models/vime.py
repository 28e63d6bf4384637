"""VIME: value imputation and mask estimation, with the paper's search space.

The names are the paper's: `p_m` is the proportion of masked cells, `alpha_1` and `alpha_2` weigh the reconstruction of
categories and of numbers, `beta` the consistency loss, `K` counts the masked copies of a row.
"""

from __future__ import annotations

from typing import Any

from tabcast.study.models._neural import PRETRAINING, network, schedule


def paper() -> dict[str, Any]:
    """Return the search space of the paper's appendix."""
    from optuna.distributions import FloatDistribution, IntDistribution

    return {
        "predictor_hidden_dim": IntDistribution(16, 512),
        "p_m": FloatDistribution(0.1, 0.9),
        "alpha_1": FloatDistribution(0.1, 5),
        "alpha_2": FloatDistribution(0.1, 5),
        "beta": FloatDistribution(0.1, 10),
        "K": IntDistribution(2, 20),
        **schedule(),
    }


MODEL = network("vime", "VIME", paper, PRETRAINING)
