"""Do the methods differ, and which from which? Tests over settings, and groups that they cannot tell apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from tabcast.study.analysis.ranks import EXACT, check_scores

Floats = NDArray[np.float64]

MOST_EXACT = 50  # differences up to which the signed-rank test is exact; 2**50 signs still count exactly in a float


class FriedmanResult(NamedTuple):
    """The result of :func:`friedman_test`.

    Parameters
    ----------
    statistic, p_value : float
        Chi-squared statistic, corrected for ties, and its p-value.
    n_settings, n_methods : int
        Number of settings and of methods.

    See Also
    --------
    friedman_test : Computes it.
    """

    statistic: float
    p_value: float
    n_settings: int
    n_methods: int


def holm_adjust(p: Floats) -> Floats:
    """Adjust by Holm: the i-th smallest of m p-values times ``m - i + 1``, at most 1, never below an earlier one."""
    order = np.argsort(p, kind="stable")
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    back = np.empty_like(adjusted)
    back[order] = np.minimum(adjusted, 1.0)
    return back


def bonferroni_adjust(p: Floats) -> Floats:
    """Multiply each p-value by their number, at most 1."""
    return np.minimum(p * len(p), 1.0)


def leave_as_is(p: Floats) -> Floats:
    """Return the p-values unadjusted."""
    return p


def signed_rank_p(differences: Floats) -> float:
    """Compute the two-sided p of Wilcoxon's signed-rank test; zeros are left out, ties share their mean rank.

    It is exact for up to 50 differences, with or without ties: the distribution of the rank sum over all signs is
    counted rank by rank. (With ties, SciPy enumerates the signs, which takes a second per pair.) Beyond that it is an
    approximation.
    """
    kept = differences[differences != 0]
    if len(kept) == 0:
        return 1.0
    if len(kept) > MOST_EXACT:
        return float(stats.wilcoxon(kept).pvalue)
    doubled = (2 * stats.rankdata(np.abs(kept))).astype(int)  # mean ranks of ties may be halves
    n_signs = np.zeros(doubled.sum() + 1)  # how many choices of signs give each sum of the positive ranks
    n_signs[0] = 1
    for rank in doubled:
        n_signs[rank:] += n_signs[:-rank].copy()
    positive = doubled[kept > 0].sum()
    tail = min(n_signs[: positive + 1].sum(), n_signs[positive:].sum())
    return float(min(1.0, 2 * tail / n_signs.sum()))


ADJUSTMENTS: dict[str | None, Callable[[Floats], Floats]] = {
    "holm": holm_adjust,
    "bonferroni": bonferroni_adjust,
    None: leave_as_is,
}


def friedman_test(scores: pd.DataFrame) -> FriedmanResult:
    """Test whether any of the methods differs from the others (Friedman's test on ranks, corrected for ties).

    Parameters
    ----------
    scores : DataFrame
        One row per setting, one column for each of at least three methods, no missing values.

    Returns
    -------
    FriedmanResult
        The statistic and its p-value.

    Notes
    -----
    The p-value comes from the chi-squared distribution, a good approximation from about ten settings. Where all methods
    tie in every setting the statistic is 0 and p is 1.

    References
    ----------
    Demšar (2006). Statistical comparisons of classifiers over multiple data sets. JMLR.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis import friedman_test
    >>> result = friedman_test(pd.DataFrame({"a": [1, 1, 1, 1], "b": [2, 2, 2, 3], "c": [3, 3, 3, 2]}))
    >>> round(result.statistic, 2), round(result.p_value, 3)
    (6.5, 0.039)
    """
    check_scores(scores, "friedman_test", n_methods=3)
    values = scores.round(EXACT).to_numpy(dtype=float)
    if (values == values[:, :1]).all():
        return FriedmanResult(0.0, 1.0, *values.shape)
    result = stats.friedmanchisquare(*values.T)
    return FriedmanResult(float(result.statistic), float(result.pvalue), *values.shape)


def conover_posthoc(scores: pd.DataFrame, p_adjust: str | None = "holm") -> pd.DataFrame:
    """Test each pair of methods by Conover's test after Friedman's. Needs scikit-posthocs.

    Parameters
    ----------
    scores : DataFrame
        One row per setting, one column for each of at least three methods, no missing values.
    p_adjust : str, default="holm"
        Adjustment for the number of pairs: "holm", "bonferroni", or None for no adjustment.

    Returns
    -------
    DataFrame
        Symmetric matrix of p-values with 1 on its diagonal.

    Notes
    -----
    The rank sums of a pair are compared by a t test whose variance is what Friedman's test leaves unexplained. Where
    that is nothing, because every setting orders the methods in the same way, p is 0 for methods that differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis import conover_posthoc
    >>> scores = pd.DataFrame({"a": [1, 1, 1, 1], "b": [2, 2, 2, 3], "c": [3, 3, 3, 2]})
    >>> conover_posthoc(scores, p_adjust=None).round(3)  # doctest: +SKIP
           a      b      c
    a  1.000  0.010  0.001
    b  0.010  1.000  0.134
    c  0.001  0.134  1.000
    """
    if p_adjust not in ADJUSTMENTS:
        choices = ", ".join(map(repr, ADJUSTMENTS))
        raise ValueError(f"`p_adjust` of conover_posthoc must be one of {choices}; got {p_adjust!r}.")
    check_scores(scores, "conover_posthoc", n_methods=3)
    try:
        from scikit_posthocs import posthoc_conover_friedman
    except ImportError as error:
        raise ImportError(
            "conover_posthoc needs scikit-posthocs. Install it with: pip install 'tabcast[study]'."
        ) from error
    values = scores.round(EXACT).to_numpy(dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = posthoc_conover_friedman(values).to_numpy()
    rank_sums = stats.rankdata(values, axis=1).sum(axis=0)
    p = np.where(np.isnan(p), rank_sums[:, None] == rank_sums[None, :], p)
    return _symmetric(ADJUSTMENTS[p_adjust](p[np.triu_indices(len(p), 1)]), scores.columns)


def wilcoxon_holm(scores: pd.DataFrame) -> pd.DataFrame:
    """Test each pair of methods by Wilcoxon's signed-rank test, adjusted by Holm over all pairs.

    Parameters
    ----------
    scores : DataFrame
        One row per setting, one column per method, no missing values.

    Returns
    -------
    DataFrame
        Symmetric matrix of adjusted p-values with 1 on its diagonal.

    Notes
    -----
    Two-sided; settings in which a pair ties are left out of its test, and p is exact for up to 50 settings. Two methods
    that tie everywhere have p = 1. Unlike in Conover's test, p before the adjustment does not depend on which other
    methods are in the table.

    References
    ----------
    Benavoli, Corani, Mangili (2016). Should we really use post-hoc tests based on mean-ranks? JMLR.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis import wilcoxon_holm
    >>> scores = pd.DataFrame({"a": [10, 20, 30, 40, 50, 60], "b": [11, 22, 33, 44, 55, 66]})
    >>> wilcoxon_holm(scores)
             a        b
    a  1.00000  0.03125
    b  0.03125  1.00000
    """
    check_scores(scores, "wilcoxon_holm")
    values = scores.to_numpy(dtype=float)
    differences = [(values[:, i] - values[:, j]).round(EXACT) for i, j in combinations(range(values.shape[1]), 2)]
    p = np.array([signed_rank_p(one) for one in differences])
    return _symmetric(holm_adjust(p), scores.columns)


def indistinguishable_groups(
    ranks: pd.Series[float], pvalues: pd.DataFrame, *, alpha: float = 0.05
) -> list[tuple[str, ...]]:
    """Largest groups of methods no two of which differ significantly: the bars of a critical-difference diagram.

    Parameters
    ----------
    ranks : Series
        Average rank of each method.
    pvalues : DataFrame
        P-value of each pair, rows and columns named as `ranks`.
    alpha : float, default=0.05
        Pairs with p below this differ.

    Returns
    -------
    list of tuple of str
        Groups of at least two methods, each ordered by rank, the group with the best method first.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis import indistinguishable_groups
    >>> names = ["a", "b", "c"]
    >>> pvalues = pd.DataFrame([[1, 0.3, 0.01], [0.3, 1, 0.2], [0.01, 0.2, 1]], index=names, columns=names)
    >>> indistinguishable_groups(pd.Series([1.2, 2.0, 2.8], index=names), pvalues)
    [('a', 'b'), ('b', 'c')]
    """
    methods = list(ranks.sort_values(kind="stable").index)
    alike = {one: {other for other in methods if other != one and pvalues.loc[one, other] >= alpha} for one in methods}
    groups = [sorted(clique, key=methods.index) for clique in _cliques(alike, set(), set(methods), set())]
    groups = [group for group in groups if len(group) > 1]
    return [tuple(group) for group in sorted(groups, key=lambda group: [methods.index(name) for name in group])]


def _cliques(
    alike: dict[str, set[str]], chosen: set[str], candidates: set[str], excluded: set[str]
) -> Iterator[set[str]]:
    """Yield the maximal sets in which all are alike (Bron and Kerbosch, 1973)."""
    if not candidates and not excluded:
        yield chosen
    for name in sorted(candidates):
        near = alike[name]
        yield from _cliques(alike, chosen | {name}, candidates & near, excluded & near)
        candidates, excluded = candidates - {name}, excluded | {name}


def _symmetric(upper: Floats, names: pd.Index[str]) -> pd.DataFrame:
    """Make the matrix with these values above and below its diagonal, row by row, and 1 on it."""
    matrix = np.ones((len(names), len(names)))
    rows, columns = np.triu_indices(len(names), 1)
    matrix[rows, columns] = matrix[columns, rows] = upper
    return pd.DataFrame(matrix, index=list(names), columns=list(names))
