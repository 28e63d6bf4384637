"""Soft self-training: one student of the user's own kind learns from a teacher's soft labels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tabcast.checks import check_number
from tabcast.confidence import Raw
from tabcast.decisions import Decision
from tabcast.exceptions import SamplingWarning
from tabcast.feature_selection import KeepAll
from tabcast.noise_filters import KeepAllRows
from tabcast.pseudo_labels import Soft, TakeAll
from tabcast.self_training._engine import Outcome
from tabcast.self_training._method import Parts
from tabcast.self_training._self_trainer import SelfTrainer
from tabcast.self_training._soft import PreparedSoft, SoftMethod
from tabcast.table import Floats
from tabcast.teachers import Sampling, Teacher, resolve_teacher
from tabcast.validation import Validation, resolve_validation


class SoftSelfTrainingClassifier(SelfTrainer):
    """One student of your own kind, trained on soft labels, for few labeled rows and no validation rows to spare.

    Hard pseudo-labels repeat the mistakes of the model that made them. Here a teacher, by default a committee of your
    estimator and two others, gives every unlabeled row a probability per class. These are sharpened and aligned with
    the class proportions of the labeled rows, and your estimator is trained once on the labeled rows and on every
    unlabeled row divided among the classes. The teacher predicts about as well as the student; the student is one
    model of your own kind to deploy.

    **The labeled rows must be a random sample** of all rows for `class_prior="labeled"`. If they were balanced on
    purpose, or collected where a class is frequent, alignment does great harm: use `class_prior=None` with
    `temperature=1`, or pass the class proportions that you know. A committee detects it where it separates the classes
    well enough, and warns (see `sampling_`); with `class_prior="auto"` it acts on it.

    Cost: with the defaults seven fits of your estimator (one on the labeled rows, five on folds of them, the student),
    and about two hundred small trees six times over.

    Parameters
    ----------
    estimator : classifier with `predict_proba`, default=None
        The base classifier; its `fit` must take `sample_weight`. None: scikit-learn's HistGradientBoostingClassifier
        with small leaves.
    teacher : str or Teacher, default=None
        Who writes soft labels: "committee" or None, "self" (your estimator alone), "tabpfn" or "tabicl" (see
        `docs/foundation_models.md`), or a member of `tabcast.teachers`.
    temperature : float or "auto", default="auto"
        How much soft labels are sharpened, ``q ** (1 / T)``. "auto": the teacher's own (0.5 for a committee, 1 for
        "self").
    class_prior : str, array-like of shape (n_classes,) or None, default="labeled"
        What the mean of the soft labels has to be. "labeled": the proportions of the labeled rows, one row added to
        each class, whatever their `sample_weight`. "auto": the same, unless the labeled rows do not look like a random
        sample; then labels are neither aligned nor sharpened. An array: a positive number per class in sorted order.
        None: whatever it is.
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
        relative to the proportion of the class among the labeled rows, or in `class_prior` if that is an array), "f1"
        (weights tuned on out-of-fold predictions of the committee, or on the held-out rows of `validation`), or a
        member of `tabcast.decisions`, for example `Threshold(0.3)` or `Costs(...)`.
    patience : int, default=1
        Number of rounds without a better score after which training stops, where rounds are evaluated.
    missing_label, categorical_features, n_jobs, random_state, verbose : see SelfTrainingClassifier
        How labels and columns are read, and how training runs.

    Attributes
    ----------
    teacher_ : Teacher or None
        The fitted teacher; its `predict_proba` has a column per class of the rows that trained it. None without
        unlabeled rows.
    soft_labels_ : ndarray of shape (n_unlabeled, n_classes)
        What the student learned from, in the order of `pseudo_labels_`; of the best round, or of the first where the
        supervised model won.
    class_prior_ : ndarray of shape (n_classes,) or None
        The proportions that soft labels were aligned with, if any.
    sampling_ : Sampling or None
        :class:`~tabcast.teachers.Sampling`: whether the labeled rows look like a random sample to the teacher. None
        where it cannot tell.
    seconds_ : dict
        Where the time went: "supervised", "teacher" (its own fits and those of your estimator on folds) and "students";
        all splits and the final model together.
    estimator_, classes_, history_, best_round_, n_rounds_, termination_reason_, pseudo_labels_, transduction_, \
