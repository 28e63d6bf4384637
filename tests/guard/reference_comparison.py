"""Reference implementations of the comparison and its interval, slow and literal."""

import math

import numpy as np
from sklearn.base import clone

from tabcast.validation import CrossValidation


def reference_student_quantile(p, df):
    """Bisection on Student's distribution function, which is integrated with Simpson's rule."""

    def density(x):
        constant = math.gamma((df + 1) / 2) / (math.sqrt(df * math.pi) * math.gamma(df / 2))
        return constant * (1 + x * x / df) ** (-(df + 1) / 2)

    def distribution(x):
        n, total = 2000, 0.0
        for i in range(n):
            a, b = x * i / n, x * (i + 1) / n
            total += (b - a) / 6 * (density(a) + 4 * density((a + b) / 2) + density(b))
        return 0.5 + total

    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if distribution(middle) < p else (low, middle)
    return (low + high) / 2


def reference_interval(differences, n_test, n_train, level, resolution=0.0):
    """Mean, low, high: Nadeau and Bengio's variance, Student's quantile."""
    count = len(differences)
    mean = sum(differences) / count
    spread = sum((value - mean) ** 2 for value in differences) / (count - 1)
    spread = max(spread, resolution**2 / count)
    ratio = sum(test / train for test, train in zip(n_test, n_train, strict=True)) / count
    half = reference_student_quantile(0.5 + level / 2, count - 1) * math.sqrt((1 / count + ratio) * spread)
    return mean, mean - half, mean + half


def reference_balanced_accuracy(truth, predicted):
    """Mean recall over the classes that are there."""
    shares = []
    for one in sorted(set(truth)):
        rows = [i for i in range(len(truth)) if truth[i] == one]
        shares.append(sum(predicted[i] == one for i in rows) / len(rows))
    return sum(shares) / len(shares)


def reference_comparison(classifier, X, y, *, n_splits, n_repeats, random_state):
    """Scores of both models in each split, row by row; for deterministic classifiers.

    `y` holds -1 for unlabeled rows. Gives a list of (supervised, self-trained, n_test, n_train).
    """
    labeled = [i for i in range(len(y)) if y[i] != -1]
    unlabeled = [i for i in range(len(y)) if y[i] == -1]
    random = np.random.RandomState(random_state)
    random.randint(np.iinfo(np.int32).max)  # the seed of the model of all rows
    results = []
    for _ in range(n_repeats):
        parts = CrossValidation(n_splits, n_repeats=1).split(np.array([y[i] for i in labeled]), random)
        for train, held_out in parts:
            random.randint(np.iinfo(np.int32).max)  # the seed of the split
            train, held_out = [labeled[i] for i in train], [labeled[i] for i in held_out]
            rows = sorted(train + unlabeled)
            both = clone(classifier).fit(X[rows], y[rows])
            alone = clone(classifier.estimator).fit(X[train], y[train])
            truth = [y[i] for i in held_out]
            results.append(
                (
                    reference_balanced_accuracy(truth, list(alone.predict(X[held_out]))),
                    reference_balanced_accuracy(truth, list(both.predict(X[held_out]))),
                    len(held_out),
                    len(train),
                )
            )
    return results
