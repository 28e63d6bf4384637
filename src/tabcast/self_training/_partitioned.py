"""Self-training on partitions: a rehearsal in memory decides, then the chosen rounds run on all rows.

The rehearsal is the ordinary fit on the labeled rows and a sample of the others: it chooses alpha and the number of
rounds, fits the teacher, and finds the decision rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_random_state

from tabcast.confidence import ClusterAware
from tabcast.density import ClassConditional
from tabcast.models import Adaptation, AdaptedClassifier, seeded
from tabcast.partitions import CutColumns, Engine, Partitions, open_partitions
from tabcast.partitions._boosting import Boosting, TrainingRows, boost
from tabcast.partitions._checkpoint import Checkpoint, digest_of
from tabcast.partitions._cuts import NO_VALUE
from tabcast.partitions._engine import find_engine
from tabcast.partitions._numbers import find_alignment, find_kth_largest, join_ranges, mean_of
from tabcast.partitions._survey import Survey, survey
from tabcast.progress import Progress, show_progress
from tabcast.pseudo_labels import Constant, Curriculum
from tabcast.self_training import _partitioned_rounds as on
from tabcast.self_training._cast import CastMethod
from tabcast.self_training._deployed import average, soften
from tabcast.self_training._hard import HardMethod
from tabcast.self_training._partitioned_support import check_supported, make_plan
from tabcast.self_training._soft import SoftMethod
from tabcast.table import (
    Floats,
    Labels,
    find_categorical,
    is_dataframe,
    learn_types,
    read_labels,
    read_table,
    stack_rows,
)
from tabcast.teachers._forest_votes import ForestVotes

if TYPE_CHECKING:
    from tabcast.self_training._self_trainer import SelfTrainer


@dataclass(frozen=True, eq=False)
class PartitionedTables:
    """The tables of a classifier that was fitted on partitions."""

    history: pd.DataFrame
    pseudo_labels: Any
    alpha_scores: pd.DataFrame


@dataclass(eq=False)
class Rounds:
    """The rounds on partitions: what they work on, and what they leave behind.

    Attributes
    ----------
    engine : Engine
        Runs functions on partitions.
    prepared : sequence of Prepared
        The partitions.
    n_rows : int
        Rows of all partitions.
    labeled : TrainingRows
        The labeled rows.
    plan : Boosting
        How XGBoost is trained.
    progress : Progress
        Advances with every model.
    checkpoint : Checkpoint or None
        Where models are kept.
    models : list of bytes
        The booster of each round so far.
    counts : list of ndarray
        For each round the rows in use per class.
    changes : list of int
        For each round the rows that came, went or changed their label.
    reason : str
        Why the last round was the last one.
    """

    engine: Engine
    prepared: Sequence[Any]
    n_rows: int
    labeled: TrainingRows
    plan: Boosting
    progress: Progress
    checkpoint: Checkpoint | None = None
    models: list[bytes] = field(default_factory=list)
    counts: list[Floats] = field(default_factory=list)
    changes: list[int] = field(default_factory=list)
    reason: str = "max_rounds"

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.plan.n_classes

    @property
    def threads(self) -> int | None:
        """Threads to predict with."""
        return self.plan.parameters["nthread"] or None

    def train(
        self,
        counts: Floats,
        changed: int,
        heaviest: float,
        function: Any = None,
        *placed: Any,
        threshold: float | None = None,
    ) -> None:
        """Train the model of the next round on the labeled rows and the rows that a function makes of partitions."""
        assert self.labeled.labels is not None
        weight = np.broadcast_to(np.asarray(self.labeled.weight, dtype=float), self.labeled.labels.shape)
        totals = np.bincount(self.labeled.labels, weights=weight, minlength=self.n_classes) + heaviest * counts
        plan = replace(
            self.plan,
            prior=tuple((totals / totals.sum()).tolist()),
            heaviest=max(float(weight.max()), heaviest),
        )
        number = len(self.models)
        self.progress.describe(f"round {number}")
        digest = "" if self.checkpoint is None else self._digest(plan, counts, changed, threshold)
        model = None if self.checkpoint is None else self.checkpoint.load(number, digest)
        if model is None:
            if function is None:
                model = boost([self.labeled], plan)
            else:
                model = self.engine.train(self.labeled, plan, function, *placed)
            if self.checkpoint is not None:
                self.checkpoint.save(number, digest, model, threshold)
        self.models.append(model)
        self.counts.append(counts)
        self.changes.append(changed)
        self.progress.advance()

    def _digest(self, plan: Boosting, *numbers: Any) -> str:
        """Of what the model of a round is trained on: that of the round before and the numbers of this one tell."""
        labeled, before = self.labeled, self.models[-1] if self.models else b""
        plan = replace(plan, parameters={key: value for key, value in plan.parameters.items() if key != "nthread"})
        given = (labeled.codes, labeled.labels, np.asarray(labeled.weight), self.n_rows, plan)
        return digest_of(len(self.models), before, *given, *numbers)


def fit_partitioned(
    classifier: SelfTrainer,
    X: Any,
    y: Any,
    source: Any,
    validation_data: tuple[Any, Any] | None,
    sample_weight: Any,
    fit_params: dict[str, Any],
) -> None:
    """Fit a classifier on labeled rows in memory and unlabeled rows in partitions."""
    owner, method = type(classifier).__name__, classifier._build_method()
    classifier._check()
    check_supported(owner, method, classifier._base_estimator(), fit_params)
    if isinstance(method, SoftMethod) and classifier.get_params()["deploy"] == "retrained":
        raise ValueError(
            f"`deploy`='retrained' of {owner} trains on all rows in memory; use 'student' or 'committee' with "
            "partitions."
        )
    partitions = open_partitions(source)
    frame, labels = _read_labeled(owner, X, y, classifier.missing_label)
    types = learn_types(frame)
    engine = find_engine(partitions.engine, partitions.members)
    found = survey(engine, partitions.members, types)
    given = {"validation_data": validation_data, "sample_weight": sample_weight}
    classifier._fit_in_memory(frame, y, found.sample, **given)
    _fit_rounds(classifier, method, engine, partitions, found, frame, labels, sample_weight)


def _read_labeled(owner: str, X: Any, y: Any, missing_label: Any) -> tuple[pd.DataFrame, Labels]:
    """The labeled rows as a DataFrame, and their classes."""
    if not is_dataframe(X):
        raise TypeError(
            f"X of {owner} must be a DataFrame where X_unlabeled is partitions, whose columns are found by name; got "
            f"{type(X).__name__}."
        )
    frame = X if isinstance(X, pd.DataFrame) else X.to_pandas()
    frame, labels = read_table(frame), read_labels(y, missing_label)
    n_unlabeled = int((~labels.labeled).sum())
    if n_unlabeled:
        raise ValueError(
            f"{n_unlabeled:,} rows of X have no label; where X_unlabeled is partitions, all rows of X must have one. "
            "Write the others to a partition."
        )
    return frame.reset_index(drop=True), labels


def _fit_rounds(
    classifier: SelfTrainer,
    method: Any,
    engine: Engine,
    partitions: Partitions,
    found: Survey,
    frame: pd.DataFrame,
    labels: Labels,
    sample_weight: Any,
) -> None:
    """Run the chosen rounds on partitions; the classifier remembers them."""
    seed = check_random_state(classifier.random_state).randint(np.iinfo(np.int32).max)
    estimator = seeded(classifier._base_estimator(), seed)
    most = min(255, getattr(estimator, "max_bin", None) or 255)
    encoder = CutColumns(most).fit(stack_rows(frame, found.sample), levels=found.levels)
    weight = 1.0 if sample_weight is None else np.broadcast_to(np.asarray(sample_weight, dtype=float), len(frame))
    labeled = TrainingRows(encoder.transform(frame), labels=labels.codes, weight=weight, first=found.total)
    plan = make_plan(estimator, len(labels.classes), encoder.feature_types)
    n_rounds = _count_rounds(classifier, method)
    soft = isinstance(method, SoftMethod)
    describe: Any = _list_members(classifier) if soft else _fit_densities(method, classifier, frame, labels)
    with show_progress(type(classifier).__name__, 1 + n_rounds, classifier.verbose) as progress:
        prepared = engine.map(
            partial(on.prepare, types=learn_types(frame), encoder=encoder, describe=describe),
            engine.place(partitions.members),
            engine.place(found.offsets),
        )
        checkpoint = None if partitions.checkpoint is None else Checkpoint(partitions.checkpoint)
        rounds = Rounds(engine, prepared, found.total, labeled, plan, progress, checkpoint)
        run = _run_soft if soft else _run_hard
        scored, selected, adjust = run(classifier, method, rounds, n_rounds)
    described = engine.map(partial(on.describe, adjust=adjust), prepared, scored, selected)
    table = engine.tabulate(partial(on.tabulate_rows, classes=labels.classes), described, engine.place(found.offsets))
    _remember(classifier, rounds, encoder, estimator, table, found)


def _count_rounds(classifier: SelfTrainer, method: Any) -> int:
    """How many rounds there can be: those that the rehearsal chose, or as many as without held-out rows."""
    if not np.isnan(classifier.history_["score"]).all():
        return classifier.best_round_
    schedule = method.schedule
    return min(classifier.max_rounds, schedule or classifier.max_rounds)


def _fit_densities(method: Any, classifier: SelfTrainer, frame: pd.DataFrame, labels: Labels) -> on.Densities | None:
    """Densities of the labeled rows of each class, where the confidence needs them."""
    confidence = method.parts.confidence
    if not isinstance(confidence, ClusterAware):
        return None
    categorical = find_categorical(frame, classifier.categorical_features)
    selection = deepcopy(classifier.parts_.feature_selection)
    density = ClassConditional(confidence.density, min_samples=confidence.min_samples)
    density.fit(
        selection.transform(frame),
        labels.codes,
        categorical[selection.support_],
        classes=np.arange(len(labels.classes)),
    )
    return on.Densities(selection, density)


def _run_hard(classifier: SelfTrainer, method: HardMethod | CastMethod, rounds: Rounds, n_rounds: int) -> Any:
    """Algorithm 1 on partitions."""
    loop = method.loop if isinstance(method, CastMethod) else method
    engine, strategy, relabel, n_classes = rounds.engine, loop.parts.strategy, loop.relabel, rounds.n_classes
    assert isinstance(loop.parts.weighting, Constant)
    weight, adjust = float(loop.parts.weighting.weight), _find_adjustment(classifier, method, rounds)
    selected = engine.map(partial(on.nothing_selected, n_classes=n_classes), rounds.prepared)
    rounds.train(np.zeros(n_classes), 0, weight)
    scored, has_schedule = None, method.schedule is not None
    for number in range(1, max(n_rounds, 1) + 1):
        label = partial(
            on.score,
            model=rounds.models[-1],
            adjust=adjust,
            n_classes=n_classes,
            relabel=relabel,
            threads=rounds.threads,
        )
        scored = engine.map(label, rounds.prepared, selected)
        if n_rounds == 0:  # what the first round would have used
            break
        threshold = _find_threshold(strategy, number, relabel, rounds, scored, selected)
        choose = partial(on.select, strategy=strategy, threshold=threshold, round_number=number, relabel=relabel)
        chosen = engine.map(choose, scored, selected)
        counted = engine.reduce(partial(on.count_selected, n_classes=n_classes), chosen, selected)
        counts, changed = counted[:-1].astype(float), int(counted[-1])
        if not has_schedule and changed == 0:
            rounds.reason = _why_nothing_moved(counts, rounds.n_rows)
            break
        selected = chosen
        rows = partial(on.hard_rows, weight=weight)
        rounds.train(counts, changed, weight, rows, rounds.prepared, selected, threshold=threshold)
    if len(rounds.models) == n_rounds + 1 and method.schedule == n_rounds:
        rounds.reason = "schedule_finished"
    return scored, selected, adjust


def _find_adjustment(classifier: SelfTrainer, method: Any, rounds: Rounds) -> on.Adjust:
    """How probabilities become confidence, with the range of densities of all rows."""
    confidence = method.parts.confidence
    if not isinstance(confidence, ClusterAware):
        return on.Adjust()
    alpha = getattr(classifier, "alpha_", confidence.alpha)
    ends, highest = rounds.engine.reduce(on.range_of, rounds.prepared, join=join_ranges), None
    if confidence.scaling == "density":
        highest = ends[1]
        ends = rounds.engine.reduce(partial(on.range_of, highest=highest), rounds.prepared, join=join_ranges)
    return on.Adjust(alpha, ends, highest)


def _find_threshold(
    strategy: Any, round_number: int, relabel: bool, rounds: Rounds, scored: Any, selected: Any
) -> float | None:
    """The confidence of the last row of a curriculum's round; None where no row is compared with others."""
    if not isinstance(strategy, Curriculum):
        return None
    count = strategy.count_rows(rounds.n_rows, round_number)
    if count == 0:
        return None

    def count_digits(step: int, prefix: int) -> Any:
        function = partial(on.count_confidence, relabel=relabel, step=step, prefix=prefix)
        return rounds.engine.reduce(function, scored, selected)

    return find_kth_largest(count, count_digits)


