"""The contract of weightings, as checks."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from tabcast.pseudo_labels import Weighting
from tabcast.testing._contract import Contract
from tabcast.testing._problems import N_POOL, Problem, confidences, draw_proba
from tabcast.testing._require import SUM_TOLERANCE, equal, fresh_copy, require, require_numbers


def use(weighting: Weighting, problem: Problem) -> NDArray[Any]:
    """What a weighting is there for, from beginning to end."""
    weighting.check()
    return weighting.weigh(problem.proba, problem.proba.argmax(axis=1))


CONTRACT = Contract(Weighting, use)
check_weighting, weighting_checks = CONTRACT.check, CONTRACT.checks


@CONTRACT.promises
def weights_are_finite_and_not_negative(member: Any) -> None:
    for n_classes in (2, 5):
        for n_rows in (N_POOL, 1, 0):
            for name, confidence in confidences(n_rows, n_classes):
                # The last: a row that keeps the label of an earlier round.
                for labels in (confidence.argmax(axis=1), confidence.argmin(axis=1)):
                    weights = fresh_copy(member).weigh(confidence, labels)
                    require_numbers(weights, (n_rows,), f"{n_classes} classes, {n_rows} rows and {name}")
                    require((weights >= 0).all(), f"with {n_classes} classes and {name} some weight is negative.")


@CONTRACT.promises
def runs_that_share_a_weighting_do_not_disturb_each_other(member: Any) -> None:
    weighting, confidence, other = fresh_copy(member), draw_proba(N_POOL, 3), draw_proba(2 * N_POOL, 2, seed=1)
    first = weighting.weigh(confidence, confidence.argmax(axis=1)).copy()
    weighting.weigh(other, other.argmax(axis=1))
    again = weighting.weigh(confidence, confidence.argmax(axis=1))
    require(equal(first, again), "`weigh` depends on earlier calls.")


@CONTRACT.promises
def divided_rows_have_shares_of_the_classes(member: Any) -> None:
    for n_classes in (2, 5):
        for n_rows in (N_POOL, 1, 0):
            for name, confidence in confidences(n_rows, n_classes):
                shares, context = (
                    fresh_copy(member).divide(confidence),
                    f"{n_classes} classes, {n_rows} rows and {name}",
                )
                if shares is not None:
                    require_numbers(shares, (n_rows, n_classes), context)
                    require((shares >= 0).all(), f"with {context} some proportion is negative.")
                    require((shares.sum(axis=1) <= 1 + SUM_TOLERANCE).all(), f"with {context} rows count more than 1.")
                    require(shares.any(axis=1).all(), f"with {context} rows that were chosen are lost.")
