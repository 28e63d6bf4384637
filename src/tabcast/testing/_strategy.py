"""The contract of strategies, as checks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabcast.checks import is_integer
from tabcast.pseudo_labels import Strategy
from tabcast.testing._contract import Check, Contract
from tabcast.testing._problems import N_POOL, Problem, confidences, draw_proba
from tabcast.testing._require import equal, fresh_copy, require, require_mask, require_numbers


def rounds_of(strategy: Strategy) -> range:
    """Rounds of the schedule, some where there is none."""
    return range(1, 1 + min(strategy.n_rounds or 4, 6))


def use(strategy: Strategy, problem: Problem) -> NDArray[Any]:
    """What a strategy is there for, from beginning to end."""
    strategy.check()
    return np.concatenate([strategy.select(problem.proba, round_number) for round_number in rounds_of(strategy)])


CONTRACT = Contract(Strategy, use)


def check_strategy(strategy: Strategy) -> None:
    """Run every check of strategies on a member.

    Parameters
    ----------
    strategy : Strategy
        The member to check. A broken promise raises an AssertionError that names it.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import Strategy, TopK
    >>> from tabcast.testing import check_strategy
    >>> check_strategy(TopK(k=3))

    A strategy that returns positions instead of a mask:

    >>> class Positions(Strategy):
    ...     def select(self, confidence, round_number):
    ...         return np.flatnonzero(confidence.max(axis=1) > 0.5)
    >>> check_strategy(Positions())
    Traceback (most recent call last):
        ...
    AssertionError: Positions breaks 'select gives a mask over the pool': with 2 classes, ...
    """
    CONTRACT.check(strategy)


def strategy_checks() -> list[tuple[str, Check]]:
    """Return every check of strategies, for `pytest.mark.parametrize`.

    Returns
    -------
    list of tuple (str, callable)
        Name and function of each check that strategies have to pass.
    """
    return CONTRACT.checks()


@CONTRACT.promises
def select_gives_a_mask_over_the_pool(member: Any) -> None:
    for n_classes in (2, 5):
        for n_rows in (N_POOL, 1, 0):
            for name, confidence in confidences(n_rows, n_classes):
                strategy = fresh_copy(member)
                for round_number in rounds_of(strategy):
                    mask = strategy.select(confidence, round_number)
                    require_mask(mask, n_rows, f"{n_classes} classes, {n_rows} rows and {name}")


@CONTRACT.promises
def rows_that_keep_their_label_stay_selected(member: Any) -> None:
    for n_classes in (2, 5):
        strategy = fresh_copy(member)
        chosen, labels = np.zeros(N_POOL, dtype=bool), np.zeros(N_POOL, dtype=np.intp)
        for round_number in rounds_of(strategy):
            confidence = draw_proba(N_POOL, n_classes, seed=round_number)
            confidence[chosen] = 0.0
            confidence[chosen, labels[chosen]] = np.inf
            labels = confidence.argmax(axis=1)
            now = strategy.select(confidence, round_number)
            lost = int((chosen & ~now).sum())
            require(lost == 0, f"round {round_number} drops {lost} rows whose confidence is infinite.")
            chosen = now.copy()


@CONTRACT.promises
def round_1_starts_afresh(member: Any) -> None:
    for n_classes in (2, 5):
        strategy = fresh_copy(member)
        first, second = (
            [strategy.select(draw_proba(N_POOL, n_classes, seed=k), k).copy() for k in rounds_of(strategy)]
            for _ in range(2)
        )
        require(equal(first, second), "a second run remembers the first.")


@CONTRACT.promises
def a_schedule_has_a_positive_number_of_rounds(member: Any) -> None:
    rounds = fresh_copy(member).n_rounds
    require(rounds is None or is_integer(rounds, 1), f"n_rounds must be None or a positive integer; it is {rounds!r}.")


@CONTRACT.promises
def selected_rows_have_the_required_confidence(member: Any) -> None:
    for n_classes in (2, 5):
        strategy = fresh_copy(member)
        for round_number in rounds_of(strategy):
            confidence = draw_proba(N_POOL, n_classes, seed=round_number)
            chosen = strategy.select(confidence, round_number)
            required = strategy.required_confidence(n_classes)
            if required is not None:
                require_numbers(required, (n_classes,), f"{n_classes} classes")
                reached = confidence.max(axis=1) >= required[confidence.argmax(axis=1)]
                lacking = int((chosen & ~reached).sum())
                require(lacking == 0, f"round {round_number} selects {lacking} rows below `required_confidence`.")
