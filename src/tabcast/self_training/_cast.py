"""CAST: pseudo-labels chosen by cluster-aware confidence, with alpha given or searched."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tabcast.self_training._algorithm import Proposals
from tabcast.self_training._data import Split, TrainingData
from tabcast.self_training._fitter import Fitter
from tabcast.self_training._hard import HardMethod, PreparedHard
from tabcast.self_training._method import Method, Parts, PreparedMethod, count_fits
from tabcast.table import Index
from tabcast.validation import NoValidation

# The paper's search: eight steps over [0.2, 0.75]. And 0, which is self-training without density.
ALPHA_GRID = (0.0, *np.linspace(0.2, 0.75, 8).round(6).tolist())


def thin_grid(grid: Sequence[float], count: int) -> list[float]:
    """`count` points spread evenly over a grid, its ends among them; at least one, at most all."""
    count = max(1, min(count, len(grid)))
    positions = np.linspace(0, len(grid) - 1, count).round().astype(int)
    return [grid[position] for position in positions]


def plan_search(max_fits: int, n_splits: int, n_rounds: int, has_schedule: bool, refits: bool) -> tuple[int, int]:
    """How many alphas and rounds can be searched with at most `max_fits` fits.

    As many alphas as possible, in all rounds. A strategy that could go on for ever gives up rounds so that at least
    three alphas can be tried; a schedule is not cut.
    """
    if not has_schedule:
        while n_rounds > 1 and count_fits(3, n_splits, n_rounds, refits) > max_fits:
            n_rounds -= 1
    least = count_fits(2, n_splits, n_rounds, refits)
    if least > max_fits:
        raise ValueError(
            f"`max_fits`={max_fits} of CASTClassifier cannot search for alpha: two alphas cost up to {least} fits "
            f"({n_splits} splits, {n_rounds} rounds). Allow more, give one alpha, or hold out rows fewer times."
        )
    n_alphas = 2
    while n_alphas < len(ALPHA_GRID) and count_fits(n_alphas + 1, n_splits, n_rounds, refits) <= max_fits:
        n_alphas += 1
    return n_alphas, n_rounds


@dataclass(frozen=True)
class PreparedCast(PreparedMethod):
    """The loop on one split, for any alpha: densities are shared.

    Attributes
    ----------
    loop : PreparedHard
        The loop; the confidence in it has an `alpha`.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    loop: PreparedHard

    @property
    def parts(self) -> Parts:  # type: ignore[override]
        """The fitted parts."""
        return self.loop.parts

    def propose(self, alpha: float | None, fitter: Fitter) -> Proposals:
        """Run the loop with the same gamma and this alpha."""
        confidence = copy(self.parts.confidence)
        confidence.alpha = alpha
        return replace(self.loop, parts=replace(self.parts, confidence=confidence)).propose(None, fitter)


@dataclass(frozen=True)
class CastMethod(Method):
    """Self-training with the CAST confidence.

    Attributes
    ----------
    loop : HardMethod
        The loop; its confidence has an `alpha`.
    alphas : sequence of float or None, default=None
        What to choose from; None: as many of the grid as `max_fits` allows.
    max_fits : int or None, default=None
        Most fits that a search may spend. None: no limit.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    loop: HardMethod
    alphas: Sequence[float] | None = None
    max_fits: int | None = None

    @property
    def parts(self) -> Parts:  # type: ignore[override]
        """The exchangeable parts."""
        return self.loop.parts

    def check(self, data: TrainingData, estimator: Any) -> None:
        """Several alphas need held-out rows to choose by."""
        self.loop.check(data, estimator)
        several = self.alphas is None or len(self.alphas) > 1
        unevaluated = isinstance(self.parts.validation, NoValidation) and data.validation is None
        if several and unevaluated and len(data.pool):
            raise ValueError(
                "`alpha` has to be chosen on held-out rows, but validation=None holds out none. Give one alpha, use "
                "validation='cv' or a fraction, or pass validation_data to fit."
            )

    def seeded(self, seed: int) -> CastMethod:
        """The same method, with everything random in it seeded."""
        return replace(self, loop=self.loop.seeded(seed))

    def plan(self, n_splits: int, last_round: int, refits: bool) -> tuple[Sequence[float], int]:
        """The alphas to try, each once, smallest first."""
        if self.alphas is not None:
            return self.alphas, last_round
        if last_round == 0:  # nothing to search with
            return [0.0], 0
        if self.max_fits is None:
            return ALPHA_GRID, last_round
        n_alphas, n_rounds = plan_search(self.max_fits, n_splits, last_round, self.schedule is not None, refits)
        return thin_grid(ALPHA_GRID, n_alphas), n_rounds

    def prepare(self, data: TrainingData, split: Split, y_held_out: Index) -> PreparedCast:
        """Fit feature selection, densities and the noise filter to the training rows."""
        return PreparedCast(self.loop.prepare(data, split, y_held_out))
