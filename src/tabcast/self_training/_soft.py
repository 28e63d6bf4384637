"""Soft self-training: a teacher gives every unlabeled row a probability per class, one student learns from all rows."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tabcast.confidence import align, smoothed_shares
from tabcast.decisions import Evidence
from tabcast.models import seeded, weight_parameter
from tabcast.self_training._algorithm import Proposals
from tabcast.self_training._data import Split, TrainingData
from tabcast.self_training._deployed import AveragedClassifier, average, sharpen, soften
from tabcast.self_training._fitter import Fitted, Fitter
from tabcast.self_training._lesson import OwnOutOfFold, make_lesson
from tabcast.self_training._method import Method, Parts, PreparedMethod
from tabcast.self_training._output_power import calibrate_power
from tabcast.self_training._pseudo_labels import PseudoLabels, entries_of, narrow
from tabcast.table import MANY_ROWS, Floats, Index, map_rows, take_rows
from tabcast.teachers import Sampling, Teacher, compare_samples

UNALIGNED, ALIGNED = "unaligned", "aligned"
VARIANTS = {0.0: UNALIGNED, 1.0: ALIGNED}  # by what the engine calls alpha: how far labels are moved to the proportions


class PreparedSoft(PreparedMethod):
    """Soft self-training on one split. The teacher is fitted once, when the supervised model is known.

    Parameters
    ----------
    method : SoftMethod
        What is prepared.
    data : TrainingData
        All rows.
    split : Split
        Which labeled rows train.

    Attributes
    ----------
    parts : Parts
        The parts; `parts.teacher` is fitted once there are `first_labels`.
    first_labels : dict
        What the student of each variant learns from in the first round; empty before the teacher was asked.
    sampling : Sampling or None
        How the labeled rows look as a sample; None where the teacher cannot tell.
    calibration : float
        The power that calibrates the teacher's out-of-fold probabilities; 1 where it has none.
    seconds : float
        Time of the teacher.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    def __init__(self, method: SoftMethod, data: TrainingData, split: Split) -> None:
        self.method, self.data, self.split = method, data, split
        self.teacher = deepcopy(method.teacher)
        y = data.labels.codes[split.train]
        selection = deepcopy(method.parts.feature_selection).fit(take_rows(data.X, split.train), y, data.categorical)
        self.parts = replace(method.parts, teacher=self.teacher, feature_selection=selection)
        self.first_labels: dict[float | None, PseudoLabels] = {}
        self.sampling: Sampling | None = None
        self.own: OwnOutOfFold | None = None
        self.calibration = 1.0
        self.seconds = 0.0

    @property
    def looks_random(self) -> bool:
        """Whether the labeled rows may be a random sample, as far as the teacher can tell."""
        return self.sampling is None or self.sampling.looks_random

    @property
    def keeps_labels(self) -> bool:
        """Whether labels stay as the teacher gave them, because the labeled rows do not look like a random sample."""
        return self.method.acts_on_sampling and not self.looks_random

    def find_prior(self, alpha: float | None) -> Floats | None:
        """Find the class proportions that a variant is aligned with.

        Parameters
        ----------
        alpha : float or None
            1 for the aligned variant, 0 or None for the unaligned one.

        Returns
        -------
        ndarray of shape (n_classes,) or None
            The proportions; None without alignment.
        """
        if not alpha or self.keeps_labels:
            return None
        return self.method.class_proportions(self.data.labels.codes[self.split.train], self.data.n_classes)

    def propose(self, alpha: float | None, fitter: Fitter) -> Proposals:
        """Yield soft labels round by round.

        The first classifier is the supervised one. The teacher, of which it is a member, gives soft labels; they are
        sharpened and, with alpha 1, aligned with the class proportions; the student is trained on the labeled rows and
        these. In a further round the student takes the place of the supervised model.
        """
        present = np.unique(self.data.labels.codes[self.split.train])

        def write(current: Fitted) -> PseudoLabels:
            if not self.first_labels:
                self._fit_teacher(current, present, fitter)
            pseudo = self._write_labels(current, present, self.find_prior(alpha))
            self.first_labels.setdefault(alpha, pseudo)
            return pseudo

        waiting = [PseudoLabels.none(len(self.data.pool))]  # neither what is sent nor what is yielded is held here
        while True:
            waiting.append(write((yield waiting.pop())))

    @property
    def present_classes(self) -> NDArray[Any]:
        """The classes that have a training row."""
        return self.data.labels.classes[np.unique(self.data.labels.codes[self.split.train])]

    def retrain(self, student: Any, pseudo: PseudoLabels) -> AveragedClassifier:
        """Train the members of the teacher once more, on soft labels.

        Parameters
        ----------
        student : classifier
            The user's estimator, trained on these labels already.
        pseudo : PseudoLabels
            The soft labels.

        Returns
        -------
        AveragedClassifier
            Their average, each with softened probabilities.
        """
        assert pseudo.soft is not None
        data, train = self.data, self.split.train
        present = np.unique(data.labels.codes[train])
        rows = np.concatenate([train, data.pool])
        soft = np.concatenate([np.eye(data.n_classes)[data.labels.codes[train]], pseudo.soft])[:, present]
        weight = None if data.sample_weight is None else data.sample_weight[rows]
        retrained = self.teacher.retrain(student, take_rows(data.X, rows), soft, weight, self.method.seed)
        softened = [(share, soften(member, pseudo.power)) for share, member in retrained]
        return average(softened, self.present_classes)

    def find_evidence(self) -> tuple[Evidence, Evidence] | None:
        """The teacher's out-of-fold probabilities for the student, those of the user's estimator for itself."""
        if self.own is None:
            return None
        held_out = getattr(self.teacher, "held_out_", None)
        if self.teacher.out_of_fold_ is None or held_out is None:
            taught = self._make_evidence(np.empty((0, len(self.own.present))), np.empty(0, dtype=np.intp))
        else:
            taught = self._make_evidence(self.teacher.out_of_fold_, held_out)
        if self.own.proba is None:
            return taught, taught
        return taught, self._make_evidence(self.own.proba[self.own.held_out], self.own.held_out)

    def _make_evidence(self, proba: Floats, held_out: Index) -> Evidence:
        """Probabilities of all classes, with the rows (positions among the training rows) that they are of."""
        rows, full = self.split.train[held_out], np.zeros((len(proba), self.data.n_classes))
        if self.own is not None:
            full[:, self.own.present] = proba
        return Evidence(full, self.data.labels.codes[rows], rows)

    def _fit_teacher(self, supervised: Fitted, present: Index, fitter: Fitter) -> None:
        """Fit the teacher, and compare the labeled rows with the unlabeled ones."""
        start = perf_counter()
        teacher = self.teacher
        self.own = OwnOutOfFold(fitter, self.split.train, present)
        teacher.fit(make_lesson(self.data, self.split, fitter, supervised, self.own, self.method.seed))
        if teacher.out_of_fold_ is not None:
            taught = teacher.teach(_take_classes(supervised.pool_proba, present))
            self.sampling = compare_samples(teacher.out_of_fold_, taught)
            held_out = self.data.labels.codes[self.split.train[teacher.held_out_]]
            self.calibration = calibrate_power(teacher.out_of_fold_, np.searchsorted(present, held_out))
        self.seconds += perf_counter() - start

    def _write_labels(self, current: Fitted, present: Index, class_prior: Floats | None) -> PseudoLabels:
        """Sharpen and align the teacher's probabilities; rows of what is worth a copy sum to 1."""
        n_pool, n_classes, method = len(self.data.pool), self.data.n_classes, self.method
        proba = self.teacher.teach(_take_classes(current.pool_proba, present))
        temperature = 1.0 if self.keeps_labels else method.temperature
        soft = np.zeros((n_pool, n_classes))
        soft[:, present] = map_rows(lambda rows: sharpen(rows, temperature), proba)
        if class_prior is not None:
            soft[:, present] = align(_take_classes(soft, present), class_prior[present] / class_prior[present].sum())
        labels = soft.argmax(axis=1)
        divided = map_rows(self._divide, soft)
        return PseudoLabels(
            narrow(labels, n_classes),
            narrow(present[proba.argmax(axis=1)], n_classes),
            np.ones(n_pool, dtype=bool),
            confidence=entries_of(divided, labels),
            raw_confidence=entries_of(proba, np.searchsorted(present, labels)),
            weight=np.broadcast_to(1.0, n_pool),
            soft=divided,
            power=temperature * self.calibration if method.output_power is None else method.output_power,
        )

    def _divide(self, soft: Floats) -> Floats:
        """What is worth a copy of a row; the classes of a row sum to 1."""
        divided = np.asarray(self.parts.weighting.divide(soft))
        divided /= divided.sum(axis=1, keepdims=True)
        return divided


