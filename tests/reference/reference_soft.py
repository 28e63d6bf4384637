"""Reference implementation of soft self-training: rows and classes one at a time, sums in plain Python.

Written from the docstrings of `SoftSelfTrainingClassifier` and `Committee`. A table is a list of rows of numbers, none
missing and none twice in a column (scikit-learn's quantiles round the ranks of ties). Classifiers and stratified folds
come from scikit-learn; nothing comes from tabcast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

Row = Sequence[float]
Probabilities = list[list[float]]


def class_shares(y: Sequence[int], n_classes: int) -> list[float]:
    """Class proportions of the labeled rows, with one row added to each class."""
    return [(sum(label == c for label in y) + 1) / (len(y) + n_classes) for c in range(n_classes)]


def normal_scores(rows: Sequence[Row], among: Sequence[Row]) -> list[list[float]]:
    """Each number as the normal quantile of its rank in its column, clipped to [-3, 3]."""
    result: list[list[float]] = [[] for _ in rows]
    for j in range(len(among[0])):
        column = sorted(row[j] for row in among)
        for scored, row in zip(result, rows, strict=True):
            share = column.index(row[j]) / (len(column) - 1)
            if row[j] == column[0]:
                score = -3.0
            elif row[j] == column[-1]:
                score = 3.0
            else:
                score = max(-3.0, min(3.0, NormalDist().inv_cdf(share)))
            scored.append(score)
    return result


def predict(model: Any, rows: Sequence[Row]) -> Probabilities:
    """Probabilities of a classifier."""
    return model.predict_proba([list(row) for row in rows]).tolist()


def expectation_maximization(likelihood: Sequence[Sequence[float]], strength: float) -> list[float]:
    """Weights of a mixture: each row is divided among the members by likelihood; the prior counts as extra rows."""
    n_members = len(likelihood[0])
    weights = [1 / n_members] * n_members
    for _ in range(200_000):
        received = [strength] * n_members
        for row in likelihood:
            total = sum(w * p for w, p in zip(weights, row, strict=True))
            for m in range(n_members):
                received[m] += weights[m] * row[m] / total
        new = [value / sum(received) for value in received]
        moved = max(abs(a - b) for a, b in zip(new, weights, strict=True))
        weights = new
        if moved < 1e-13:
            break
    return weights


def sharpen(proba: Probabilities, temperature: float) -> Probabilities:
    """Each probability to the power 1 / T, rows normalized."""
    result = []
    for row in proba:
        powered = [p ** (1 / temperature) for p in row]
        result.append([p / sum(powered) for p in powered])
    return result


def align(proba: Probabilities, shares: Sequence[float]) -> Probabilities:
    """Iterative scaling: scale columns by share / mean and normalize rows until the means are the shares."""
    current = [list(row) for row in proba]
    for _ in range(100_000):
        means = [math.fsum(row[c] for row in current) / len(current) for c in range(len(shares))]
        if max(abs(mean - share) for mean, share in zip(means, shares, strict=True)) < 1e-11:
            break
        for row in current:
            for c, share in enumerate(shares):
                row[c] *= share / means[c]
            total = sum(row)
            for c in range(len(shares)):
                row[c] /= total
    return current


@dataclass
class SoftRun:
    """Soft labels and the student trained on them."""

    weights: list[float]
    taught: Probabilities
    soft: Probabilities
    training_weights: list[float]
    student: Any
    power: float
    n_labeled: int

    def predict(self, rows: Sequence[Row]) -> Probabilities:
        """What the student predicts, to the power that undoes the sharpening of its labels and is calibrated.

        One row, divided equally among the classes, is added to the labeled ones: no probability is 0 or 1.
        """
        softened = sharpen(predict(self.student, rows), 1 / self.power)
        return [[(self.n_labeled * p + 1 / len(row)) / (self.n_labeled + 1) for p in row] for row in softened]


def calibrate(proba: Probabilities, y: Sequence[int]) -> float:
    """The power with the smallest log-loss of held-out rows plus log(power)^2 / (2 * 0.5^2), by ternary search."""

    def lose(log_power: float) -> float:
        powered = sharpen([[max(p, 1e-12) for p in row] for row in proba], 1 / math.exp(log_power))
        loss = -math.fsum(math.log(row[label]) for row, label in zip(powered, y, strict=True))
        return loss + log_power**2 / (2 * 0.5**2)

    low, high = -2.0, 2.0
    for _ in range(100):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        if lose(first) < lose(second):
            high = second
        else:
            low = first
    return math.exp((low + high) / 2)


def teach(
    own: Any, labeled: Sequence[Row], y: Sequence[int], pool: Sequence[Row], *, seed: int, n_trees: int, n_classes: int
) -> tuple[list[float], Probabilities, float]:
    """The committee: its weights, its weighted mean for each unlabeled row, and the power that calibrates it."""
    all_rows = [*labeled, *pool]
    as_they_are = (list(labeled), list(pool))
    scored = (normal_scores(labeled, all_rows), normal_scores(pool, all_rows))
    members = [
        (own, *as_they_are),
        (ExtraTreesClassifier(n_estimators=n_trees, random_state=seed), *as_they_are),
        (LogisticRegression(C=0.3, max_iter=1000, random_state=seed), *scored),
    ]
    foldable = [i for i, label in enumerate(y) if list(y).count(label) > 1]  # the only row of a class always trains
    n_folds = min(5, max(list(y).count(c) for c in range(n_classes)))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    shares = class_shares(y, n_classes)
    out_of_fold: dict[int, list[float]] = {i: [] for i in foldable}
    held_out_proba: dict[int, Probabilities] = {i: [] for i in foldable}
    for model, rows, _ in members:
        for _, held_out in folds.split(foldable, [y[i] for i in foldable]):
            outside = [foldable[k] for k in held_out]
            inside = [i for i in range(len(y)) if i not in outside]
            shown = clone(model)
            if isinstance(shown, ExtraTreesClassifier):  # weights come from half a forest
                shown.set_params(n_estimators=n_trees // 2)
            fitted = shown.fit([rows[i] for i in inside], [y[i] for i in inside])
            for i, proba in zip(outside, predict(fitted, [rows[i] for i in outside]), strict=True):
                held_out_proba[i].append(proba)
                out_of_fold[i].append(0.95 * proba[y[i]] + 0.05 * shares[y[i]])
    weights = expectation_maximization([out_of_fold[i] for i in foldable], strength=2.0)
    mean = [
        [sum(weights[m] * held_out_proba[i][m][c] for m in range(len(members))) for c in range(n_classes)]
        for i in foldable
    ]
    power = calibrate(mean, [y[i] for i in foldable])
    predicted = [predict(clone(model).fit(rows, y), pool_rows) for model, rows, pool_rows in members]
    mixed = [
        [sum(weights[m] * predicted[m][i][c] for m in range(len(members))) for c in range(n_classes)]
        for i in range(len(pool))
    ]
    return weights, mixed, power


def soft_self_train(
    own: Any,
    labeled: Sequence[Row],
    y: Sequence[int],
    pool: Sequence[Row],
    *,
    committee: bool,
    temperature: float,
    prior: Sequence[float] | None,
    seed: int,
    n_trees: int = 200,
    smallest: float = 0.02,
) -> SoftRun:
    """The whole method: teach, sharpen, align, train the student on weighted copies, soften what it predicts.

    Parameters
    ----------
    own : the user's estimator, with its random state set.
    labeled, y, pool : rows with classes 0, 1, ..., and rows without.
    committee : False: the estimator teaches itself.
    prior : class proportions to align to; None: no alignment.
    """
    n_classes = max(y) + 1
    if committee:
        weights, taught, power = teach(own, labeled, y, pool, seed=seed, n_trees=n_trees, n_classes=n_classes)
    else:
        weights, taught, power = [1.0], predict(clone(own).fit(labeled, y), pool), 1.0
    soft = sharpen(taught, temperature)
    if prior is not None:
        soft = align(soft, prior)
    soft = [[p if p >= smallest else 0.0 for p in row] for row in soft]
    soft = [[p / sum(row) for p in row] for row in soft]
    rows, classes, counts = list(labeled), list(y), [1.0] * len(y)
    for row, shares in zip(pool, soft, strict=True):
        for c, share in enumerate(shares):
            if share > 0:
                rows.append(row)
                classes.append(c)
                counts.append(share)
    student = clone(own).fit(rows, classes, sample_weight=counts)
    return SoftRun(weights, taught, soft, counts, student, temperature * power, len(labeled))
