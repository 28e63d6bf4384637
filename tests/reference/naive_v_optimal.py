"""The V-optimal choice, slow and obvious: the covariance of every set of rows from scratch, one number at a time."""

import math

import numpy as np

NOISE = 0.3


def squared_distance(one, other):
    """Sum of squared differences."""
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def kernel_width(candidates):
    """Median of the positive distances to the tenth nearest other candidate."""
    tenth = []
    for i, one in enumerate(candidates):
        others = sorted(math.sqrt(squared_distance(one, other)) for j, other in enumerate(candidates) if j != i)
        if others and others[min(10, len(others)) - 1] > 0:
            tenth.append(others[min(10, len(others)) - 1])
    return float(np.median(tenth)) if tenth else 1.0


def variance_left(candidates, weight, labeled, width):
    """Weighted sum of the variances at the candidates, given noisy values of the labeled rows."""

    def kernel(one, other):
        return math.exp(-squared_distance(one, other) / (2 * width**2))

    total = 0.0
    gram = np.array([[kernel(a, b) for b in labeled] for a in labeled]) + NOISE * np.eye(len(labeled))
    for one, w in zip(candidates, weight, strict=True):
        between = np.array([kernel(one, other) for other in labeled])
        total += w * (1.0 - between @ np.linalg.inv(gram) @ between)
    return total


def choose(candidates, labeled, weight, count):
    """Add, one at a time, the candidate whose label leaves the least variance."""
    width, chosen = kernel_width(candidates), []
    for _ in range(count):
        left = {
            j: variance_left(candidates, weight, [*labeled, *(candidates[i] for i in chosen), candidates[j]], width)
            for j in range(len(candidates))
            if j not in chosen
        }
        chosen.append(min(left, key=left.get))
    return chosen
