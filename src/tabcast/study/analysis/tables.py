"""A comparison as the paper prints it: methods in rows, datasets and models in columns. A plain value, without markup.

`rendering` turns it into text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from tabcast.study.analysis._trials import describe, require_columns
from tabcast.study.analysis.names import STAND_INS, order_values
from tabcast.study.analysis.ranks import average_ranks
from tabcast.study.analysis.summary import summarize

Key = tuple[Any, ...]

AVERAGE_RANK = "Avg rank (sd)"
RANK_DIGITS = 2  # to which average ranks are shown
UNRANKED = "supervised"  # shown for comparison, not a competitor
LONGEST_REASON = 120  # characters of a failure's reason in a note


@dataclass(frozen=True)
class Cell:
    """One number of a table.

    Parameters
    ----------
    value : float or None
        The number, or None.
    standard_error : float, default=None
        Standard error of the value, or None if unknown. For an average rank, the standard deviation of the ranks.
    n : int, default=0
        Number of trials.
    se_over : str, default=""
        What the error was taken over, as in :func:`summarize`; "" for none.
    mark : str, default=""
        "best", "second" or "".
    kind : str, default="score"
        "score", "published" or "rank".

    See Also
    --------
    to_markdown : Shows a table of them.
    """

    value: float | None
    standard_error: float | None = None
    n: int = 0
    se_over: str = ""
    mark: str = ""
    kind: str = "score"


@dataclass(frozen=True)
class Table:
    """A table of numbers with labels of several levels, as plain values.

    Parameters
    ----------
    row_names : tuple of str
        Column of the results table behind each level of the row labels, for example ("strategy", "method").
    rows : tuple of tuple
        Row labels, with a value for each level; rendering shows the label of a value.
    column_names : tuple of str
        The same for columns.
    columns : tuple of tuple
        Column labels.
    cells : tuple of tuple of Cell
        One tuple of cells per row.
    digits : int, default=4
        Digits after the decimal point.
    title : str, default=""
        Text above, or "".
    notes : tuple of str, default=()
        Sentences below, for instance on trials that are missing, failed or skipped.

    See Also
    --------
    comparison_table : Makes one from results.
    """

    row_names: tuple[str, ...]
    rows: tuple[Key, ...]
    column_names: tuple[str, ...]
    columns: tuple[Key, ...]
    cells: tuple[tuple[Cell, ...], ...]
    digits: int = 4
    title: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """Rows among which the best is sought.

    Parameters
    ----------
    index : tuple of int
        Positions of the rows.
    ranked : tuple of int
        Those of them that have an average rank.
    """

    index: tuple[int, ...]
    ranked: tuple[int, ...]


def mark_best(values: Sequence[float | None], *, higher_is_better: bool = True, digits: int = 4) -> list[str]:
    """Mark the values that are "best" and "second"; equal values at these digits share a mark.

    Nothing is marked if all are equal.

    Examples
    --------
    >>> from tabcast.study.analysis.tables import mark_best
    >>> mark_best([0.70, 0.72, None, 0.719], digits=2)
    ['second', 'best', '', 'best']
    """
    rounded = [None if value is None else round(value, digits) for value in values]
    levels = sorted({value for value in rounded if value is not None}, reverse=higher_is_better)
    if len(levels) < 2:
        return [""] * len(rounded)
    marks = {levels[0]: "best", levels[1]: "second"}
    return ["" if value is None else marks.get(value, "") for value in rounded]


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

    Parameters
    ----------
    results : DataFrame
        The results table. Rows that are not done are reported in the notes below.
    rows, columns : sequence of str, default=("strategy", "method")
        Columns of the results table whose values label rows and columns, outer level first. Rows that share all levels
        but the last are a block, and the best is sought inside each.
    value : str, default="score"
        What to average over seeds and folds.
    higher_is_better : bool, default=True
        False for errors and times.
    ranks : bool, default=False
        Whether to append the average rank over the columns, in each block, supervised left out.
    published : DataFrame, default=None
        The paper's numbers ("score") with those columns of `rows` and `columns` that tell them apart; each column is
        then followed by the paper's. 6M mortality stands beside gusto, our stand-in for it.
    digits : int, default=4
        Digits after the decimal point. Values that look the same at these digits share a mark.
    title : str, default=""
        Text above.

    Returns
    -------
    Table
        The table, as plain values.

    Notes
    -----
    In a table with strategies in its rows, methods without a strategy do not compete: nothing is marked or ranked
    there, nor in a block of one row.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis import comparison_table, to_markdown
    >>> results = pd.DataFrame({"dataset": ["cmc", "cmc", "gusto", "gusto"], "method": ["baseline", "cast-l"] * 2,
    ...                         "score": [0.46, 0.48, 0.30, 0.29]})
    >>> print(to_markdown(comparison_table(results, ["method"], ["dataset"], digits=2)))
    | method   |         cmc |       gusto |
    |:---------|------------:|------------:|
    | baseline | <u>0.46</u> |    **0.30** |
    | cast-l   |    **0.48** | <u>0.29</u> |
    """
    require_columns(results, [*rows, *columns], "comparison_table")
    means = dict(_cells(summarize(results, [*rows, *columns], value), [*rows, *columns]))
    paper = None if published is None else _published_scores(published, [*rows, *columns])
    row_keys, column_keys = _keys(results, rows), _keys(results, columns)
    blocks = _blocks(rows, row_keys)

    labels: list[Key] = []
    filled: list[list[Cell]] = []  # column by column
    for key in column_keys:
        cells = [means.get((*row, *key), Cell(None)) for row in row_keys]
        labels.append(key if paper is None else (*key, "ours"))
        filled.append(_mark(cells, blocks, higher_is_better=higher_is_better, digits=digits))
        if paper is not None:
            labels.append((*key, "paper"))
            filled.append([_paper_cell(paper, rows, row, columns, key) for row in row_keys])
    column_names = (*columns, *["source"] * (paper is not None))
    notes = _status_notes(results, value)
    if paper is not None and "dataset" in columns:
        notes += [
            f"{ours} holds other rows than the paper's {private}."
            for ours, private in STAND_INS.items()
            if ours in set(results["dataset"])
        ]
    if ranks:
        scores = [column for column in filled if column[0].kind == "score"]
        rank_cells, unranked = _rank_cells(scores, blocks, higher_is_better=higher_is_better)
        labels.append((AVERAGE_RANK, *[""] * (len(column_names) - 1)))
        filled.append(_mark(rank_cells, blocks, higher_is_better=False, digits=RANK_DIGITS))
        notes += unranked
    return Table(
        row_names=tuple(rows),
        rows=tuple(row_keys),
        column_names=column_names,
        columns=tuple(labels),
        cells=tuple(zip(*filled, strict=True)),
        digits=digits,
        title=title,
        notes=tuple(notes),
    )


