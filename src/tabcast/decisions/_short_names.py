"""The short names of the family, and the decision that belongs to a metric."""

from __future__ import annotations

from typing import Any

from tabcast.checks import resolve_part
from tabcast.decisions._balanced import Balanced
from tabcast.decisions._base import Decision
from tabcast.decisions._best_f1 import BestF1
from tabcast.decisions._most_probable import MostProbable

DECISIONS: dict[str | None, type[Decision]] = {"accuracy": MostProbable, "balanced": Balanced, "f1": BestF1}


def resolve_decision(given: Any, owner: str) -> Decision:
    """Return the decision that a user passed, or the one that a short name stands for.

    Parameters
    ----------
    given : "accuracy", "balanced", "f1" or Decision
        The value of the argument `decision`.
    owner : str
        Name of the classifier, for the message.

    Returns
    -------
    Decision
        A member of the family; short names give default parameters.

    Examples
    --------
    >>> from tabcast.decisions import resolve_decision
    >>> resolve_decision("balanced", "CASTClassifier")
    Balanced()
    """
    return resolve_part(given, DECISIONS, Decision, "decision", owner)


def decision_for_metric(metric: Any) -> Decision:
    """Return the decision with which a score is best.

    Parameters
    ----------
    metric : object
        The name of a score, as scikit-learn knows it.

    Returns
    -------
    Decision
        :class:`Balanced` for "balanced_accuracy", :class:`BestF1` for "f1", "f1_macro" and "f1_weighted",
        :class:`MostProbable` for all others: accuracy (which "f1_micro" is, too), and scores of probabilities, for
        which the predicted class does not matter.

    Examples
    --------
    >>> from tabcast.decisions import decision_for_metric
    >>> decision_for_metric("f1_macro"), decision_for_metric("roc_auc")
    (BestF1(average='macro'), MostProbable())
    """
    by_metric: dict[Any, Decision] = {
        "balanced_accuracy": Balanced(),
        "f1": BestF1(),
        "f1_macro": BestF1("macro"),
        "f1_weighted": BestF1("weighted"),
    }
    return by_metric.get(metric, MostProbable()) if isinstance(metric, str) else MostProbable()
