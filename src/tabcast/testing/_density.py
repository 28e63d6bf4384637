"""The contract of densities, as checks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from tabcast.density import ClassConditional, Density
from tabcast.testing._contract import Check, Contract
from tabcast.testing._problems import N_POOL, Problem, problems
from tabcast.testing._require import ORDER_TOLERANCE, fresh_copy, require, require_numbers, require_raises


def use(density: Density, problem: Problem) -> NDArray[Any]:
    """What a density is there for, from beginning to end."""
    return density.fit(problem.X).score_samples(problem.X_pool)


CONTRACT = Contract(Density, use)


def check_density(density: Density) -> None:
    """Run every check of densities on a member.

    Parameters
    ----------
    density : Density
        The member to check. A broken promise raises an AssertionError that names it.

    Examples
    --------
    >>> from tabcast.density import Uniform
    >>> from tabcast.testing import check_density
    >>> check_density(Uniform())
    """
    CONTRACT.check(density)


def density_checks() -> list[tuple[str, Check]]:
    """Return every check of densities, for `pytest.mark.parametrize`.

    Returns
    -------
    list of tuple (str, callable)
        Name and function of each check that densities have to pass.
    """
    return CONTRACT.checks()


@CONTRACT.promises
def fit_returns_the_density(member: Any) -> None:
    density = fresh_copy(member)
    require(density.fit(next(problems()).X) is density, "fit returns something else.")


@CONTRACT.promises
def scores_are_finite_for_any_row(member: Any) -> None:
    for problem in problems():
        density = fresh_copy(member).fit(problem.X)
        for X in (problem.X, problem.X_pool, problem.X_pool[:0]):
            require_numbers(density.score_samples(X), (X.shape[0],), problem.name)


@CONTRACT.promises
def one_row_is_enough(member: Any) -> None:
    for problem in problems():
        scores = fresh_copy(member).fit(problem.X[:1]).score_samples(problem.X_pool)
        require_numbers(scores, (N_POOL,), f"{problem.name} of one row")


@CONTRACT.promises
def a_score_depends_on_its_row_alone(member: Any) -> None:
    for problem in problems():
        density = fresh_copy(member).fit(problem.X)
        whole, part = density.score_samples(problem.X_pool), density.score_samples(problem.X_pool[::-3])
        same = np.allclose(whole[::-3], part, rtol=ORDER_TOLERANCE)
        require(same, f"with {problem.name} rows get other scores among other rows.")


@CONTRACT.promises
def numbers_can_be_declared_categorical(member: Any) -> None:
    problem = next(problems())
    scores = fresh_copy(member).fit(problem.X, categorical_features=[2]).score_samples(problem.X_pool)
    require_numbers(scores, (N_POOL,), "categorical_features=[2]")


@CONTRACT.promises
def classes_can_have_densities_of_their_own(member: Any) -> None:
    for problem in problems(n_classes=3):
        densities = ClassConditional(fresh_copy(member)).fit(problem.X, problem.y)
        require_numbers(densities.score_samples(problem.X_pool), (N_POOL, 3), f"{problem.name} and three classes")


@CONTRACT.promises
def what_cannot_be_scored_is_refused(member: Any) -> None:
    require_raises(ValueError, lambda: fresh_copy(member).fit(np.empty((0, 2))), "fit on a table without rows")
    require_raises(
        NotFittedError, lambda: fresh_copy(member).score_samples(np.zeros((1, 2))), "score_samples before fit"
    )


@CONTRACT.promises
def a_density_that_is_not_informative_is_the_same_everywhere(member: Any) -> None:
    for problem in problems():
        density = fresh_copy(member).fit(problem.X)
        scores = density.score_samples(problem.X_pool)
        require(density.informative or np.ptp(scores) == 0, f"with {problem.name} scores differ between rows.")
