"""Reference implementation of the self-training loop: Algorithm 1 of the paper, one unlabeled row at a time.

Written from the paper's appendix "Pseudo Code of CAST" and the docstrings of the public classes. A table is a list of
rows and a row is a list of Python values; `table` converts rows to what the classifier takes. The density D_t is any
object with `score_samples`; nothing else comes from tabcast.

Algorithm 1 leaves two details open, which are taken from the docstrings. A strategy without a schedule ends when a
round would train on the same rows and labels as the round before. With `relabel=False` a row that has a label has
infinite confidence in it, so it stays selected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import mean, stdev
from typing import Any

from sklearn.base import clone

Row = Sequence[Any]
Table = Callable[[Sequence[Row]], Any]
Confidences = list[list[float]]
Phi = Callable[[Confidences, int], list[bool]]


def fixed_threshold(tau: float, strict: bool = False) -> Phi:
    """FPL: select rows whose largest confidence reaches tau."""

    def phi(confidences: Confidences, round_number: int) -> list[bool]:
        return [max(c) > tau if strict else max(c) >= tau for c in confidences]

    return phi


def curriculum(step: float) -> Phi:
    """CPL: round k selects the top k * step of the pool, and rows as confident as the last one selected."""

    def phi(confidences: Confidences, round_number: int) -> list[bool]:
        largest = [max(c) for c in confidences]
        wanted = 0  # the fewest rows that make up that proportion
        while wanted < len(largest) and wanted / len(largest) < round_number * step - 1e-9:
            wanted += 1
        last_taken = sorted(largest, reverse=True)[wanted - 1]
        return [value >= last_taken for value in largest]

    return phi


def take_all(confidences: Confidences, round_number: int) -> list[bool]:
    """Every row in every round."""
    return [True for _ in confidences]


def min_max(gammas: Confidences) -> Confidences:
    """Each column scaled to [0, 1]; a column without spread has no effect, so it becomes 1."""
    result = [list(gamma) for gamma in gammas]
    for j in range(len(gammas[0])):
        column = [gamma[j] for gamma in gammas]
        low, high = min(column), max(column)
        for i, value in enumerate(column):
            result[i][j] = (value - low) / (high - low) if high > low else 1.0
    return result


def cache_gamma(density: Any, pool: Sequence[Row], table: Table, scaling: str) -> Confidences:
    """Gamma of each unlabeled row, computed once; scaling "log" is the paper's CAST-L, "density" its CAST-D."""
    cache = []
    for x in pool:
        [log_density] = density.score_samples(table([x])).tolist()
        cache.append(log_density if scaling == "log" else [math.exp(value) for value in log_density])
    return min_max(cache)


@dataclass
class Round:
    """What a round trains on, one entry per row of the pool, the classifier trained on it, and its score."""

    labels: list[int]
    confidences: list[float]
    raw_confidences: list[float]
    chosen: list[bool]
    since: list[int]
    n_changed: int = 0
    classifier: Any = None
    score: float | None = None

    @property
    def used(self) -> list[int | None]:
        return [label if taken else None for label, taken in zip(self.labels, self.chosen, strict=True)]


@dataclass
class Result:
    """All rounds, the number of the best one, why the loop ended, and the proposal for round 1."""

    rounds: list[Round] = field(default_factory=list)
    best_round: int = 0
    reason: str = ""
    proposal: Round | None = None

    @property
    def best(self) -> Round:
        return self.rounds[self.best_round]