def _cells(summary: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[Key, Cell]]:
    """Key and cell of each row of a summary."""
    keys = summary[list(by)].itertuples(index=False, name=None)
    rows = summary[["mean", "standard_error", "n", "se_over"]].itertuples(index=False, name=None)
    for key, (mean, error, n, se_over) in zip(keys, rows, strict=True):
        known = not np.isnan(error)
        yield key, Cell(float(mean), float(error) if known else None, int(n), str(se_over) if known else "")


def _keys(results: pd.DataFrame, names: Sequence[str]) -> list[Key]:
    """List the labels that occur, in the order of display."""
    orders = {name: order_values(name, results[name]) for name in names}
    keys = results[list(names)].drop_duplicates().itertuples(index=False, name=None)
    return sorted(keys, key=lambda key: [orders[name].index(one) for name, one in zip(names, key, strict=True)])


def _blocks(names: Sequence[str], keys: Sequence[Key]) -> list[Block]:
    """Rows that share all levels but the last, if there is anything to compare among them."""
    blocks = []
    for outer in dict.fromkeys(key[:-1] for key in keys):
        index = tuple(i for i, key in enumerate(keys) if key[:-1] == outer)
        if len(index) > 1 and dict(zip(names, outer, strict=False)).get("strategy") != "none":
            ranked = tuple(i for i in index if dict(zip(names, keys[i], strict=True)).get("method") != UNRANKED)
            blocks.append(Block(index, ranked))
    return blocks


