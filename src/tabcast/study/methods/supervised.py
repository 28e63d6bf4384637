"""No self-training: the labeled rows alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tabcast.study.methods._base import Method, Request
from tabcast.study.work import Answer, Work


@dataclass(frozen=True)
class Supervised(Method):
    """The base classifier on the labeled rows ("w/o ST" in the paper)."""

    uses_strategy: ClassVar[bool] = False

    def run(self, work: Work, request: Request) -> Answer:
        """Fit the labeled rows."""
        estimator = request.estimator()
        fitted = work.supervised(estimator)
        seconds = work.fitter(estimator).pretraining_seconds + fitted.seconds
        facts = {"validation_score": float(fitted.score), "best_round": 0, "n_rounds": 0, "n_selected": 0, "n_fits": 1}
        return Answer(fitted.test_proba, facts, {"fit": seconds})


supervised = Supervised("supervised", "w/o ST")
