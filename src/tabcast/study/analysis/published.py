"""Our numbers beside the paper's: scores cell by cell, the signs of gains, and the ranks and tests that it prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from tabcast.study.analysis.ranks import friedman_test, score_matrix
from tabcast.study.analysis.summary import DIGITS, summarize
from tabcast.study.analysis.trials import STAND_INS, display_name, require_columns

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
    >>> from tabcast.study.analysis.published import beside_published
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
    >>> from tabcast.study.analysis.published import gain_agreement
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


@dataclass(frozen=True)
class Printed:
    """What the paper prints of ranks and tests beside a table of scores.

    Parameters
    ----------
    ranks : DataFrame, optional
        Columns method, strategy, rank, rank_sd. By default the paper prints none.
    statistics : DataFrame, optional
        Columns test ("friedman" or "holm"), strategy, method, statistic, p_value. By default the paper prints none.
    """

    ranks: pd.DataFrame | None = None
    statistics: pd.DataFrame | None = None

    def columns(self, strategy: str, method: str) -> dict[str, float | None]:
        """Return the columns that a table of ranks gets for a method, as far as the paper prints them."""
        found: dict[str, float | None] = {}
        if self.ranks is not None:
            [found["paper_rank"], found["paper_sd"]] = _only(self.ranks, strategy, method, ["rank", "rank_sd"])
        if self.statistics is not None:
            holm = self.statistics[self.statistics["test"] == "holm"]
            [found["p paper, Holm"]] = _only(holm, strategy, method, ["p_value"])
        return found


def read_printed(published: Path) -> Printed:
    """Read the ranks and tests beside a published table: NAME_ranks.csv and NAME_statistics.csv, where they exist."""
    files = [published.with_name(f"{published.stem}_{kind}.csv") for kind in ("ranks", "statistics")]
    return Printed(*(pd.read_csv(file) if file.is_file() else None for file in files))


def paper_notes(
    paper: Printed, published: pd.DataFrame | None, strategy: str, settings: Sequence[str], methods: Sequence[str]
) -> list[str]:
    """Say what Friedman's test gives in the paper: as printed, and for its printed scores of the chosen settings."""
    name, notes = display_name("strategy", strategy), []
    if paper.statistics is not None:
        tests = paper.statistics
        for row in tests[(tests["test"] == "friedman") & (tests["strategy"] == strategy)].to_dict("records"):
            notes.append(f"{name}, as the paper prints it: Friedman {row['statistic']:.3f}, p = {row['p_value']:.2g}.")
    if published is not None:
        scores = score_matrix(published[published["strategy"] == strategy], settings, methods=methods).dropna()
        if len(scores) > 1:
            friedman = friedman_test(scores)
            notes.append(
                f"{name}, from the paper's scores of these {len(scores)} settings: Friedman {friedman.statistic:.3f}, "
                f"p = {friedman.p_value:.2g}."
            )
    return notes


def _only(table: pd.DataFrame, strategy: str, method: str, columns: Sequence[str]) -> list[float | None]:
    """Return the numbers of a strategy and method; None where the paper has none."""
    rows = table[(table["strategy"] == strategy) & (table["method"] == method)]
    return [float(rows[column].iloc[0]) if len(rows) else None for column in columns]
