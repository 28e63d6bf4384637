"""Densities of labeled rows under the densities of the other labeled rows, fold by fold."""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tabcast.confidence import ClusterAware
from tabcast.exceptions import TabcastWarning
from tabcast.feature_selection import FeatureSelection
from tabcast.guard import OutOfFold
from tabcast.table import Floats, Index, find_categorical, take_rows

MOST_POOL_ROWS = 5_000  # that set the scale of gamma


@dataclass(frozen=True, eq=False)
class HeldOutDensity:
    """Densities of the rows of an `OutOfFold`, in its order, by densities that were not fitted on them.

    Attributes
    ----------
    log_density : ndarray of shape (n_rows, n_classes)
        Log densities.
    gamma : ndarray of shape (n_rows, n_classes)
        Scaled to [0, 1] as the method scales it, as if the row were an unlabeled one.
    """

    log_density: Floats
    gamma: Floats


def held_out_density(
    X: Any,
    codes: Index,
    out_of_fold: OutOfFold,
    confidence: ClusterAware,
    selection: FeatureSelection,
    *,
    n_classes: int,
    categorical_features: ArrayLike | None = None,
    random_state: int = 0,
) -> HeldOutDensity:
    """Class densities at labeled rows, everything learned from the other folds.

    Parameters
    ----------
    X : ndarray or DataFrame
        The whole table, labeled and unlabeled rows.
    codes : ndarray of int
        Class index of each row, negative for unlabeled ones.
    out_of_fold : OutOfFold
        Which rows are held out together, and which train then.
    confidence : ClusterAware
        How densities are measured and scaled; copied.
    selection : FeatureSelection
        Which columns they use; copied, and fitted in each fold.
    n_classes : int
        Number of classes.
    categorical_features : array-like, default=None
        Names, positions or mask of the categorical columns. None infers them from the types.
    random_state : int, default=0
        Seed of the unlabeled rows that set the scale, should there be more than 5,000.

    Returns
    -------
    HeldOutDensity
        Log densities and gamma.
    """
    pool = np.random.default_rng(random_state).permutation(np.flatnonzero(codes < 0))[:MOST_POOL_ROWS]
    categorical = find_categorical(X, categorical_features)
    shape = (len(out_of_fold.rows), n_classes)
    log_density, gamma = np.empty(shape), np.empty(shape)
    for fold in np.unique(out_of_fold.folds):
        held_out, train = out_of_fold.folds == fold, out_of_fold.train(int(fold))
        rows = out_of_fold.rows[held_out]
        columns, part = deepcopy(selection), deepcopy(confidence)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TabcastWarning)  # the method has warned already
            table = take_rows(X, train)
            columns.fit(table, codes[train], categorical)
            part.prepare(
                columns.transform(table),
                codes[train],
                columns.transform(take_rows(X, np.concatenate([rows, pool]))),
                n_classes=n_classes,
                categorical_features=categorical[columns.support_],
            )
        log_density[held_out] = part.density_.score_samples(columns.transform(take_rows(X, rows)))
        gamma[held_out] = part.gamma_[: len(rows)]
    return HeldOutDensity(log_density, gamma)
