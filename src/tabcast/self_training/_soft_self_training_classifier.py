"""Soft self-training: an ensemble, or a model of the user's own kind, learns from a teacher's soft labels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from tabcast.checks import check_number, resolve_part
from tabcast.confidence import Raw
from tabcast.decisions import DECISIONS, Decision
from tabcast.exceptions import SamplingWarning
from tabcast.feature_selection import KeepAll
from tabcast.models._catalog import ensemble_booster
from tabcast.noise_filters import KeepAllRows
from tabcast.pseudo_labels import Soft, TakeAll
from tabcast.self_training._data import PseudoLabels
from tabcast.self_training._deployed import AveragedClassifier, SoftenedClassifier, soften
from tabcast.self_training._engine import Outcome
from tabcast.self_training._method import Parts
from tabcast.self_training._self_trainer import MAX_POOL, SelfTrainer
from tabcast.self_training._soft import PreparedSoft, SoftMethod, calibrate_power
from tabcast.table import Floats, Index
from tabcast.table._tables import take_rows
from tabcast.teachers import Committee, Teacher
from tabcast.teachers._committee import resolve_teacher
from tabcast.teachers._teachers import Folds, Sampling
from tabcast.validation import Validation
from tabcast.validation._splits import resolve_validation


class SoftSelfTrainingClassifier(SelfTrainer):
    """Train on soft labels of the unlabeled rows: an ensemble of several kinds, or a model of your own kind.

    Hard pseudo-labels repeat the mistakes of the model that made them. Here a teacher, by default a committee of
    gradient boosting (or your estimator), extra trees and a linear model, gives every unlabeled row a probability per
    class. These are sharpened, and models are trained once on the labeled rows and on every unlabeled row divided among
    the classes: without an estimator all members of the committee, whose average predicts; with an estimator that one
    alone, the student. What they predict is as extreme as the sharpened labels, so probabilities are softened again.
    Where the labeled rows do not look like a random sample of all rows to the committee, labels are not sharpened, with
    a warning (see `sampling_`).

    Cost: with the defaults seven fits of boosting or your estimator (one on the labeled rows, five on folds of them,
    one on soft labels), and about two hundred small trees seven times over.

    Parameters
    ----------
    estimator : classifier with `predict_proba` or None, default=None
        The base classifier; its `fit` must take `sample_weight`. None: an ensemble.
    teacher : str, classifier or Teacher, default=None
        What gives soft labels: "committee" or None, "self" (your estimator alone), a classifier such as TabPFN, or a
        member of `tabcast.teachers`.
    temperature : float or "auto", default="auto"
        How much soft labels are sharpened, ``q ** (1 / T)``. "auto": the teacher's own (0.5 for a committee, 1 for
        "self").
    output_temperature : float or "auto", default="auto"
        How much the student's probabilities are softened, ``p ** T``. "auto": the temperature that sharpened its
        labels, times the power that calibrates the out-of-fold probabilities of the teacher, if it has any. 1 leaves
        them as they are.
    smallest_share : float, default=0.02
        Smallest proportion of a row that is worth a copy in training.
    max_rounds : int, default=1
        Number of rounds; in further ones the student takes its own place on the committee.
    validation : str, float, int, splitter, Validation or None, default=None
        None: nothing is evaluated, the student is the model. "cv", a fraction, a number of folds, a splitter or a
        member of `tabcast.validation`: the student has to beat the supervised model on held-out labeled rows.
    scoring : str or callable, default=None
        What rounds are evaluated by, as in scikit-learn. None: the estimator's own `score`.
    decision : str or Decision, default="accuracy"
        How `predict` decides for a class: "accuracy" (the most probable one), "balanced" (the highest probability
        relative to the proportion of the class among the labeled rows), "f1" (weights tuned on out-of-fold predictions
        of the committee, or on the held-out rows of `validation`), or a member of `tabcast.decisions`, for example
        `Threshold(0.3)` or `Costs(...)`.
    patience : int, default=1
        Number of rounds without a better score after which training stops, where rounds are evaluated.
    missing_label : object, default="auto"
        What marks an unlabeled row, besides missing values. "auto": -1 in a numeric y.
    categorical_features : array-like, default=None
        Names, positions or mask of the categorical columns, also for the teacher. None: inferred from the types.
    max_pool : int or None, default=50_000
        Most unlabeled rows that train, drawn at random; the model predicts any row. None: all.
    n_jobs : int, default=None
        Number of fits at a time, which does not change the result.
    random_state : int, RandomState instance or None, default=None
        Seed of the teacher, the splits and the estimator.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    teacher_ : Teacher or None
        The fitted teacher; its `predict_proba` has a column per class of the rows that trained it. None without
        unlabeled rows.
    soft_labels_ : ndarray of shape (n_unlabeled, n_classes)
        What the student learned from, in the order of `pseudo_labels_`; of the best round, or of the first where the
        supervised model won. Proportions below `smallest_share` are 0, and rows sum to 1.
    estimator_ : classifier
        The student as it was trained: a fitted copy of your estimator, or the supervised model if that won.
    supervised_ : classifier
        The model of the labeled rows alone: your estimator or, without one, the committee.
    deployed_ : classifier
        What predicts: the student with softened probabilities, or the ensemble. No probability is exactly 0 or 1.
    committee_ : classifier or None
        The committee as a classifier; None if the teacher is your estimator alone, or without unlabeled rows.
    output_temperature_ : float
        The power that the student's probabilities are raised to; 1 where the supervised model won.
    sampling_ : Sampling or None
        :class:`~tabcast.teachers.Sampling`: whether the labeled rows look like a random sample to the teacher. None
        where it cannot tell.
    classes_, history_, best_round_, n_rounds_, termination_reason_, pseudo_labels_, transduction_, \
