"""Reference implementations of calibrators and calibration errors: one row, one bin, one class at a time."""

from __future__ import annotations

import numpy as np


def in_bin(value, number, n_bins):
    """Whether a value lies in the interval (number / n_bins, (number + 1) / n_bins], 0 in the first."""
    return number / n_bins < value <= (number + 1) / n_bins or (number == 0 and value == 0)


def reference_histogram_binning(held_out, y, proba, n_bins):
    """Each class against the others, for two classes only the second; the middle of a bin without rows."""
    n_classes = held_out.shape[1]
    result = np.zeros(proba.shape)
    for j in range(n_classes):
        for i, value in enumerate(proba[:, j]):
            number = next(m for m in range(n_bins) if in_bin(value, m, n_bins))
            rows = [row for row in range(len(y)) if in_bin(held_out[row, j], number, n_bins)]
            result[i, j] = np.mean([y[row] == j for row in rows]) if rows else (number + 0.5) / n_bins
    if n_classes == 2:
        result[:, 0] = 1 - result[:, 1]
    for i, row in enumerate(result):
        result[i] = row / row.sum() if row.sum() > 0 else proba[i]
    return result


def natural_basis(x, knots):
    """Natural cubic splines as truncated powers: 1, x, and d_k(x) - d_{last}(x) for each inner pair of knots."""

    def bend(k):
        above = np.maximum(x - knots[k], 0) ** 3 - np.maximum(x - knots[-1], 0) ** 3
        return above / (knots[-1] - knots[k])

    columns = [np.ones_like(x), x]
    columns += [bend(k) - bend(len(knots) - 2) for k in range(len(knots) - 2)]
    return np.column_stack(columns)


def reference_spline_calibration(held_out, y, proba, n_knots):
    """Slope of the least-squares natural spline through cumulative proportions; held-out confidences are distinct."""
    n_rows, n_classes = held_out.shape
    knots, result = np.linspace(0, 1, n_knots), np.empty(proba.shape)
    for j in range(n_classes):
        order = np.argsort(held_out[:, j])
        points, heights, total = [0.0], [0.0], 0
        for position, row in enumerate(order):
            total += int(y[row] == j)
            points.append((position + 1) / n_rows)
            heights.append(total / n_rows)
        weights = np.linalg.lstsq(natural_basis(np.array(points), knots), np.array(heights), rcond=None)[0]
        curve = natural_basis(np.array(points), knots) @ weights
        slopes = np.clip((curve[1:] - curve[:-1]) * n_rows, 0, 1)
        result[:, j] = [np.interp(value, held_out[order, j], slopes) for value in proba[:, j]]
    return result / result.sum(axis=1, keepdims=True)


def reference_expected_calibration_error(y, proba, n_bins):
    """Of the predicted class, bin by bin."""
    error = 0.0
    for number in range(n_bins):
        rows = [i for i in range(len(y)) if in_bin(proba[i].max(), number, n_bins)]
        if rows:
            accuracy = np.mean([proba[i].argmax() == y[i] for i in rows])
            confidence = np.mean([proba[i].max() for i in rows])
            error += len(rows) / len(y) * abs(accuracy - confidence)
    return error
