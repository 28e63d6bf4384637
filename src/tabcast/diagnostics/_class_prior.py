"""Class proportions of the labeled rows, and how uncertain they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from tabcast.diagnostics._base import Diagnostic
from tabcast.statistics import wilson_interval
from tabcast.table import Index


@dataclass(frozen=True, eq=False)
class ClassPrior(Diagnostic):
    """Class proportions of the labeled rows with their uncertainty.

    Attributes
    ----------
    classes : DataFrame
        One row per class: `class`, `n` (labeled rows), `proportion`, and `low` and `high`, its 95% interval (Wilson),
        if the labeled rows are a random sample of all rows.
    n_rows : int
        Number of labeled rows.

    See Also
    --------
    class_prior : Computes it.
    """

    classes: pd.DataFrame
    n_rows: int


def class_prior(codes: Index, classes: ArrayLike) -> ClassPrior:
    """Estimate the class proportions of all rows from the labeled ones.

    Parameters
    ----------
    codes : ndarray of int of shape (n_rows,)
        Class index of each labeled row.
    classes : array-like of shape (n_classes,)
        The classes.

    Returns
    -------
    ClassPrior
        Proportions with their intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import class_prior
    >>> class_prior(np.repeat([0, 1], [36, 4]), ["no", "yes"]).classes.round(2).to_numpy().tolist()
    [['no', 36, 0.9, 0.77, 0.96], ['yes', 4, 0.1, 0.04, 0.23]]
    """
    names = np.asarray(classes, dtype=object)  # as text of Arrow a lone surrogate would fail
    counts = np.bincount(codes, minlength=len(names))
    proportion = counts / len(codes)
    low, high = wilson_interval(proportion, np.full(len(names), len(codes)))
    table = pd.DataFrame(
        {"class": pd.Series(names, dtype=object), "n": counts, "proportion": proportion, "low": low, "high": high}
    )
    return ClassPrior(table, len(codes))
