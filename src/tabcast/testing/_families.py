"""The contract of each family, and a function that checks it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from tabcast.checks import is_integer, is_number
from tabcast.confidence import Confidence
from tabcast.decisions import Decision
from tabcast.decisions._decisions import Evidence
from tabcast.decisions._rule import DecisionRule
from tabcast.density import ClassConditional, Density
from tabcast.feature_selection import FeatureSelection
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Strategy
from tabcast.table import Floats, Index
from tabcast.table._columns import find_categorical
from tabcast.table._encoders import TableCodes
from tabcast.table._tables import column_names, take_rows
from tabcast.teachers import Teacher
from tabcast.teachers._teachers import Folds, Lesson
from tabcast.testing import _require as require
from tabcast.testing._contract import contract, fitted, fresh_copy, returns_itself
from tabcast.testing._problems import N_LABELED, N_POOL, Problem, confidences, draw_proba, probabilities, problems

N_EVIDENCE = 60
ORDER_TOLERANCE = 1e-7  # sums over rows in another order differ by rounding


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
            density, pool, name = fitted(member, problem.X), problem.X_pool, problem.name
            for X in (problem.X, pool, pool[:0]):
                require.numbers(density.score_samples(X), (len(X),), name)
            whole, part = density.score_samples(pool), density.score_samples(pool[::-3])
            same = np.allclose(whole[::-3], part, rtol=ORDER_TOLERANCE)
            require.that(same, f"with {name} rows get other scores among other rows.")
            require.numbers(fitted(member, problem.X[:1]).score_samples(pool), (N_POOL,), f"{name} of one row")
            by_class = ClassConditional(fresh_copy(member)).fit(problem.X, problem.y)
            require.numbers(by_class.score_samples(pool), (N_POOL, 3), f"{name} and three classes")
        problem = next(problems())
        scores = fitted(member, problem.X, categorical_features=[2]).score_samples(problem.X_pool)
        require.numbers(scores, (N_POOL,), "categorical_features=[2]")
        require.raises(ValueError, lambda: fresh_copy(member).fit(problem.X[:0]), "fit on a table without rows")
        require.raises(NotFittedError, lambda: fresh_copy(member).score_samples(problem.X), "score_samples before fit")


def prepared(part: Any, problem: Problem) -> Any:
    """A confidence as the loop has it before `adjust`: prepared, and calibrated if it needs that."""
    part.prepare(problem.X, problem.y, problem.X_pool, n_classes=problem.proba.shape[1])
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
        returns_itself(part, "prepare", problem.X, problem.y, problem.X_pool, n_classes=2)
        if part.needs_held_out:
            require.raises(NotFittedError, lambda: part.adjust(problem.proba), "adjust before calibrate")
        returns_itself(part, "calibrate", problem.held_out_proba, problem.y)
        for n_classes in (2, 4):
            for problem in problems(n_classes):
                check_adjust(member, problem)
        if not part.knows_only_pool:
            proba = draw_proba(2 * N_POOL, 2)
            adjusted = part.adjust(proba)
            require.numbers(adjusted, proba.shape, "twice as many rows as it was prepared for")
            same = np.allclose(part.adjust(proba[::-1]), adjusted[::-1], atol=ORDER_TOLERANCE)
            require.that(same, "the order of the rows matters; if it has to, set knows_only_pool = True.")


def check_adjust(member: Confidence, problem: Problem) -> None:
    """What `adjust` gives for a problem, for different probabilities, and for classes or a pool without rows."""
    part, n_classes = prepared(fresh_copy(member), problem), problem.proba.shape[1]
    first = part.adjust(problem.proba.copy()).copy()
    for name, proba in probabilities(N_POOL, n_classes):
        adjusted, context = part.adjust(proba), f"{problem.name}, {n_classes} classes and {name}"
        require.numbers(adjusted, proba.shape, context, least=0)
        if part.needs_held_out and not part.knows_only_pool:
            require.probabilities(adjusted, proba.shape, context)
    require.same(first, part.adjust(problem.proba), "`adjust` depends on earlier calls.")
    if part.gamma is not None:
        require.numbers(part.gamma, (N_POOL, n_classes), f"gamma of {problem.name}", least=0)
        require.that((part.gamma <= 1).all(), f"with {problem.name} gamma is above 1.")
    without_class = replace(problem, y=problem.y % (n_classes - 1))
    without_pool = replace(problem, X_pool=problem.X_pool[:0], proba=problem.proba[:0])
    for lacking, what in ((without_class, "labeled rows of the last class"), (without_pool, "unlabeled rows")):
        adjusted = prepared(fresh_copy(member), lacking).adjust(lacking.proba)
        require.numbers(adjusted, lacking.proba.shape, f"{problem.name} without {what}")


def rounds_of(strategy: Strategy) -> range:
    """Rounds of the schedule, some where there is none."""
    return range(1, 1 + min(strategy.n_rounds or 4, 6))


def use_strategy(strategy: Strategy, problem: Problem) -> NDArray[Any]:
    """The rows of every round."""
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
        require.that(good, f"n_rounds must be None or a positive integer; it is {n_rounds!r}.")
        for context, confidence in confidences():
            strategy = fresh_copy(member)
            for round_number in rounds_of(strategy):
                require.mask(strategy.select(confidence, round_number), len(confidence), context)
        for n_classes in (2, 5):
            strategy = fresh_copy(member)
            first, second = (run_rounds(strategy, n_classes) for _ in range(2))
            require.same(first, second, "a second run remembers the first: round 1 has to start afresh.")


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
        require.that(lost == 0, f"round {round_number} drops {lost} rows whose confidence is infinite.")
        required = strategy.required_confidence(n_classes)
        if required is not None:
            require.numbers(required, (n_classes,), f"required_confidence of {n_classes} classes")
            lacking = int((now & (confidence.max(axis=1) < required[labels])).sum())
            require.that(lacking == 0, f"round {round_number} selects {lacking} rows below `required_confidence`.")
        chosen = now
        masks.append(now)
    return masks


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
            noise_filter = fitted(member, problem.X, problem.y)
            for n_rows in (N_POOL, 1, 0):
                mask = noise_filter.keep(problem.X_pool[:n_rows], np.arange(n_rows) % 4)
                require.mask(mask, n_rows, f"{problem.name} and {n_rows} rows")
            one_row = np.where(np.arange(N_LABELED) == 3, 1, 0)
            mask = fitted(member, problem.X, one_row).keep(problem.X_pool, np.arange(N_POOL) % 3)
            require.mask(mask, N_POOL, f"{problem.name}, a class with one labeled row and one with none")


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
            selection, pool = fitted(member, problem.X, problem.y), problem.X_pool
            require.mask(selection.support_, problem.X.shape[1], problem.name)
            require.that(selection.support_.any(), f"with {problem.name} it leaves no column to look at.")
            table, chosen = selection.transform(pool), np.flatnonzero(selection.support_)
            require.that(type(table) is type(pool), f"from {problem.name} it makes {require.describe(table)}.")
            expected = pool.iloc[:, chosen] if hasattr(table, "columns") else pool[:, chosen]
            require.that(column_names(table) == column_names(expected), f"with {problem.name} it gives other columns.")
            require.same(table, expected, f"with {problem.name} it changes values.")
        problem = next(problems())
        for given in ([2], np.array([False, False, True, False])):
            support = fitted(member, problem.X, problem.y, categorical_features=given).support_
            require.mask(support, 4, f"categorical_features={given!r}")


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
    with contract(member, Teacher, lambda part, problem: part.fit(make_lesson(problem)).teach(problem.proba)):
        require.that(is_number(member.temperature, "(0, inf)"), f"its temperature is {member.temperature!r}.")
        for problem in problems(n_classes=3):
            teacher = fitted(member, lesson := make_lesson(problem))
            taught = np.copy(teacher.teach(problem.proba))
            require.probabilities(taught, (N_POOL, 3), problem.name)
            teacher.teach(draw_proba(N_POOL, 3, seed=2))
            require.same(taught, teacher.teach(problem.proba), "`teach` depends on earlier calls.")
            for n_rows in (N_POOL, 1):
                proba = teacher.predict_proba(problem.X_pool[:n_rows])
                require.probabilities(proba, (n_rows, 3), f"{problem.name}, for {n_rows} rows")
            taught = teacher.teach(lesson.own.predict_proba(problem.X_pool))
            same = np.allclose(taught, teacher.predict_proba(problem.X_pool), atol=require.SUM_TOLERANCE)
            require.that(same, "`teach` and `predict_proba` disagree about the unlabeled rows.")
        check_small_lessons(member, next(problems()))


def check_small_lessons(member: Teacher, problem: Problem) -> None:
    """Classes of one row, weights, and no more fits of the user's estimator than are declared."""
    one_row = replace(problem, y=np.where(np.arange(N_LABELED) == 3, 2, problem.y))
    proba = fitted(member, make_lesson(one_row)).predict_proba(problem.X_pool)
    require.probabilities(proba, (N_POOL, 3), "a class with one row")
    two_rows = replace(problem, X=problem.X[:2], y=np.arange(2))
    proba = fitted(member, make_lesson(two_rows)).teach(problem.proba)
    require.probabilities(proba, (N_POOL, 2), "one row in each class")
    fits: list[int] = []
    teacher = fitted(member, make_lesson(problem, sample_weight=np.linspace(0.5, 2, N_LABELED), fits=fits))
    require.probabilities(teacher.teach(problem.proba), (N_POOL, 2), "weights of rows")
    done, promised = len(fits), teacher.n_own_fits
    require.that(done <= promised, f"it requests {done} fits of the user's estimator, n_own_fits is {promised}.")