labeled_iter_, selected_features_, parts_, supervised_, decision_, supervised_decision_, class_mix_, \
n_fits_ : see SelfTrainingClassifier
        The model and what happened in training. Every unlabeled row is in use; `label` is its most likely class,
        `raw_label` the teacher's, before alignment.

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
    class_prior_: Floats | None
    sampling_: Sampling | None

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        teacher: str | Teacher | None = None,
        temperature: str | float = "auto",
        class_prior: str | ArrayLike | None = "labeled",
        smallest_share: float = 0.02,
        max_rounds: int = 1,
        validation: Validation | str | float | Any | None = None,
        scoring: Any = None,
        decision: str | Decision = "accuracy",
        patience: int = 1,
        missing_label: Any = "auto",
        categorical_features: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.teacher = teacher
        self.temperature = temperature
        self.class_prior = class_prior
        self.smallest_share = smallest_share
        self.max_rounds = max_rounds
        self.validation = validation
        self.scoring = scoring
        self.decision = decision
        self.patience = patience
        self.missing_label = missing_label
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _build_method(self) -> SoftMethod:
        """The teacher, and what is done to its labels."""
        owner = type(self).__name__
        check_number(self.smallest_share, "smallest_share", owner, "[0, 0.5)")
        check_number(self.temperature, "temperature", owner, "(0, inf)", allowed=["auto"])
        named = isinstance(self.class_prior, str)
        if named and self.class_prior not in ("labeled", "auto"):
            raise ValueError(
                f"`class_prior` of {owner} must be 'labeled', 'auto', None or a positive number for each class; "
                f"got {self.class_prior!r}."
            )
        validation = resolve_validation(self.validation)
        parts = Parts(Raw(), TakeAll(), Soft(self.smallest_share), KeepAllRows(), KeepAll(), validation)
        parts.check()
        teacher = resolve_teacher(self.teacher, owner)
        teacher.check()
        return SoftMethod(
            parts,
            teacher,
            teacher.temperature if isinstance(self.temperature, str) else float(self.temperature),
            "labeled" if named else self.class_prior,
            acts_on_sampling=named and self.class_prior == "auto",
        )

    def _remember(self, outcome: Outcome[PreparedSoft]) -> None:
        super()._remember(outcome)
        final = outcome.final
        self.teacher_ = None if final.labels is None else final.teacher
        self.sampling_ = final.sampling
        self.class_prior_ = final.class_prior
        learned_from = outcome.best.pseudo.soft
        if learned_from is None and final.labels is not None:
            learned_from = final.labels.soft
        nothing = np.zeros((len(outcome.data.pool), outcome.data.n_classes))
        self.soft_labels_ = nothing if learned_from is None else learned_from
        seconds = {**outcome.fitter.seconds, "teacher": sum(one.seconds for one in outcome.prepared)}
        self.seconds_ = {name: seconds[name] for name in ("supervised", "teacher", "students")}
        if final.sampling is not None and not final.sampling.looks_random:
            self._warn_not_random(final.method, final.sampling)

    def _warn_not_random(self, method: SoftMethod, sampling: Sampling) -> None:
        """Warn that the labeled rows are no random sample, where that matters."""
        if method.acts_on_sampling:
            consequence = "Soft labels were therefore not aligned with the class proportions of the labeled rows."
        elif isinstance(method.class_prior, str):
            consequence = (
                "class_prior='labeled' aligns soft labels with the class proportions of the labeled rows and does harm "
                "if these were balanced on purpose or collected where a class is frequent: use class_prior='auto', "
                "None, or the proportions that you know."
            )
        else:
            return
        warnings.warn(
            "The labeled rows do not look like a random sample of all rows: the teacher expects "
            f"{_proportions(sampling.labeled)} of the classes in them, {_proportions(sampling.unlabeled)} in the "
            f"unlabeled rows (p = {sampling.p_value:.1g}). {consequence}",
            SamplingWarning,
            stacklevel=4,
        )


def _proportions(values: Floats) -> str:
    """Proportions of the classes as text: the first ten."""
    more = ", ..." if len(values) > 10 else ""
    return ", ".join(f"{100 * value:.0f}%" for value in values[:10]) + more
