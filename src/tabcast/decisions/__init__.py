"""From probabilities to predicted classes: what is predicted follows the metric, probabilities stay as they are.

To add a decision, subclass `Decision` in a file of its own, write `fit`, which returns a `DecisionRule`, and list it
here.
"""

from tabcast.decisions._balanced import Balanced
from tabcast.decisions._base import Decision, Evidence
from tabcast.decisions._best_f1 import BestF1
from tabcast.decisions._costs import Costs
from tabcast.decisions._cross_fitting import cross_fit
from tabcast.decisions._decided_classifier import DecidedClassifier, decide_with
from tabcast.decisions._most_probable import MostProbable
from tabcast.decisions._rule import DecisionRule
from tabcast.decisions._short_names import DECISIONS, decision_for_metric, resolve_decision
from tabcast.decisions._threshold import Threshold

__all__ = [
    "DECISIONS",
    "Balanced",
    "BestF1",
    "Costs",
    "DecidedClassifier",
    "Decision",
    "DecisionRule",
    "Evidence",
    "MostProbable",
    "Threshold",
    "cross_fit",
    "decide_with",
    "decision_for_metric",
    "resolve_decision",
]