def _take_classes(proba: Floats, present: Index) -> Floats:
    """The columns of some classes; many rows without a copy where that is all of them."""
    return proba if len(present) == proba.shape[1] and len(proba) > MANY_ROWS else proba[:, present]


@dataclass(frozen=True)
class SoftMethod(Method):
    """A teacher's soft labels, sharpened and, in one of two variants, aligned.

    Attributes
    ----------
    parts : Parts
        The parts besides the teacher; all but the weighting and the validation do nothing.
    teacher : Teacher
        Gives the soft labels.
    temperature : float
        How much soft labels are sharpened.
    class_prior : str, array-like or None, default="auto"
        "labeled": the proportions of the training rows. An array: these proportions. None: labels are not aligned.
        "auto": not aligned either, and as the teacher gave them where the labeled rows do not look like a random
        sample.
    both : bool, default=False
        With "auto", whether a second student is trained on labels that are aligned with the proportions of the training
        rows.
    output_power : float or None, default=None
        The power that the student's probabilities are raised to. None: the temperature that sharpened its labels, times
        the power that calibrates the teacher's out-of-fold probabilities.
    seed : int, default=0
        Seed of the teacher.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    parts: Parts
    teacher: Teacher
    temperature: float
    class_prior: str | ArrayLike | None = "auto"
    both: bool = False
    output_power: float | None = None
    seed: int = 0

    @property
    def acts_on_sampling(self) -> bool:
        """Whether labels stay as the teacher gave them where the labeled rows do not look like a random sample."""
        return isinstance(self.class_prior, str) and self.class_prior == "auto"

    @property
    def n_extra_fits(self) -> int:  # type: ignore[override]
        """Fits on folds, to weigh the members of the teacher."""
        return self.teacher.n_own_fits

    @property
    def predicts_out_of_fold(self) -> bool:
        """Whether the teacher does."""
        return self.teacher.predicts_out_of_fold

    @property
    def keeps_every_candidate(self) -> bool:
        """Whether both students are trained."""
        return self.both and self.acts_on_sampling

    def class_proportions(self, y: Index, n_classes: int) -> Floats:
        """The given proportions, else those of the labeled rows."""
        if self.class_prior is None or isinstance(self.class_prior, str):
            return smoothed_shares(y, n_classes)
        prior = np.asarray(self.class_prior, dtype=float)
        return prior / prior.sum()

    def check(self, data: TrainingData, estimator: Any) -> None:
        """Soft labels need weights, and one proportion per class."""
        if weight_parameter(estimator) is None:
            raise ValueError(
                "`estimator` of SoftSelfTrainingClassifier must take sample_weight in fit, because unlabeled rows are "
                f"divided among the classes; {estimator!r} does not. Use CASTClassifier, or another estimator."
            )
        if self.class_prior is not None and not isinstance(self.class_prior, str):
            _check_prior(self.class_prior, data.labels.classes)

    def seeded(self, seed: int) -> SoftMethod:
        """The same method, with everything random in it seeded."""
        return replace(self, parts=self.parts.seeded(seed), teacher=seeded(self.teacher, seed), seed=seed)

    def plan(self, n_splits: int, last_round: int, refits: bool) -> tuple[Sequence[float | None], int]:
        """One candidate per variant: 0 is unaligned, 1 aligned."""
        if self.keeps_every_candidate:
            return list(VARIANTS), last_round
        return [0.0 if self.class_prior is None or self.acts_on_sampling else 1.0], last_round

    def prepare(self, data: TrainingData, split: Split, y_held_out: Index) -> PreparedSoft:
        """A copy of the teacher for this split."""
        return PreparedSoft(self, data, split)


def _check_prior(class_prior: Any, classes: Any) -> None:
    """Refuse what is not one positive number per class."""
    try:
        prior = np.asarray(class_prior)
    except ValueError:  # rows of different length
        prior = np.empty((0, 0))
    fits = prior.shape == (len(classes),) and prior.dtype.kind in "iuf"
    if not fits or not ((prior > 0) & (prior < np.inf)).all():
        raise ValueError(
            "`class_prior` of SoftSelfTrainingClassifier must be 'auto', 'labeled', None or a positive number for each "
            f"of the {len(classes)} classes {classes.tolist()}; got {class_prior!r}."
        )
