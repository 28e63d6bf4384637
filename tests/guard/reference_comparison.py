"""Reference implementations of the comparison and its interval, slow and literal."""

import math

import numpy as np
from sklearn.base import clone

from tabcast.teachers import Committee
from tabcast.validation import CrossValidation
from tests.reference.reference_soft import expectation_maximization


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


def reference_likelihood(classifier, X, y, labeled, parts):
    """Of each labeled row the probability of its class that each member gives it, trained without its fold."""
    likelihood = {}
    for train, held_out in parts:
        train, held_out = [labeled[i] for i in train], [labeled[i] for i in held_out]
        for member in (classifier.estimator, *classifier.teacher.members[1:]):
            proba = clone(member).fit(X[train], y[train]).predict_proba(X[held_out])
            for row, one in zip(held_out, proba, strict=True):
                likelihood.setdefault(row, []).append(one[y[row]])
    return likelihood


def reference_weights(likelihood, y, train):
    """Weights of the members from the rows in training, with 5% of the class proportions mixed in."""
    shares = [(sum(y[i] == c for i in train) + 1) / (len(train) + 2) for c in (0, 1)]
    return expectation_maximization([[0.95 * p + 0.05 * shares[y[i]] for p in likelihood[i]] for i in train], 2.0)


def reference_comparison(classifier, X, y, *, n_splits, n_repeats, random_state):
    """What the contenders predict in each split, row by row; for deterministic classifiers and classes 0 and 1.

    `y` holds -1 for unlabeled rows. Gives one dictionary per split: its `repeat`, `truth`, number of training rows, and
    the predictions of `supervised`, `committee` (of soft self-training with one) and `self_trained`.
    """
    labeled = [i for i in range(len(y)) if y[i] != -1]
    unlabeled = [i for i in range(len(y)) if y[i] == -1]
    random = np.random.RandomState(random_state)
    random.randint(np.iinfo(np.int32).max)  # the seed of the model of all rows, and of the first repeat
    results, likelihood = [], {}
    for repeat in range(n_repeats):
        parts = list(CrossValidation(n_splits, n_repeats=1).split(np.array([y[i] for i in labeled]), random))
        if repeat == 0 and isinstance(getattr(classifier, "teacher", None), Committee):
            likelihood = reference_likelihood(classifier, X, y, labeled, parts)
        for train, held_out in parts:
            if repeat:
                random.randint(np.iinfo(np.int32).max)  # the seed of the split
            train, held_out = [labeled[i] for i in train], [labeled[i] for i in held_out]
            rows, both = sorted(train + unlabeled), clone(classifier)
            if likelihood:
                both.teacher = Committee(both.teacher.members, weights=reference_weights(likelihood, y, train))
            both.fit(X[rows], y[rows])
            split = {
                "repeat": repeat,
                "truth": [y[i] for i in held_out],
                "n_train": len(train),
                "supervised": list(clone(classifier.estimator).fit(X[train], y[train]).predict(X[held_out])),
                "self_trained": list(both.predict(X[held_out])),
            }
            if likelihood:
                proba = both.teacher_.predict_proba(X[held_out])
                split["committee"] = [int(both.classes_[list(row).index(max(row))]) for row in proba]
            results.append(split)
    return results


def reference_score(splits, name):
    """Balanced accuracy of the held-out rows of some splits together."""
    truth = [one for split in splits for one in split["truth"]]
    predicted = [one for split in splits for one in split[name]]
    return reference_balanced_accuracy(truth, predicted)


def reference_pooled(splits, name):
    """The score over repeats, and the jackknife pseudo-value of each split."""
    scores, contributions = [], []
    for repeat in sorted({split["repeat"] for split in splits}):
        folds = [split for split in splits if split["repeat"] == repeat]
        whole, k = reference_score(folds, name), len(folds)
        scores.append(whole)
        for left_out in range(k):
            others = [fold for number, fold in enumerate(folds) if number != left_out]
            contributions.append(k * whole - (k - 1) * reference_score(others, name))
    return sum(scores) / len(scores), contributions


def reference_gain(splits, name, reference, level=0.9):
    """Gain of one contender over another with its interval."""
    (score, own), (other_score, others) = reference_pooled(splits, name), reference_pooled(splits, reference)
    gain = score - other_score
    differences = [a - b for a, b in zip(own, others, strict=True)]
    mean = sum(differences) / len(differences)
    n_test = [len(split["truth"]) for split in splits]
    n_train = [split["n_train"] for split in splits]
    centered = [value - mean + gain for value in differences]
    return reference_interval(centered, n_test, n_train, level, len(n_test) / sum(n_test))
