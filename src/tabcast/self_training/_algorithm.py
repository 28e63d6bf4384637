"""Algorithm 1 of the paper: a classifier labels the rows it is confident about and is fitted again."""

from __future__ import annotations

from collections.abc import Generator
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabcast.confidence import Confidence
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Strategy, Weighting
from tabcast.self_training._data import PseudoLabels, TrainingData
from tabcast.self_training._fitter import Fitted
from tabcast.table import Floats, Index

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
    pseudo = PseudoLabels.none(len(data.pool))
    for round_number in count(1):
        current = yield pseudo
        if confidence.needs_held_out:
            confidence.calibrate(current.held_out_proba, y_held_out)
        proba = current.pool_proba
        regularized = confidence.adjust(proba)
        ranked = regularized if relabel else _pin(regularized, pseudo)
        labels = ranked.argmax(axis=1)
        chosen = strategy.select(ranked, round_number) & noise_filter.keep(data.X_pool, labels)
        pseudo = PseudoLabels(
            narrow(labels, data.n_classes),
            narrow(proba.argmax(axis=1), data.n_classes),
            chosen,
            confidence=entries_of(regularized, labels),
            raw_confidence=entries_of(proba, labels),
            weight=weighting.weigh(regularized, labels),
            soft=weighting.divide(regularized),
            required=strategy.required_confidence(ranked.shape[1]),
        )
        del current, proba, regularized, ranked, labels, chosen  # a generator holds its locals while it waits


def narrow(labels: Index, n_classes: int) -> NDArray[np.integer[Any]]:
    """Class indices in the smallest signed integers that hold them: many candidates have their own."""
    return labels.astype(np.min_scalar_type(-max(n_classes, 1)))


def entries_of(values: Floats, labels: NDArray[np.integer[Any]]) -> Floats:
    """For each row the entry of its label."""
    return values[np.arange(len(labels)), labels]


def _pin(confidence: Floats, pseudo: PseudoLabels) -> Floats:
    """Keep the labels of rows that have one: infinite confidence in it, none in the others."""
    pinned = confidence.copy()
    pinned[pseudo.chosen] = 0.0
    pinned[pseudo.chosen, pseudo.labels[pseudo.chosen]] = np.inf
    return pinned
