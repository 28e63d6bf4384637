"""The engine: every alpha on every split in step, the choice of a round and an alpha, and the final model."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tabcast.exceptions import SmallClassWarning
from tabcast.progress import show_progress
from tabcast.self_training._algorithm import Proposals, entries_of
from tabcast.self_training._data import PseudoLabels, Split, TrainingData, make_splits
from tabcast.self_training._fitter import Fitted, Fitter
from tabcast.self_training._method import Method, PreparedMethod, count_fits
from tabcast.statistics._intervals import mean, standard_error
from tabcast.table import Floats
from tabcast.table._labels import UNLABELED
from tabcast.validation import NoValidation

Prepared = TypeVar("Prepared", bound=PreparedMethod)
ScoreRound = Callable[[list[Split], list[Fitted]], list[Fitted]]


@dataclass
class SplitRun:
    """The rounds of a method on one split: what to fit now, and since when each row has been in use.

    Attributes
    ----------
    split : Split
        The split.
    proposals : generator
        Yields what to fit.
    gives_reasons : bool
        Whether its pseudo-labels may be shown to the user, with their confidences.
    request : PseudoLabels
        What to fit now.
    since : ndarray of int
        The round since which each row has been in use, -1 for one that is not.
    n_changed : int
        Number of rows whose use or label the last step changed.
    """

    split: Split
    proposals: Proposals
    gives_reasons: bool = True
    request: PseudoLabels = field(init=False)
    since: NDArray[np.integer[Any]] = field(init=False)
    n_changed: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.request = next(self.proposals)
        self.since = np.full(len(self.request.chosen), -1, dtype=np.int8)

    def advance(self, fitted: Fitted, round_number: int) -> bool:
        """Hand over a fitted classifier and take the next request; whether it differs from the one before."""
        before = self.request
        after = self.proposals.send(fitted)
        if not self.gives_reasons:
            after.forget_reasons()
        self.request, self.n_changed = after, after.count_changes(before)
        since = self.since.astype(np.promote_types(self.since.dtype, np.min_scalar_type(-1 - round_number)))
        since[~after.chosen] = -1
        since[after.chosen & (since < 0)] = round_number
        self.since = since
        return self.request.key != before.key


@dataclass(frozen=True)
class BestRound:
    """A round on one split: its pseudo-labels, since when each row has been in use, the classifier fitted on them."""

    pseudo: PseudoLabels
    since: NDArray[np.integer[Any]]
    fitted: Fitted


@dataclass
class Candidate:
    """One alpha, run on every split.

    Attributes
    ----------
    alpha : float or None
        The alpha that is tried; None for a method without one.
    runs : list of SplitRun
        One per split.
    scores : list of ndarray
        For each round the scores of the splits.
    n_selected, n_changed : list of float
        For each round the mean over splits of rows in use, and of rows whose use or label changed.
    seconds : list of float
        For each round the time of its fits, whoever asked for them first.
    best_round : int
        The first round with the best mean score; the last one where nothing is evaluated.
    best : list of BestRound
        The best round on each split.
    held_out : list of ndarray
        For each round the held-out probabilities of all splits, where the method needs them.
    reason : str or None
        Why it stopped; None while it goes on.
    """

    alpha: float | None
    runs: list[SplitRun]
    scores: list[Floats] = field(default_factory=list)
    n_selected: list[float] = field(default_factory=list)
    n_changed: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    best_round: int = 0
    best: list[BestRound] = field(default_factory=list)
    held_out: list[Floats] = field(default_factory=list)
    reason: str | None = None

    @property
    def best_scores(self) -> Floats:
        """Scores of the splits in the best round."""
        return self.scores[self.best_round]

    def history(self) -> dict[str, Any]:
        """Columns with one entry per round; means over splits."""
        return {
            "round": np.arange(len(self.scores)),
            "n_selected": np.array(self.n_selected),
            "n_changed": np.array(self.n_changed),
            "score": np.array([mean(scores) for scores in self.scores]),
            "score_std_error": np.array([standard_error(scores) for scores in self.scores]),
        }

    def record(self, round_number: int, fits: list[Fitted]) -> None:
        """Note a round, and whether it is the best so far."""
        requests = [run.request for run in self.runs]
        self.scores.append(np.array([fitted.score for fitted in fits]))
        self.seconds.append(sum(fitted.seconds for fitted in fits))
        self.n_selected.append(sum(int(request.chosen.sum()) for request in requests) / len(requests))
        self.n_changed.append(sum(run.n_changed for run in self.runs) / len(self.runs))
        if len(fits[0].held_out_proba):
            self.held_out.append(np.concatenate([fitted.held_out_proba for fitted in fits]))
        evaluated = not np.isnan(self.scores[-1]).any()
        if round_number == 0 or not evaluated or mean(self.scores[-1]) > mean(self.best_scores):
            self.best_round = round_number
            self.best = [BestRound(run.request, run.since, fitted) for run, fitted in zip(self.runs, fits, strict=True)]


def run_in_step(
    candidates: list[Candidate],
    fitter: Fitter,
    *,
    last_round: int,
    patience: int | None,
    schedule: int | None,
    predict_held_out: bool,
    score_round: ScoreRound | None = None,
) -> None:
    """Take all candidates through their rounds together, until each has a reason to stop.

    Because all of them ask for their fits at the same time, equal training sets are fitted once and fits can run in
    parallel; the result depends on neither.
    """
    for round_number in range(last_round + 1):
        active = [candidate for candidate in candidates if candidate.reason is None]
        fitter.progress.describe(f"round {round_number} of {last_round}")
        requests = [(run.split, run.request) for candidate in active for run in candidate.runs]
        predict_pool = round_number < last_round
        fits = iter(fitter.fit(requests, predict_pool=predict_pool, predict_held_out=predict_held_out))
        going: list[tuple[Candidate, list[Fitted]]] = []
        for candidate in active:
            own = [next(fits) for _ in candidate.runs]
            if score_round is not None:
                own = score_round([run.split for run in candidate.runs], own)
            candidate.record(round_number, own)
            if round_number == last_round:
                candidate.reason = "schedule_finished" if schedule == last_round else "max_rounds"
            elif patience is not None and round_number - candidate.best_round >= patience:
                candidate.reason = "no_improvement"
            else:
                going.append((candidate, own))
        moved = _advance(going, fitter, round_number + 1)
        for (candidate, _), changed in zip(going, moved, strict=True):
            if schedule is None and not changed:
                candidate.reason = _why_nothing_moved(candidate)
        if all(candidate.reason for candidate in candidates):
            return


def _advance(going: list[tuple[Candidate, list[Fitted]]], fitter: Fitter, round_number: int) -> list[bool]:
    """Hand the classifiers of a round over, and tell which candidates changed on any split.

    Candidates that share a classifier take it one after the other. Many unlabeled rows are predicted here, once per
    classifier, and the probabilities of one classifier at a time are in memory.
    """
    moved = [False] * len(going)
    shared: dict[int, list[tuple[int, SplitRun, Fitted]]] = {}
    for number, (candidate, own) in enumerate(going):
        for run, fitted in zip(candidate.runs, own, strict=True):
            key = id(fitted) if len(fitted.pool_proba) else id(fitted.estimator)
            shared.setdefault(key, []).append((number, run, fitted))
    for group in shared.values():
        predicted = fitter.with_pool(group[0][2])
        for number, run, _ in group:
            moved[number] |= run.advance(predicted, round_number)
        del predicted
    return moved


def _why_nothing_moved(candidate: Candidate) -> str:
    """The next round would train on the same rows with the same labels."""
    chosen = [run.request.chosen for run in candidate.runs]
    if not any(mask.any() for mask in chosen):
        return "nothing_selected"
    return "all_labeled" if all(mask.all() for mask in chosen) else "no_change"


def choose_candidate(candidates: list[Candidate]) -> Candidate:
    """Choose the smallest alpha whose score is within one standard error of the best.

    The standard error is that of the paired differences between the two, split by split; with one split it is 0.
    """

    def alpha(candidate: Candidate) -> float:
        return candidate.alpha or 0.0

    best = max(candidates, key=lambda candidate: (mean(candidate.best_scores), -alpha(candidate)))
    for candidate in sorted(candidates, key=alpha):
        loss = best.best_scores - candidate.best_scores
        if mean(loss) <= standard_error(loss):
            return candidate
    return best


def run_again(chosen: Candidate, run: SplitRun, fitter: Fitter) -> BestRound:
    """Run the chosen rounds once more, with every labeled row in training.

    A confidence that has to be calibrated gets the held-out probabilities of the same round of all splits.
    """
    for round_number in range(chosen.best_round + 1):
        fitter.progress.describe(f"final model, round {round_number} of {chosen.best_round}")
        [fitted] = fitter.fit([(run.split, run.request)], predict_pool=round_number < max(chosen.best_round, 1))
        if chosen.held_out:
            fitted = replace(fitted, held_out_proba=chosen.held_out[round_number])
        if round_number < chosen.best_round:
            run.advance(fitter.with_pool(fitted), round_number + 1)
    return BestRound(run.request, run.since, fitted)


def labels_to_show(chosen: Candidate, best: BestRound, final: PreparedMethod, fitter: Fitter) -> PseudoLabels:
    """Pseudo-labels of the best round; if it is the supervised model, those that the first round would have used."""
    if chosen.best_round > 0:
        return best.pseudo
    proposals = final.propose(chosen.alpha, fitter)
    next(proposals)
    return replace(proposals.send(fitter.with_pool(best.fitted)), chosen=best.pseudo.chosen)


@dataclass(frozen=True)
class Outcome(Generic[Prepared]):
    """What a run leaves behind.

    Attributes
    ----------
    data : TrainingData
        The rows.
    fitter : Fitter
        Made all fits, and counted them.
    candidates : list of Candidate
        All alphas that were tried.
    chosen : Candidate
        The one that is kept.
    prepared : list of PreparedMethod
        The method on every split, and on all labeled rows where these train the final model.
    final : PreparedMethod
        That of the final model.
    split : Split
        Its training rows.
    best : BestRound
        The round of the final model.
    supervised : Fitted
        The classifier of round 0.
    shown : PseudoLabels
        The pseudo-labels of the best round; where round 0 won, those of the round that would have come next, with no
        row in use.
    """

    data: TrainingData
    fitter: Fitter
    candidates: list[Candidate]
    chosen: Candidate
    prepared: list[Prepared]
    final: Prepared
    split: Split
    best: BestRound
    supervised: Fitted
    shown: PseudoLabels

    def describe_pool(self) -> dict[str, Any]:
        """Describe the unlabeled rows: the label of each and why."""
        data, pseudo, gamma = self.data, self.shown, self.final.parts.confidence.gamma
        n_pool, classes = len(data.pool), data.labels.classes
        return {
            "row": data.pool,
            "label": classes[pseudo.labels],
            "raw_label": classes[pseudo.raw_labels],
            "confidence": pseudo.confidence,
            "raw_confidence": pseudo.raw_confidence,
            "density": np.full(n_pool, np.nan) if gamma is None else entries_of(gamma, pseudo.labels),
            "selected": pseudo.chosen,
            "round": np.where(pseudo.chosen, self.best.since, -1).astype(np.intp),
        }

    def describe_alphas(self) -> dict[str, Any]:
        """Describe the alphas that were tried."""
        scores = [candidate.best_scores for candidate in self.candidates]
        return {
            "alpha": np.array([candidate.alpha for candidate in self.candidates], dtype=float),
            "best_round": np.array([candidate.best_round for candidate in self.candidates]),
            "score": np.array([mean(values) for values in scores]),
            "score_std_error": np.array([standard_error(values) for values in scores]),
            "chosen": np.array([candidate is self.chosen for candidate in self.candidates]),
        }

    def transduce(self) -> tuple[Any, Any]:
        """Fill the pseudo-labels in."""
        labels, pool, best = self.data.labels, self.data.pool, self.best
        codes, rounds = labels.codes.copy(), np.zeros(len(labels.codes), dtype=np.intp)
        codes[pool] = np.where(best.pseudo.chosen, best.pseudo.labels, UNLABELED)
        rounds[pool] = best.since
        return labels.values(codes), rounds


def run_method(
    method: Method,
    data: TrainingData,
    fitter: Fitter,
    random_state: np.random.RandomState,
    *,
    max_rounds: int,
    patience: int,
    title: str = "",
    verbose: int = 0,
    score_round: ScoreRound | None = None,
) -> Outcome[Any]:
    """Run every alpha on every split, choose one, and where rows were held out train it on all of them.

    Parameters
    ----------
    method : Method
        Proposes the pseudo-labels.
    data : TrainingData
        The rows.
    fitter : Fitter
        Fits the classifiers.
    random_state : RandomState
        Draws the splits.
    max_rounds : int
        Most rounds of a method without a schedule.
    patience : int
        Rounds in a row without a better score after which a method without a schedule stops.
    title : str, default=""
        Title of the progress bar.
    verbose : int, default=0
        1 shows a progress bar.
    score_round : callable, default=None
        Evaluates the classifiers of a round from their held-out probabilities on all splits, where the fitter does not.

    Returns
    -------
    Outcome
        The chosen model and everything that is known about it.
    """
    schedule, has_pool = method.schedule, len(data.pool) > 0
    last_round = min(max_rounds, schedule or max_rounds) if has_pool else 0
    validation = method.parts.validation if has_pool or score_round is not None else NoValidation()
    splits = make_splits(fitter.data, validation, random_state)
    refits = validation.refits and data.validation is None
    evaluated = splits[0].held_out is not None
    alphas, last_round = method.plan(len(splits), last_round, refits)
    n_most = count_fits(len(alphas), len(splits), last_round, refits, method.n_extra_fits)
    with show_progress(title, n_most, verbose) as fitter.progress:
        with warnings.catch_warnings():
            if refits:  # the final run will say it once
                warnings.simplefilter("ignore", SmallClassWarning)
            prepared = [method.prepare(data, split, split.y_held_out) for split in splits]
        pairs = list(zip(splits, prepared, strict=True))
        candidates = [
            Candidate(alpha, [SplitRun(split, one.propose(alpha, fitter), not refits) for split, one in pairs])
            for alpha in alphas
        ]
        run_in_step(
            candidates,
            fitter,
            last_round=last_round,
            patience=patience if evaluated and schedule is None else None,
            schedule=schedule,
            predict_held_out=method.needs_held_out or score_round is not None,
            score_round=score_round,
        )
        split, final = splits[0], prepared[0]
        if refits:
            split, y_held_out = Split(data.labeled), np.concatenate([one.y_held_out for one in splits])
            final = method.prepare(data, split, y_held_out)
            prepared.append(final)
        chosen = choose_candidate(candidates)
        best = chosen.best[0]
        if refits:
            best = run_again(chosen, SplitRun(split, final.propose(chosen.alpha, fitter)), fitter)
        supervised = fitter.fit_supervised(split)
        shown = labels_to_show(chosen, best, final, fitter) if has_pool else best.pseudo
    return Outcome(data, fitter, candidates, chosen, prepared, final, split, best, supervised, shown)
