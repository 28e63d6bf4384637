"""Soft self-training: a teacher writes soft labels for the unlabeled rows, one student learns from all of them."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Generator
from copy import deepcopy
from dataclasses import dataclass, field
from numbers import Real
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tabcast.confidence import Raw, align, smoothed_shares
from tabcast.exceptions import SamplingWarning
from tabcast.feature_selection import KeepAll
from tabcast.models import weight_parameter
from tabcast.noise_filters import KeepAllRows
from tabcast.pseudo_labels import Soft, TakeAll
from tabcast.self_training._fitting import Fitted, Floats, Index, PseudoLabels, Split, TrainingData, predict_proba
from tabcast.self_training._parts import Parts, Stage, prepare_stage, resolve_part
from tabcast.self_training._rounds import Fitter, Loop
from tabcast.self_training._self_training_classifier import Outcome, SelfTrainingClassifier
from tabcast.table import find_categorical, take_rows
from tabcast.teachers import Committee, Folds, Lesson, Sampling, SelfTeacher, Teacher, compare_samples
from tabcast.validation import resolve_validation

TEACHERS: dict[Any, type[Teacher]] = {None: Committee, "committee": Committee, "self": SelfTeacher}


def sharpen(proba: Floats, temperature: float) -> Floats:
    """Rows of ``proba ** (1 / temperature)``, made to sum to 1: below 1 the likely becomes more likely.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.self_training._soft_self_training_classifier import sharpen
    >>> sharpen(np.array([[0.8, 0.2]]), 0.5).round(3)
    array([[0.941, 0.059]])
    """
    powered = (proba / proba.max(axis=1, keepdims=True)) ** (1 / temperature)
    return powered / powered.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class SoftParts(Parts):
    """The parts with a teacher, and the seconds that its copies took."""

    teacher: Teacher
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def check(self) -> None:
        """Refuse parameters that make no sense, before any long work."""
        super().check()
        self.teacher.check()


@dataclass(frozen=True)
class SoftStage(Stage):
    """A stage with a teacher, which the loop fits once, when it knows the supervised model.

    Attributes
    ----------
    teacher : a copy of its own.
    seed : of the teacher.
    seconds : where time went, for all stages of a run.
    written : what the teacher wrote, round by round.
    sampling : what the teacher thinks of the labeled rows as a sample, once it knows; nothing where it cannot tell.
    """

    teacher: Teacher
    seed: int
    seconds: defaultdict[str, float]
    written: list[PseudoLabels]
    sampling: list[Sampling]


def soft_self_train(
    stage: SoftStage,
    fitter: Fitter,
    *,
    temperature: float,
    class_prior: Floats | None,
    unless_noticed: bool,
    weighting: Soft,
) -> Generator[PseudoLabels, Fitted, None]:
    """Soft self-training a round at a time: yields what to train on, is sent the classifier trained on it.

    The first classifier is the supervised one. The teacher, of which it is a part, writes soft labels; they are
    sharpened and aligned with the class shares; the student is trained on the labeled rows and these. In a further
    round the student takes its own model's place beside the teacher's other members. With `unless_noticed` labels are
    neither sharpened nor aligned where the labeled rows do not look like a random sample.
    """
    n_pool, n_classes = len(stage.data.pool), stage.data.n_classes
    current = yield PseudoLabels.none(n_pool)
    y = stage.data.labels.codes[stage.split.train]
    present = np.unique(y)
    if not stage.written:
        start = perf_counter()
        stage.teacher.fit(make_lesson(stage, fitter, current, present))
        if stage.teacher.out_of_fold_ is not None:
            said = stage.teacher.teach(current.pool_proba[:, present])
            stage.sampling.append(compare_samples(stage.teacher.out_of_fold_, said))
        stage.seconds["teacher"] += perf_counter() - start
    if unless_noticed and not looks_random(stage.sampling):
        temperature, class_prior = 1.0, None
    prior = None if class_prior is None else class_prior[present] / class_prior[present].sum()
    while True:
        said = stage.teacher.teach(current.pool_proba[:, present])
        soft = np.zeros((n_pool, n_classes))
        soft[:, present] = sharpen(said, temperature)
        if prior is not None:
            soft[:, present] = align(soft[:, present], prior)
        labels = soft.argmax(axis=1)
        every_row = np.arange(n_pool)
        pseudo = PseudoLabels(
            labels,
            present[said.argmax(axis=1)],
            np.ones(n_pool, dtype=bool),
            confidence=soft[every_row, labels],
            raw_confidence=said[every_row, np.searchsorted(present, labels)],
            weight=np.ones(n_pool),
            soft=weighting.divide(soft),
        )
        stage.written.append(pseudo)
        current = yield pseudo


def looks_random(sampling: list[Sampling]) -> bool:
    """Whether the labeled rows may be a random sample, as far as anybody can tell."""
    return all(one.looks_random for one in sampling)


def make_lesson(stage: SoftStage, fitter: Fitter, supervised: Fitted, present: Index) -> Lesson:
    """What the teacher may learn from: the labeled rows of the split, in classes that are there."""
    data, train = stage.data, stage.split.train
    weight = data.sample_weight

    def own_out_of_fold(folds: Folds) -> Floats:
        """The user's estimator on folds of the labeled rows; scores are nobody's concern here."""
        quiet = Fitter(
            fitter.estimator, fitter.adaptation, fitter.data, _no_score, True, fitter.n_jobs, fitter.progress
        )
        codes = data.labels.codes
        requests = []
        for inside, outside in folds:
            rows = train[outside]
            held_out = (take_rows(fitter.data.X, rows), codes[rows])
            requests.append((Split(train[inside], held_out, rows), PseudoLabels.none(len(data.pool))))
        proba = np.zeros((len(train), len(present)))
        for (_, outside), fitted in zip(folds, quiet.fit(requests, predict_pool=False), strict=True):
            proba[outside] = fitted.held_out_proba[:, present]
        fitter.n_fits += quiet.n_fits
        return proba

    return Lesson(
        take_rows(data.X, train),
        np.searchsorted(present, data.labels.codes[train]),
        stage.X_pool,
        len(present),
        find_categorical(data.X, data.categorical_features),
        None if weight is None else weight[train],
        OwnModel(supervised.estimator, fitter.adaptation, present),
        own_out_of_fold,
        stage.seed,
    )


def _no_score(model: Any, X: Any, y: Any) -> float:
    return 0.0


@dataclass(frozen=True, eq=False)
class OwnModel:
    """The user's estimator, fitted on the labeled rows, for tables like the user's."""

    model: Any
    adaptation: Any
    present: Index

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes that it has seen."""
        return predict_proba(self.model, self.adaptation.encode(X), len(self.present), np.arange(len(self.present)))


