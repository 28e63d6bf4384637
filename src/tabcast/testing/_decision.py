"""The contract of decisions, as checks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabcast.decisions import Decision, DecisionRule, Evidence
from tabcast.table import Floats
from tabcast.testing._contract import Contract
from tabcast.testing._problems import N_POOL, Problem, draw_proba, probabilities
from tabcast.testing._require import equal, fresh_copy, require, require_numbers, require_raises

N_EVIDENCE = 60


def draw_evidence(n_classes: int, seed: int = 0) -> Evidence:
    """Out-of-fold probabilities that know something about the classes; some rows were held out twice."""
    proba = draw_proba(N_EVIDENCE, n_classes, seed)
    y = np.arange(N_EVIDENCE) % n_classes
    proba[np.arange(N_EVIDENCE), y] += 0.3
    return Evidence(proba / proba.sum(axis=1, keepdims=True), y, np.arange(N_EVIDENCE) % (N_EVIDENCE - n_classes))


def draw_prior(n_classes: int) -> Floats:
    """Proportions that are not equal."""
    weights = 1.0 + np.arange(n_classes)
    return weights / weights.sum()


def accepted_classes(decision: Decision) -> Iterator[NDArray[Any]]:
    """Classes that the decision can work with; two at least."""
    for n_classes in (2, 3, 5):
        try:
            decision.check_classes(np.arange(n_classes))
        except ValueError:
            continue
        yield np.arange(n_classes)


def fit_rule(decision: Decision, classes: NDArray[Any], evidence: Evidence | None = None) -> DecisionRule:
    """The rule of some classes."""
    decision.check()
    decision.check_classes(classes)
    evidence = evidence or draw_evidence(len(classes))
    return decision.fit(classes, draw_prior(len(classes)), evidence if decision.needs_out_of_fold else None)


def use(decision: Decision, problem: Problem) -> NDArray[Any]:
    """What a decision is there for, from beginning to end; with two of the classes if it cannot have more."""
    n_classes = max(len(classes) for classes in accepted_classes(decision) if len(classes) <= problem.n_classes)
    known = problem.y < n_classes
    evidence = Evidence(problem.held_out_proba[known][:, :n_classes], problem.y[known], np.flatnonzero(known))
    return fit_rule(decision, np.arange(n_classes), evidence).decide(problem.proba[:, :n_classes])


CONTRACT = Contract(Decision, use)
check_decision, decision_checks = CONTRACT.check, CONTRACT.checks


@CONTRACT.promises
def it_can_decide_between_some_number_of_classes(member: Any) -> None:
    accepted = [len(classes) for classes in accepted_classes(fresh_copy(member))]
    require(len(accepted) > 0, "check_classes refuses two, three and five classes.")


@CONTRACT.promises
def a_rule_has_a_payoff_for_each_pair_of_classes(member: Any) -> None:
    for classes in accepted_classes(fresh_copy(member)):
        rule = fit_rule(fresh_copy(member), classes)
        require(isinstance(rule, DecisionRule), f"fit returns a {type(rule).__name__}, not a DecisionRule.")
        require_numbers(rule.payoffs, (len(classes), len(classes)), f"{len(classes)} classes")


@CONTRACT.promises
def a_rule_does_not_always_predict_the_same_class(member: Any) -> None:
    for classes in accepted_classes(fresh_copy(member)):
        rule = fit_rule(fresh_copy(member), classes)
        certain = rule.decide(np.eye(len(classes)))
        require(len(np.unique(certain)) > 1, f"with {len(classes)} classes, certain rows of all get the same class.")


@CONTRACT.promises
def a_class_is_decided_for_each_row(member: Any) -> None:
    for classes in accepted_classes(fresh_copy(member)):
        rule = fit_rule(fresh_copy(member), classes)
        for name, proba in probabilities(N_POOL, len(classes)):
            codes = rule.decide(proba)
            good = codes.shape == (N_POOL,) and np.isin(codes, np.arange(len(classes))).all()
            require(good, f"with {name} it does not decide for one class per row.")


@CONTRACT.promises
def a_rule_is_plain_data(member: Any) -> None:
    for classes in accepted_classes(fresh_copy(member)):
        rule = fit_rule(fresh_copy(member), classes)
        again = DecisionRule.from_dict(json.loads(json.dumps(rule.to_dict(), allow_nan=False)))
        require(equal(rule.payoffs, again.payoffs) and rule.name == again.name, "JSON changes the rule.")


@CONTRACT.promises
def the_order_of_rows_does_not_matter(member: Any) -> None:
    for classes in accepted_classes(fresh_copy(member)):
        evidence, order = draw_evidence(len(classes)), np.random.default_rng(0).permutation(N_EVIDENCE)
        shuffled = Evidence(evidence.proba[order], evidence.y[order], evidence.rows[order])
        one, other = (fit_rule(fresh_copy(member), classes, some) for some in (evidence, shuffled))
        require(np.allclose(one.payoffs, other.payoffs), "rows in another order give another rule.")


@CONTRACT.promises
def without_the_probabilities_it_needs_it_refuses(member: Any) -> None:
    for classes in accepted_classes(fresh_copy(member)):
        if member.needs_out_of_fold:
            fit = partial(fresh_copy(member).fit, classes, draw_prior(len(classes)))
            require_raises(ValueError, fit, "fit without out-of-fold probabilities")
