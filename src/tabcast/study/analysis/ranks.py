"""Ranks of methods over settings, and tests: do the methods differ, and which from which?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from tabcast.study.analysis.summary import Floats, order_values, summarize

EXACT = 12  # digits to which scores are compared: sums in another order are ties
MOST_EXACT = 50  # differences up to which the signed-rank test is exact; 2**50 signs still count exactly in a float


def score_matrix(
    results: pd.DataFrame,
    settings: Sequence[str] = ("dataset", "model"),
    *,
    methods: Sequence[str] | None = None,
    value: str = "score",
) -> pd.DataFrame:
    """Arrange mean scores with one row per setting and one column per method, as ranks and tests take them.

    Parameters
    ----------
    results : DataFrame
        The results table, or a published one; rows of one strategy.
    settings : sequence of str, default=("dataset", "model")
        Columns whose values identify a row.
    methods : sequence of str, default=None
        The columns, in this order. By default all methods but supervised, in the order of the results.
    value : str, default="score"
        Column to average.

    Returns
    -------
    DataFrame
        Scores; NaN where a setting has no finished trial of a method.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis.ranks import score_matrix
    >>> results = pd.DataFrame({"dataset": ["a", "a", "b", "b"], "method": ["baseline", "cast-l"] * 2,
    ...                         "score": [0.7, 0.8, 0.5, 0.6]})
    >>> score_matrix(results, ["dataset"])
    method   baseline  cast-l
    dataset
    a             0.7     0.8
    b             0.5     0.6
    """
    if methods is None:
        methods = [name for name in order_values("method", results["method"]) if name != "supervised"]
    chosen = results[results["method"].isin(list(methods))]
    means = summarize(chosen, [*settings, "method"], value)
    rows = means.drop_duplicates(list(settings))[list(settings)]
    index = pd.Index(rows.iloc[:, 0]) if len(settings) == 1 else pd.MultiIndex.from_frame(rows)
    matrix = means.pivot(index=list(settings), columns="method", values="mean")
    return matrix.reindex(index=index, columns=pd.Index(methods, name="method"))


def average_ranks(scores: pd.DataFrame, *, higher_is_better: bool = True) -> pd.DataFrame:
    """Average the rank of each method over settings; 1 is the best, and ties share the mean of their ranks.

    Parameters
    ----------
    scores : DataFrame
        One row per setting, one column per method, no missing values.
    higher_is_better : bool, default=True
        False for errors and losses.

    Returns
    -------
    DataFrame
        One row per method, in the order of the columns: rank, the mean; rank_sd, the standard deviation over the
        settings (with n in the variance, as the paper prints it); n, number of settings.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis.ranks import average_ranks
    >>> average_ranks(pd.DataFrame({"baseline": [0.5, 0.6], "ts": [0.5, 0.7], "cast-l": [0.8, 0.65]}))
              rank  rank_sd  n
    method
    baseline  2.75     0.25  2
    ts        1.75     0.75  2
    cast-l    1.50     0.50  2
    """
    ranks = scores.round(EXACT).rank(axis=1, ascending=not higher_is_better)
    table = pd.DataFrame({"rank": ranks.mean(), "rank_sd": ranks.std(ddof=0), "n": len(ranks)})
    return table.rename_axis("method")


def holm_adjust(p: Floats) -> Floats:
    """Adjust by Holm: the i-th smallest of m p-values times ``m - i + 1``, at most 1, never below an earlier one."""
    order = np.argsort(p, kind="stable")
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    back = np.empty_like(adjusted)
    back[order] = np.minimum(adjusted, 1.0)
    return back


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


def friedman_test(scores: pd.DataFrame) -> tuple[float, float]:
    """Test whether any of the methods differs from the others (Friedman's test on ranks, corrected for ties).

    Parameters
    ----------
    scores : DataFrame
        One row per setting, one column for each of at least three methods, no missing values.

    Returns
    -------
    statistic, p_value : float
        Chi-squared statistic, corrected for ties, and its p-value.

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
    >>> from tabcast.study.analysis.ranks import friedman_test
    >>> statistic, p_value = friedman_test(pd.DataFrame({"a": [1, 1, 1, 1], "b": [2, 2, 2, 3], "c": [3, 3, 3, 2]}))
    >>> round(statistic, 2), round(p_value, 3)
    (6.5, 0.039)
    """
    values = scores.round(EXACT).to_numpy(dtype=float)
    if (values == values[:, :1]).all():
        return 0.0, 1.0
    result = stats.friedmanchisquare(*values.T)
    return float(result.statistic), float(result.pvalue)


def conover_posthoc(scores: pd.DataFrame) -> pd.DataFrame:
    """Test each pair of methods by Conover's test after Friedman's, adjusted by Holm. Needs scikit-posthocs.

    Parameters
    ----------
    scores : DataFrame
        One row per setting, one column for each of at least three methods, no missing values.

    Returns
    -------
    DataFrame
        Symmetric matrix of p-values with 1 on its diagonal.

    Notes
    -----
    The rank sums of a pair are compared by a t test whose variance is what Friedman's test leaves unexplained. Where
    that is nothing, because every setting orders the methods in the same way, p is 0 for methods that differ.
    """
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
    return _symmetric(holm_adjust(p[np.triu_indices(len(p), 1)]), scores.columns)


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
    >>> from tabcast.study.analysis.ranks import wilcoxon_holm
    >>> scores = pd.DataFrame({"a": [10, 20, 30, 40, 50, 60], "b": [11, 22, 33, 44, 55, 66]})
    >>> wilcoxon_holm(scores)
             a        b
    a  1.00000  0.03125
    b  0.03125  1.00000
    """
    values = scores.to_numpy(dtype=float)
    differences = [(values[:, i] - values[:, j]).round(EXACT) for i, j in combinations(range(values.shape[1]), 2)]
    p = np.array([signed_rank_p(one) for one in differences])
    return _symmetric(holm_adjust(p), scores.columns)


def _symmetric(upper: Floats, names: pd.Index[str]) -> pd.DataFrame:
    """Make the matrix with these values above and below its diagonal, row by row, and 1 on it."""
    matrix = np.ones((len(names), len(names)))
    rows, columns = np.triu_indices(len(names), 1)
    matrix[rows, columns] = matrix[columns, rows] = upper
    return pd.DataFrame(matrix, index=list(names), columns=list(names))
