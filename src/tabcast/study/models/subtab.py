"""SubTab: representations from subsets of columns, with the paper's search space. `tau` is its temperature."""

from __future__ import annotations

from typing import Any

from tabcast.study.models._neural import PRETRAINING, network, schedule


def paper() -> dict[str, Any]:
    """Return the search space of the paper's appendix."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    return {
        "emb_dim": IntDistribution(4, 1024),
        "tau": FloatDistribution(0.05, 0.15),
        "use_cosine_similarity": CategoricalDistribution((True, False)),
        "use_contrastive": CategoricalDistribution((True, False)),
        "use_distance": CategoricalDistribution((True, False)),
        "n_subsets": IntDistribution(2, 7),
        "overlap_ratio": FloatDistribution(0, 1),
        "mask_ratio": FloatDistribution(0.1, 0.3),
        "noise_level": FloatDistribution(0.5, 2),
        "noise_type": CategoricalDistribution(("Swap", "Gaussian", "Zero_Out")),
        **schedule(),
    }


MODEL = network("subtab", "SubTab", paper, PRETRAINING)
