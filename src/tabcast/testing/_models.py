"""The contracts of teachers and decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from tabcast.checks import is_number
from tabcast.decisions import Decision
from tabcast.decisions._decisions import Evidence
from tabcast.decisions._rule import DecisionRule
from tabcast.table import Floats, Index
from tabcast.table._columns import find_categorical
from tabcast.table._encoders import TableCodes
from tabcast.table._tables import take_rows
from tabcast.teachers import Teacher
from tabcast.teachers._teachers import Folds, Lesson
from tabcast.testing._contract import (
    N_LABELED,
    N_POOL,
    SUM_TOLERANCE,
    Problem,
    contract,
    draw_proba,
    equal,
    fresh_copy,
    probabilities,
    problems,
    require,
    require_numbers,
    require_probabilities,
    require_raises,
)

N_EVIDENCE = 60


def make_lesson(problem: Problem, *, sample_weight: Floats | None = None, fits: list[int] | None = None) -> Lesson:
    """A lesson as the classifier makes it; `fits` records the number of rows of every fit that the teacher requests."""
    X, y, n_classes = problem.X, problem.y, len(np.unique(problem.y))

    def fit_tree(rows: Index) -> Any:
        tree = make_pipeline(TableCodes(), DecisionTreeClassifier(max_depth=3, random_state=0))
        weight = None if sample_weight is None else sample_weight[rows]
        return tree.fit(take_rows(X, rows), y[rows], decisiontreeclassifier__sample_weight=weight)

    def own_out_of_fold(folds: Folds) -> Floats:
        proba = np.zeros((len(y), n_classes))
        for train, held_out in folds:
            if fits is not None:
                fits.append(len(train))
            proba[held_out] = fit_tree(train).predict_proba(take_rows(X, held_out))
        return proba

    own = fit_tree(np.arange(len(y)))
    return Lesson(X, y, problem.X_pool, n_classes, find_categorical(X), sample_weight, own, own_out_of_fold, 0)


def use_teacher(teacher: Teacher, problem: Problem) -> NDArray[Any]:
    """The soft labels."""
    teacher.check()
    return teacher.fit(make_lesson(problem)).teach(problem.proba)


def check_teacher(member: Teacher) -> None:
    """Check that a teacher keeps the contract of its family.

    Parameters
    ----------
    member : Teacher
        The teacher. A broken promise raises an AssertionError.

    Examples
    --------
    >>> from tabcast.teachers import SelfTeacher
    >>> from tabcast.testing import check_teacher
    >>> check_teacher(SelfTeacher())
    """
    with contract(member, Teacher, use_teacher):
        require(is_number(member.temperature, "(0, inf)"), f"its temperature is {member.temperature!r}.")
        for problem in problems(n_classes=3):
            teacher, lesson = fresh_copy(member), make_lesson(problem)
            require(teacher.fit(lesson) is teacher, "fit returns something else than the teacher.")
            taught = np.copy(teacher.teach(problem.proba))
            require_probabilities(taught, (N_POOL, 3), problem.name)
            teacher.teach(draw_proba(N_POOL, 3, seed=2))
            require(equal(taught, teacher.teach(problem.proba)), "`teach` depends on earlier calls.")
            for n_rows in (N_POOL, 1):
                proba = teacher.predict_proba(problem.X_pool[:n_rows])
                require_probabilities(proba, (n_rows, 3), f"{problem.name}, for {n_rows} rows")
            taught = teacher.teach(lesson.own.predict_proba(problem.X_pool))
            same = np.allclose(taught, teacher.predict_proba(problem.X_pool), atol=SUM_TOLERANCE)
            require(same, "`teach` and `predict_proba` disagree about the unlabeled rows.")
        check_small_lessons(member, next(problems()))


def check_small_lessons(member: Teacher, problem: Problem) -> None:
    """Classes of one row, weights, and no more fits of the user's estimator than are declared."""
    one_row = replace(problem, y=np.where(np.arange(N_LABELED) == 3, 2, problem.y))
    proba = fresh_copy(member).fit(make_lesson(one_row)).predict_proba(problem.X_pool)
    require_probabilities(proba, (N_POOL, 3), "a class with one row")
    two_rows = replace(problem, X=problem.X[:2], y=np.arange(2))
    proba = fresh_copy(member).fit(make_lesson(two_rows)).teach(problem.proba)
    require_probabilities(proba, (N_POOL, 2), "one row in each class")
    teacher, fits = fresh_copy(member), list[int]()
    lesson = make_lesson(problem, sample_weight=np.linspace(0.5, 2, N_LABELED), fits=fits)
    require_probabilities(teacher.fit(lesson).teach(problem.proba), (N_POOL, 2), "weights of rows")
    promised = teacher.n_own_fits
    require(len(fits) <= promised, f"it requests {len(fits)} fits of the user's estimator, n_own_fits is {promised}.")