def draw_evidence(n_classes: int) -> Evidence:
    """Out-of-fold probabilities that know something about the classes; some rows were held out twice."""
    proba, y = draw_proba(N_EVIDENCE, n_classes), np.arange(N_EVIDENCE) % n_classes
    proba[np.arange(N_EVIDENCE), y] += 0.3
    return Evidence(proba / proba.sum(axis=1, keepdims=True), y, np.arange(N_EVIDENCE) % (N_EVIDENCE - n_classes))


def accepted_classes(decision: Decision) -> Iterator[NDArray[Any]]:
    """Classes that the decision can work with; two at least."""
    for n_classes in (2, 3, 5):
        with suppress(ValueError):
            decision.check_classes(np.arange(n_classes))
            yield np.arange(n_classes)


def fit_rule(decision: Decision, classes: NDArray[Any], evidence: Evidence | None) -> DecisionRule:
    """The rule for classes whose proportions are not equal."""
    return decision.fit(classes, (1.0 + classes) / (1.0 + classes).sum(), evidence)


def use_decision(decision: Decision, problem: Problem) -> NDArray[Any]:
    """The decided classes; with two of the classes if it cannot have more."""
    n_classes = max(len(classes) for classes in accepted_classes(decision) if len(classes) <= problem.proba.shape[1])
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
        require.that(len(accepted) > 0, "check_classes refuses two, three and five classes.")
        for classes in accepted:
            n_classes, evidence = len(classes), draw_evidence(len(classes))
            rule = fit_rule(fresh_copy(member), classes, evidence if member.needs_out_of_fold else None)
            require.that(isinstance(rule, DecisionRule), f"fit returns a {type(rule).__name__}, not a DecisionRule.")
            require.numbers(rule.payoffs, (n_classes, n_classes), f"{n_classes} classes")
            n_decided = len(np.unique(rule.decide(np.eye(n_classes))))
            require.that(n_decided > 1, f"with {n_classes} classes, certain rows of all get the same class.")
            for name, proba in probabilities(N_POOL, n_classes):
                codes = rule.decide(proba)
                good = codes.shape == (N_POOL,) and np.isin(codes, classes).all()
                require.that(good, f"with {name} it does not decide for one class per row.")
            again = DecisionRule.from_dict(json.loads(json.dumps(rule.to_dict(), allow_nan=False)))
            require.that(rule.name == again.name, "JSON changes the name of the rule.")
            require.same(rule.payoffs, again.payoffs, "JSON changes the rule.")
            if member.needs_out_of_fold:
                order = np.random.default_rng(0).permutation(N_EVIDENCE)
                shuffled = Evidence(evidence.proba[order], evidence.y[order], evidence.rows[order])
                other = fit_rule(fresh_copy(member), classes, shuffled)
                require.that(np.allclose(rule.payoffs, other.payoffs), "rows in another order give another rule.")
                fit = partial(fit_rule, fresh_copy(member), classes, None)
                require.raises(ValueError, fit, "fit without out-of-fold probabilities")
