"""Small versions of the six networks, and tables for them."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("torch")

from tabcast.models.neural import (
    FTTransformerClassifier,
    MLPClassifier,
    SCARFClassifier,
    SubTabClassifier,
    SwitchTabClassifier,
    VIMEClassifier,
)

SHORT = {"epochs": 3, "learning_rate": 0.01, "random_state": 0}
BRIEF = {**SHORT, "pretrain_epochs": 2}
SELF_SUPERVISED = {
    "vime": VIMEClassifier(predictor_hidden_dim=16, K=2, **BRIEF),
    "subtab": SubTabClassifier(emb_dim=16, n_subsets=3, **BRIEF),
    "scarf": SCARFClassifier(emb_dim=16, encoder_depth=2, **BRIEF),
    "switchtab": SwitchTabClassifier(encoder_head_dim=8, encoder_depth=1, **BRIEF),
}
NETS = {
    "mlp": MLPClassifier(layers="16-8", **SHORT),
    "ft_transformer": FTTransformerClassifier(input_embed_dim=8, num_heads=2, num_attn_blocks=1, **SHORT),
    **SELF_SUPERVISED,
}


def make_table(n_rows, seed=0):
    """Numbers, one of them with missing values, few levels with missing values, many levels; and classes."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": random.normal(size=n_rows),
            "income": np.where(random.random(n_rows) < 0.2, np.nan, random.lognormal(size=n_rows)),
            "city": pd.Series(random.choice(["Ulm", "Bonn", None], n_rows), dtype=object),
            "code": random.choice([f"c{one}" for one in range(15)], n_rows),
        }
    )
    classes = np.where(frame["size"] + (frame["city"] == "Ulm") + random.normal(0, 0.3, n_rows) > 0.3, "yes", "no")
    classes[:2] = ["no", "yes"]
    return frame, classes
