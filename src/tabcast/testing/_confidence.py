"""The contract of confidences, as checks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from tabcast.confidence import Confidence
from tabcast.density import Density
from tabcast.testing._contract import Contract
from tabcast.testing._problems import N_POOL, Problem, draw_proba, probabilities, problems
from tabcast.testing._require import (
    ORDER_TOLERANCE,
    SUM_TOLERANCE,
    equal,
    fresh_copy,
    require,
    require_numbers,
    require_raises,
)


def prepared(part: Any, problem: Problem) -> Any:
    """A confidence as the loop has it before `adjust`: prepared, and calibrated if it needs that."""
    part.prepare(problem.X, problem.y, problem.X_pool, n_classes=problem.n_classes)
    if part.needs_held_out:
        part.calibrate(problem.held_out_proba, problem.y)
    return part


def use(confidence: Confidence, problem: Problem) -> NDArray[Any]:
    """What a confidence is there for, from beginning to end."""
    adjusted: NDArray[Any] = prepared(confidence, problem).adjust(problem.proba)
    return adjusted


CONTRACT = Contract(Confidence, use)
check_confidence, confidence_checks = CONTRACT.check, CONTRACT.checks


@CONTRACT.promises
def prepare_and_calibrate_return_the_part(member: Any) -> None:
    problem, part = next(problems()), fresh_copy(member)
    prepared = part.prepare(problem.X, problem.y, problem.X_pool, n_classes=2)
    require(prepared is part, "prepare returns something else.")
    require(part.calibrate(problem.held_out_proba, problem.y) is part, "calibrate returns something else.")


@CONTRACT.promises
def confidence_is_finite_and_not_negative(member: Any) -> None:
    for n_classes in (2, 4):
        for problem in problems(n_classes):
            part = prepared(fresh_copy(member), problem)
            for name, proba in probabilities(N_POOL, n_classes):
                adjusted = part.adjust(proba)
                require_numbers(adjusted, proba.shape, f"{problem.name}, {n_classes} classes and {name}")
                require((adjusted >= 0).all(), f"with {n_classes} classes and {name} some confidence is negative.")


@CONTRACT.promises
def a_class_may_have_no_labeled_row(member: Any) -> None:
    for problem in problems(n_classes=3):
        adjusted = prepared(fresh_copy(member), replace(problem, y=problem.y % 2)).adjust(problem.proba)
        require_numbers(adjusted, (N_POOL, 3), f"{problem.name} without labeled rows of the last class")


@CONTRACT.promises
def a_pool_may_be_empty(member: Any) -> None:
    for problem in problems():
        part = prepared(fresh_copy(member), replace(problem, X_pool=problem.X_pool[:0]))
        require_numbers(part.adjust(np.empty((0, 2))), (0, 2), f"{problem.name} without unlabeled rows")


@CONTRACT.promises
def asking_twice_gives_the_same_answer(member: Any) -> None:
    for problem in problems(n_classes=3):
        part = prepared(fresh_copy(member), problem)
        first = part.adjust(problem.proba.copy()).copy()
        part.adjust(draw_proba(N_POOL, 3, seed=2))
        require(equal(first, part.adjust(problem.proba)), "`adjust` depends on earlier calls.")


@CONTRACT.promises
def other_rows_can_be_adjusted_unless_it_knows_only_the_pool(member: Any) -> None:
    part = prepared(fresh_copy(member), next(problems()))
    if part.knows_only_pool:
        return
    proba = draw_proba(2 * N_POOL, 2)
    adjusted = part.adjust(proba)
    require_numbers(adjusted, proba.shape, "twice as many rows as it was prepared for")
    same = np.allclose(part.adjust(proba[::-1]), adjusted[::-1], atol=ORDER_TOLERANCE)
    require(same, "the order of the rows matters; if it has to, set knows_only_pool = True.")


@CONTRACT.promises
def rows_of_a_calibrator_sum_to_one(member: Any) -> None:
    for n_classes in (2, 4):
        part = prepared(fresh_copy(member), next(problems(n_classes)))
        if part.needs_held_out and not part.knows_only_pool:
            for name, proba in probabilities(N_POOL, n_classes):
                off = np.abs(part.adjust(proba).sum(axis=1) - 1).max()
                require(off < SUM_TOLERANCE, f"with {n_classes} classes and {name} they miss 1 by {off:.2g}.")


@CONTRACT.promises
def a_calibrator_has_to_be_calibrated_first(member: Any) -> None:
    part, problem = fresh_copy(member), next(problems())
    if part.needs_held_out:
        part.prepare(problem.X, problem.y, problem.X_pool, n_classes=2)
        require_raises(NotFittedError, lambda: part.adjust(problem.proba), "adjust before calibrate")


@CONTRACT.promises
def gamma_is_between_0_and_1_if_there_is_one(member: Any) -> None:
    for problem in problems(n_classes=3):
        gamma = prepared(fresh_copy(member), problem).gamma
        if gamma is not None:
            require_numbers(gamma, (N_POOL, 3), problem.name)
            require(((gamma >= 0) & (gamma <= 1)).all(), f"with {problem.name} it is not.")


@CONTRACT.promises
def there_is_a_gamma_where_there_is_a_density(member: Any) -> None:
    part = prepared(fresh_copy(member), next(problems()))
    inner = part.density_part
    if inner is not None:
        require(isinstance(inner.density, Density), f"`density` of its density_part is {inner.density!r}.")
        require(inner.gamma is part.gamma, "`gamma` is not that of its density_part.")
    require((inner is None) == (part.gamma is None), "it has a density_part or a gamma, but not both.")


@CONTRACT.promises
def labels_stay_unless_it_changes_labels(member: Any) -> None:
    for n_classes in (2, 4):
        for problem in problems(n_classes):
            part = prepared(fresh_copy(member), problem)
            same = part.adjust(problem.proba).argmax(axis=1) == problem.proba.argmax(axis=1)
            require(part.changes_labels or same.all(), "it changes labels although `changes_labels` is false.")
