"""Soft self-training: a teacher gives every unlabeled row a probability per class, a student learns from all rows."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from tabcast.confidence import Raw
from tabcast.decisions._decisions import Evidence
from tabcast.models._adapted import Adaptation, seeded, weight_parameter
from tabcast.self_training._algorithm import Proposals, entries_of, narrow
from tabcast.self_training._data import PseudoLabels, Split, TrainingData, hold_out
from tabcast.self_training._deployed import sharpen
from tabcast.self_training._fitter import Fitted, Fitter, predict_classes
from tabcast.self_training._method import Method, Parts, PreparedMethod
from tabcast.table import Floats, Index
from tabcast.table._tables import take_rows
from tabcast.teachers import Teacher
from tabcast.teachers._teachers import Folds, Lesson, Sampling, compare_samples

SPREAD = 0.5  # standard deviation of the logarithm of the output power, before any row is seen
LARGEST = 2.0  # of the logarithm of the power
SMALLEST_PROBABILITY = 1e-12


def calibrate_power(proba: Floats, y: Index) -> float:
    """Find the power of out-of-fold probabilities with the best log-likelihood, drawn toward 1 where rows are few.

    The power b minimizes ``sum_i -log(p_iy ** b / sum_k p_ik ** b) + log(b) ** 2 / (2 * 0.5 ** 2)``: the log-loss, and
    a normal prior of log b with mean 0 and standard deviation 0.5. It is above 1 where the probabilities are too
    cautious, below 1 where they are too extreme, and 1 without rows.
    """
    if len(y) == 0:
        return 1.0
    logs, rows = np.log(np.maximum(proba, SMALLEST_PROBABILITY)), np.arange(len(y))

    def lose(log_power: float) -> float:
        powered = np.exp(log_power) * logs
        return float(logsumexp(powered, axis=1).sum() - powered[rows, y].sum() + (log_power / SPREAD) ** 2 / 2)

    found = minimize_scalar(lose, bounds=(-LARGEST, LARGEST), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x))


class OwnOutOfFold:
    """Predicts the training rows with the user's estimator, fitted on the other folds, and keeps the result."""

    def __init__(self, fitter: Fitter, train: Index, present: Index) -> None:
        self.fitter, self.train, self.present = fitter, train, present
        self.proba: Floats | None = None
        self.held_out = np.empty(0, dtype=np.intp)

    def __call__(self, folds: Folds) -> Floats:
        """One row per training row; zeros for those that no fold holds out."""
        train = self.train
        splits = [hold_out(self.fitter.data, train[inside], train[outside]) for inside, outside in folds]
        self.proba = np.zeros((len(train), len(self.present)))
        for (_, outside), predicted in zip(folds, self.fitter.predict_held_out(splits), strict=True):
            self.proba[outside] = predicted[:, self.present]
        self.held_out = np.sort(np.concatenate([self.held_out, *(outside for _, outside in folds)]))
        return self.proba


