"""From probabilities to predicted classes: what is predicted follows the metric, probabilities stay as they are.

To add a decision, subclass `Decision`, write `fit`, which returns `self.make_rule(...)`, and list it here.
"""

from typing import Any

from tabcast.decisions._best_f1 import BestF1
from tabcast.decisions._decisions import Balanced, Costs, Decision, MostProbable, Threshold

__all__ = ["Balanced", "BestF1", "Costs", "Decision", "MostProbable", "Threshold"]

DECISIONS: dict[str | None, type[Decision]] = {"accuracy": MostProbable, "balanced": Balanced, "f1": BestF1}


def decision_for_metric(metric: Any) -> Decision:
    """The decision with which a score is best; the most probable class for those that do not depend on it."""
    by_metric: dict[Any, Decision] = {
        "balanced_accuracy": Balanced(),
        "f1": BestF1(),
        "f1_macro": BestF1("macro"),
        "f1_weighted": BestF1("weighted"),
    }
    return by_metric.get(metric, MostProbable()) if isinstance(metric, str) else MostProbable()
