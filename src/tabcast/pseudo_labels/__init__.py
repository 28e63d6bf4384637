"""Which unlabeled rows get a pseudo-label in a round. Fifth stage of the walk.

To add one: subclass `Strategy` in a file of its own, write `select(confidence, round_number)`, list it here.
"""

from tabcast.pseudo_labels._base import Strategy
from tabcast.pseudo_labels._curriculum import Curriculum
from tabcast.pseudo_labels._fixed_threshold import FixedThreshold
from tabcast.pseudo_labels._take_all import TakeAll
from tabcast.pseudo_labels._top_k import TopK
from tabcast.pseudo_labels._weighting import Constant, Weighting, resolve_weighting

__all__ = [
    "Constant",
    "Curriculum",
    "FixedThreshold",
    "Strategy",
    "TakeAll",
    "TopK",
    "Weighting",
    "resolve_weighting",
]
