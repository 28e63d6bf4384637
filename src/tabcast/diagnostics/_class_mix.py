"""Which classes the pseudo-labels of each round have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tabcast.diagnostics._base import Diagnostic
from tabcast.table import Floats, Index


@dataclass(frozen=True, eq=False)
class ClassMix(Diagnostic):
    """Class proportions of the labeled rows, and of the pseudo-labeled ones per round.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The classes.
    labeled : ndarray of shape (n_classes,)
        Their proportions among the labeled rows.
    rounds : DataFrame
        One row per round from 1 on: `round`, `n` (rows in use, mean over splits) and `shares` (a list of proportions,
        one per class; NaN in a round that uses no row).

    See Also
    --------
    class_mix : Computes it.
    """

    classes: NDArray[Any]
    labeled: Floats
    rounds: pd.DataFrame


def class_mix(counts: ArrayLike, codes: Index, classes: ArrayLike) -> ClassMix:
    """Compute the class proportions of the pseudo-labels per round.

    Parameters
    ----------
    counts : array-like of shape (n_rounds + 1, n_classes)
        Number of rows in use per round and class; round 0, in which no pseudo-label is used, comes first.
    codes : ndarray of int
        Class index of each labeled row.
    classes : array-like of shape (n_classes,)
        The classes.

    Returns
    -------
    ClassMix
        Proportions among the labeled rows and per round.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import class_mix
    >>> mix = class_mix([[0, 0], [8, 2], [15, 5]], np.array([0, 0, 0, 1]), ["no", "yes"])
    >>> mix.labeled.tolist(), mix.rounds["shares"].tolist()
    ([0.75, 0.25], [[0.8, 0.2], [0.75, 0.25]])
    """
    names, table = np.asarray(classes), np.asarray(counts, dtype=float)
    total = table.sum(axis=1)
    with np.errstate(invalid="ignore"):
        shares = table / total[:, None]
    labeled = np.bincount(codes, minlength=len(names)) / len(codes)
    rounds = pd.DataFrame(
        {"round": np.arange(1, len(table)), "n": total[1:], "shares": pd.Series(shares[1:].tolist(), dtype=object)}
    )
    return ClassMix(names, labeled, rounds)
