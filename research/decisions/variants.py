"""Soft self-training by temperature, output power and decision: one trial fits every student of a fold.

A trial fits the committee once, then a student for each temperature from its soft labels. What is done
with the probabilities afterwards (a power of them, a decision) costs nothing, so every combination is evaluated. The
test rows are those of the fold; `_summarize.py` makes tables of the records.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from tabcast import SoftSelfTrainingClassifier
from tabcast.decisions import Balanced, BestF1, MostProbable
from tabcast.decisions._decisions import Evidence
from tabcast.decisions._rule import DecisionRule
from tabcast.exceptions import TabcastWarning
from tabcast.models import AdaptedClassifier
from tabcast.models._adapted import weight_parameter
from tabcast.self_training._deployed import sharpen
from tabcast.statistics._intervals import smoothed_shares
from tabcast.study.methods import Method
from tabcast.study.protocol import measure
from tabcast.study.work import Answer
from tabcast.table._labels import UNLABELED
from tabcast.table._tables import take_rows
from tabcast.table._types import stack_rows
from tabcast.teachers import Committee, Teacher
from tabcast.teachers._teachers import Lesson

TEMPERATURES = (0.5, 1.0)
SPREAD = 0.5  # standard deviation of the logarithm of a calibrated power, before any row is seen


class KnownAnswers(Teacher):
    """A teacher that was fitted before; it repeats its soft labels.

    Parameters
    ----------
    soft : ndarray of shape (n_unlabeled, n_classes)
        Its soft labels.
    """

    stands_alone: ClassVar[bool] = False

    def __init__(self, soft):
        self.soft = soft

    def fit(self, lesson):
        """Nothing is left to learn."""
        return self

    def teach(self, own_proba):
        """The soft labels."""
        return self.soft

    def predict_proba(self, X):
        """Other rows are not known."""
        raise NotImplementedError


def fit_committee(fold, request, weight):
    """The committee of soft self-training, fitted on the labeled rows, and its soft labels."""
    model, X, y = AdaptedClassifier(request.estimator()), fold.X_labeled, fold.y_labeled

    def fit_own(rows):
        weights = {} if weight is None else {str(weight_parameter(model.estimator)): weight[rows]}
        return clone(model).fit(take_rows(X, rows), y[rows], **weights)

    def predict_out_of_fold(folds):
        proba = np.zeros((len(y), fold.n_classes))
        for train, held_out in folds:
            fitted = fit_own(train)
            proba[np.ix_(held_out, fitted.classes_)] = fitted.predict_proba(take_rows(X, held_out))
        return proba

    own = fit_own(np.arange(len(y)))
    lesson = Lesson(X, y, fold.X_pool, fold.n_classes, fold.categorical, weight, own, predict_out_of_fold, request.seed)
    committee = Committee().fit(lesson)
    return own, committee, committee.teach(own.predict_proba(fold.X_pool))


def calibrate_power(proba, y):
    """The power of probabilities with the best log-likelihood, drawn toward 1 where rows are few."""
    logs, rows = np.log(np.clip(proba, 1e-12, None)), np.arange(len(y))

    def lose(log_power):
        powered = np.exp(log_power) * logs
        return logsumexp(powered, axis=1).sum() - powered[rows, y].sum() + (log_power / SPREAD) ** 2 / 2

    return float(np.exp(minimize_scalar(lose, bounds=(-2, 2), method="bounded").x))


def evaluate(proba, fold, rules, powers, **names):
    """One row per power and decision."""
    rows = []
    for name, power in powers.items():
        softened = sharpen(proba, 1 / power)
        clipped = np.clip(softened, 1e-15, None)
        scores = measure(fold.y_test, clipped, fold.metric)
        for decision, rule in rules(power).items():
            predicted = rule.decide(softened)
            rows.append(
                {
                    **names,
                    "power": name,
                    "decision": decision,
                    "auc": scores["auc"],
                    "log_loss": scores["log_loss"],
                    "accuracy": float(accuracy_score(fold.y_test, predicted)),
                    "balanced_accuracy": float(balanced_accuracy_score(fold.y_test, predicted)),
                    "macro_f1": float(f1_score(fold.y_test, predicted, average="macro", zero_division=0)),
                }
            )
    return rows


@dataclass(frozen=True)
class Decisions(Method):
    """The supervised model, committees and all students of a fold; the answer is the first student."""

    uses_strategy: ClassVar[bool] = False

    def run(self, work, request):
        """Fit everything once."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TabcastWarning)
            return self._run(work.fold, request)

    def _run(self, fold, request):
        y, n_classes = fold.y_labeled, fold.n_classes
        classes, prior = np.arange(n_classes), smoothed_shares(y, n_classes)
        own, committee, soft = fit_committee(fold, request, None)
        balanced_weight = (1 / np.bincount(y, minlength=n_classes))[y] * len(y) / n_classes
        balanced_committee = fit_committee(fold, request, balanced_weight)[1]

        def find_rules(sharpened):
            """The rules; `sharpened` tells how much more extreme probabilities are than the committee's."""

            def rules(power):
                found = {"accuracy": MostProbable().fit(classes, prior), "balanced": Balanced().fit(classes, prior)}
                proba = sharpen(committee.out_of_fold_, 1 / (sharpened * power))
                evidence = Evidence(proba, y[committee.held_out_], committee.held_out_)
                return {
                    **found,
                    "root": DecisionRule("root", np.diag(prior**-0.5)),
                    "f1": BestF1("macro").fit(classes, prior, evidence),
                }

            return rules

        X, plain = fold.X_test, {"1": 1.0}
        calibrated = calibrate_power(committee.out_of_fold_, y[committee.held_out_])
        rows = evaluate(own.predict_proba(X), fold, find_rules(1), plain, model="supervised")
        powers = {**plain, "calibrated": calibrated}
        rows += evaluate(committee.predict_proba(X), fold, find_rules(1), powers, model="committee")
        rows += evaluate(balanced_committee.predict_proba(X), fold, find_rules(1), plain, model="balanced committee")
        answer = None
        for temperature in TEMPERATURES:
            proba = self._teach(fold, request, soft, temperature)
            powers = {"1": 1.0, "0.5": 0.5, "calibrated": temperature * calibrated}
            rows += evaluate(proba, fold, find_rules(1 / temperature), powers, model="student", temperature=temperature)
            answer = proba if answer is None else answer
        return Answer(answer, details={"rows": rows, "calibrated": calibrated})

    def _teach(self, fold, request, soft, temperature):
        """Probabilities of the test rows from a student."""
        student = SoftSelfTrainingClassifier(
            request.estimator(),
            teacher=KnownAnswers(soft),
            temperature=temperature,
            categorical_features=fold.categorical,
            random_state=request.seed,
        )
        labels = np.concatenate([fold.y_labeled, np.full(len(fold.y_pool), UNLABELED)])
        student.fit(stack_rows(fold.X_labeled, fold.X_pool), labels)
        return np.asarray(student.estimator_.predict_proba(fold.X_test), dtype=float)


