"""The choice of a threshold by exact fractions, one hypothesis after the other: slow and obvious."""

from fractions import Fraction
from math import comb


def probability_of_at_least(n_right, n_rows, precision):
    """P(X >= n_right) for a binomial X."""
    return sum(
        comb(n_rows, k) * precision**k * (1 - precision) ** (n_rows - k) for k in range(max(n_right, 0), n_rows + 1)
    )


def enough_rows(precision, alpha):
    """How many correct predictions in a row are significant."""
    n, probability = 0, Fraction(1)
    while probability > alpha:
        n, probability = n + 1, probability * precision
    return n


def choose_threshold(confidence, right, thresholds, precision, alpha):
    """The lowest threshold whose hypothesis is rejected by the fallback procedure; None if there is none."""
    precision, alpha = Fraction(precision), Fraction(alpha)
    thresholds = sorted(set(thresholds), reverse=True)
    above = [[ok for c, ok in zip(confidence, right, strict=True) if c >= t] for t in thresholds]
    most = max((len(rows) for rows in above), default=0)
    n_starts = 0
    while enough_rows(precision, alpha / (n_starts + 1)) * 4**n_starts <= most:
        n_starts += 1
    own = [Fraction(0)] * len(thresholds)
    for start in range(n_starts):
        size = enough_rows(precision, alpha / n_starts) * 4**start
        first = next(place for place, rows in enumerate(above) if len(rows) >= size)
        own[first] += alpha / n_starts
    chosen, level = None, Fraction(0)
    for place, rows in enumerate(above):
        level += own[place]
        if probability_of_at_least(sum(rows), len(rows), precision) <= level:
            chosen = thresholds[place]
        else:
            level = Fraction(0)
    return chosen