def _shares(mean: Floats) -> str:
    """Shares of the classes in words: the first ten."""
    more = ", ..." if len(mean) > 10 else ""
    return ", ".join(f"{100 * share:.0f} %" for share in mean[:10]) + more


class SoftSelfTrainingClassifier(SelfTrainingClassifier):
    """One student of your own kind, taught by a committee: for few labeled rows and no validation rows to spare.

    Hard pseudo-labels repeat the mistakes of the model that made them. Here a teacher, by default a committee of your
    estimator and two others, gives every unlabeled row a probability of each class; these are sharpened and aligned
    with the class shares of the labeled rows, and your estimator is trained once on the labeled rows and on every
    unlabeled row divided among the classes. The teacher predicts about as well as the student; what the student buys
    is one model of your own kind to deploy.

    **The labeled rows must be a random sample** of all rows for `class_prior="labeled"`. If they were balanced on
    purpose, or collected where a class is frequent, alignment does great harm: use `class_prior=None` with
    `temperature=1`, or give the class shares that you know. A committee notices it where it tells the classes apart
    well enough, and warns (see `sampling_`); with `class_prior="auto"` it acts on what it notices.

    What it costs: with the defaults seven fits of your estimator (one on the labeled rows, five on folds of them, the
    student's), and some two hundred small trees six times over.

    Parameters
    ----------
    estimator : classifier with `predict_proba` whose `fit` takes `sample_weight`. None: scikit-learn's
        HistGradientBoostingClassifier with small leaves.
    teacher : who writes soft labels: "committee" or None, "self" (your estimator alone), or a member of
        `tabcast.teachers`.
    temperature : how much soft labels are sharpened, ``q ** (1 / T)``: a number, or "auto": the teacher's own (0.5 for
        a committee, 1 for "self").
    class_prior : what the mean of the soft labels has to be: "labeled" (the shares of the labeled rows, one row added
        to each class, whatever their `sample_weight`), "auto" (the same, unless the labeled rows do not look like a
        random sample; then labels are neither aligned nor sharpened), None (whatever it is), or a positive number for
        each class in sorted order.
    smallest_share : of a row that is worth a copy in training.
    max_rounds : rounds; in further ones the student takes its own place on the committee.
    validation : None: nothing is judged, the student is the model. "cv", a fraction, a splitter or a member of
        `tabcast.validation`: the student has to beat the supervised model on held-out labeled rows.
    scoring : what rounds are judged by, as everywhere in scikit-learn. None: the estimator's own `score`.
    patience : rounds in a row without a better score after which it stops, where rounds are judged.
    missing_label, categorical_features, n_jobs, random_state, verbose : as in :class:`SelfTrainingClassifier`.

    Attributes
    ----------
    teacher_ : the fitted teacher; has `predict_proba`, with a column for each class of the rows that trained it. None
        without unlabeled rows.
    soft_labels_ : (n_unlabeled, n_classes) what the student learned from, in the order of `pseudo_labels_`; of the best
        round, or of the first where the supervised model won.
    class_prior_ : (n_classes,) the shares aligned to, None without.
    sampling_ : :class:`~tabcast.teachers.Sampling`: whether the labeled rows look like a random sample to the teacher;
        None where it cannot tell.
    seconds_ : dictionary: where the time went, "supervised", "teacher" (its own fits and those of your estimator on
        folds) and "students"; all splits and the final model together.
    estimator_, classes_, history_, best_round_, n_rounds_, termination_reason_, pseudo_labels_, transduction_, \
labeled_iter_, selected_features_, supervised_, class_mix_, n_fits_ : as in :class:`SelfTrainingClassifier`; every
        unlabeled row is in use, `label` is its most likely class, `raw_label` the teacher's, before alignment.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from tabcast import SoftSelfTrainingClassifier
    >>> X, truth = load_breast_cancer(return_X_y=True)
    >>> y = np.where(np.arange(len(truth)) % 15 == 0, truth, -1)  # 38 labels are left
    >>> alone = DecisionTreeClassifier(random_state=0).fit(X[y >= 0], y[y >= 0])
    >>> taught = SoftSelfTrainingClassifier(DecisionTreeClassifier(), random_state=0).fit(X, y)
    >>> bool(taught.score(X[y < 0], truth[y < 0]) > alone.score(X[y < 0], truth[y < 0]))
    True
    >>> taught.n_fits_
    7
    """

    teacher_: Teacher | None
    class_prior_: Floats | None

    def __init__(
        self,
        estimator: Any = None,
        *,
        teacher: str | Teacher | None = None,
        temperature: str | float = "auto",
        class_prior: str | ArrayLike | None = "labeled",
        smallest_share: float = 0.02,
        max_rounds: int = 1,
        validation: Any = None,
        scoring: Any = None,
        patience: int = 1,
        missing_label: Any = "auto",
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        # Not super().__init__: its parts choose rows, and here every row is used.
        self.estimator = estimator
        self.teacher = teacher
        self.temperature = temperature
        self.class_prior = class_prior
        self.smallest_share = smallest_share
        self.max_rounds = max_rounds
        self.validation = validation
        self.scoring = scoring
        self.patience = patience
        self.missing_label = missing_label
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _resolve(self) -> Parts:
        """The parts; all but the weighting and the teacher do nothing."""
        validation = resolve_validation(self.validation)
        weighting, teacher = Soft(self.smallest_share), self._resolve_teacher()
        return SoftParts(Raw(), TakeAll(), weighting, KeepAllRows(), KeepAll(), validation, teacher)

    def _resolve_teacher(self) -> Teacher:
        teacher: Teacher = resolve_part(self.teacher, TEACHERS, Teacher, "teacher", self)
        return teacher

    def _count_fits(self, n_splits: int, n_settings: int, last_round: int, refits: bool) -> int:
        more = self._resolve_teacher().n_own_fits * (last_round > 0)
        return super()._count_fits(n_splits, n_settings, last_round, refits) + more * (n_splits + refits)

    def _prepare(self, parts: Parts, data: TrainingData, split: Split, seed: int) -> Stage:
        assert isinstance(parts, SoftParts)
        stage = prepare_stage(parts, data, split)
        teacher = deepcopy(parts.teacher)
        return SoftStage(**vars(stage), teacher=teacher, seed=seed, seconds=parts.seconds, written=[], sampling=[])

    def _loop(self, stage: Stage, alpha: float | None, fitter: Fitter) -> Loop:
        assert isinstance(stage, SoftStage)
        assert isinstance(stage.weighting, Soft)
        y = stage.data.labels.codes[stage.split.train]
        return soft_self_train(
            stage,
            fitter,
            temperature=self._find_temperature(),
            class_prior=self._find_prior(y, stage.data.n_classes),
            unless_noticed=self._acts_on_sampling,
            weighting=stage.weighting,
        )

    @property
    def _acts_on_sampling(self) -> bool:
        """Whether labels stay as the teacher wrote them where the labeled rows look like no random sample."""
        return isinstance(self.class_prior, str) and self.class_prior == "auto"

    def _find_temperature(self) -> float:
        """The given temperature or the teacher's."""
        return self._resolve_teacher().temperature if isinstance(self.temperature, str) else float(self.temperature)

    def _find_prior(self, y: Index, n_classes: int) -> Floats | None:
        """The shares to align to, if any."""
        if self.class_prior is None:
            return None
        if isinstance(self.class_prior, str):
            return smoothed_shares(y, n_classes)
        prior = np.asarray(self.class_prior, dtype=float)
        return prior / prior.sum()

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        share = self.smallest_share
        if isinstance(share, bool) or not isinstance(share, Real) or not 0 <= float(share) < 0.5:
            raise ValueError(f"`smallest_share` of {owner} must be in [0, 0.5); got {share!r}.")
        super()._check_parameters()
        value = self.temperature
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not (value == "auto" if isinstance(value, str) else is_number and 0 < float(value) < np.inf):
            raise ValueError(f"`temperature` of {owner} must be 'auto' or a positive number; got {value!r}.")
        if isinstance(self.class_prior, str) and self.class_prior not in ("labeled", "auto"):
            raise ValueError(
                f"`class_prior` of {owner} must be 'labeled', 'auto', None or a positive number for each class; "
                f"got {self.class_prior!r}."
            )

    def _check_support(self, data: TrainingData, parts: Parts) -> None:
        owner = type(self).__name__
        if weight_parameter(self._base_estimator()) is None:
            raise ValueError(
                f"`estimator` of {owner} must take sample_weight in fit, because unlabeled rows are divided among the "
                f"classes; {self._base_estimator()!r} does not. Use CASTClassifier, or another estimator."
            )
        if self.class_prior is None or isinstance(self.class_prior, str):
            return
        try:
            prior = np.asarray(self.class_prior)
        except ValueError:  # rows of different length
            prior = np.empty((0, 0))
        fits = prior.shape == (data.n_classes,) and prior.dtype.kind in "iuf"
        if not fits or not ((prior > 0) & (prior < np.inf)).all():
            raise ValueError(
                f"`class_prior` of {owner} must be 'labeled', 'auto', None or a positive number for each of the "
                f"{data.n_classes} classes {data.labels.classes.tolist()}; got {self.class_prior!r}."
            )

    def _say_not_random(self) -> None:
        """Warn that the labeled rows are no random sample, if that means anything here."""
        assert self.sampling_ is not None
        if self._acts_on_sampling:
            consequence = "Soft labels were therefore not aligned with the class shares of the labeled rows."
        elif isinstance(self.class_prior, str):
            consequence = (
                "class_prior='labeled' aligns soft labels with the class shares of the labeled rows and does harm if "
                "these were balanced on purpose or collected where a class is frequent: use class_prior='auto', None, "
                "or the shares that you know."
            )
        else:
            return
        warnings.warn(
            "The labeled rows do not look like a random sample of all rows: the teacher expects "
            f"{_shares(self.sampling_.labeled)} of the classes in them, {_shares(self.sampling_.unlabeled)} in the "
            f"unlabeled rows (p = {self.sampling_.p_value:.1g}). {consequence}",
            SamplingWarning,
            stacklevel=4,
        )

    def _remember(self, data: TrainingData, outcome: Outcome) -> None:
        super()._remember(data, outcome)
        stage, best = outcome.stage, outcome.best
        assert isinstance(stage, SoftStage)
        self.teacher_ = stage.teacher if stage.written else None
        self.sampling_ = stage.sampling[0] if stage.sampling else None
        prior = self._find_prior(data.labels.codes[stage.split.train], data.n_classes)
        noticed = not looks_random(stage.sampling)
        self.class_prior_ = None if noticed and self._acts_on_sampling else prior
        if noticed:
            self._say_not_random()
        learned_from = best.pseudo if best.pseudo.soft is not None else (stage.written or [best.pseudo])[0]
        nothing = np.zeros((len(data.pool), data.n_classes))
        self.soft_labels_ = nothing if learned_from.soft is None else learned_from.soft
        self.seconds_ = {"supervised": 0.0, "teacher": stage.seconds["teacher"], "students": 0.0}
        supervised = PseudoLabels.none(len(data.pool)).key
        for trained_on, fitted in outcome.fitter.fits:
            self.seconds_["supervised" if trained_on == supervised else "students"] += fitted.seconds
