"""Algorithm 1 of the paper: a classifier labels the rows it is confident about and is fitted again."""

from __future__ import annotations

from collections.abc import Generator
from itertools import count
from typing import Any

import numpy as np

from tabcast.confidence import Confidence
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Strategy, Weighting
from tabcast.self_training._fitter import Fitted
from tabcast.self_training._pseudo_labels import PseudoLabels
from tabcast.table import Floats, Index

Proposals = Generator[PseudoLabels, Fitted, None]


def self_train(
    X_pool: Any,
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
            required=strategy.required_confidence(ranked.shape[1]),
        )


def _pin(confidence: Floats, pseudo: PseudoLabels) -> Floats:
    """Keep the labels of rows that have one: infinite confidence in it, none in the others."""
    pinned = confidence.copy()
    pinned[pseudo.chosen] = 0.0
    pinned[pseudo.chosen, pseudo.labels[pseudo.chosen]] = np.inf
    return pinned
