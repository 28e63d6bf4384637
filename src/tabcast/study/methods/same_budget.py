"""Two controls: does the gain come from trying eight models and keeping the best, or from what the tries are?"""

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
    gives the same trees for every seed. With XGBoost in the paper's search space, which does not sample, seven of eight
    tries therefore grow each tree on 80% of the rows: they differ from the baseline in the seed and in the sampling.
    :class:`Randomized` is one such try, so its difference from the baseline is the sampling, and the difference of
    `SameBudget` from it is the choice. Where the tuned parameters sample anyway, tries differ in the seed alone.

    Parameters
    ----------
    n_tries : int, default=8
        Number of tries, each with a seed of its own.
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
        n_fits = sum(answer.facts["n_fits"] for answer in answers)
        return replace(best, facts={**best.facts, "n_fits": n_fits}, seconds={**best.seconds, "search": search})

    def why_skip(self, model: Model) -> str | None:
        """Skip models without randomness: all their tries are the same."""
        return _why_the_same(model)


@dataclass(frozen=True)
class Randomized(Method):
    """The baseline with the randomized copy of the model and one seed: the second try of `SameBudget`, alone.

    Parameters
    ----------
    seed : int, default=1
        Seed of the copy.
    """

    seed: int = 1

    def run(self, work: Work, request: Request) -> Answer:
        """Self-train the copy."""
        assert request.model.vary is not None
        model = request.model.vary(request.estimator(), self.seed)
        return work.self_train(model, Raw(), request.strategy, request.noise_filter)

    def why_skip(self, model: Model) -> str | None:
        """Skip models without randomness."""
        return _why_the_same(model)


def _why_the_same(model: Model) -> str | None:
    """Say that a model has no randomness; None if it has."""
    return None if model.vary else f"{model.name} is the same for every seed"


same_budget = SameBudget("same-budget", "Best of 8 tries")
randomized = Randomized("randomized", "Baseline, randomized")