def draw_evidence(n_classes: int) -> Evidence:
    """Out-of-fold probabilities that know something about the classes; some rows were held out twice."""
    proba, y = draw_proba(N_EVIDENCE, n_classes), np.arange(N_EVIDENCE) % n_classes
    proba[np.arange(N_EVIDENCE), y] += 0.3
    return Evidence(proba / proba.sum(axis=1, keepdims=True), y, np.arange(N_EVIDENCE) % (N_EVIDENCE - n_classes))


def accepted_classes(decision: Decision) -> Iterator[NDArray[Any]]:
    """Classes that the decision can work with; two at least."""
    for n_classes in (2, 3, 5):
        try:
            decision.check_classes(np.arange(n_classes))
        except ValueError:
            continue
        yield np.arange(n_classes)


def fit_rule(decision: Decision, classes: NDArray[Any], evidence: Evidence | None) -> DecisionRule:
    """The rule for classes whose proportions are not equal."""
    decision.check()
    return decision.fit(classes, (1.0 + classes) / (1.0 + classes).sum(), evidence)


def use_decision(decision: Decision, problem: Problem) -> NDArray[Any]:
    """The decided classes; with two of the classes if it cannot have more."""
    n_classes = max(len(classes) for classes in accepted_classes(decision) if len(classes) <= problem.n_classes)
    known = problem.y < n_classes
    evidence = Evidence(problem.held_out_proba[known][:, :n_classes], problem.y[known], np.flatnonzero(known))
    return fit_rule(decision, np.arange(n_classes), evidence).decide(problem.proba[:, :n_classes])


def check_decision(member: Decision) -> None:
    """Check that a decision keeps the contract of its family.

    Parameters
    ----------
    member : Decision
        The decision. A broken promise raises an AssertionError.

    Examples
    --------
    >>> from tabcast.decisions import Balanced
    >>> from tabcast.testing import check_decision
    >>> check_decision(Balanced())
    """
    with contract(member, Decision, use_decision):
        accepted = list(accepted_classes(fresh_copy(member)))
        require(len(accepted) > 0, "check_classes refuses two, three and five classes.")
        for classes in accepted:
            n_classes, evidence = len(classes), draw_evidence(len(classes))
            rule = fit_rule(fresh_copy(member), classes, evidence if member.needs_out_of_fold else None)
            require(isinstance(rule, DecisionRule), f"fit returns a {type(rule).__name__}, not a DecisionRule.")
            require_numbers(rule.payoffs, (n_classes, n_classes), f"{n_classes} classes")
            certain = rule.decide(np.eye(n_classes))
            require(len(np.unique(certain)) > 1, f"with {n_classes} classes, certain rows of all get the same class.")
            for name, proba in probabilities(N_POOL, n_classes):
                codes = rule.decide(proba)
                good = codes.shape == (N_POOL,) and np.isin(codes, classes).all()
                require(good, f"with {name} it does not decide for one class per row.")
            again = DecisionRule.from_dict(json.loads(json.dumps(rule.to_dict(), allow_nan=False)))
            require(equal(rule.payoffs, again.payoffs) and rule.name == again.name, "JSON changes the rule.")
            if member.needs_out_of_fold:
                order = np.random.default_rng(0).permutation(N_EVIDENCE)
                shuffled = Evidence(evidence.proba[order], evidence.y[order], evidence.rows[order])
                other = fit_rule(fresh_copy(member), classes, shuffled)
                require(np.allclose(rule.payoffs, other.payoffs), "rows in another order give another rule.")
                fit = partial(fit_rule, fresh_copy(member), classes, None)
                require_raises(ValueError, fit, "fit without out-of-fold probabilities")