def _why_nothing_moved(counts: Floats, n_rows: int) -> str:
    """The next round would train on the same rows with the same labels."""
    if counts.sum() == 0:
        return "nothing_selected"
    return "all_labeled" if counts.sum() == n_rows else "no_change"


class _Own:
    """Stands for the user's estimator in a list of members."""


def _list_members(classifier: Any) -> on.OtherMembers | None:
    """The members of the rehearsal's teacher besides the user's estimator."""
    own = _Own()
    others = [(weight, ForestVotes(one)) for weight, one in classifier.teacher_.list_classifiers(own) if one is not own]
    return on.OtherMembers(others, len(classifier.classes_)) if others else None


def _run_soft(classifier: Any, method: SoftMethod, rounds: Rounds, n_rounds: int) -> Any:
    """Soft self-training on partitions."""
    engine, n_classes, own = rounds.engine, rounds.n_classes, _Own()
    own_weight = sum(weight for weight, one in classifier.teacher_.list_classifiers(own) if one is own)
    sampling, prior = classifier.sampling_, classifier.class_prior_
    keeps = method.acts_on_sampling and sampling is not None and not sampling.looks_random
    temperature = 1.0 if keeps else method.temperature
    power = 1.0
    shared: Sequence[Any] = ()
    rounds.train(np.zeros(n_classes), 0, 1.0)
    for number in range(1, max(n_rounds, 1) + 1):
        ask = partial(
            on.teach,
            model=rounds.models[-1],
            n_classes=n_classes,
            own_weight=own_weight,
            power=power,
            threads=rounds.threads,
        )
        taught = engine.map(ask, rounds.prepared)

        def sum_terms(factors: Floats, taught: Any = taught) -> Any:
            function = partial(on.alignment_of, temperature=temperature, log_factors=factors)
            return engine.reduce(function, taught)

        log_factors = None
        if prior is not None:
            log_factors = find_alignment(np.asarray(prior) / np.sum(prior), rounds.n_rows, sum_terms)
        write = partial(
            on.write_shares,
            temperature=temperature,
            log_factors=log_factors,
            weighting=method.parts.weighting,
            n_classes=n_classes,
        )
        shared = engine.map(write, taught)
        del taught, sum_terms  # while trees grow, memory is scarce
        if n_rounds == 0:
            break
        counts = mean_of(engine.reduce(on.sum_shares, shared), 1)
        rounds.train(counts, rounds.n_rows if number == 1 else 0, 1.0, on.soft_rows, rounds.prepared, shared)
        power = classifier.output_temperature_
    used = engine.map(partial(on.every_row, round_number=n_rounds), shared)
    classifier.soft_labels_ = engine.tabulate(partial(on.tabulate_shares, classes=classifier.classes_), shared)
    return engine.map(on.scored_of, shared), used, on.Adjust()


