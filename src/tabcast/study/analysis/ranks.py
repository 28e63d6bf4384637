"""Average ranks of methods, and the matrix of scores by setting and method that they come from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tabcast.study.analysis._trials import require_columns
from tabcast.study.analysis.names import order_values
from tabcast.study.analysis.summary import summarize

EXACT = 12  # digits to which scores are compared: sums in another order are ties
MOST_NAMED = 10  # missing cells named in an error


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
    >>> from tabcast.study.analysis import score_matrix
    >>> results = pd.DataFrame({"dataset": ["a", "a", "b", "b"], "method": ["baseline", "cast-l"] * 2,
    ...                         "score": [0.7, 0.8, 0.5, 0.6]})
    >>> score_matrix(results, ["dataset"])
    method   baseline  cast-l
    dataset
    a             0.7     0.8
    b             0.5     0.6
    """
    require_columns(results, [*settings, "method"], "score_matrix")
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
    >>> from tabcast.study.analysis import average_ranks
    >>> average_ranks(pd.DataFrame({"baseline": [0.5, 0.6], "ts": [0.5, 0.7], "cast-l": [0.8, 0.65]}))
              rank  rank_sd  n
    method
    baseline  2.75     0.25  2
    ts        1.75     0.75  2
    cast-l    1.50     0.50  2
    """
    check_scores(scores, "average_ranks")
    ranks = scores.round(EXACT).rank(axis=1, ascending=not higher_is_better)
    table = pd.DataFrame({"rank": ranks.mean(), "rank_sd": ranks.std(ddof=0), "n": len(ranks)})
    return table.rename_axis("method")


def check_scores(scores: pd.DataFrame, owner: str, *, n_methods: int = 2) -> None:
    """Raise unless every setting has a score of every method, and there are enough methods."""
    if not isinstance(scores, pd.DataFrame) or len(scores) == 0 or scores.shape[1] < n_methods:
        shape = scores.shape if isinstance(scores, pd.DataFrame) else type(scores).__name__
        raise ValueError(
            f"`scores` of {owner} must be a DataFrame with one row per setting (at least 1) and one column per "
            f"method (at least {n_methods}); got {shape}."
        )
    missing = list(zip(*np.nonzero(scores.isna().to_numpy()), strict=True))
    if missing:
        names = [f"{scores.columns[j]} on {_setting_name(scores.index[i])}" for i, j in missing]
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        raise ValueError(
            f"`scores` of {owner} must have no missing cells; {len(names)} of {scores.size} are missing: "
            f"{', '.join(names[:MOST_NAMED])}{more}. Run these trials, or leave out the setting or the method."
        )


def _setting_name(label: object) -> str:
    return "/".join(map(str, label)) if isinstance(label, tuple) else str(label)
