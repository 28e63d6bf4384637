"""Algorithm 1 of the paper: a classifier labels the rows it is confident about and is fitted again."""

from __future__ import annotations

from collections.abc import Generator
from itertools import count

import numpy as np

from tabcast.confidence import Confidence
from tabcast.noise_filters import KeepAllRows, NoiseFilter
from tabcast.pseudo_labels import Strategy, Weighting
from tabcast.self_training._data import TrainingData
from tabcast.self_training._fitter import Fitted
from tabcast.self_training._pseudo_labels import PseudoLabels, entries_of, narrow, share_constant
from tabcast.table import Floats, Index, Mask

Proposals = Generator[PseudoLabels, Fitted, None]


def self_train(
    data: TrainingData,
    confidence: Confidence,
    strategy: Strategy,
    noise_filter: NoiseFilter,
    *,
    y_held_out: Index,
    relabel: bool,
    weighting: Weighting,
) -> Proposals:
    """Yield the pseudo-labels to train on, round by round, and be sent the classifier trained on them.

    The first classifier is trained on the labeled rows alone. The engine, which drives this generator, fits and
    evaluates the classifiers, keeps the best and decides when to stop.
    """
    before = PseudoLabels.none(len(data.pool))

    def choose(current: Fitted, round_number: int) -> PseudoLabels:
        nonlocal before
        if confidence.needs_held_out:
            confidence.calibrate(current.held_out_proba, y_held_out)
        proba = current.pool_proba
        regularized = confidence.adjust(proba)
        ranked = regularized if relabel else _pin(regularized, before)
        labels = ranked.argmax(axis=1)
        chosen = strategy.select(ranked, round_number) & _keep(noise_filter, data, labels)
        pseudo = PseudoLabels(
            narrow(labels, data.n_classes),
            narrow(proba.argmax(axis=1), data.n_classes),
            chosen,
            confidence=entries_of(regularized, labels),
            raw_confidence=entries_of(proba, labels),
            weight=share_constant(weighting.weigh(regularized, labels)),
            soft=weighting.divide(regularized),
            required=strategy.required_confidence(ranked.shape[1]),
        )
        if not relabel:
            before = pseudo.without_reasons()
        return pseudo

    # Nothing that the caller may drop is held here while the next classifier is trained: neither the classifier that
    # was sent, newly trained on the labeled rows and these, nor what was yielded.
    waiting = [before]
    for round_number in count(1):
        waiting.append(choose((yield waiting.pop()), round_number))


def _keep(noise_filter: NoiseFilter, data: TrainingData, labels: Index) -> Mask:
    """Which labels a noise filter keeps; without one the rows are not looked at."""
    if isinstance(noise_filter, KeepAllRows):
        return np.ones(len(labels), dtype=bool)
    return noise_filter.keep(data.X_pool, labels)


def _pin(confidence: Floats, pseudo: PseudoLabels) -> Floats:
    """Keep the labels of rows that have one: infinite confidence in it, none in the others."""
    pinned = confidence.copy()
    pinned[pseudo.chosen] = 0.0
    pinned[pseudo.chosen, pseudo.labels[pseudo.chosen]] = np.inf
    return pinned
