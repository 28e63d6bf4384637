"""The ranks and tests that the paper prints, to stand beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tabcast.study.analysis.names import display_name
from tabcast.study.analysis.ranks import score_matrix
from tabcast.study.analysis.significance import friedman_test


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
