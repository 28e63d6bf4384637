"""The contracts of densities, confidences, strategies, weightings, noise filters and feature selections."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from tabcast.checks import is_integer
from tabcast.confidence import Confidence
from tabcast.density import ClassConditional, Density
from tabcast.feature_selection import FeatureSelection
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Strategy, Weighting
from tabcast.table._tables import column_names
from tabcast.testing._contract import (
    N_LABELED,
    N_POOL,
    ORDER_TOLERANCE,
    SUM_TOLERANCE,
    Problem,
    confidences,
    contract,
    describe,
    draw_proba,
    equal,
    fresh_copy,
    probabilities,
    problems,
    require,
    require_mask,
    require_numbers,
    require_probabilities,
    require_raises,
)


def check_density(member: Density) -> None:
    """Check that a density keeps the contract of its family.

    Parameters
    ----------
    member : Density
        The density. A broken promise raises an AssertionError.

    Examples
    --------
    >>> from tabcast.density import Uniform
    >>> from tabcast.testing import check_density
    >>> check_density(Uniform())
    """
    with contract(member, Density, lambda density, problem: density.fit(problem.X).score_samples(problem.X_pool)):
        for problem in problems(n_classes=3):
            density = fresh_copy(member)
            require(density.fit(problem.X) is density, "fit returns something else than the density.")
            for X in (problem.X, problem.X_pool, problem.X_pool[:0]):
                require_numbers(density.score_samples(X), (len(X),), problem.name)
            whole, part = density.score_samples(problem.X_pool), density.score_samples(problem.X_pool[::-3])
            same = np.allclose(whole[::-3], part, rtol=ORDER_TOLERANCE)
            require(same, f"with {problem.name} rows get other scores among other rows.")
            scores = fresh_copy(member).fit(problem.X[:1]).score_samples(problem.X_pool)
            require_numbers(scores, (N_POOL,), f"{problem.name} of one row")
            by_class = ClassConditional(fresh_copy(member)).fit(problem.X, problem.y)
            require_numbers(by_class.score_samples(problem.X_pool), (N_POOL, 3), f"{problem.name} and three classes")
        problem = next(problems())
        scores = fresh_copy(member).fit(problem.X, categorical_features=[2]).score_samples(problem.X_pool)
        require_numbers(scores, (N_POOL,), "categorical_features=[2]")
        require_raises(ValueError, lambda: fresh_copy(member).fit(problem.X[:0]), "fit on a table without rows")
        require_raises(NotFittedError, lambda: fresh_copy(member).score_samples(problem.X), "score_samples before fit")


def prepared(part: Any, problem: Problem) -> Any:
    """A confidence as the loop has it before `adjust`: prepared, and calibrated if it needs that."""
    part.prepare(problem.X, problem.y, problem.X_pool, n_classes=problem.n_classes)
    if part.needs_held_out:
        part.calibrate(problem.held_out_proba, problem.y)
    return part


def check_confidence(member: Confidence) -> None:
    """Check that a confidence keeps the contract of its family.

    Parameters
    ----------
    member : Confidence
        The confidence. A broken promise raises an AssertionError.

    Examples
    --------
    >>> from tabcast.confidence import Raw
    >>> from tabcast.testing import check_confidence
    >>> check_confidence(Raw())
    """
    with contract(member, Confidence, lambda part, problem: prepared(part, problem).adjust(problem.proba)):
        problem, part = next(problems()), fresh_copy(member)
        returned = part.prepare(problem.X, problem.y, problem.X_pool, n_classes=2)
        require(returned is part, "prepare returns something else than the confidence.")
        if part.needs_held_out:
            require_raises(NotFittedError, lambda: part.adjust(problem.proba), "adjust before calibrate")
        returned = part.calibrate(problem.held_out_proba, problem.y)
        require(returned is part, "calibrate returns something else than the confidence.")
        for n_classes in (2, 4):
            for problem in problems(n_classes):
                check_adjust(member, problem)
        if not part.knows_only_pool:
            proba = draw_proba(2 * N_POOL, 2)
            adjusted = part.adjust(proba)
            require_numbers(adjusted, proba.shape, "twice as many rows as it was prepared for")
            same = np.allclose(part.adjust(proba[::-1]), adjusted[::-1], atol=ORDER_TOLERANCE)
            require(same, "the order of the rows matters; if it has to, set knows_only_pool = True.")


def check_adjust(member: Confidence, problem: Problem) -> None:
    """What `adjust` gives for a problem, for different probabilities, and for classes or a pool without rows."""
    part, n_classes = prepared(fresh_copy(member), problem), problem.n_classes
    first = part.adjust(problem.proba.copy()).copy()
    for name, proba in probabilities(N_POOL, n_classes):
        adjusted, context = part.adjust(proba), f"{problem.name}, {n_classes} classes and {name}"
        require_numbers(adjusted, proba.shape, context, least=0)
        if part.needs_held_out and not part.knows_only_pool:
            require_probabilities(adjusted, proba.shape, context)
    require(equal(first, part.adjust(problem.proba)), "`adjust` depends on earlier calls.")
    if part.gamma is not None:
        require_numbers(part.gamma, (N_POOL, n_classes), f"gamma of {problem.name}", least=0)
        require((part.gamma <= 1).all(), f"with {problem.name} gamma is above 1.")
    missing = prepared(fresh_copy(member), replace(problem, y=problem.y % (n_classes - 1)))
    context = f"{problem.name} without labeled rows of the last class"
    require_numbers(missing.adjust(problem.proba), problem.proba.shape, context)
    empty = prepared(fresh_copy(member), replace(problem, X_pool=problem.X_pool[:0]))
    require_numbers(empty.adjust(problem.proba[:0]), (0, n_classes), f"{problem.name} without unlabeled rows")


def rounds_of(strategy: Strategy) -> range:
    """Rounds of the schedule, some where there is none."""
    return range(1, 1 + min(strategy.n_rounds or 4, 6))


def use_strategy(strategy: Strategy, problem: Problem) -> NDArray[Any]:
    """The rows of every round."""
    strategy.check()
    return np.concatenate([strategy.select(problem.proba, round_number) for round_number in rounds_of(strategy)])


def check_strategy(member: Strategy) -> None:
    """Check that a strategy keeps the contract of its family.

    Parameters
    ----------
    member : Strategy
        The strategy. A broken promise raises an AssertionError.

    Examples
    --------
    >>> from tabcast.pseudo_labels import TakeAll
    >>> from tabcast.testing import check_strategy
    >>> check_strategy(TakeAll())
    """
    with contract(member, Strategy, use_strategy):
        n_rounds = member.n_rounds
        good = n_rounds is None or is_integer(n_rounds, 1)
        require(good, f"n_rounds must be None or a positive integer; it is {n_rounds!r}.")
        for context, confidence in confidences():
            strategy = fresh_copy(member)
            for round_number in rounds_of(strategy):
                require_mask(strategy.select(confidence, round_number), len(confidence), context)
        for n_classes in (2, 5):
            strategy = fresh_copy(member)
            first, second = (run_rounds(strategy, n_classes) for _ in range(2))
            require(equal(first, second), "a second run remembers the first: round 1 has to start afresh.")


def run_rounds(strategy: Strategy, n_classes: int) -> list[NDArray[Any]]:
    """The rows of each round, where rows keep their labels: no chosen row is lost, none is below what is required."""
    chosen, labels, masks = np.zeros(N_POOL, dtype=bool), np.zeros(N_POOL, dtype=np.intp), []
    for round_number in rounds_of(strategy):
        confidence = draw_proba(N_POOL, n_classes, seed=round_number)
        confidence[chosen] = 0.0
        confidence[chosen, labels[chosen]] = np.inf
        labels = confidence.argmax(axis=1)
        now = strategy.select(confidence, round_number).copy()
        lost = int((chosen & ~now).sum())
        require(lost == 0, f"round {round_number} drops {lost} rows whose confidence is infinite.")
        required = strategy.required_confidence(n_classes)
        if required is not None:
            require_numbers(required, (n_classes,), f"required_confidence of {n_classes} classes")
            lacking = int((now & (confidence.max(axis=1) < required[labels])).sum())
            require(lacking == 0, f"round {round_number} selects {lacking} rows below `required_confidence`.")
        chosen = now
        masks.append(now)
    return masks


def use_weighting(weighting: Weighting, problem: Problem) -> NDArray[Any]:
    """The weights."""
    weighting.check()
    return weighting.weigh(problem.proba, problem.proba.argmax(axis=1))


def check_weighting(member: Weighting) -> None:
    """Check that a weighting keeps the contract of its family.

    Parameters
    ----------
    member : Weighting
        The weighting. A broken promise raises an AssertionError.

    Examples
    --------
    >>> from tabcast.pseudo_labels import Soft
    >>> from tabcast.testing import check_weighting
    >>> check_weighting(Soft())
    """
    with contract(member, Weighting, use_weighting):
        shared, known = fresh_copy(member), draw_proba(N_POOL, 3)
        first = shared.weigh(known, known.argmax(axis=1)).copy()
        for context, confidence in confidences():
            # The last: a row that keeps the label of an earlier round.
            for labels in (confidence.argmax(axis=1), confidence.argmin(axis=1)):
                require_numbers(shared.weigh(confidence, labels), (len(confidence),), context, least=0)
            shares = shared.divide(confidence)
            if shares is not None:
                require_numbers(shares, confidence.shape, context, least=0)
                require((shares.sum(axis=1) <= 1 + SUM_TOLERANCE).all(), f"with {context} rows count more than 1.")
                require(shares.any(axis=1).all(), f"with {context} rows that were chosen are lost.")
        require(equal(first, shared.weigh(known, known.argmax(axis=1))), "`weigh` depends on earlier calls.")


def use_noise_filter(noise_filter: NoiseFilter, problem: Problem) -> NDArray[Any]:
    """The rows that are kept."""
    return noise_filter.fit(problem.X, problem.y).keep(problem.X_pool, problem.proba.argmax(axis=1))


def check_noise_filter(member: NoiseFilter) -> None:
    """Check that a noise filter keeps the contract of its family.

    Parameters
    ----------
    member : NoiseFilter
        The filter. A broken promise raises an AssertionError.

    Examples
    --------
    >>> from tabcast.noise_filters import KeepAllRows
    >>> from tabcast.testing import check_noise_filter
    >>> check_noise_filter(KeepAllRows())
    """
    with contract(member, NoiseFilter, use_noise_filter):
        for problem in problems(n_classes=4):
            noise_filter = fresh_copy(member)
            require(noise_filter.fit(problem.X, problem.y) is noise_filter, "fit returns something else.")
            for n_rows in (N_POOL, 1, 0):
                mask = noise_filter.keep(problem.X_pool[:n_rows], np.arange(n_rows) % 4)
                require_mask(mask, n_rows, f"{problem.name} and {n_rows} rows")
            one_row = np.where(np.arange(N_LABELED) == 3, 1, 0)
            mask = fresh_copy(member).fit(problem.X, one_row).keep(problem.X_pool, np.arange(N_POOL) % 3)
            require_mask(mask, N_POOL, f"{problem.name}, a class with one labeled row and one with none")


def check_feature_selection(member: FeatureSelection) -> None:
    """Check that a feature selection keeps the contract of its family.

    Parameters
    ----------
    member : FeatureSelection
        The selection. A broken promise raises an AssertionError.

    Examples
    --------
    >>> from tabcast.feature_selection import KeepAll
    >>> from tabcast.testing import check_feature_selection
    >>> check_feature_selection(KeepAll())
    """
    with contract(member, FeatureSelection, lambda selection, problem: selection.fit(problem.X, problem.y).support_):
        for problem in problems(n_classes=4):
            selection, pool = fresh_copy(member), problem.X_pool
            require(selection.fit(problem.X, problem.y) is selection, "fit returns something else.")
            require_mask(selection.support_, problem.X.shape[1], problem.name)
            require(selection.support_.any(), f"with {problem.name} it leaves no column to look at.")
            table, chosen = selection.transform(pool), np.flatnonzero(selection.support_)
            require(type(table) is type(pool), f"from {problem.name} it makes {describe(table)}.")
            expected = pool.iloc[:, chosen] if hasattr(table, "columns") else pool[:, chosen]
            require(column_names(table) == column_names(expected), f"with {problem.name} it gives other columns.")
            require(equal(table, expected), f"with {problem.name} it changes values.")
        problem = next(problems())
        for given in ([2], np.array([False, False, True, False])):
            support = fresh_copy(member).fit(problem.X, problem.y, categorical_features=given).support_
            require_mask(support, 4, f"categorical_features={given!r}")
