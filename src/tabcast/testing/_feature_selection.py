"""The contract of feature selections, as checks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabcast.feature_selection import FeatureSelection
from tabcast.table import column_names
from tabcast.testing._contract import Check, Contract
from tabcast.testing._problems import Problem, problems
from tabcast.testing._require import describe, equal, fresh_copy, require, require_mask


def use(selection: FeatureSelection, problem: Problem) -> NDArray[Any]:
    """What a feature selection is there for, from beginning to end."""
    return selection.fit(problem.X, problem.y).support_


CONTRACT = Contract(FeatureSelection, use)


def check_feature_selection(selection: FeatureSelection) -> None:
    """Run every check of feature selections on a member.

    Parameters
    ----------
    selection : FeatureSelection
        The member to check. A broken promise raises an AssertionError that names it.

    Examples
    --------
    >>> from tabcast.feature_selection import KeepAll
    >>> from tabcast.testing import check_feature_selection
    >>> check_feature_selection(KeepAll())
    """
    CONTRACT.check(selection)


def feature_selection_checks() -> list[tuple[str, Check]]:
    """Return every check of feature selections, for `pytest.mark.parametrize`.

    Returns
    -------
    list of tuple (str, callable)
        Name and function of each check that feature selections have to pass.
    """
    return CONTRACT.checks()


@CONTRACT.promises
def fit_returns_the_selection(member: Any) -> None:
    problem, selection = next(problems()), fresh_copy(member)
    require(selection.fit(problem.X, problem.y) is selection, "fit returns something else.")


@CONTRACT.promises
def support_is_a_mask_over_the_columns(member: Any) -> None:
    for n_classes in (2, 4):
        for problem in problems(n_classes):
            support = fresh_copy(member).fit(problem.X, problem.y).support_
            require_mask(support, problem.X.shape[1], f"{problem.name} and {n_classes} classes")
            require(support.any(), f"with {problem.name} it leaves no column to look at.")


@CONTRACT.promises
def transform_gives_the_chosen_columns(member: Any) -> None:
    for problem in problems():
        selection = fresh_copy(member).fit(problem.X, problem.y)
        table, chosen = selection.transform(problem.X_pool), np.flatnonzero(selection.support_)
        require(type(table) is type(problem.X_pool), f"from {problem.name} it makes {describe(table)}.")
        expected = problem.X_pool.iloc[:, chosen] if hasattr(table, "columns") else problem.X_pool[:, chosen]
        require(column_names(table) == column_names(expected), f"with {problem.name} it gives other columns.")
        require(equal(table, expected), f"with {problem.name} it changes values.")


@CONTRACT.promises
def numbers_can_be_declared_categorical(member: Any) -> None:
    problem = next(problems())
    for given in ([2], np.array([False, False, True, False])):
        support = fresh_copy(member).fit(problem.X, problem.y, categorical_features=given).support_
        require_mask(support, 4, f"categorical_features={given!r}")
