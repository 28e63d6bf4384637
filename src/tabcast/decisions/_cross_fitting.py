"""Decisions for held-out rows, by rules that were fitted without them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabcast.decisions._base import Decision, Evidence
from tabcast.exceptions import SmallClassWarning
from tabcast.table import Floats, Index

N_FOLDS = 5  # of rows that were all held out together


def cross_fit(decision: Decision, classes: NDArray[Any], prior: Floats, evidence: Evidence, groups: Index) -> Index:
    """Decide for each out-of-fold row by a rule that is fitted on the other groups.

    Parameters
    ----------
    decision : Decision
        How to decide.
    classes : ndarray of shape (n_classes,)
        The classes in sorted order.
    prior : ndarray of shape (n_classes,) or (n_groups, n_classes)
        Class proportions, of all groups or of the training rows of each.
    evidence : Evidence
        Out-of-fold probabilities; a row may come several times, in different groups.
    groups : ndarray of int of shape (n,)
        Number of the group (fold, split) in which each was held out, from 0. With one group, its rows are divided into
        five stratified ones.

    Returns
    -------
    ndarray of int of shape (n,)
        Index of the predicted class of each. No rule has seen the row that it decides for, nor any row of its group.

    See Also
    --------
    Decision.fit : Fits a rule.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.decisions import Balanced, Evidence, cross_fit
    >>> proba = np.array([[0.9, 0.1], [0.7, 0.3], [0.8, 0.2], [0.2, 0.8]])
    >>> evidence = Evidence(proba, y=np.array([0, 1, 0, 1]), rows=np.arange(4))
    >>> cross_fit(Balanced(), np.array(["no", "yes"]), np.array([0.75, 0.25]), evidence, groups=np.array([0, 0, 1, 1]))
    array([0, 1, 0, 1])
    """
    n_groups = int(groups.max(initial=-1)) + 1
    priors = np.broadcast_to(prior, (n_groups, len(classes)))
    if decision.needs_out_of_fold and n_groups == 1:
        groups, n_groups = _divide(evidence.y), N_FOLDS
        priors = np.broadcast_to(priors, (n_groups, len(classes)))
    codes = np.empty(len(evidence.y), dtype=np.intp)
    for group in range(n_groups):
        inside = groups == group
        if not inside.any():
            continue
        others = evidence.take(~inside & ~np.isin(evidence.rows, evidence.rows[inside]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SmallClassWarning)  # the rule of all rows warns
            rule = decision.fit(classes, priors[group], others if decision.needs_out_of_fold else None)
        codes[inside] = rule.decide(evidence.proba[inside])
    return codes


def _divide(y: Index) -> Index:
    """Stratified groups: the rows of each class are dealt to the groups in turn."""
    order = np.argsort(y, kind="stable")
    groups = np.empty(len(y), dtype=np.intp)
    groups[order] = np.arange(len(y)) % N_FOLDS
    return groups
