"""The weights of the members of a committee."""

from __future__ import annotations

import numpy as np

from tabcast.table import Floats


def with_prior(proba: Floats, shares: Floats, part: float) -> Floats:
    """Probabilities with a part of the class proportions mixed in, so that no class has probability 0."""
    return (1 - part) * proba + part * shares


def mixture_weights(
    likelihood: Floats,
    *,
    strength: float = 2.0,
    row_weight: Floats | None = None,
    tolerance: float = 1e-10,
    max_steps: int = 100_000,
) -> Floats:
    """Estimate the weights of the members of a mixture by EM.

    They maximize ``sum_i log(sum_m w_m L_im) + strength * sum_m log w_m``: the log-likelihood of the rows, and a prior
    that keeps every member in. Each step divides every row among the members in proportion to its likelihood under
    them, and updates the weights by the sums and the prior.

    Parameters
    ----------
    likelihood : ndarray of shape (n_rows, n_members)
        Positive numbers: the probability a member gives the row's class.
    strength : float, default=2.0
        Strength of the prior toward equal weights, as a number of rows per member.
    row_weight : ndarray of shape (n_rows,), default=None
        Weight of each row. None means 1.
    tolerance : float, default=1e-10
        It stops when no weight changes by more.
    max_steps : int, default=100000
        Maximum number of steps.

    Returns
    -------
    ndarray of shape (n_members,)
        Positive weights that sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.teachers import mixture_weights
    >>> mixture_weights(np.array([[0.9, 0.1], [0.8, 0.3], [0.7, 0.2]]), strength=0.1).round(2)
    array([0.96, 0.04])
    >>> mixture_weights(np.array([[0.9, 0.1], [0.8, 0.3], [0.7, 0.2]]), strength=2.0).round(2)
    array([0.67, 0.33])
    """
    n_rows, n_members = likelihood.shape
    counts = np.ones(n_rows) if row_weight is None else row_weight
    total = counts.sum() + strength * n_members
    weights = np.full(n_members, 1 / n_members)
    for _ in range(max_steps):
        explained = likelihood * weights
        explained *= (counts / explained.sum(axis=1))[:, None]
        updated = (explained.sum(axis=0) + strength) / total
        moved = np.abs(updated - weights).max()
        weights = updated
        if moved <= tolerance:
            break
    return weights