def _mark(cells: list[Cell], blocks: Sequence[Block], *, higher_is_better: bool, digits: int) -> list[Cell]:
    """The cells of a column, the best and the second best of each block marked."""
    marked = list(cells)
    for block in blocks:
        values = [cells[i].value for i in block.index]
        marks = mark_best(values, higher_is_better=higher_is_better, digits=digits)
        for i, mark in zip(block.index, marks, strict=True):
            marked[i] = replace(cells[i], mark=mark)
    return marked


def _rank_cells(
    columns: Sequence[Sequence[Cell]], blocks: Sequence[Block], *, higher_is_better: bool
) -> tuple[list[Cell], list[str]]:
    """The column of average ranks, and a note for blocks that have none because a score is missing."""
    cells = [Cell(None, kind="rank") for _ in columns[0]]
    n_missing = 0
    for block in blocks:
        scores = pd.DataFrame({i: [column[i].value for column in columns] for i in block.ranked}, dtype=float)
        n_empty = int(scores.isna().to_numpy().sum())
        n_missing += n_empty
        if n_empty == 0 and scores.shape[1] > 1:
            ranks = average_ranks(scores, higher_is_better=higher_is_better)
            for i, rank, sd in zip(block.ranked, ranks["rank"], ranks["rank_sd"], strict=True):
                cells[i] = Cell(float(rank), float(sd), kind="rank")
    note = f"Average ranks need a score in every column of a block; {n_missing} cells are missing."
    return cells, [note] * (n_missing > 0)


def _published_scores(published: pd.DataFrame, names: Sequence[str]) -> dict[frozenset[tuple[str, Any]], float]:
    """The paper's score of each row, by those labels that the published table has."""
    require_columns(published, ["score"], "comparison_table (argument `published`)")
    known = [name for name in names if name in published.columns]
    if published.duplicated(known).any():
        raise ValueError(
            f"`published` of comparison_table must have one row for each of {', '.join(map(repr, known))}; "
            f"it has several, so something else tells them apart. Select the rows of one table first."
        )
    keys = published[known].itertuples(index=False, name=None)
    return {
        frozenset(zip(known, key, strict=True)): float(score)
        for key, score in zip(keys, published["score"], strict=True)
    }


def _paper_cell(
    paper: dict[frozenset[tuple[str, Any]], float],
    rows: Sequence[str],
    row: Key,
    columns: Sequence[str],
    column: Key,
) -> Cell:
    """The paper's number of a cell; that of the private set where ours is a stand-in."""
    known = {name for label in paper for name, _ in label}
    label = {name: value for name, value in zip((*rows, *columns), (*row, *column), strict=True) if name in known}
    if "dataset" in label:
        label["dataset"] = STAND_INS.get(label["dataset"], label["dataset"])
    return Cell(paper.get(frozenset(label.items())), kind="published")


def _status_notes(results: pd.DataFrame, value: str) -> list[str]:
    """Sentences on trials that gave no number."""
    if "status" not in results.columns:
        return []
    total, notes = len(results), []
    missing, failed, skipped = (results[results["status"] == status] for status in ("missing", "failed", "skipped"))
    done = results[results["status"] == "done"]
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
    if "reason" not in rows.columns:
        return [""] * len(rows)
    return [(str(reason).strip().splitlines() or [""])[-1] for reason in rows["reason"].fillna("")]


def _shorten(text: str) -> str:
    text = text.rstrip(". ")
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 3] + "..."
