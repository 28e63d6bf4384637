"""Which unlabeled rows get a pseudo-label in a round, and with which weight. Fifth stage of the walk.

To add a strategy, subclass `Strategy`, write `select(confidence, round_number)`, and list it here.
"""

from tabcast.pseudo_labels._strategies import (
    Curriculum,
    FixedThreshold,
    PerClassCurriculum,
    Strategy,
    TakeAll,
    TopK,
)
from tabcast.pseudo_labels._weights import Soft, Weighting

__all__ = [
    "Curriculum",
    "FixedThreshold",
    "PerClassCurriculum",
    "Soft",
    "Strategy",
    "TakeAll",
    "TopK",
    "Weighting",
]

STRATEGIES: dict[str | None, type[Strategy]] = {
    None: Curriculum,
    "curriculum": Curriculum,
    "threshold": FixedThreshold,
    "top_k": TopK,
    "all": TakeAll,
}