decisions = Decisions("decisions", "Decisions")


@dataclass(frozen=True)
class Default(Method):
    """`SoftSelfTrainingClassifier` as it is, and its supervised model."""

    uses_strategy: ClassVar[bool] = False
    kind: ClassVar[type] = SoftSelfTrainingClassifier

    def run(self, work, request):
        """Fit it once; every decision is evaluated."""
        fold = work.fold
        y, n_classes = fold.y_labeled, fold.n_classes
        classes, prior = np.arange(n_classes), smoothed_shares(y, n_classes)
        rules = {"accuracy": MostProbable().fit(classes, prior), "balanced": Balanced().fit(classes, prior)}
        student = self.kind(request.estimator(), categorical_features=fold.categorical, random_state=request.seed)
        labels = np.concatenate([y, np.full(len(fold.y_pool), UNLABELED)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TabcastWarning)
            student.fit(stack_rows(fold.X_labeled, fold.X_pool), labels)
        proba = student.predict_proba(fold.X_test)
        rows = []
        for name, model in self.list_contenders(student).items():
            given = np.asarray(model.predict_proba(fold.X_test), dtype=float)
            rows += evaluate(given, fold, lambda power: rules, {"1": 1.0}, model=name)
        return Answer(proba, details={"rows": rows})

    def list_contenders(self, student):
        """The supervised model, and what predicts."""
        return {"supervised": student.supervised_, "default": student}


class WithEnsemble(SoftSelfTrainingClassifier):
    """Also trains the members of the committee on the soft labels, as without an estimator."""

    def _remember(self, outcome):
        super()._remember(outcome)
        self.ensemble_ = self._retrain(outcome.final, outcome.best.pseudo)


class Deployments(Default):
    """What may predict, of one fit: the student, the committee, the committee trained on soft labels."""

    kind: ClassVar[type] = WithEnsemble

    def list_contenders(self, student):
        """The supervised model, and what may predict."""
        return {
            "supervised": student.supervised_,
            "student": student,
            "committee": student.committee_,
            "retrained": student.ensemble_,
        }


default = Default("default", "SoftSelfTrainingClassifier()")
deployments = Deployments("deployments", "Student, committee, ensemble")
