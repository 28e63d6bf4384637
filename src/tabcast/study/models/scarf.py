"""SCARF: contrastive learning by random corruption of cells, with the paper's search space."""

from tabcast.study.models._neural import SCHEDULE, announced
from tabcast.study.models._space import Integer, Real

MODEL = announced(
    "scarf",
    "SCARF",
    {
        "emb_dim": Integer(16, 512),
        "encoder_depth": Integer(2, 6),
        "head_depth": Integer(1, 3),
        "corruption_rate": Real(0, 0.7),
        "dropout_rate": Real(0.05, 0.3),
        **SCHEDULE,
    },
)
