"""SubTab: representations from subsets of columns, with the paper's search space. `tau` is its temperature."""

from tabcast.study.models._neural import SCHEDULE, announced
from tabcast.study.models._space import Choice, Integer, Real

MODEL = announced(
    "subtab",
    "SubTab",
    {
        "emb_dim": Integer(4, 1024),
        "tau": Real(0.05, 0.15),
        "use_cosine_similarity": Choice((True, False)),
        "use_contrastive": Choice((True, False)),
        "use_distance": Choice((True, False)),
        "n_subsets": Integer(2, 7),
        "overlap_ratio": Real(0, 1),
        "mask_ratio": Real(0.1, 0.3),
        "noise_level": Real(0.5, 2),
        "noise_type": Choice(("Swap", "Gaussian", "Zero_Out")),
        **SCHEDULE,
    },
)
