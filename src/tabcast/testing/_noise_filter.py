"""The contract of noise filters, as checks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabcast.noise_filters import NoiseFilter
from tabcast.testing._contract import Check, Contract
from tabcast.testing._problems import N_LABELED, N_POOL, Problem, problems
from tabcast.testing._require import fresh_copy, require, require_mask


def use(noise_filter: NoiseFilter, problem: Problem) -> NDArray[Any]:
    """What a noise filter is there for, from beginning to end."""
    return noise_filter.fit(problem.X, problem.y).keep(problem.X_pool, problem.proba.argmax(axis=1))


CONTRACT = Contract(NoiseFilter, use)


def check_noise_filter(noise_filter: NoiseFilter) -> None:
    """Run every check of noise filters on a member.

    Parameters
    ----------
    noise_filter : NoiseFilter
        The member to check. A broken promise raises an AssertionError that names it.

    Examples
    --------
    >>> from tabcast.noise_filters import KeepAllRows
    >>> from tabcast.testing import check_noise_filter
    >>> check_noise_filter(KeepAllRows())
    """
    CONTRACT.check(noise_filter)


def noise_filter_checks() -> list[tuple[str, Check]]:
    """Return every check of noise filters, for `pytest.mark.parametrize`.

    Returns
    -------
    list of tuple (str, callable)
        Name and function of each check that noise filters have to pass.
    """
    return CONTRACT.checks()


@CONTRACT.promises
def fit_returns_the_filter(member: Any) -> None:
    problem, noise_filter = next(problems()), fresh_copy(member)
    require(noise_filter.fit(problem.X, problem.y) is noise_filter, "fit returns something else.")


@CONTRACT.promises
def keep_gives_a_mask_over_the_rows(member: Any) -> None:
    for n_classes in (2, 4):
        for problem in problems(n_classes):
            noise_filter = fresh_copy(member).fit(problem.X, problem.y)
            for n_rows in (N_POOL, 1, 0):
                mask = noise_filter.keep(problem.X_pool[:n_rows], np.arange(n_rows) % n_classes)
                require_mask(mask, n_rows, f"{problem.name}, {n_classes} classes and {n_rows} rows")


@CONTRACT.promises
def a_class_may_have_one_labeled_row_or_none(member: Any) -> None:
    for problem in problems():
        y = np.where(np.arange(N_LABELED) == 3, 1, 0)
        mask = fresh_copy(member).fit(problem.X, y).keep(problem.X_pool, np.arange(N_POOL) % 3)
        require_mask(mask, N_POOL, f"{problem.name}, a class with one labeled row and one with none")
