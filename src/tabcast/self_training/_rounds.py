"""Rounds and alphas in step: every training set fitted once, every candidate judged on the same held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from tabcast.models import Adaptation
from tabcast.progress import Progress
from tabcast.self_training._fitting import (
    Fitted,
    Floats,
    Index,
    PseudoLabels,
    Scorer,
    Split,
    TrainingData,
    fit_classifier,
)
from tabcast.statistics import mean, standard_error

Loop = Generator[PseudoLabels, Fitted, None]


@dataclass
class Run:
    """The loop on one split: what it asks to be fitted now, and since when each row has been in use."""

    split: Split
    loop: Loop
    request: PseudoLabels = field(init=False)
    since: Index = field(init=False)

    def __post_init__(self) -> None:
        self.request = next(self.loop)
        self.since = np.full(len(self.request.chosen), -1, dtype=np.intp)

    def advance(self, fitted: Fitted, round_number: int) -> bool:
        """Hand over a fitted classifier and take the next request; whether it differs from the one before."""
        before = self.request
        self.request = self.loop.send(fitted)
        kept = self.request.chosen & (self.since >= 0)
        self.since = np.where(kept, self.since, np.where(self.request.chosen, round_number, -1))
        return self.request.key != before.key


@dataclass(frozen=True)
class Best:
    """A round of a run: its pseudo-labels, since when each row has been in use, the classifier fitted on them."""

    pseudo: PseudoLabels
    since: Index
    fitted: Fitted


@dataclass
class Candidate:
    """One setting of the loop (one alpha), run on every split.

    Attributes
    ----------
    alpha : what is tried, None where there is none.
    runs : one for each split.
    scores : for each round the scores of the splits.
    n_selected, n_changed : for each round, mean over splits of rows in use and of rows whose use or label changed.
    class_counts : for each round rows in use of each class, mean over splits.
    seconds : for each round the seconds of its fits, whoever asked for them first.
    best_round : the first round with the best mean score; without validation the last.
    best : the best round on each split.
    held_out : for each round the held-out probabilities of all splits, where the confidence needs them.
    reason : why it stopped, None while it goes on.
    """

    alpha: float | None
    runs: list[Run]
    scores: list[Floats] = field(default_factory=list)
    n_selected: list[float] = field(default_factory=list)
    n_changed: list[float] = field(default_factory=list)
    class_counts: list[Floats] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    best_round: int = 0
    best: list[Best] = field(default_factory=list)
    held_out: list[Floats] = field(default_factory=list)
    reason: str | None = None
    _last: list[PseudoLabels] = field(default_factory=list)

    @property
    def best_scores(self) -> Floats:
        """Scores of the splits in the best round."""
        return self.scores[self.best_round]

    def history(self) -> dict[str, Any]:
        """Columns with an entry for each round; means over splits."""
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
        counts = [request.class_counts(fits[0].pool_proba.shape[1]) for request in requests]
        self.class_counts.append(np.mean(counts, axis=0) if len(counts) > 1 else counts[0])
        changes = [_count_changes(*pair) for pair in zip(self._last or requests, requests, strict=True)]
        self.n_changed.append(sum(changes) / len(changes))
        self._last = requests
        if len(fits[0].held_out_proba):
            self.held_out.append(np.concatenate([fitted.held_out_proba for fitted in fits]))
        judged = not np.isnan(self.scores[-1]).any()
        if round_number == 0 or not judged or mean(self.scores[-1]) > mean(self.best_scores):
            self.best_round = round_number
            self.best = [Best(run.request, run.since, fitted) for run, fitted in zip(self.runs, fits, strict=True)]


def _count_changes(before: PseudoLabels, after: PseudoLabels) -> int:
    """Rows that came, went or changed their label."""
    both = before.chosen & after.chosen
    return int(((before.chosen != after.chosen) | (both & (before.labels != after.labels))).sum())


class Fitter:
    """Fits training sets, none of them twice.

    Attributes
    ----------
    n_fits : number of fits so far.
    """

    def __init__(
        self,
        estimator: Any,
        adaptation: Adaptation,
        data: TrainingData,
        scorer: Scorer,
        needs_held_out: bool,
        n_jobs: int | None,
        progress: Progress,
    ) -> None:
        self.estimator, self.adaptation, self.data, self.scorer = estimator, adaptation, data, scorer
        self.needs_held_out, self.n_jobs, self.progress = needs_held_out, n_jobs, progress
        self.n_fits = 0
        self._done: dict[tuple[bytes, bytes], Fitted] = {}

    def fit(self, requests: Iterable[tuple[Split, PseudoLabels]], *, predict_pool: bool) -> list[Fitted]:
        """A fitted classifier for each (split, pseudo-labels); equal training sets share one."""
        keyed = [((split.key, pseudo.key), split, pseudo) for split, pseudo in requests]
        missing = {key: (split, pseudo) for key, split, pseudo in keyed if key not in self._done}
        call = partial(
            fit_classifier,
            self.estimator,
            self.adaptation,
            self.data,
            scorer=self.scorer,
            predict_pool=predict_pool,
            predict_held_out=self.needs_held_out,
        )
        fits: Iterable[Fitted]
        if len(missing) == 1 or effective_n_jobs(self.n_jobs) == 1:
            fits = (call(split, pseudo) for split, pseudo in missing.values())
        else:
            jobs = (delayed(call)(split, pseudo) for split, pseudo in missing.values())
            fits = Parallel(n_jobs=self.n_jobs, return_as="generator")(jobs)
        for key, fitted in zip(missing, fits, strict=True):
            self._done[key] = self._keep(fitted)
            self.n_fits += 1
            self.progress.advance()
        return [self._done[key] for key, _, _ in keyed]

    @property
    def fits(self) -> list[tuple[bytes, Fitted]]:
        """Every fit so far, each with the key of the pseudo-labels it was trained on."""
        return [(pseudo, fitted) for (_, pseudo), fitted in self._done.items()]

    def _keep(self, fitted: Fitted) -> Fitted:
        """What is remembered of a fit: all of it. A study that makes thousands keeps less."""
        return fitted


def run_in_step(
    candidates: list[Candidate], fitter: Fitter, *, last_round: int, patience: int | None, schedule: int | None
) -> None:
    """Take all candidates through their rounds together, until each has a reason to stop.

    Parameters
    ----------
    candidates : what to run; filled in place.
    fitter : fits the training sets.
    last_round : round after which nothing goes on.
    patience : rounds without a better mean score after which a candidate stops; None: never.
    schedule : number of rounds of a strategy that ends by itself, None for one that does not.
    """
    for round_number in range(last_round + 1):
        active = [candidate for candidate in candidates if candidate.reason is None]
        fitter.progress.describe(f"round {round_number} of {last_round}")
        requests = [(run.split, run.request) for candidate in active for run in candidate.runs]
        fits = iter(fitter.fit(requests, predict_pool=round_number < last_round))
        for candidate in active:
            own = [next(fits) for _ in candidate.runs]
            candidate.record(round_number, own)
            if round_number == last_round:
                candidate.reason = "schedule_finished" if schedule == last_round else "max_rounds"
            elif patience is not None and round_number - candidate.best_round >= patience:
                candidate.reason = "no_improvement"
            else:
                moved = [run.advance(fit, round_number + 1) for run, fit in zip(candidate.runs, own, strict=True)]
                if schedule is None and not any(moved):
                    candidate.reason = _why_nothing_moved(candidate)
        if all(candidate.reason for candidate in candidates):
            return


def _why_nothing_moved(candidate: Candidate) -> str:
    """The next round would train on the same rows with the same labels."""
    chosen = [run.request.chosen for run in candidate.runs]
    if not any(mask.any() for mask in chosen):
        return "nothing_selected"
    return "all_labeled" if all(mask.all() for mask in chosen) else "no_change"


def choose_candidate(candidates: list[Candidate], prefer: Callable[[Candidate], float]) -> Candidate:
    """The candidate to keep: the least preferred-value one that is within one standard error of the best.

    The standard error is that of the paired differences between the two, split by split; with one split it is 0.
    """
    best = max(candidates, key=lambda candidate: (mean(candidate.best_scores), -prefer(candidate)))
    for candidate in sorted(candidates, key=prefer):
        loss = best.best_scores - candidate.best_scores
        if mean(loss) <= standard_error(loss):
            return candidate
    return best