@dataclass(frozen=True, eq=False)
class OwnModel:
    """The user's estimator, fitted on the training rows, for tables as the user has them."""

    model: Any
    adaptation: Adaptation
    n_classes: int

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes in the training rows."""
        return predict_classes(self.model, self.adaptation.encode(X), self.n_classes, np.arange(self.n_classes))


class PreparedSoft(PreparedMethod):
    """Soft self-training on one split. The teacher is fitted once, when the supervised model is known.

    Attributes
    ----------
    parts : Parts
        The parts; `parts.teacher` is fitted once there are `first_labels`.
    first_labels : PseudoLabels or None
        What the student learns from in the first round; None before the teacher was asked.
    sampling : Sampling or None
        How the labeled rows look as a sample; None where the teacher cannot tell.
    calibration : float
        The power that calibrates the teacher's out-of-fold probabilities; 1 where it has none.
    seconds : float
        Time of the teacher.
    """

    def __init__(self, method: SoftMethod, data: TrainingData, split: Split) -> None:
        self.method, self.data, self.split = method, data, split
        self.teacher = deepcopy(method.teacher)
        self.present = np.unique(data.labels.codes[split.train])  # indices of the classes that have a training row
        X, y = take_rows(data.X, split.train), data.labels.codes[split.train]
        selection = deepcopy(method.parts.feature_selection).fit(X, y, data.categorical)
        confidence = deepcopy(method.parts.confidence)
        confidence.prepare(X, y, data.X_pool, n_classes=data.n_classes, categorical_features=data.categorical)
        self.parts = replace(method.parts, teacher=self.teacher, feature_selection=selection, confidence=confidence)
        self.first_labels: PseudoLabels | None = None
        self.sampling: Sampling | None = None
        self.own: OwnOutOfFold | None = None
        self.calibration = 1.0
        self.seconds = 0.0

    @property
    def present_classes(self) -> NDArray[Any]:
        """The classes that have a training row."""
        return self.data.labels.classes[self.present]

    @property
    def keeps_labels(self) -> bool:
        """Whether labels stay as the teacher gave them, because the labeled rows do not look like a random sample."""
        unaligned = isinstance(self.parts.confidence, Raw)
        return unaligned and self.sampling is not None and not self.sampling.looks_random

    @property
    def temperature(self) -> float:
        """How much labels are sharpened."""
        return 1.0 if self.keeps_labels else self.method.temperature

    def propose(self, alpha: float | None, fitter: Fitter) -> Proposals:
        """Yield soft labels round by round.

        The first classifier is the supervised one. The teacher, of which it is a member, gives soft labels; they are
        sharpened and become confidences; the student is trained on the labeled rows and these. In a
        further round the student takes the place of the supervised model.
        """
        pseudo = PseudoLabels.none(len(self.data.pool))
        while True:
            current = yield pseudo
            if self.first_labels is None:
                self._fit_teacher(current, fitter)
            pseudo = self._write_labels(current)
            self.first_labels = self.first_labels or pseudo
            del current  # a generator holds its locals while it waits

    def find_evidence(self) -> tuple[Evidence, Evidence] | None:
        """The teacher's out-of-fold probabilities for the student, those of the user's estimator for itself."""
        if self.own is None:
            return None
        held_out = getattr(self.teacher, "held_out_", None)
        if self.teacher.out_of_fold_ is None or held_out is None:
            taught = self._make_evidence(np.empty((0, len(self.present))), np.empty(0, dtype=np.intp))
        else:
            taught = self._make_evidence(self.teacher.out_of_fold_, held_out)
        if self.own.proba is None:
            return taught, taught
        return taught, self._make_evidence(self.own.proba[self.own.held_out], self.own.held_out)

    def _make_evidence(self, proba: Floats, held_out: Index) -> Evidence:
        """Probabilities of all classes, with the rows (positions among the training rows) that they are of."""
        rows, full = self.split.train[held_out], np.zeros((len(proba), self.data.n_classes))
        full[:, self.present] = proba
        return Evidence(full, self.data.labels.codes[rows], rows)

    def _fit_teacher(self, supervised: Fitted, fitter: Fitter) -> None:
        """Fit the teacher, and compare the labeled rows with the unlabeled ones."""
        start = perf_counter()
        data, train, weight, teacher, present = (
            self.data,
            self.split.train,
            self.data.sample_weight,
            self.teacher,
            self.present,
        )
        self.own = OwnOutOfFold(fitter, train, present)
        lesson = Lesson(
            take_rows(data.X, train),
            np.searchsorted(present, data.labels.codes[train]),
            data.X_pool,
            len(present),
            data.categorical,
            None if weight is None else weight[train],
            OwnModel(supervised.estimator, fitter.adaptation, len(present)),
            self.own,
            self.method.seed,
            self.method.folds,
            np.isin(train, data.chosen),
        )
        teacher.fit(lesson)
        if teacher.out_of_fold_ is not None:
            taught = teacher.teach(supervised.pool_proba[:, present])
            # Chosen rows are missing from the pool, but not from the rows of which the others are a random sample.
            of_chosen = np.eye(len(present))[lesson.y[np.isin(train, data.chosen)]]
            self.sampling = compare_samples(teacher.out_of_fold_, np.concatenate([taught, of_chosen]))
            held_out = data.labels.codes[train[teacher.held_out_]]
            self.calibration = calibrate_power(teacher.out_of_fold_, np.searchsorted(present, held_out))
        self.seconds += perf_counter() - start

    def _write_labels(self, current: Fitted) -> PseudoLabels:
        """Sharpen the teacher's probabilities; rows of what is worth a copy sum to 1."""
        n_pool, n_classes, method, present = len(self.data.pool), self.data.n_classes, self.method, self.present
        proba = self.teacher.teach(current.pool_proba[:, present])
        soft = np.zeros((n_pool, n_classes))
        soft[:, present] = sharpen(proba, self.temperature)
        soft = self.parts.confidence.adjust(soft)
        labels = soft.argmax(axis=1)
        divided = np.asarray(self.parts.weighting.divide(soft))
        divided /= divided.sum(axis=1, keepdims=True)
        return PseudoLabels(
            narrow(labels, n_classes),
            narrow(present[proba.argmax(axis=1)], n_classes),
            np.ones(n_pool, dtype=bool),
            confidence=entries_of(divided, labels),
            raw_confidence=entries_of(proba, np.searchsorted(present, labels)),
            weight=np.broadcast_to(1.0, n_pool),
            soft=divided,
            power=method.output_power or self.temperature * self.calibration,
        )


@dataclass(frozen=True)
class SoftMethod(Method):
    """A teacher's soft labels, sharpened; a confidence other than `Raw` adjusts them.

    Attributes
    ----------
    parts : Parts
        The parts besides the teacher; strategy, noise filter and feature selection do nothing.
    teacher : Teacher
        Gives the soft labels.
    temperature : float
        How much soft labels are sharpened.
    output_power : float or None, default=None
        The power that the student's probabilities are raised to. None: the temperature that sharpened its labels, times
        the power that calibrates the teacher's out-of-fold probabilities.
    folds : sequence of (train, held_out) or None, default=None
        The folds of the labeled rows that the teacher predicts out of. None: its own.
    seed : int, default=0
        Seed of the teacher.
    """

    parts: Parts
    teacher: Teacher
    temperature: float
    output_power: float | None = None
    folds: Folds | None = None
    seed: int = 0

    @property
    def n_extra_fits(self) -> int:  # type: ignore[override]
        """Fits on folds, to weigh the members of the teacher."""
        return self.teacher.n_own_fits

    @property
    def predicts_out_of_fold(self) -> bool:  # type: ignore[override]
        """Whether the teacher does."""
        return self.teacher.predicts_out_of_fold

    def check(self, data: TrainingData, estimator: Any) -> None:
        """Soft labels need weights."""
        if weight_parameter(estimator) is None:
            raise ValueError(
                "`estimator` of SoftSelfTrainingClassifier must take sample_weight in fit, because unlabeled rows are "
                f"divided among the classes; {estimator!r} does not. Use CASTClassifier, or another estimator."
            )

    def seeded(self, seed: int) -> SoftMethod:
        """The same method, with everything random in it seeded."""
        return replace(self, parts=self.parts.seeded(seed), teacher=seeded(self.teacher, seed), seed=seed)

    def prepare(self, data: TrainingData, split: Split, y_held_out: Index) -> PreparedSoft:
        """A copy of the teacher for this split."""
        return PreparedSoft(self, data, split)
