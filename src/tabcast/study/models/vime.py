"""VIME: value imputation and mask estimation, with the paper's search space.

The names are the paper's: `p_m` is the share of masked cells, `alpha_1` and `alpha_2` weigh the reconstruction of
categories and of numbers, `beta` the consistency loss, `K` counts the masked copies of a row.
"""

from tabcast.study.models._neural import SCHEDULE, announced
from tabcast.study.models._space import Integer, Real

MODEL = announced(
    "vime",
    "VIME",
    {
        "predictor_hidden_dim": Integer(16, 512),
        "p_m": Real(0.1, 0.9),
        "alpha_1": Real(0.1, 5),
        "alpha_2": Real(0.1, 5),
        "beta": Real(0.1, 10),
        "K": Integer(2, 20),
        **SCHEDULE,
    },
)
