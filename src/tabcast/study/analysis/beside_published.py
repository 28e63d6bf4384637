"""Our numbers beside the paper's, cell by cell, and whether the gains have the same sign."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tabcast.study.analysis._trials import require_columns
from tabcast.study.analysis.names import STAND_INS
from tabcast.study.analysis.summary import DIGITS, summarize

CELL = ("dataset", "model", "method", "strategy", "noise_filter")
COMPARED = [name for name in CELL if name != "method"]


def beside_published(
    results: pd.DataFrame, published: pd.DataFrame, *, baseline: str = "baseline", value: str = "score"
) -> pd.DataFrame:
    """Compare our mean with the paper's number in each cell of a published table that we ran as well.

    Parameters
    ----------
    results : DataFrame
        The results table of the study that rebuilds that table.
    published : DataFrame
        The paper's numbers: dataset, model, method, strategy, noise_filter and a column named as `value`.
    baseline : str, default="baseline"
        The method that gains are measured against.
    value : str, default="score"
        What to compare; "seconds" for times.

    Returns
    -------
    DataFrame
        One row per cell that both have, in the paper's order: dataset, model, method, strategy, noise_filter; ours,
        ours_se, n (trials); paper; difference (ours minus paper); gain and paper_gain, each minus the baseline's number
        of the same source; agrees, whether both gains have the same sign to 4 digits (missing for rows that have no
        gain). Where ours stands in for a private dataset the row says so in stand_in_for and has no difference: other
        rows, other numbers; gains can still be compared.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis import beside_published
    >>> cells = pd.DataFrame({"dataset": "cmc", "model": "xgboost", "method": ["baseline", "cast-l"],
    ...                       "strategy": "threshold", "noise_filter": "none"})
    >>> beside = beside_published(cells.assign(seed=0, score=[0.45, 0.46]), cells.assign(score=[0.4674, 0.4747]))
    >>> beside[["method", "ours", "paper", "difference", "gain", "paper_gain", "agrees"]].round(4)
         method  ours   paper  difference  gain  paper_gain agrees
    0  baseline  0.45  0.4674     -0.0174   NaN         NaN   <NA>
    1    cast-l  0.46  0.4747     -0.0147  0.01      0.0073   True
    """
    require_columns(results, [*CELL, value], "beside_published")
    require_columns(published, [*CELL, value], "beside_published (argument `published`)")
    ours = summarize(results, CELL, value).rename(columns={"mean": "ours", "standard_error": "ours_se"})
    ours["stand_in_for"] = ours["dataset"].map(dict(STAND_INS))
    ours["paper_dataset"] = ours["stand_in_for"].fillna(ours["dataset"])
    paper = published.dropna(subset=[value])[[*CELL, value]].rename(
        columns={"dataset": "paper_dataset", value: "paper"}
    )
    beside = paper.merge(ours, on=["paper_dataset", *CELL[1:]], validate="one_to_many")
    beside["difference"] = (beside["ours"] - beside["paper"]).where(beside["stand_in_for"].isna())
    beside["gain"] = _gain(beside, "ours", baseline)
    beside["paper_gain"] = _gain(beside, "paper", baseline)
    beside["agrees"] = _same_sign(beside["gain"], beside["paper_gain"])
    numbers = ["ours", "ours_se", "n", "paper", "difference", "gain", "paper_gain", "agrees", "stand_in_for"]
    return beside[[*CELL, *numbers]]


def gain_agreement(beside: pd.DataFrame) -> pd.DataFrame:
    """Count how often our gain over the baseline has the sign of the paper's, by method.

    Parameters
    ----------
    beside : DataFrame
        The result of :func:`beside_published`.

    Returns
    -------
    DataFrame
        One row per method and strategy with gains: method, strategy, agree, n, and the mean of both gains.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis import gain_agreement
    >>> beside = pd.DataFrame({"method": "cast-l", "strategy": "threshold", "gain": [0.01, -0.02], "paper_gain": 0.01,
    ...                        "agrees": [True, False]})
    >>> gain_agreement(beside)
       method strategy  agree  n   gain  paper_gain
    0  cast-l      threshold      1  2 -0.005        0.01
    """
    gains = beside.dropna(subset=["agrees"])
    gains = gains.assign(agrees=gains["agrees"].astype(bool))
    return gains.groupby(["method", "strategy"], sort=False, as_index=False).agg(
        agree=("agrees", "sum"), n=("agrees", "size"), gain=("gain", "mean"), paper_gain=("paper_gain", "mean")
    )


def _gain(beside: pd.DataFrame, column: str, baseline: str) -> pd.Series[float]:
    """Subtract the baseline's number of the same cell; missing for the baseline itself."""
    reference = beside[beside["method"] == baseline].set_index(COMPARED)[column]
    cells = pd.MultiIndex.from_frame(beside[COMPARED])
    gain = beside[column] - reference.reindex(cells).to_numpy()
    return gain.where(beside["method"] != baseline)


def _same_sign(ours: pd.Series[float], paper: pd.Series[float]) -> pd.Series[bool]:
    """Whether both have the same sign at the paper's digits; NA where one is missing."""
    same = np.sign(ours.round(DIGITS)) == np.sign(paper.round(DIGITS))
    return same.astype("boolean").mask(ours.isna() | paper.isna())
