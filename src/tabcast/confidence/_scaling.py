"""From log densities to factors between 0 and 1: how gamma is scaled over the unlabeled rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tabcast.table import Floats


def min_max(values: Floats) -> Floats:
    """Each column moved to [0, 1]; a column without spread becomes 1, which changes no confidence."""
    if len(values) == 0:
        return values
    low, high = values.min(axis=0), values.max(axis=0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        spread = high - low
        scaled = np.clip((values - low) / spread, 0.0, 1.0)
    return np.where(np.isfinite(spread) & (spread > 0), scaled, 1.0)


def scale_log(log_density: Floats) -> Floats:
    """Min-max of the log density (the paper's CAST-L)."""
    return min_max(log_density)


def scale_density(log_density: Floats) -> Floats:
    """Min-max of the density itself (the paper's CAST-D): a few rows near 1, most near 0."""
    if len(log_density) == 0:
        return log_density
    with np.errstate(over="ignore"):  # what is too far below the largest to subtract is 0
        return min_max(np.exp(log_density - log_density.max(axis=0)))


def scale_robust(log_density: Floats) -> Floats:
    """Min-max of the log density after cutting each column at its 5 % and 95 % quantiles: outliers set no scale."""
    if len(log_density) == 0:
        return log_density
    low, high = np.quantile(log_density, [0.05, 0.95], axis=0)
    return min_max(np.clip(log_density, low, high))


SCALINGS: dict[str, Callable[[Floats], Floats]] = {
    "log": scale_log,
    "density": scale_density,
    "robust": scale_robust,
}
