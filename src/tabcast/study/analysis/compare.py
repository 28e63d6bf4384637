"""A comparison as the paper prints it: methods in rows, datasets and models in columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from tabcast.study.analysis.ranks import average_ranks
from tabcast.study.analysis.summary import summarize
from tabcast.study.analysis.table import AVERAGE_RANK, RANK_DIGITS, Table
from tabcast.study.analysis.trials import STAND_INS, describe, order_values, require_columns

Key = tuple[Any, ...]
Block = list[int]  # rows among which the best is sought

UNRANKED = "supervised"  # shown for comparison, not a competitor
LONGEST_REASON = 120  # characters of a failure's reason in a note


def comparison_table(
    results: pd.DataFrame,
    rows: Sequence[str] = ("strategy", "method"),
    columns: Sequence[str] = ("dataset", "model"),
    value: str = "score",
    *,
    higher_is_better: bool = True,
    ranks: bool = False,
    published: pd.DataFrame | None = None,
    digits: int = 4,
    title: str = "",
) -> Table:
    """Arrange mean scores in a table like the paper's, with the best and second best of each column and block marked.

    Rows that share all labels but the last are a block, and the best is sought inside each. In a table with strategies
    in its rows, methods without a strategy do not compete: nothing is marked or ranked there, nor in a block of one
    row. `ranks` appends the average rank over the columns in each block, supervised left out. With the paper's numbers
    (`published`), each column is followed by the paper's; 6M mortality stands beside gusto, our stand-in for it.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis.compare import comparison_table
    >>> results = pd.DataFrame({"dataset": ["cmc", "cmc", "gusto", "gusto"], "method": ["baseline", "cast-l"] * 2,
    ...                         "score": [0.46, 0.48, 0.30, 0.29]})
    >>> print(comparison_table(results, ["method"], ["dataset"], digits=2).render())  # doctest: +SKIP
    | method   |         cmc |       gusto |
    |:---------|------------:|------------:|
    | baseline | <u>0.46</u> |    **0.30** |
    | cast-l   |    **0.48** | <u>0.29</u> |
    """
    names = [*rows, *columns]
    require_columns(results, names, "comparison_table")
    means = summarize(results, names, value).set_index(names)[["mean", "standard_error", "se_over", "n"]]
    found: dict[Key, Any] = dict(zip(means.index.to_flat_index(), means.to_dict("records"), strict=True))
    paper = None if published is None else _published_scores(published, names)
    row_keys, column_keys = _keys(results, rows), _keys(results, columns)
    blocks = _blocks(rows, row_keys)
    notes = _status_notes(results, value)
    grid: dict[Key, list[dict[str, Any]]] = {}  # column by column
    for key in column_keys:
        cells = [_cell(found.get((*row, *key) if len(names) > 1 else (*row, *key)[0])) for row in row_keys]
        _mark(cells, blocks, higher_is_better=higher_is_better, digits=digits)
        grid[key if paper is None else (*key, "ours")] = cells
        if paper is not None:
            numbers = [_paper_score(paper, dict(zip(names, (*row, *key), strict=True))) for row in row_keys]
            grid[*key, "paper"] = [{**_cell(None), "value": number} for number in numbers]
    labels = (*columns, *["source"] * (paper is not None))
    if paper is not None and "dataset" in columns:
        there = [pair for pair in STAND_INS.items() if pair[0] in set(results["dataset"])]
        notes += [f"{ours} holds other rows than the paper's {private}." for ours, private in there]
    if ranks:
        scores = [cells for key, cells in grid.items() if paper is None or key[-1] == "ours"]
        cells, n_missing = _rank_cells(scores, blocks, rows, row_keys, higher_is_better=higher_is_better)
        _mark(cells, blocks, higher_is_better=False, digits=RANK_DIGITS)
        grid[AVERAGE_RANK, *[""] * (len(labels) - 1)] = cells
        if n_missing:
            notes.append(f"Average ranks need a score in every column of a block; {n_missing} cells are missing.")
    frame = pd.DataFrame(
        [
            {**dict(zip(rows, row, strict=True)), **dict(zip(labels, key, strict=True)), **cells[place]}
            for place, row in enumerate(row_keys)
            for key, cells in grid.items()
        ]
    )
    return Table(title, frame, digits, tuple(notes), tuple(rows), labels)


def mark_best(values: Sequence[float], *, higher_is_better: bool = True, digits: int = 4) -> list[str]:
    """Mark the values that are "best" and "second"; equal values at these digits share a mark.

    Nothing is marked if all are equal.

    Examples
    --------
    >>> from tabcast.study.analysis.compare import mark_best
    >>> mark_best([0.70, 0.72, float("nan"), 0.719], digits=2)
    ['second', 'best', '', 'best']
    """
    rounded = [round(value, digits) for value in values]
    levels = sorted({value for value in rounded if value == value}, reverse=higher_is_better)
    if len(levels) < 2:
        return [""] * len(rounded)
    marks = {levels[0]: "best", levels[1]: "second"}
    return [marks.get(value, "") for value in rounded]


def _cell(mean: dict[str, Any] | None) -> dict[str, Any]:
    """A cell of the table from a line of the summary, or an empty one."""
    if mean is None:
        return {"value": np.nan, "standard_error": np.nan, "se_over": "", "n": 0, "mark": ""}
    over = "" if np.isnan(mean["standard_error"]) else mean["se_over"]
    return {
        "value": mean["mean"],
        "standard_error": mean["standard_error"],
        "se_over": over,
        "n": mean["n"],
        "mark": "",
    }


def _keys(results: pd.DataFrame, names: Sequence[str]) -> list[Key]:
    """List the labels that occur, in the order of display."""
    orders = {name: order_values(name, results[name]) for name in names}
    keys = results[list(names)].drop_duplicates().itertuples(index=False, name=None)
    return sorted(keys, key=lambda key: [orders[name].index(one) for name, one in zip(names, key, strict=True)])


def _blocks(names: Sequence[str], keys: Sequence[Key]) -> list[Block]:
    """Rows that share all levels but the last, if there is anything to compare among them."""
    blocks = []
    for outer in dict.fromkeys(key[:-1] for key in keys):
        block = [place for place, key in enumerate(keys) if key[:-1] == outer]
        if len(block) > 1 and dict(zip(names, outer, strict=False)).get("strategy") != "none":
            blocks.append(block)
    return blocks


def _mark(cells: list[dict[str, Any]], blocks: Sequence[Block], *, higher_is_better: bool, digits: int) -> None:
    """Mark the best and the second best of each block of a column."""
    for block in blocks:
        values = [cells[place]["value"] for place in block]
        for place, mark in zip(block, mark_best(values, higher_is_better=higher_is_better, digits=digits), strict=True):
            cells[place]["mark"] = mark


def _rank_cells(
    columns: Sequence[list[dict[str, Any]]],
    blocks: Sequence[Block],
    names: Sequence[str],
    keys: Sequence[Key],
    *,
    higher_is_better: bool,
) -> tuple[list[dict[str, Any]], int]:
    """The column of average ranks, with the standard deviation as error, and how many scores are missing for them."""
    cells, n_missing = [_cell(None) for _ in keys], 0
    for block in blocks:
        ranked = [place for place in block if dict(zip(names, keys[place], strict=True)).get("method") != UNRANKED]
        scores = pd.DataFrame({place: [column[place]["value"] for column in columns] for place in ranked})
        n_empty = int(scores.isna().to_numpy().sum())
        n_missing += n_empty
        if n_empty == 0 and len(ranked) > 1:
            ranks = average_ranks(scores, higher_is_better=higher_is_better)
            for place, rank, sd in zip(ranked, ranks["rank"], ranks["rank_sd"], strict=True):
                cells[place] |= {"value": rank, "standard_error": sd}
    return cells, n_missing


def _published_scores(published: pd.DataFrame, names: Sequence[str]) -> dict[frozenset[tuple[str, Any]], float]:
    """The paper's score of each row, by those labels that the published table has."""
    require_columns(published, ["score"], "comparison_table (argument `published`)")
    known = [name for name in names if name in published.columns]
    if published.duplicated(known).any():
        raise ValueError(
            f"`published` of comparison_table must have one row for each of {', '.join(map(repr, known))}; "
            f"it has several, so something else tells them apart. Select the rows of one table first."
        )
    return {frozenset((name, row[name]) for name in known): row["score"] for row in published.to_dict("records")}


