"""From probabilities to predicted classes: what is predicted may follow a metric or costs, probabilities stay.

To add a decision, subclass `Decision`, write `fit`, which returns `self.make_rule(...)`, and list it here.
"""

from tabcast.decisions._best_f1 import BestF1
from tabcast.decisions._decisions import Balanced, Costs, Decision, MostProbable, Threshold

__all__ = ["Balanced", "BestF1", "Costs", "Decision", "MostProbable", "Threshold"]

DECISIONS: dict[str | None, type[Decision]] = {"accuracy": MostProbable, "balanced": Balanced, "f1": BestF1}
