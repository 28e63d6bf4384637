"""FT-Transformer: the paper's transformer, with its search space."""

from tabcast.study.models._neural import SCHEDULE, announced
from tabcast.study.models._space import Choice, Integer, Real

MODEL = announced(
    "ft_transformer",
    "FT-Transformer",
    {
        "input_embed_dim": Choice((16, 24, 32, 48)),
        "embedding_dropout": Real(0.05, 0.3),
        "share_embedding": Choice((True, False)),
        "num_heads": Choice((1, 2, 4, 8)),
        "num_attn_blocks": Integer(2, 10),
        "transformer_activation": Choice(("GEGLU", "ReGLU", "SwiGLU")),
        "use_batch_norm": Choice((True, False)),
        "batch_norm_continuous_input": Choice((True, False)),
        **SCHEDULE,
    },
)