def _paper_score(paper: dict[frozenset[tuple[str, Any]], float], label: dict[str, Any]) -> float:
    """The paper's number of a cell; that of the private set where ours is a stand-in."""
    known = {name for one in paper for name, _ in one}
    wanted = {name: STAND_INS.get(value, value) if name == "dataset" else value for name, value in label.items()}
    return paper.get(frozenset((name, value) for name, value in wanted.items() if name in known), np.nan)


def _status_notes(results: pd.DataFrame, value: str) -> list[str]:
    """Sentences on trials that gave no number."""
    if "status" not in results.columns:
        return []
    total, notes = len(results), []
    missing, failed, skipped, done = (
        results[results["status"] == status] for status in ("missing", "failed", "skipped", "done")
    )
    empty = done[done[value].isna()] if len(done) else done
    if len(missing):
        notes.append(f"{_of(missing, total)} missing, for example {describe(missing.iloc[0])}.")
    if len(failed):
        reason = _reasons(failed)[0]
        because = f": {_shorten(reason)}" if reason else ""
        notes.append(f"{len(failed)} of {total} trials failed, for example {describe(failed.iloc[0])}{because}.")
    if len(skipped):
        counts = Counter(_reasons(skipped))
        why = "; ".join(f"{_shorten(reason)} ({n})" for reason, n in counts.items() if reason)
        notes.append(f"{_of(skipped, total)} skipped{': ' + why if why else ''}.")
    if len(empty):
        notes.append(f"{_of(empty, total)} done without {value}, for example {describe(empty.iloc[0])}.")
    return notes


def _of(rows: pd.DataFrame, total: int) -> str:
    return f"{len(rows)} of {total} trials {'is' if len(rows) == 1 else 'are'}"


def _reasons(rows: pd.DataFrame) -> list[str]:
    """Take the last line of each row's reason, where a traceback names the error; empty if there is none."""
    return [(str(reason).strip().splitlines() or [""])[-1] for reason in rows["reason"].fillna("")]


def _shorten(text: str) -> str:
    text = text.rstrip(". ")
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 3] + "..."
