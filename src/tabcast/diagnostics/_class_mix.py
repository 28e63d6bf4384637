"""Which classes the pseudo-labels of each round are of."""

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
    """Class shares of the labeled rows, and of the pseudo-labeled ones round by round.

    Attributes
    ----------
    classes : the classes.
    labeled : (n_classes,) their shares among the labeled rows.
    rounds : DataFrame, a row for each round from 1 on: `round`, `n` (rows in use, mean over splits) and `shares` (a
        list, one for each class; NaN in a round that uses no row).
    """

    classes: NDArray[Any]
    labeled: Floats
    rounds: pd.DataFrame


def class_mix(counts: ArrayLike, codes: Index, classes: ArrayLike) -> ClassMix:
    """See how the classes share the pseudo-labels, round by round.

    Parameters
    ----------
    counts : (n_rounds + 1, n_classes) rows in use of each class, round 0 (in which no pseudo-label is used) first.
    codes : class index of each labeled row.
    classes : the classes.

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
