"""How much the class densities overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from tabcast.diagnostics._base import Diagnostic
from tabcast.table import Floats, Index


@dataclass(frozen=True, eq=False)
class ClassOverlap(Diagnostic):
    """Posteriors of the class densities at held-out labeled rows, per class.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The classes.
    matrix : ndarray of shape (n_classes, n_classes)
        Row i is the mean, over the rows of class i, of each class's proportion of the sum of the densities there. The
        identity means separated classes, equal rows mean densities that cannot separate them. A class without rows has
        NaN.
    overlap : float
        Mean of the off-diagonal mass: 1 for classes that cannot be separated, 0 for classes that share no region.

    See Also
    --------
    class_overlap : Computes it.
    """

    classes: NDArray[Any]
    matrix: Floats
    overlap: float


def class_overlap(log_density: Floats, codes: Index, classes: ArrayLike) -> ClassOverlap:
    """Measure how far the densities of the classes overlap.

    Parameters
    ----------
    log_density : ndarray of shape (n_rows, n_classes)
        Log density of held-out labeled rows under each class.
    codes : ndarray of int of shape (n_rows,)
        Index of their class.
    classes : array-like of shape (n_classes,)
        The classes, in the order of the columns.

    Returns
    -------
    ClassOverlap
        The matrix and its summary.

    Notes
    -----
    ``M_ij = E[D(x | j) / sum_k D(x | k) | class i]``: classes have equal weight whatever their proportions, so that a
    rare class does not appear hidden. ``overlap = K / (K - 1) * mean_i(1 - M_ii)``, at most 1. For two known densities
    this is ``2 * integral of D_1 D_2 / (D_1 + D_2)``, which is 1 where they are equal and 0 where they are never both
    positive.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import class_overlap
    >>> apart = class_overlap(np.log([[0.9, 0.1], [0.2, 0.8]]), np.array([0, 1]), ["no", "yes"])
    >>> apart.matrix.round(2).tolist(), round(apart.overlap, 2)
    ([[0.9, 0.1], [0.2, 0.8]], 0.3)
    """
    names = np.asarray(classes)
    posterior = softmax(np.asarray(log_density, dtype=float), axis=1)
    matrix = np.full((len(names), len(names)), np.nan)
    for one in np.unique(codes):
        matrix[one] = posterior[codes == one].mean(axis=0)
    beside = 1 - np.diag(matrix)[np.unique(codes)]
    return ClassOverlap(names, matrix, float(min(1.0, beside.mean() * len(names) / (len(names) - 1))))
