"""Which unlabeled rows get a pseudo-label in a round. Fifth stage of the walk.

To add one: subclass `Strategy` in a file of its own, write `select(confidence, round_number)`, list it here.
"""

from tabcast.pseudo_labels._base import Strategy
from tabcast.pseudo_labels._curriculum import Curriculum
from tabcast.pseudo_labels._fixed_threshold import FixedThreshold
from tabcast.pseudo_labels._flex_threshold import FlexThreshold
from tabcast.pseudo_labels._per_class_curriculum import PerClassCurriculum
from tabcast.pseudo_labels._per_class_threshold import PerClassThreshold
from tabcast.pseudo_labels._self_adaptive_threshold import SelfAdaptiveThreshold
from tabcast.pseudo_labels._short_names import STRATEGIES, resolve_strategy
from tabcast.pseudo_labels._take_all import TakeAll
from tabcast.pseudo_labels._top_k import TopK
from tabcast.pseudo_labels._truncated_gaussian import TruncatedGaussian
from tabcast.pseudo_labels._weighting import Constant, Soft, Weighting, resolve_weighting

__all__ = [
    "STRATEGIES",
    "Constant",
    "Curriculum",
    "FixedThreshold",
    "FlexThreshold",
    "PerClassCurriculum",
    "PerClassThreshold",
    "SelfAdaptiveThreshold",
    "Soft",
    "Strategy",
    "TakeAll",
    "TopK",
    "TruncatedGaussian",
    "Weighting",
    "resolve_strategy",
    "resolve_weighting",
]
