"""SwitchTab: an autoencoder that switches what two rows have in common, with the paper's search space."""

from tabcast.study.models._neural import announced
from tabcast.study.models._space import Integer, Real

MODEL = announced(
    "switchtab",
    "SwitchTab",
    {
        "encoder_head_dim": Integer(16, 256),
        "encoder_depth": Integer(1, 4),
        "n_head": Integer(1, 4),
        "ffn_factor": Integer(1, 3),
        "dropout_rate": Real(0.05, 0.3),
        "learning_rate": Real(0.0001, 0.05),
        "weight_decay": Real(1e-5, 5e-4),
    },
)
