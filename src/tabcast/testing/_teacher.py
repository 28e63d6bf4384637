"""The contract of teachers, as checks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from tabcast.checks import is_number
from tabcast.table import Floats, Index, TableCodes, find_categorical, take_rows
from tabcast.teachers import Folds, Lesson, Teacher
from tabcast.testing._contract import Contract
from tabcast.testing._problems import N_LABELED, N_POOL, Problem, draw_proba, problems
from tabcast.testing._require import SUM_TOLERANCE, equal, fresh_copy, require, require_probabilities


class TableTree:
    """The user's estimator of a lesson: a small tree for any table."""

    def __init__(self, encoding: TableCodes, tree: DecisionTreeClassifier) -> None:
        self.encoding, self.tree = encoding, tree

    def predict_proba(self, X: Any) -> Floats:
        return self.tree.predict_proba(self.encoding.transform(X))


def make_lesson(problem: Problem, *, sample_weight: Floats | None = None, fits: list[int] | None = None) -> Lesson:
    """A lesson as the classifier makes it; `fits` records the number of rows of every fit that the teacher requests."""
    X, y = problem.X, problem.y
    encoding, n_classes = TableCodes().fit(X), len(np.unique(y))

    def fit_tree(rows: Index) -> TableTree:
        weight = None if sample_weight is None else sample_weight[rows]
        tree = DecisionTreeClassifier(max_depth=3, random_state=0)
        return TableTree(encoding, tree.fit(encoding.transform(take_rows(X, rows)), y[rows], weight))

    def own_out_of_fold(folds: Folds) -> Floats:
        proba = np.zeros((len(y), n_classes))
        for train, held_out in folds:
            if fits is not None:
                fits.append(len(train))
            proba[held_out] = fit_tree(train).predict_proba(take_rows(X, held_out))
        return proba

    own = fit_tree(np.arange(len(y)))
    return Lesson(X, y, problem.X_pool, n_classes, find_categorical(X), sample_weight, own, own_out_of_fold, 0)


def use(teacher: Teacher, problem: Problem) -> NDArray[Any]:
    """What a teacher is there for, from beginning to end."""
    teacher.check()
    return teacher.fit(make_lesson(problem)).teach(problem.proba)


CONTRACT = Contract(Teacher, use)
check_teacher, teacher_checks = CONTRACT.check, CONTRACT.checks


@CONTRACT.promises
def fit_returns_the_teacher(member: Any) -> None:
    teacher = fresh_copy(member)
    require(teacher.fit(make_lesson(next(problems()))) is teacher, "fit returns something else.")


@CONTRACT.promises
def what_it_writes_are_probabilities(member: Any) -> None:
    for n_classes in (2, 4):
        for problem in problems(n_classes):
            teacher, context = fresh_copy(member).fit(make_lesson(problem)), f"{problem.name} and {n_classes} classes"
            require_probabilities(teacher.teach(problem.proba), (N_POOL, n_classes), context)
            for n_rows in (N_POOL, 1):
                proba = teacher.predict_proba(problem.X_pool[:n_rows])
                require_probabilities(proba, (n_rows, n_classes), f"{context}, for {n_rows} rows")


@CONTRACT.promises
def a_class_may_have_one_row(member: Any) -> None:
    for problem in problems():
        y = np.where(np.arange(N_LABELED) == 3, 2, problem.y)
        teacher = fresh_copy(member).fit(make_lesson(replace(problem, y=y)))
        proba = teacher.predict_proba(problem.X_pool)
        require_probabilities(proba, (N_POOL, 3), f"{problem.name} and a class with one row")


@CONTRACT.promises
def every_class_may_have_one_row(member: Any) -> None:
    problem = next(problems())
    proba = fresh_copy(member).fit(make_lesson(replace(problem, X=problem.X[:2], y=np.arange(2)))).teach(problem.proba)
    require_probabilities(proba, (N_POOL, 2), "one row in each class")


@CONTRACT.promises
def teaching_is_prediction_while_the_estimator_is_the_same(member: Any) -> None:
    problem = next(problems(n_classes=3))
    lesson = make_lesson(problem)
    teacher = fresh_copy(member).fit(lesson)
    taught = teacher.teach(lesson.own.predict_proba(problem.X_pool))
    same = np.allclose(taught, teacher.predict_proba(problem.X_pool), atol=SUM_TOLERANCE)
    require(same, "`teach` and `predict_proba` disagree about the unlabeled rows.")


@CONTRACT.promises
def teaching_again_gives_the_same_labels(member: Any) -> None:
    problem = next(problems(n_classes=3))
    teacher = fresh_copy(member).fit(make_lesson(problem))
    first = np.copy(teacher.teach(problem.proba))
    teacher.teach(draw_proba(N_POOL, 3, seed=2))
    require(equal(first, teacher.teach(problem.proba)), "`teach` depends on earlier calls.")


@CONTRACT.promises
def rows_may_have_weights(member: Any) -> None:
    problem = next(problems())
    lesson = make_lesson(problem, sample_weight=np.linspace(0.5, 2, N_LABELED))
    require_probabilities(fresh_copy(member).fit(lesson).teach(problem.proba), (N_POOL, 2), "weights of rows")


@CONTRACT.promises
def it_requests_no_more_fits_than_n_own_fits(member: Any) -> None:
    teacher, fits = fresh_copy(member), list[int]()
    teacher.fit(make_lesson(next(problems()), fits=fits))
    promised = teacher.n_own_fits
    require(len(fits) <= promised, f"it requests {len(fits)} fits of the user's estimator, n_own_fits is {promised}.")


@CONTRACT.promises
def temperature_is_a_positive_number(member: Any) -> None:
    value = fresh_copy(member).temperature
    require(is_number(value, "(0, inf)"), f"it is {value!r}.")
