"""Columns cut the slow and obvious way: row by row, value by value."""

import math


def reference_ends(values, weight, n_bins):
    """Smallest and largest value of each bin of about equal weight."""
    total = math.fsum(weight)
    bins = {}
    for value in sorted(set(values)):
        below = math.fsum(w for v, w in zip(values, weight, strict=True) if v < value)
        own = math.fsum(w for v, w in zip(values, weight, strict=True) if v == value)
        bins.setdefault(int((below + own / 2) / total * n_bins), []).append(value)
    return sorted({end for members in bins.values() for end in (min(members), max(members))})


def reference_cut(values, weight, n_bins):
    """Each value replaced by the nearest end, halfway by the smaller one; NaN stays."""
    counted = [(v, w) for v, w in zip(values, weight, strict=True) if w > 0 and not math.isnan(v)]
    ends = reference_ends([v for v, _ in counted], [w for _, w in counted], n_bins)
    return [v if math.isnan(v) else min(ends, key=lambda end: (abs(v - end), end)) for v in values]
