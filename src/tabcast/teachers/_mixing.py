"""How much each member of a committee is to be believed."""

from __future__ import annotations

import numpy as np

from tabcast.table import Floats


def with_prior(proba: Floats, shares: Floats, part: float) -> Floats:
    """Probabilities with a part of the class shares mixed in, so that nobody is ever ruled out."""
    return (1 - part) * proba + part * shares


def mixture_weights(
    likelihood: Floats,
    *,
    strength: float = 2.0,
    row_weight: Floats | None = None,
    tolerance: float = 1e-10,
    max_steps: int = 100_000,
) -> Floats:
    """Weights w of the members of a mixture, positive and with sum 1, found by EM.

    They maximize ``sum_i log(sum_m w_m L_im) + strength * sum_m log w_m``: the log-likelihood of the rows, and a prior
    that keeps every member in. Each step gives every row to the members in proportion to what they explain of it, and
    makes the weights of what they got, plus the prior's share.

    Parameters
    ----------
    likelihood : (n_rows, n_members), positive: the probability a member gives the row's class.
    strength : how strongly weights are pulled toward equal ones; as many rows for each member.
    row_weight : what each row counts; None: 1.
    tolerance, max_steps : when it stops: no weight moved by more, or after so many steps.

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
