"""Which rows to label next: those whose labels tell most about the uncertain rows, and some drawn at random.

The uncertain ones lower the number of labels that a model needs; on the random ones it can be evaluated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from tabcast.checks import check_integer, check_number
from tabcast.labeling._file import CHOSEN, RANDOM
from tabcast.table import Floats, Index
from tabcast.table._encoders import NormalScores
from tabcast.table._labels import find_unlabeled
from tabcast.table._tables import check_lengths, read_table, take_rows

MOST_CANDIDATES = 600  # their covariance is a matrix; more candidates change the choice little
MOST_LABELED = 2_000
NOISE = 0.3  # variance of a label, that of the function being 1
RANDOM_SHARE = 0.3
NEIGHBOR = 10  # the kernel is as wide as the typical distance to this neighbor


def suggest_rows(
    X: Any,
    y: ArrayLike,
    proba: ArrayLike | None = None,
    count: int = 10,
    random_state: int | np.random.RandomState | None = None,
    *,
    random_share: float = RANDOM_SHARE,
    categorical_features: ArrayLike | None = None,
) -> pd.DataFrame:
    """Suggest unlabeled rows to label next: most by design, some at random.

    Rows are chosen so that their labels tell most about all rows of which the model is uncertain: not outliers, not
    rows beside labeled ones. Of ten rows three are drawn at random, because a model must not be evaluated on rows that
    were chosen for its uncertainty; see docs/labeling.md.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_rows, n_columns)
        The table, labeled and unlabeled rows.
    y : array-like of shape (n_rows,)
        Labels; missing values, and -1 among numbers, mark unlabeled rows.
    proba : array-like of shape (n_rows, n_classes), default=None
        Probabilities that a model trained on the labels predicts. None: all rows are equally uncertain.
    count : int, default=10
        Number of rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the random rows, and of the candidates in a table with more than 600 unlabeled rows.
    random_share : float, default=0.3
        Proportion of rows drawn at random; where `count` times it is no whole number, it holds on average. 1 if the
        goal is a filled table of a given precision: no choice beats random rows there.
    categorical_features : array-like of str, int or bool, default=None
        The categorical columns by name, position or mask. None infers them from the types.

    Returns
    -------
    DataFrame
        One row per suggestion, in the order in which to label: `row` (position in X) and `how` ("chosen" or "random").

    See Also
    --------
    tabcast.fit_table : Trains on the labels and evaluates on those of random rows.

    Notes
    -----
    A V-optimal design: normal scores and indicators of the rows have a Gaussian process prior with the kernel
    ``exp(-d^2 / (2 h^2))``, h being the median distance to the tenth nearest candidate, and noise of variance 0.3.
    Given the labeled rows (2,000 of them at most) the candidates have the covariance C. The next row j maximizes
    ``sum_i w_i C_ij^2 / (C_jj + 0.3)``, by which its label lowers the variances ``C_ii``, weighted by the uncertainty
    w_i: one minus the lead of the most likely class over the next.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.labeling import suggest_rows
    >>> X = np.r_[np.zeros(20), np.linspace(1, 2, 40)][:, None]
    >>> y = np.where(np.arange(60) < 2, 1.0, np.nan)  # two of twenty copies have a label
    >>> suggest_rows(X, y, count=3, random_share=0, random_state=0)
       row     how
    0   31  chosen
    1   44  chosen
    2   23  chosen
    """
    check_integer(count, "count", "suggest_rows", 1)
    check_number(random_share, "random_share", "suggest_rows", "[0, 1]")
    table, is_unlabeled = read_table(X), find_unlabeled(y)
    check_lengths(table, y=is_unlabeled, proba=proba)
    unlabeled, labeled = np.flatnonzero(is_unlabeled), np.flatnonzero(~is_unlabeled)
    random = check_random_state(random_state)
    n_random = int(np.floor(round(count * random_share, 9) + random.random()))
    drawn = random.permutation(unlabeled)[:n_random]  # before the others, or they would be no random sample
    candidates = np.sort(random.permutation(np.setdiff1d(unlabeled, drawn))[:MOST_CANDIDATES])
    chosen = candidates[:0]
    if len(candidates) and count > len(drawn):
        known = np.sort(random.permutation(labeled)[:MOST_LABELED])
        scores = NormalScores(categorical_features).fit(table)
        places = scores.transform(take_rows(table, np.concatenate([candidates, known])))
        weight = np.ones(len(candidates)) if proba is None else margin_uncertainty(np.asarray(proba)[candidates])
        n = len(candidates)
        chosen = candidates[choose_v_optimal(places[:n], places[n:], weight, count - len(drawn))]
    is_random = random.permutation(np.arange(len(chosen) + len(drawn)) < len(drawn))  # whoever stops early has both
    rows = np.empty(len(is_random), dtype=np.intp)
    rows[is_random], rows[~is_random] = drawn, chosen
    return pd.DataFrame({"row": rows, "how": np.where(is_random, RANDOM, CHOSEN).astype(object)})


def margin_uncertainty(proba: Floats) -> Floats:
    """One minus the lead of the most likely class over the next."""
    best = np.partition(proba, proba.shape[1] - 2, axis=1)[:, -2:]
    return 1.0 - (best[:, 1] - best[:, 0])


def choose_v_optimal(candidates: Floats, labeled: Floats, weight: Floats, count: int) -> Index:
    """Positions of the candidates whose labels, one after the other, most lower the weighted sum of variances."""
    covariance = posterior_covariance(candidates, labeled)
    is_left, chosen = np.ones(len(candidates), dtype=bool), []
    for _ in range(min(count, len(candidates))):
        gain = weight @ covariance**2 / (covariance.diagonal() + NOISE)
        best = int(np.argmax(np.where(is_left, gain, -np.inf)))
        chosen.append(best)
        is_left[best] = False
        column = covariance[best].copy()
        covariance -= np.outer(column, column / (column[best] + NOISE))
    return np.array(chosen, dtype=np.intp)


def posterior_covariance(candidates: Floats, labeled: Floats) -> Floats:
    """Covariance of a Gaussian process at the candidates, given noisy values at the labeled rows."""
    reach = kernel_reach(candidates)
    covariance = _kernel(candidates, candidates, reach)
    if len(labeled) == 0:
        return covariance
    between = _kernel(labeled, candidates, reach)
    of_labeled = _kernel(labeled, labeled, reach) + NOISE * np.eye(len(labeled))
    return covariance - between.T @ np.linalg.solve(of_labeled, between)


def kernel_reach(candidates: Floats) -> float:
    """Typical distance of a candidate to its tenth neighbor; copies have none, and 1 is as good as any then."""
    if len(candidates) < 2:
        return 1.0
    distances = np.sort(cdist(candidates, candidates), axis=1)
    tenth = distances[:, min(NEIGHBOR, len(candidates) - 1)]
    return float(np.median(tenth[tenth > 0])) if (tenth > 0).any() else 1.0


def _kernel(some: Floats, others: Floats, reach: float) -> Floats:
    return np.exp(cdist(some, others, "sqeuclidean") / (-2 * reach**2))