labeled_iter_, selected_features_, parts_, decision_, supervised_decision_, n_fits_ : see SelfTrainingClassifier
        The model and what happened in training. Every unlabeled row is in use; `label` is its most likely class.

    See Also
    --------
    CASTClassifier : The paper's method, with hard pseudo-labels.
    tabcast.guard.GuardedClassifier : Compares with the supervised model and keeps the better one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from tabcast import SoftSelfTrainingClassifier
    >>> X, truth = load_breast_cancer(return_X_y=True)
    >>> y = np.where(np.arange(len(truth)) % 15 == 0, truth, -1)  # 38 labels are left
    >>> alone = DecisionTreeClassifier(random_state=0).fit(X[y >= 0], y[y >= 0])
    >>> student = SoftSelfTrainingClassifier(DecisionTreeClassifier(), random_state=0).fit(X, y)
    >>> bool(student.score(X[y < 0], truth[y < 0]) > alone.score(X[y < 0], truth[y < 0]))
    True
    >>> student.n_fits_
    7
    """

    teacher_: Teacher | None
    committee_: AveragedClassifier | None
    _folds: Folds | None = None
    sampling_: Sampling | None

    def __init__(
        self,
        estimator: BaseEstimator | str | None = None,
        *,
        teacher: Any = None,
        temperature: str | float = "auto",
        output_temperature: str | float = "auto",
        smallest_share: float = 0.02,
        max_rounds: int = 1,
        validation: Validation | str | float | Any | None = None,
        scoring: Any = None,
        decision: str | Decision = "accuracy",
        patience: int = 1,
        missing_label: Any = "auto",
        categorical_features: ArrayLike | None = None,
        max_pool: int | None = MAX_POOL,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.teacher = teacher
        self.temperature = temperature
        self.output_temperature = output_temperature
        self.smallest_share = smallest_share
        self.max_rounds = max_rounds
        self.validation = validation
        self.scoring = scoring
        self.decision = decision
        self.patience = patience
        self.missing_label = missing_label
        self.categorical_features = categorical_features
        self.max_pool = max_pool
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _base_estimator(self) -> Any:
        """The estimator to copy: the user's, or the booster of the ensemble."""
        return ensemble_booster() if self.estimator is None else super()._base_estimator()

    def _build_method(self) -> SoftMethod:
        """The teacher, and what is done to its labels."""
        owner = type(self).__name__
        check_number(self.smallest_share, "smallest_share", owner, "[0, 0.5)")
        check_number(self.temperature, "temperature", owner, "(0, inf)", allowed=["auto"])
        check_number(self.output_temperature, "output_temperature", owner, "(0, inf)", allowed=["auto"])
        validation = resolve_validation(self.validation)
        parts = Parts(Raw(), TakeAll(), Soft(self.smallest_share), KeepAllRows(), KeepAll(), validation)
        parts.check()
        teacher = resolve_teacher(self.teacher, owner)
        teacher.check()
        return SoftMethod(
            parts,
            teacher,
            teacher.temperature if isinstance(self.temperature, str) else float(self.temperature),
            output_power=None if isinstance(self.output_temperature, str) else float(self.output_temperature),
            folds=self._folds,
        )

    def _remember(self, outcome: Outcome[PreparedSoft]) -> None:
        super()._remember(outcome)
        final, pseudo = outcome.final, outcome.best.pseudo
        first = final.first_labels
        self.teacher_ = None if first is None else final.teacher
        self.sampling_ = final.sampling
        learned_from = first if pseudo.soft is None else pseudo
        nothing = np.zeros((len(outcome.data.pool), outcome.data.n_classes))
        self.soft_labels_ = nothing if learned_from is None or learned_from.soft is None else learned_from.soft
        self.output_temperature_ = pseudo.power
        self._sharpened_by, n_rows = final.temperature, len(outcome.split.train)
        if pseudo.soft is not None:
            self.deployed_ = SoftenedClassifier(self.estimator_, pseudo.power, n_rows)
        self.committee_ = None
        if isinstance(self.teacher_, Committee):
            members, weights = self.teacher_.list_classifiers(self.supervised_), self.teacher_.weights_.tolist()
            self.committee_ = AveragedClassifier(members, weights, final.present_classes, n_rows)
            if self.estimator is None:
                self.supervised_ = self.deployed_ = self.committee_
                self.supervised_decision_ = self.decision_
                if pseudo.soft is not None:
                    self.deployed_ = self._retrain(final, pseudo)
        if self.sampling_ is not None and not self.sampling_.looks_random:
            self._warn_not_random(self.sampling_)

    def _retrain(self, final: PreparedSoft, pseudo: PseudoLabels) -> AveragedClassifier:
        """Train the other members of the committee on the soft labels as well; each has softened probabilities."""
        assert pseudo.soft is not None
        assert isinstance(self.teacher_, Committee)
        data, train, present = final.data, final.split.train, final.present
        rows = np.concatenate([train, data.pool])
        soft = np.concatenate([np.eye(data.n_classes)[data.labels.codes[train]], pseudo.soft])[:, present]
        weight = None if data.sample_weight is None else data.sample_weight[rows]
        members = self.teacher_.retrain(self.estimator_, take_rows(data.X, rows), soft, weight, final.method.seed)
        softened = [soften(member, pseudo.power) for member in members]
        return AveragedClassifier(softened, self.teacher_.weights_.tolist(), final.present_classes, len(train))

    def _for_comparison(self, given: SelfTrainer, training: Index, fold: int | None) -> SelfTrainer:
        """With weights and power from the out-of-fold predictions of these rows, and the members of a fold."""
        teacher = self.teacher_
        if not isinstance(teacher, Committee) or teacher.out_of_fold_ is None:
            return given
        mask = np.isin(self._split.train, training)
        weights, proba, y = teacher.weigh(mask)
        again = Committee(teacher.members, weights=weights)
        settings = {
            "teacher": teacher.of_fold(fold, mask) if fold is not None and teacher.knows_folds else again,
            "temperature": self._sharpened_by,
        }
        if isinstance(self.output_temperature, str):
            settings["output_temperature"] = self._sharpened_by * calibrate_power(proba, y)
        if resolve_part(self.decision, DECISIONS, Decision, "decision", "").needs_out_of_fold:
            settings["decision"] = "accuracy"  # decided when all folds are predicted
        return clone(given).set_params(**settings)

    def _warn_not_random(self, sampling: Sampling) -> None:
        """Warn that the labeled rows are no random sample."""
        warnings.warn(
            "The labeled rows do not look like a random sample of all rows: the teacher expects "
            f"{_proportions(sampling.labeled)} of the classes in them, {_proportions(sampling.unlabeled)} in the "
            f"unlabeled rows (p = {sampling.p_value:.1g}). Soft labels were therefore used as the teacher gave them, "
            "not sharpened; and scores of labeled rows may not hold for the unlabeled ones.",
            SamplingWarning,
            stacklevel=4,
        )


def _proportions(values: Floats) -> str:
    """Proportions of the classes as text: the first ten."""
    more = ", ..." if len(values) > 10 else ""
    return ", ".join(f"{100 * value:.0f}%" for value in values[:10]) + more