def self_train(
    estimator: Any,
    labeled: Sequence[Row],
    y: Sequence[int],
    pool: Sequence[Row],
    phi: Phi,
    *,
    table: Table,
    n_classes: int,
    max_rounds: int,
    gamma: Confidences | None = None,
    alpha: float = 0.0,
    relabel: bool = True,
    patience: int | None = None,
    has_schedule: bool = False,
    score: Callable[[Any], float] | None = None,
) -> Result:
    """Algorithm 1: the best classifier during the self-training iterations.

    Parameters
    ----------
    estimator : target classifier C, cloned for each fit.
    labeled, y, pool : X_L, its classes 0, 1, ..., and X_U.
    phi : pseudo-labeling algorithm.
    table : converts rows to what C takes.
    gamma, alpha : the cached, scaled prior knowledge and its weight.
    relabel : False: a row keeps the first label it gets.
    patience, max_rounds, has_schedule : the termination conditions of phi.
    score : performance metric P of a classifier; None: the newest is the best.
    """

    def train(training_set: list[tuple[Row, int]]) -> Any:
        classifier = clone(estimator).fit(table([x for x, _ in training_set]), [label for _, label in training_set])
        assert list(classifier.classes_) == list(range(n_classes))
        return classifier

    labeled_set = list(zip(labeled, y, strict=True))
    no_label, no_confidence = [0] * len(pool), [0.0] * len(pool)
    best = current = Round(no_label, no_confidence, no_confidence, [False] * len(pool), [-1] * len(pool))
    current.classifier = train(labeled_set)
    current.score = score(current.classifier) if score else None
    result = Result([current])

    while True:
        round_number = len(result.rounds)
        if round_number > max_rounds:
            result.reason = "schedule_finished" if has_schedule else "max_rounds"
            return result
        if score and not has_schedule and patience and round_number - 1 - result.best_round >= patience:
            result.reason = "no_improvement"
            return result

        raw, regularized, offered = [], [], []
        for i, x in enumerate(pool):
            c = current.classifier.predict_proba(table([x]))[0].tolist()
            raw.append(c)
            if gamma is not None:
                c = [alpha * (gamma[i][j] * c[j]) + (1 - alpha) * c[j] for j in range(n_classes)]
            regularized.append(c)
            if not relabel and current.chosen[i]:
                c = [math.inf if j == current.labels[i] else 0.0 for j in range(n_classes)]
            offered.append(c)
        chosen = phi(offered, round_number)

        training_set = list(labeled_set)
        new = Round([], [], [], chosen, [])
        for i, x in enumerate(pool):
            label = offered[i].index(max(offered[i]))
            new.labels.append(label)
            new.confidences.append(regularized[i][label])
            new.raw_confidences.append(raw[i][label])
            if chosen[i]:
                training_set.append((x, label))
            new.since.append(-1 if not chosen[i] else current.since[i] if current.chosen[i] else round_number)
        new.n_changed = sum(now != before for now, before in zip(new.used, current.used, strict=True))

        if round_number == 1:
            result.proposal = new
        if new.n_changed == 0 and not has_schedule:
            result.reason = "nothing_selected" if not any(chosen) else "all_labeled" if all(chosen) else "no_change"
            return result

        new.classifier = train(training_set)
        new.score = score(new.classifier) if score else None
        result.rounds.append(new)
        current = new
        if not score or new.score > best.score:
            best, result.best_round = new, round_number


@dataclass
class AlphaSearch:
    """Scores of the splits for each alpha and round, the best rounds, the chosen alpha, and its final round."""

    scores: dict[float, list[list[float]]]
    best_rounds: dict[float, int]
    alpha: float
    final: Round


def search_alpha(
    estimator: Any,
    labeled: Sequence[Row],
    y: Sequence[int],
    pool: Sequence[Row],
    phi: Phi,
    *,
    splits: Sequence[tuple[Sequence[int], Sequence[int]]],
    alphas: Sequence[float],
    make_gamma: Callable[[list[Row], list[int]], Confidences],
    make_score: Callable[[list[Row], list[int]], Callable[[Any], float]],
    n_rounds: int,
    **settings: Any,
) -> AlphaSearch:
    """Choose alpha and the round by cross-validation, then run Algorithm 1 on all labeled rows up to that round.

    Parameters
    ----------
    splits : positions of training rows and of held-out rows among the labeled rows.
    alphas : smallest first.
    make_gamma : the prior knowledge of labeled rows.
    make_score : the performance metric on held-out rows.
    n_rounds : rounds of phi's schedule.
    **settings : as in `self_train`.
    """
    settings = {**settings, "has_schedule": True}
    scores: dict[float, list[list[float]]] = {alpha: [[] for _ in range(n_rounds + 1)] for alpha in alphas}
    for alpha in alphas:
        for train, held_out in splits:
            rows, classes = [labeled[i] for i in train], [y[i] for i in train]
            score = make_score([labeled[i] for i in held_out], [y[i] for i in held_out])
            gamma = make_gamma(rows, classes)
            run = self_train(
                estimator,
                rows,
                classes,
                pool,
                phi,
                gamma=gamma,
                alpha=alpha,
                score=score,
                max_rounds=n_rounds,
                **settings,
            )
            for k, one in enumerate(run.rounds):
                scores[alpha][k].append(one.score)

    best_rounds = {}
    for alpha in alphas:
        for k in range(n_rounds + 1):
            if alpha not in best_rounds or mean(scores[alpha][k]) > mean(scores[alpha][best_rounds[alpha]]):
                best_rounds[alpha] = k

    winner = alphas[0]
    for alpha in alphas[1:]:
        if mean(scores[alpha][best_rounds[alpha]]) > mean(scores[winner][best_rounds[winner]]):
            winner = alpha
    for alpha in alphas:  # one standard error toward 0
        pairs = zip(scores[winner][best_rounds[winner]], scores[alpha][best_rounds[alpha]], strict=True)
        differences = [one - other for one, other in pairs]
        if mean(differences) <= stdev(differences) / math.sqrt(len(differences)):
            chosen = alpha
            break

    last = best_rounds[chosen]
    gamma = make_gamma(list(labeled), list(y))
    final = self_train(estimator, labeled, y, pool, phi, gamma=gamma, alpha=chosen, max_rounds=last, **settings)
    return AlphaSearch(scores, best_rounds, chosen, final.rounds[last])
