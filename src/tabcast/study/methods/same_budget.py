"""A control: does the gain come from trying eight models and keeping the best?"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tabcast.confidence import Raw
from tabcast.study.methods._base import Method, Request
from tabcast.study.models import Model
from tabcast.study.work import Answer, Work


@dataclass(frozen=True)
class SameBudget(Method):
    """The baseline with as many tries as CAST has alphas; the best on the validation rows is kept.

    The first try is the baseline itself; the others use the model's randomized copy, because boosting without sampling
    gives the same trees for every seed.

    Parameters
    ----------
    n_tries : int, default=8
        Number of seeds.
    """

    n_tries: int = 8

    def run(self, work: Work, request: Request) -> Answer:
        """Self-train with each seed and keep the best on the validation rows, the first of equals."""
        plain, vary = request.estimator(), request.model.vary
        assert vary is not None
        tries = [plain, *(vary(plain, seed) for seed in range(1, self.n_tries))]
        answers = [work.self_train(one, Raw(), request.strategy, request.noise_filter) for one in tries]
        best = max(answers, key=lambda answer: answer.facts["validation_score"])
        search = sum(answer.seconds["fit"] for answer in answers)
        return replace(best, seconds={**best.seconds, "search": search})

    def why_skip(self, model: Model) -> str | None:
        """Skip models without randomness: all their tries are the same."""
        return None if model.vary else f"{model.name} is the same for every seed"


same_budget = SameBudget("same-budget", "Best of 8 seeds")