def _remember(classifier: Any, rounds: Rounds, encoder: CutColumns, estimator: Any, table: Any, found: Survey) -> None:
    """Replace what the rehearsal left by what all rows gave."""
    scores = classifier.history_.set_index("round")[["score", "score_std_error"]]
    last = len(rounds.models) - 1
    history = pd.DataFrame(
        {
            "round": np.arange(last + 1),
            "n_selected": [float(counts.sum()) for counts in rounds.counts],
            "n_changed": np.array(rounds.changes, dtype=float),
        }
    ).join(scores, on="round")
    alphas = classifier._tables.alpha_scores
    classifier._tables = PartitionedTables(history, table, alphas)
    classes = classifier.classes_
    classifier.supervised_ = wrap_model(rounds.models[0], encoder, estimator, classes)
    classifier.estimator_ = wrap_model(rounds.models[-1], encoder, estimator, classes)
    classifier.deployed_ = classifier.student_ = classifier.estimator_
    classifier.n_fits_ += last + 1
    classifier.best_round_ = classifier.n_rounds_ = last
    if np.isnan(scores["score"]).all():
        classifier.termination_reason_ = rounds.reason
    classifier.class_mix_ = np.array(rounds.counts)
    n_labeled = len(classifier.transduction_) - len(found.sample)
    classifier.transduction_ = classifier.transduction_[:n_labeled]
    classifier.labeled_iter_ = classifier.labeled_iter_[:n_labeled]
    classifier.n_unlabeled_ = found.total
    if hasattr(classifier, "teacher_"):
        if classifier.committee_ is not None:
            classifier.committee_ = average(classifier.teacher_.list_classifiers(classifier.supervised_), classes)
        power = classifier.output_temperature_ if last else 1.0
        classifier.student_ = soften(classifier.estimator_, power)
        deploys = classifier.deploy == "committee" and classifier.committee_ is not None
        classifier.deployed_ = classifier.committee_ if deploys else classifier.student_


def wrap_model(model: bytes, encoder: CutColumns, estimator: Any, classes: Any) -> AdaptedClassifier:
    """An XGBClassifier with a booster, for tables as the user has them."""
    inner = clone(estimator).set_params(missing=NO_VALUE, enable_categorical=True)
    inner.load_model(bytearray(model))
    wrapped = AdaptedClassifier(clone(estimator))
    wrapped.adaptation_ = Adaptation(encoder, whole_labels=True)
    wrapped.classes_ = classes
    wrapped._empty = []
    wrapped.estimator_ = inner
    return wrapped
