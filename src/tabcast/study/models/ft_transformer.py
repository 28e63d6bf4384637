"""FT-Transformer: the paper's transformer, with its search space."""

from __future__ import annotations

from typing import Any

from tabcast.study.models._neural import network, schedule


def paper() -> dict[str, Any]:
    """Return the search space of the paper's appendix."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    return {
        "input_embed_dim": CategoricalDistribution((16, 24, 32, 48)),
        "embedding_dropout": FloatDistribution(0.05, 0.3),
        "share_embedding": CategoricalDistribution((True, False)),
        "num_heads": CategoricalDistribution((1, 2, 4, 8)),
        "num_attn_blocks": IntDistribution(2, 10),
        "transformer_activation": CategoricalDistribution(("GEGLU", "ReGLU", "SwiGLU")),
        "use_batch_norm": CategoricalDistribution((True, False)),
        "batch_norm_continuous_input": CategoricalDistribution((True, False)),
        **schedule(),
    }


MODEL = network("ft_transformer", "FT-Transformer", paper, {"epochs": 60})
