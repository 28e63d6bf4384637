"""The loop: a classifier labels the rows it is confident about and is fitted again (the paper's Algorithm 1)."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import count
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tabcast.confidence import Confidence, Raw
from tabcast.exceptions import SmallClassWarning
from tabcast.feature_selection import FeatureSelection, KeepAll
from tabcast.models import Adaptation, adapt, seeded, weight_parameter
from tabcast.noise_filters import KeepAllRows, NoiseFilter
from tabcast.progress import show_progress
from tabcast.pseudo_labels import Curriculum, Strategy, Weighting, resolve_weighting
from tabcast.self_training._base import SemiSupervisedClassifier
from tabcast.self_training._fitting import Fitted, Floats, Index, PseudoLabels, Split, TrainingData, make_splits
from tabcast.self_training._parts import Parts, Stage, prepare_stage, resolve_part
from tabcast.self_training._rounds import Best, Candidate, Fitter, Loop, Run, choose_candidate, run_in_step
from tabcast.table import UNLABELED, column_names
from tabcast.validation import NoValidation, resolve_validation


def self_train(
    X_pool: Any,
    confidence: Confidence,
    strategy: Strategy,
    noise_filter: NoiseFilter,
    *,
    y_held_out: Index,
    relabel: bool,
    weighting: Weighting,
) -> Generator[PseudoLabels, Fitted, None]:
    """Algorithm 1 of the paper, a round at a time: yields what to train on, is sent the classifier trained on it.

    The first classifier is trained on the labeled rows alone. Who drives the loop fits the classifiers, judges them,
    keeps the best and decides when to stop.
    """
    pseudo, every_row = PseudoLabels.none(X_pool.shape[0]), np.arange(X_pool.shape[0])
    for round_number in count(1):
        current = yield pseudo  # the classifier newly trained on the labeled rows and these
        if confidence.needs_held_out:
            confidence.calibrate(current.held_out_proba, y_held_out)
        proba = current.pool_proba
        regularized = confidence.adjust(proba)
        ranked = regularized if relabel else _pin(regularized, pseudo)
        labels = ranked.argmax(axis=1)
        chosen = strategy.select(ranked, round_number) & noise_filter.keep(X_pool, labels)
        pseudo = PseudoLabels(
            labels,
            proba.argmax(axis=1),
            chosen,
            confidence=regularized[every_row, labels],
            raw_confidence=proba[every_row, labels],
            weight=weighting.weigh(regularized, labels),
            soft=weighting.divide(regularized),
        )


def _pin(confidence: Floats, pseudo: PseudoLabels) -> Floats:
    """Rows that have a label keep it: infinitely confident in it, not at all in others."""
    pinned = confidence.copy()
    pinned[pseudo.chosen] = 0.0
    pinned[pseudo.chosen, pseudo.labels[pseudo.chosen]] = np.inf
    return pinned


class SelfTrainingClassifier(SemiSupervisedClassifier):
    """Self-training with exchangeable parts, for real tables and any classifier with `predict_proba`.

    Each round the current classifier labels the unlabeled rows it is confident about, and a new one is trained on the
    labeled rows and those. Round 0 is the supervised classifier; it wins when no round beats it on held-out rows.
    For the paper's method in one line see :class:`CASTClassifier`.

    Parameters
    ----------
    estimator : classifier with `predict_proba`. None: scikit-learn's HistGradientBoostingClassifier with small leaves.
    confidence : what pseudo-labels are chosen by; see `tabcast.confidence`. None: `Raw()`.
    strategy : which rows are chosen in a round; see `tabcast.pseudo_labels`. None: `Curriculum()`.
    noise_filter : which chosen rows are refused after all; see `tabcast.noise_filters`. None: `KeepAllRows()`.
    feature_selection : which columns the confidence may look at; see `tabcast.feature_selection`. None: `KeepAll()`.
    validation : how rounds are judged; see `tabcast.validation`. "cv": `CrossValidation()`, repeated stratified
        cross-validation inside the labeled rows: the choice is made on held-out rows, the final model uses every
        labeled row. A fraction holds out that share once; a splitter is used as it is; None: nothing is judged, the
        last round is the model. Not used when `fit` is given `validation_data`.
    scoring : what rounds are judged by, as everywhere in scikit-learn. None: the estimator's own `score`.
    relabel : whether all unlabeled rows are labeled anew every round (the paper), or a row keeps its first label
        (scikit-learn's SelfTrainingClassifier).
    max_rounds : most rounds.
    patience : rounds in a row without a better score after which it stops. A strategy with a schedule
        (`Curriculum`) runs it through, whatever the patience; the best round wins anyhow.
    pseudo_weight : what a pseudo-labeled row counts, where a labeled one counts 1: a number; "soft": each chosen row is
        divided among the classes as its confidence is; or a `Weighting` of `tabcast.pseudo_labels`.
    missing_label : which label means unlabeled, besides missing values (NaN, None, NA), which always do. "auto": -1 in
        a numeric y.
    categorical_features : names, positions or mask of the categorical columns, for the densities. None: by type.
    n_jobs : number of fits at a time (joblib). The result does not depend on it.
    random_state : seed of everything random, including the base estimator's where that is not set.
    verbose : 1 shows a progress bar.

    Attributes
    ----------
    estimator_ : the fitted classifier that predicts. Where tables or labels had to be encoded around the given
        estimator, an `AdaptedClassifier` whose own `estimator_` is the given one.
    classes_ : the classes.
    history_ : DataFrame, a row a round: `round`, `n_selected` and `n_changed` (rows in use, and rows that came, went
        or changed their label since the round before), `score` and `score_std_error` on held-out rows; means over
        splits where there are several.
    best_round_ : the round of the model; 0 is the supervised one.
    n_rounds_ : number of rounds run after round 0.
    termination_reason_ : "schedule_finished", "no_improvement", "no_change" (a further round would train on the same),
        "all_labeled" (that, with every row in use), "nothing_selected", "max_rounds" or "no_unlabeled_rows".
    pseudo_labels_ : DataFrame, a row per unlabeled row, as of the best round: `row` (position in X, those of
        `X_unlabeled` counted on), `label`, `raw_label` (what the classifier alone would say), `confidence` and
        `raw_confidence` (in `label`), `density` (scaled to [0, 1], missing without a density), `selected`, `round`
        (since when it has been in use, -1 if it is not). Where round 0 won: what the next round would have said,
        nothing selected.
    transduction_ : y with the pseudo-labels filled in.
    labeled_iter_ : for each row the round since which it is in use: 0 for labeled rows, -1 for rows not in use.
    selected_features_ : names of the columns the confidence looks at (positions for an array).
    supervised_ : the classifier of round 0, trained on the labeled rows alone (without those a fraction holds out).
    class_mix_ : (n_rounds_ + 1, n_classes) rows in use of each class in each round; means over splits.
    n_fits_ : number of base classifiers fitted. At most (1 + rounds) for each split, and once more for the final model.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from tabcast import SelfTrainingClassifier
    >>> X, truth = make_moons(200, noise=0.1, random_state=0)
    >>> y = np.where(np.arange(200) % 10 == 0, truth, -1)  # every tenth row keeps its label
    >>> model = SelfTrainingClassifier(KNeighborsClassifier(3), random_state=0).fit(X, y)
    >>> model.termination_reason_, model.best_round_, model.score(X, truth)
    ('schedule_finished', 0, 0.99)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        confidence: Any = None,
        strategy: Any = None,
        noise_filter: Any = None,
        feature_selection: Any = None,
        validation: Any = "cv",
        scoring: Any = None,
        relabel: bool = True,
        max_rounds: int = 10,
        patience: int = 2,
        pseudo_weight: Any = 1.0,
        missing_label: Any = "auto",
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.confidence = confidence
        self.strategy = strategy
        self.noise_filter = noise_filter
        self.feature_selection = feature_selection
        self.validation = validation
        self.scoring = scoring
        self.relabel = relabel
        self.max_rounds = max_rounds
        self.patience = patience
        self.pseudo_weight = pseudo_weight
        self.missing_label = missing_label
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        X_unlabeled: Any = None,
        validation_data: Any = None,
        sample_weight: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Train on labeled and unlabeled rows.

        Parameters
        ----------
        X : array or DataFrame (pandas, polars). The base estimator gets it as it is.
        y : (n_rows,) classes, with a marker for rows without a label; see `missing_label`.
        X_unlabeled : more rows without a label.
        validation_data : pair (X, y) of labeled rows that judge rounds, instead of `validation`.
        sample_weight : one per row of X, or of X and X_unlabeled.
        **fit_params : passed to the base estimator's `fit`; those with one entry per row follow their rows.
        """
        self._check_parameters()
        data = self._read(X, y, X_unlabeled, validation_data, sample_weight, fit_params)
        parts = self._resolve()
        self._check_support(data, parts)
        self._remember(data, self._train(data, parts))
        return self

    def _train(self, data: TrainingData, parts: Parts) -> Outcome:
        """Run every candidate on every split, choose one, and where rows were held out train it on all of them."""
        random_state = check_random_state(self.random_state)
        seed = random_state.randint(np.iinfo(np.int32).max)
        estimator, parts = seeded(self._base_estimator(), seed), parts.seeded(seed)
        adaptation = adapt(estimator, data.X, data.labels.classes)
        encoded = data.encoded(adaptation)
        scorer = check_scoring(estimator, scoring=self.scoring)
        schedule = parts.strategy.n_rounds
        last_round = min(self.max_rounds, schedule or self.max_rounds) if len(data.pool) else 0
        validation = parts.validation if len(data.pool) else NoValidation()
        splits = make_splits(encoded, validation, random_state)
        refits = validation.refits and data.validation is None
        judged = splits[0].held_out is not None
        alphas, last_round = self._plan(len(splits), last_round, schedule is not None, refits)
        n_most = self._count_fits(len(splits), len(alphas), last_round, refits)
        with show_progress(type(self).__name__, n_most, self.verbose) as progress:
            fitter = Fitter(
                estimator, adaptation, encoded, scorer, parts.confidence.needs_held_out, self.n_jobs, progress
            )
            with warnings.catch_warnings():
                if refits:  # the final run will say it once
                    warnings.simplefilter("ignore", SmallClassWarning)
                stages = [self._prepare(parts, data, split, seed) for split in splits]
            candidates = [
                Candidate(alpha, [Run(stage.split, self._loop(stage, alpha, fitter)) for stage in stages])
                for alpha in alphas
            ]
            patience = self.patience if judged and schedule is None else None
            run_in_step(candidates, fitter, last_round=last_round, patience=patience, schedule=schedule)
            chosen = choose_candidate(candidates, prefer=lambda candidate: candidate.alpha or 0.0)
            stage, best = stages[0], chosen.best[0]
            if refits:
                judges = np.concatenate([split.held_out[1] for split in splits if split.held_out is not None])
                stage = replace(self._prepare(parts, data, Split(data.labeled), seed), y_held_out=judges)
                best = self._run_again(chosen, stage, fitter)
        return Outcome(candidates, chosen, stage, best, adaptation, fitter)

    def _loop(self, stage: Stage, alpha: float | None, fitter: Fitter) -> Loop:
        """Algorithm 1 with the parts of a stage."""
        return self_train(
            stage.X_pool,
            self._with_alpha(stage.confidence, alpha),
            deepcopy(stage.strategy),
            stage.noise_filter,
            y_held_out=stage.y_held_out,
            relabel=self.relabel,
            weighting=deepcopy(stage.weighting),
        )

    def _run_again(self, chosen: Candidate, stage: Stage, fitter: Fitter) -> Best:
        """The chosen rounds once more, with every labeled row in training.

        A confidence that has to be calibrated gets the held-out probabilities of the same round of all splits.
        """
        run = Run(stage.split, self._loop(stage, chosen.alpha, fitter))
        for round_number in range(chosen.best_round + 1):
            fitter.progress.describe(f"final model, round {round_number} of {chosen.best_round}")
            [fitted] = fitter.fit([(run.split, run.request)], predict_pool=round_number < max(chosen.best_round, 1))
            if chosen.held_out:
                fitted = replace(fitted, held_out_proba=chosen.held_out[round_number])
            if round_number < chosen.best_round:
                run.advance(fitted, round_number + 1)
        return Best(run.request, run.since, fitted)

    def _remember(self, data: TrainingData, outcome: Outcome) -> None:
        """Set the fitted attributes."""
        chosen, best = outcome.chosen, outcome.best
        self.estimator_ = outcome.estimator
        self.classes_ = data.labels.classes
        self.best_round_ = chosen.best_round
        self.n_rounds_ = len(chosen.scores) - 1
        self.termination_reason_ = chosen.reason if len(data.pool) else "no_unlabeled_rows"
        self.class_mix_ = np.array(chosen.class_counts)
        support = outcome.stage.feature_selection.support_
        self.selected_features_ = np.array(column_names(data.X), dtype=object)[support]
        codes, rounds = data.labels.codes.copy(), np.zeros(len(data.labels.codes), dtype=np.intp)
        codes[data.pool] = np.where(best.pseudo.chosen, best.pseudo.labels, UNLABELED)
        rounds[data.pool] = best.since
        self.transduction_ = data.labels.values(codes)
        self.labeled_iter_ = rounds
        pseudo = best.pseudo
        if chosen.best_round == 0 and len(data.pool):  # nothing is in use: show what the first round would have used
            loop = self._loop(outcome.stage, chosen.alpha, outcome.fitter)
            next(loop)
            pseudo = replace(loop.send(best.fitted), chosen=pseudo.chosen)
        self.supervised_ = outcome.supervised
        self.n_fits_ = outcome.fitter.n_fits
        self._told: dict[str, dict[str, Any] | pd.DataFrame] = {
            "history_": chosen.history(),
            "pseudo_labels_": describe_pool(data, pseudo, best.since, outcome.stage.confidence.gamma),
        }

    @property
    def history_(self) -> pd.DataFrame:
        """A row a round."""
        return self._tell("history_")

    @property
    def pseudo_labels_(self) -> pd.DataFrame:
        """A row for each unlabeled row."""
        return self._tell("pseudo_labels_")

    def _tell(self, name: str) -> pd.DataFrame:
        """A table of what happened, made of its columns when somebody first asks: a small fit is over in less time."""
        check_is_fitted(self)
        told = self._told[name]
        if isinstance(told, dict):
            told = self._told[name] = pd.DataFrame(told)
        return told

    # What a subclass overrides.

    def _resolve(self) -> Parts:
        """The parts, the do-nothing members where none was given."""
        return Parts(
            resolve_part(self.confidence, {None: Raw}, Confidence, "confidence", self),
            resolve_part(self.strategy, {None: Curriculum}, Strategy, "strategy", self),
            resolve_weighting(self.pseudo_weight, type(self).__name__),
            resolve_part(self.noise_filter, {None: KeepAllRows}, NoiseFilter, "noise_filter", self),
            resolve_part(self.feature_selection, {None: KeepAll}, FeatureSelection, "feature_selection", self),
            resolve_validation(self.validation),
        )

    def _plan(
        self, n_splits: int, last_round: int, has_schedule: bool, refits: bool
    ) -> tuple[Sequence[float | None], int]:
        """Settings to try, and the last round of each."""
        return [None], last_round

    def _count_fits(self, n_splits: int, n_settings: int, last_round: int, refits: bool) -> int:
        """Most fits of the base classifier there can be."""
        return n_splits * (1 + n_settings * last_round) + refits * (1 + last_round)

    def _prepare(self, parts: Parts, data: TrainingData, split: Split, seed: int) -> Stage:
        """The parts fitted to the labeled rows of a split."""
        return prepare_stage(parts, data, split)

    def _with_alpha(self, confidence: Confidence, alpha: float | None) -> Confidence:
        """A prepared confidence with a setting, sharing what is expensive."""
        return confidence

    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any work."""
        owner = type(self).__name__
        parts = self._resolve()
        parts.check()
        if not isinstance(self.max_rounds, Integral) or self.max_rounds < 1:
            raise ValueError(f"`max_rounds` of {owner} must be a positive integer; got {self.max_rounds!r}.")
        if parts.weighting.divides and not getattr(self, "relabel", True):
            raise ValueError(
                f"`relabel`=False of {owner} keeps a row's first label, but `pseudo_weight`={self.pseudo_weight!r} "
                "divides rows among the classes. Use relabel=True, or a weight that is a number."
            )
        if self.n_jobs is not None and (not isinstance(self.n_jobs, Integral) or self.n_jobs == 0):
            raise ValueError(f"`n_jobs` of {owner} must be None or an integer other than 0; got {self.n_jobs!r}.")
        if not isinstance(self.patience, Integral) or self.patience < 1:
            raise ValueError(f"`patience` of {owner} must be a positive integer; got {self.patience!r}.")

    def _check_support(self, data: TrainingData, parts: Parts) -> None:
        """Weights and held-out rows must be there for those who need them."""
        unweighted = isinstance(self.pseudo_weight, Real) and self.pseudo_weight == 1
        if not unweighted and weight_parameter(self._base_estimator()) is None:
            raise ValueError(
                f"`pseudo_weight`={self.pseudo_weight!r} needs an estimator whose fit takes sample_weight; "
                f"{self._base_estimator()!r} does not. Use 1, or another estimator."
            )
        if parts.confidence.needs_held_out and isinstance(parts.validation, NoValidation) and data.validation is None:
            raise ValueError(
                f"{parts.confidence!r} has to be calibrated on held-out rows, but validation=None holds out none. "
                "Use validation='cv', a fraction, or pass validation_data to fit."
            )


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind: all candidates, the chosen one, its fitted parts and its best round's model."""

    candidates: list[Candidate]
    chosen: Candidate
    stage: Stage
    best: Best
    adaptation: Adaptation
    fitter: Fitter

    @property
    def estimator(self) -> Any:
        """The classifier of the best round, for the user's own tables."""
        return self._for_user(self.best.fitted)

    @property
    def supervised(self) -> Any:
        """The classifier of round 0, for the user's own tables."""
        nothing = PseudoLabels.none(len(self.stage.data.pool))
        [fitted] = self.fitter.fit([(self.stage.split, nothing)], predict_pool=False)
        return self._for_user(fitted)

    def _for_user(self, fitted: Fitted) -> Any:
        return fitted.estimator.taking(self.adaptation) if self.adaptation.needed else fitted.estimator


def describe_pool(data: TrainingData, pseudo: PseudoLabels, since: Index, gamma: Floats | None) -> dict[str, Any]:
    """Columns with an entry for each unlabeled row: its label and why."""
    n_pool, classes = len(data.pool), data.labels.classes
    return {
        "row": data.pool,
        "label": classes[pseudo.labels],
        "raw_label": classes[pseudo.raw_labels],
        "confidence": pseudo.confidence,
        "raw_confidence": pseudo.raw_confidence,
        "density": np.full(n_pool, np.nan) if gamma is None else gamma[np.arange(n_pool), pseudo.labels],
        "selected": pseudo.chosen,
        "round": np.where(pseudo.chosen, since, -1),
    }
