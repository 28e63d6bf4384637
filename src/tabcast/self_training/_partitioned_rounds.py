"""A round on one partition: functions that an engine maps over partitions, on any machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax

from tabcast.confidence._cluster_aware import regularize
from tabcast.density import ClassConditional
from tabcast.feature_selection import FeatureSelection
from tabcast.partitions import CutColumns, Partition
from tabcast.partitions._boosting import TrainingRows, load_booster, predict_codes
from tabcast.partitions._numbers import alignment_terms, count_digit, find_range, scale_to_range, whole_sum
from tabcast.partitions._survey import read_typed
from tabcast.pseudo_labels import Curriculum, Strategy, Weighting
from tabcast.self_training._deployed import sharpen
from tabcast.table import ColumnTypes, Floats, Mask
from tabcast.teachers._forest_votes import ForestVotes

# Rows of a block, and of the blocks that the last rows are in, repeated if need be: results of matrix products may
# depend on the shape of an odd matrix, and must not depend on where a partition ends.
LONG, SHORT = 16_384, 2_048
BLOCK = 65_536  # rows that are predicted at a time
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Prepared:
    """Of all rounds: codes, log densities or what other members predict, number of the first row."""

    codes: Bytes
    known: Floats | None
    first: int


@dataclass(frozen=True, eq=False)
class Scored:
    """What a model predicts for each row: label, confidence in it, and the same before adjusting."""

    labels: NDArray[Any]
    raw_labels: NDArray[Any]
    confidence: NDArray[Any]
    raw_confidence: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Selected:
    """Which rows train with which label, and since which round."""

    labels: NDArray[Any]
    chosen: Mask
    since: NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Shared:
    """Soft labels: the proportions of the classes in each row."""

    shares: NDArray[np.float32]
    scored: Scored


@dataclass(frozen=True, eq=False)
class Densities:
    """Log densities of rows under each class."""

    selection: FeatureSelection
    density: ClassConditional

    def __call__(self, frame: pd.DataFrame) -> Floats:
        """One column per class."""
        return in_same_shape(self._score, frame)

    def _score(self, frame: pd.DataFrame) -> Floats:
        """Densities of some rows."""
        return self.density.score_samples(self.selection.transform(frame))


@dataclass(frozen=True, eq=False)
class OtherMembers:
    """The weighted probabilities of a teacher's members, the user's estimator aside."""

    members: Sequence[tuple[float, ForestVotes]]
    n_classes: int

    def __call__(self, frame: pd.DataFrame) -> Floats:
        """One column per class."""
        total = np.zeros((len(frame), self.n_classes))
        for weight, member in self.members:
            if member.trees is None:
                total += weight * in_same_shape(member.predict_proba, frame)
            else:  # a row's votes do not depend on its neighbors
                total += weight * member.predict_proba(frame)
        return total


@dataclass(frozen=True, eq=False)
class Adjust:
    """From probabilities to confidence: CAST's equation 4, with gamma scaled by the range of all rows.

    Without an alpha the confidence is the probability.
    """

    alpha: float | None = None
    ends: Floats | None = None
    highest: Floats | None = None

    def gamma(self, log_density: Floats) -> Floats:
        """Scaled densities; `highest` log densities are given where densities themselves are scaled."""
        assert self.ends is not None
        return scale_to_range(relative_density(log_density, self.highest), self.ends)

    def __call__(self, proba: Floats, known: Floats | None) -> Floats:
        """Adjust some rows."""
        if self.alpha is None:
            return proba
        assert known is not None
        return regularize(proba, self.gamma(known), self.alpha)


def relative_density(log_density: Floats, highest: Floats | None) -> Floats:
    """What is scaled: log densities, or densities relative to the highest."""
    if highest is None:
        return log_density
    with np.errstate(over="ignore"):
        return np.exp(log_density - highest)


def prepare(
    member: Partition, first: int, *, types: ColumnTypes, encoder: CutColumns, describe: Callable[[Any], Floats] | None
) -> Prepared:
    """Read a partition once: its codes, and what is known of its rows before any round."""
    codes, known = [], []
    for frame in read_typed(member, types):
        codes.append(encoder.transform(frame))
        if describe is not None:
            known.append(describe(frame))
    return Prepared(np.concatenate(codes), np.concatenate(known) if known else None, first)


def in_same_shape(function: Callable[[Any], Floats], frame: pd.DataFrame) -> Floats:
    """Call a function on blocks of even shapes, so that the result of a row does not depend on its neighbors."""
    results, first, n_rows = [], 0, len(frame)
    while first < n_rows:
        size = LONG if n_rows - first >= LONG else SHORT
        if first + size <= n_rows:
            block = frame.iloc[first : first + size]
        else:
            block = frame.iloc[np.minimum(np.arange(first, first + size), n_rows - 1)]
        results.append(function(block)[: n_rows - first])
        first += size
    return np.concatenate(results)


def range_of(prepared: Prepared, *, highest: Floats | None = None) -> Floats:
    """The range of (relative) densities of a partition."""
    assert prepared.known is not None
    return find_range(relative_density(prepared.known, highest))


def small(codes: NDArray[Any], n_classes: int) -> NDArray[Any]:
    """Class indices in as few bytes as possible."""
    return codes.astype(np.uint8 if n_classes <= 256 else np.int32)


def blocks(n_rows: int) -> Iterator[slice]:
    """Slices of rows."""
    return (slice(first, min(first + BLOCK, n_rows)) for first in range(0, n_rows, BLOCK))


def score(
    prepared: Prepared,
    before: Selected,
    *,
    model: bytes,
    adjust: Adjust,
    n_classes: int,
    relabel: bool,
    threads: int | None,
) -> Scored:
    """Label the rows of a partition with a model; without relabeling, rows in use keep their label."""
    booster, n_rows = load_booster(model, threads), len(prepared.codes)
    labels, raw_labels = (small(np.zeros(n_rows, dtype=np.intp), n_classes) for _ in range(2))
    confidence, raw_confidence = np.empty(n_rows), np.empty(n_rows, dtype=np.float32)
    for some in blocks(n_rows):
        proba = predict_codes(booster, prepared.codes[some], n_classes)
        adjusted = adjust(proba, None if prepared.known is None else prepared.known[some])
        found = adjusted.argmax(axis=1)
        if not relabel:
            found = np.where(before.chosen[some], before.labels[some], found)
        every = np.arange(len(found))
        labels[some], raw_labels[some] = found, proba.argmax(axis=1)
        confidence[some], raw_confidence[some] = adjusted[every, found], proba[every, found]
    return Scored(labels, raw_labels, confidence, raw_confidence)


def nothing_selected(prepared: Prepared, *, n_classes: int) -> Selected:
    """No row of a partition is in use."""
    n_rows = len(prepared.codes)
    labels = small(np.zeros(n_rows, dtype=np.intp), n_classes)
    return Selected(labels, np.zeros(n_rows, dtype=bool), np.full(n_rows, -1, dtype=np.int16))


def ranked(scored: Scored, before: Selected, relabel: bool) -> Floats:
    """What rows are chosen by: their confidence, without relabeling infinite for those in use."""
    return scored.confidence if relabel else np.where(before.chosen, np.inf, scored.confidence)


def count_confidence(scored: Scored, before: Selected, *, relabel: bool, step: int, prefix: int) -> NDArray[Any]:
    """Counts of digits of the confidences of a partition."""
    return count_digit(ranked(scored, before, relabel), step, prefix)


def select(
    scored: Scored,
    before: Selected,
    *,
    strategy: Strategy,
    threshold: float | None,
    round_number: int,
    relabel: bool,
) -> Selected:
    """Choose rows: those that reach the threshold of all partitions, or what the strategy says of each row."""
    rank = ranked(scored, before, relabel)
    if isinstance(strategy, Curriculum):
        chosen = np.zeros(len(rank), dtype=bool) if threshold is None else rank >= threshold
    else:
        chosen = strategy.select(rank[:, None], round_number)
    kept = chosen & (before.since >= 0)
    since = np.where(kept, before.since, np.where(chosen, round_number, -1)).astype(np.int16)
    return Selected(scored.labels, chosen, since)


def count_selected(after: Selected, before: Selected, *, n_classes: int) -> NDArray[np.int64]:
    """Rows in use per class, and at the end how many came, went or changed their label."""
    both = before.chosen & after.chosen
    changed = int(((before.chosen != after.chosen) | (both & (before.labels != after.labels))).sum())
    return np.append(np.bincount(after.labels[after.chosen], minlength=n_classes), changed)


def hard_rows(prepared: Prepared, selected: Selected, *, weight: float) -> TrainingRows:
    """The rows of a partition that train, with their labels."""
    return TrainingRows(prepared.codes, selected.chosen, labels=selected.labels, weight=weight, first=prepared.first)


def teach(
    prepared: Prepared, *, model: bytes, n_classes: int, own_weight: float, power: float, threads: int | None
) -> Floats:
    """The teacher's probabilities of a partition; those of the user's estimator are softened by a power."""
    booster, n_rows = load_booster(model, threads), len(prepared.codes)
    proba = np.zeros((n_rows, n_classes))
    for some in blocks(n_rows):
        if own_weight:
            own = predict_codes(booster, prepared.codes[some], n_classes)
            proba[some] = own_weight * (own if power == 1 else sharpen(own, 1 / power))
        if prepared.known is not None:
            proba[some] += prepared.known[some]
    return proba


def alignment_of(proba: Floats, *, temperature: float, log_factors: Floats) -> NDArray[Any]:
    """What the alignment needs to know about a partition."""
    total = np.zeros(1 + len(log_factors) + len(log_factors) ** 2, dtype=object)
    for some in blocks(len(proba)):
        with np.errstate(divide="ignore"):
            total = total + alignment_terms(np.log(sharpen(proba[some], temperature)), log_factors)
    return total


def write_shares(
    proba: Floats, *, temperature: float, log_factors: Floats | None, weighting: Weighting, n_classes: int
) -> Shared:
    """Soft labels of a partition: sharpened, aligned, and without proportions that are not worth a copy."""
    n_rows = len(proba)
    shares = np.empty((n_rows, n_classes), dtype=np.float32)
    labels, raw_labels = (small(np.zeros(n_rows, dtype=np.intp), n_classes) for _ in range(2))
    confidence, raw_confidence = (np.empty(n_rows, dtype=np.float32) for _ in range(2))
    for some in blocks(n_rows):
        soft = sharpen(proba[some], temperature)
        if log_factors is not None:
            with np.errstate(divide="ignore"):
                soft = softmax(np.log(soft) + log_factors, axis=1)
        divided = np.asarray(weighting.divide(soft))
        divided /= divided.sum(axis=1, keepdims=True)
        found, every = soft.argmax(axis=1), np.arange(len(soft))
        shares[some] = divided
        labels[some], raw_labels[some] = found, proba[some].argmax(axis=1)
        confidence[some], raw_confidence[some] = divided[every, found], proba[some][every, found]
    return Shared(shares, Scored(labels, raw_labels, confidence, raw_confidence))


def sum_shares(shared: Shared) -> NDArray[Any]:
    """Rows of a partition per class, in proportion."""
    return whole_sum(shared.shares)


def soft_rows(prepared: Prepared, shared: Shared) -> TrainingRows:
    """All rows of a partition, with their proportions."""
    return TrainingRows(prepared.codes, shares=shared.shares, first=prepared.first)


@dataclass(frozen=True, eq=False)
class Described:
    """What `pseudo_labels_` shows of the rows of a partition, in few bytes."""

    scored: Scored
    selected: Selected
    density: NDArray[np.float32] | None


def describe(prepared: Prepared, scored: Scored, selected: Selected, *, adjust: Adjust) -> Described:
    """What is kept of a partition after the last round."""
    density = None
    if adjust.alpha is not None and prepared.known is not None:
        density = np.empty(len(scored.labels), dtype=np.float32)
        for some in blocks(len(density)):
            gamma = adjust.gamma(prepared.known[some])
            density[some] = gamma[np.arange(len(gamma)), scored.labels[some]]
    slim = replace(scored, confidence=scored.confidence.astype(np.float32))
    return Described(slim, selected, density)


def tabulate_rows(described: Described, offset: int, *, classes: NDArray[Any]) -> pd.DataFrame:
    """The rows of a partition as `pseudo_labels_` shows them."""
    scored, selected, density = described.scored, described.selected, described.density
    n_rows = len(scored.labels)
    return pd.DataFrame(
        {
            "row": np.arange(offset, offset + n_rows),
            "label": classes[scored.labels],
            "raw_label": classes[scored.raw_labels],
            "confidence": scored.confidence,
            "raw_confidence": scored.raw_confidence,
            "density": np.full(n_rows, np.nan, dtype=np.float32) if density is None else density,
            "selected": selected.chosen,
            "round": np.where(selected.chosen, selected.since, -1),
        }
    )


def every_row(shared: Shared, *, round_number: int) -> Selected:
    """All rows of a partition are in use, since the first round; none in round 0."""
    n_rows = len(shared.shares)
    used = round_number > 0
    since = np.full(n_rows, 1 if used else -1, dtype=np.int16)
    return Selected(shared.scored.labels, np.full(n_rows, used), since)


def scored_of(shared: Shared) -> Scored:
    """The labels of soft labels."""
    return shared.scored


def tabulate_shares(shared: Shared, *, classes: NDArray[Any]) -> pd.DataFrame:
    """The soft labels of a partition, one column per class."""
    return pd.DataFrame(shared.shares, columns=[str(one) for one in classes])
