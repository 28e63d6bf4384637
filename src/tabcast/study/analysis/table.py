"""A table of findings, shown as Markdown, LaTeX or CSV by pandas; and the paper's comparison of methods."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tabcast.checks import check_choice
from tabcast.study.analysis.summary import (
    STAND_INS,
    STANDARD_ERROR,
    Labels,
    describe,
    display_name,
    order_values,
    summarize,
)

NOTHING = "—"
FORMATS = ("markdown", "csv", "latex")
MARKDOWN = {"best": "**{}**", "second": "<u>{}</u>", "": "{}"}
LATEX = {"best": "textbf:--rwrap;", "second": "underline:--rwrap;", "": ""}


@dataclass(frozen=True)
class Table:
    """A table of findings.

    Parameters
    ----------
    title : str
        Text above, or "".
    frame : DataFrame
        One line per finding; columns whose name starts with "p " are p-values, shown to two digits. With `rows` and
        `columns`, one line per cell: their labels, value, standard_error, se_over, n and mark ("best", "second" or "").
    digits : int, default=4
        Digits after the decimal point.
    notes : tuple of str, default=()
        Sentences below, for instance on trials that are missing.
    rows, columns : tuple of str, default=()
        Columns of the frame whose values label the rows and columns of a grid of cells, outer level first. By default
        the frame is shown as it is.
    """

    title: str
    frame: pd.DataFrame
    digits: int = 4
    notes: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    def render(self, style: str = "markdown", labels: Labels | None = None) -> str:
        """Return the table as "markdown", "csv" or "latex" (which needs booktabs)."""
        check_choice(style, FORMATS, "format of a table")
        if style == "csv":
            return self.frame.to_csv(index=False, lineterminator="\n", float_format="%.10g")
        text, marks = self._as_grid(labels) if self.rows else self._as_list(labels)
        right = text.columns[len(self.rows) :] if self.rows else self.frame.select_dtypes("number").columns
        aligned = ["right" if name in right else "left" for name in text.columns]
        notes = [*self._explain_errors(), *self.notes]
        if style == "latex":
            return self._to_latex(text, marks, aligned, notes)
        above = [f"**{escape_markdown(self.title)}**"] if self.title else []
        below = [escape_markdown(note) for note in notes]
        if text.empty:
            return "\n\n".join([*above, "No finished trials.", *below]) + "\n"
        for column in text:
            cells = zip(text[column].map(escape_markdown), marks[column], strict=True)
            text[column] = [MARKDOWN[mark].format(cell) for cell, mark in cells]
        heads = [name if isinstance(name, tuple) else (name,) for name in text.columns]
        text.columns = pd.Index([escape_markdown(" / ".join(filter(None, head))) for head in heads])
        shown = text.to_markdown(index=False, colalign=aligned, disable_numparse=True)
        return "\n\n".join([*above, shown, *below]) + "\n"

    def _as_list(self, labels: Labels | None) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The frame as text, without marks."""
        columns = {
            str(name).replace("_", " "): [self._format(str(name), value, labels) for value in self.frame[name]]
            for name in self.frame.columns
        }
        text = pd.DataFrame(columns, dtype=object)
        return text, text.map(lambda _: "")

    def _format(self, column: str, value: Any, labels: Labels | None) -> str:
        """Format a value: p-values to two significant digits, names by their label, a dash for a missing value."""
        if value is None or value is pd.NA or (isinstance(value, float) and value != value):
            return NOTHING
        if isinstance(value, float):
            return f"{value:.2g}" if column.startswith("p ") else f"{value:.{self.digits}f}"
        return display_name("method" if column == "reference" else column, value, labels)

    def _as_grid(self, labels: Labels | None) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The cells in rows and columns as text, the row labels first, and their marks."""
        cells = {
            (tuple(line[name] for name in self.rows), tuple(line[name] for name in self.columns)): line
            for line in self.frame.to_dict("records")
        }
        rows, columns = (list(dict.fromkeys(key[side] for key in cells)) for side in (0, 1))
        above: tuple[str, ...] = ()
        text, marks = [], []
        for row in rows:
            shown = tuple(display_name(*pair, labels) for pair in zip(self.rows, row, strict=True))
            repeats = [above[: level + 1] == shown[: level + 1] for level in range(len(shown) - 1)]
            names = ["" if repeat else name for repeat, name in zip([*repeats, False], shown, strict=True)]
            lines = [cells.get((row, column), {}) for column in columns]
            text.append([*names, *map(self._format_cell, lines)])
            marks.append([*[""] * len(names), *(line.get("mark", "") for line in lines)])
            above = shown
        depth = len(self.columns)
        heads = [(*[""] * (depth - 1), name.replace("_", " ")) for name in self.rows]
        heads += [tuple(display_name(*pair, labels) for pair in zip(self.columns, key, strict=True)) for key in columns]
        index = pd.MultiIndex.from_tuples(heads) if depth > 1 else pd.Index([head[0] for head in heads])
        return pd.DataFrame(text, columns=index), pd.DataFrame(marks, columns=index)

    def _format_cell(self, line: Mapping[Any, Any]) -> str:
        """Format a mean with its standard error."""
        value, error = line.get("value"), line.get("standard_error")
        if value is None or value != value:
            return NOTHING
        text = f"{value:.{self.digits}f}"
        return text if error is None or error != error else f"{text} ± {error:.{self.digits}f}"

    def _explain_errors(self) -> list[str]:
        """Say what the standard errors of a grid are taken over, and how they are computed."""
        over = sorted({one for one in self.frame.get("se_over", ()) if one}, reverse=True) if self.rows else []
        folds = " (one seed; its folds share rows, so these are too small)" if "folds" in over else ""
        return (
            [f"Numbers after ± are standard errors over {' or '.join(over)}{folds}: {STANDARD_ERROR}."] if over else []
        )

    def _to_latex(self, text: pd.DataFrame, marks: pd.DataFrame, aligned: Sequence[str], notes: Sequence[str]) -> str:
        """Render with a caption, the best in bold and the second best underlined, and the notes in small print."""
        styler = text.style.hide(axis="index").format(escape="latex").format_index(escape="latex", axis=1)
        styler = styler.apply(lambda _: marks.replace(LATEX), axis=None)
        tabular = styler.to_latex(
            hrules=True,
            column_format="".join(one[0] for one in aligned),
            multicol_align="c",
            caption=escape_latex(self.title) or None,
            position_float="centering" if self.title else None,
        )
        return tabular + "".join(f"\n{{\\footnotesize {escape_latex(note)}}}\n" for note in notes)


def escape_markdown(text: str) -> str:
    """Escape text for Markdown, also inside a table."""
    return re.sub(r"([\\`*_|<\[\]])", r"\\\1", " ".join(text.split()))


def escape_latex(text: str) -> str:
    """Escape text for LaTeX."""
    return re.sub(r"([&%$#_{}])", r"\\\1", text)


Key = tuple[Any, ...]
Cell = dict[str, Any]

EMPTY: Mapping[str, Any] = {"value": np.nan, "standard_error": np.nan, "se_over": "", "n": 0, "mark": ""}
LONGEST_REASON = 120  # characters of a failure's reason in a note


def comparison_table(
    results: pd.DataFrame,
    rows: Sequence[str] = ("strategy", "method"),
    columns: Sequence[str] = ("dataset", "model"),
    value: str = "score",
    *,
    higher_is_better: bool = True,
    published: pd.DataFrame | None = None,
    digits: int = 4,
) -> Table:
    """Arrange mean scores in a table like the paper's, with the best and second best of each column and block marked.

    Rows that share all labels but the last are a block, and the best is sought inside each. In a table with strategies
    in its rows, methods without a strategy do not compete: nothing is marked there, nor in a block of one row. With the
    paper's numbers (`published`), each column is followed by the paper's; 6M mortality stands beside gusto, our
    stand-in for it.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis.table import comparison_table
    >>> results = pd.DataFrame({"dataset": ["cmc", "cmc", "gusto", "gusto"], "method": ["baseline", "cast-l"] * 2,
    ...                         "score": [0.46, 0.48, 0.30, 0.29]})
    >>> print(comparison_table(results, ["method"], ["dataset"], digits=2).render())  # doctest: +SKIP
    | method   |         cmc |       gusto |
    |:---------|------------:|------------:|
    | baseline | <u>0.46</u> |    **0.30** |
    | cast-l   |    **0.48** | <u>0.29</u> |
    """
    names = [*rows, *columns]
    means = summarize(results, names, value).rename(columns={"mean": "value"})
    means["se_over"] = means["se_over"].where(means["standard_error"].notna(), "")
    found = {tuple(line[name] for name in names): line for line in means.to_dict("records")}
    paper = None if published is None else _published_scores(published, names)
    row_keys, column_keys = _keys(results, rows), _keys(results, columns)
    blocks, notes = _blocks(rows, row_keys), _status_notes(results, value)
    grid: dict[Key, list[Cell]] = {}  # column by column
    for key in column_keys:
        cells = [{name: found.get((*row, *key), EMPTY).get(name, "") for name in EMPTY} for row in row_keys]
        for block in blocks:
            values = [cells[place]["value"] for place in block]
            marks = mark_best(values, higher_is_better=higher_is_better, digits=digits)
            for place, mark in zip(block, marks, strict=True):
                cells[place]["mark"] = mark
        grid[key if paper is None else (*key, "ours")] = cells
        if paper is not None:
            labels = [dict(zip(names, (*row, *key), strict=True)) for row in row_keys]
            grid[*key, "paper"] = [{**EMPTY, "value": paper(label)} for label in labels]
    heads = (*columns, *["source"] * (paper is not None))
    if paper is not None and "dataset" in columns:
        there = [pair for pair in STAND_INS.items() if pair[0] in set(results["dataset"])]
        notes += [f"{ours} holds other rows than the paper's {private}." for ours, private in there]
    lines = [
        {**dict(zip(rows, row, strict=True)), **dict(zip(heads, key, strict=True)), **cells[place]}
        for place, row in enumerate(row_keys)
        for key, cells in grid.items()
    ]
    return Table("", pd.DataFrame(lines), digits, tuple(notes), tuple(rows), heads)


def mark_best(values: Sequence[float], *, higher_is_better: bool = True, digits: int = 4) -> list[str]:
    """Mark the values that are "best" and "second"; equal values at these digits share a mark.

    Nothing is marked if all are equal.

    Examples
    --------
    >>> from tabcast.study.analysis.table import mark_best
    >>> mark_best([0.70, 0.72, float("nan"), 0.719], digits=2)
    ['second', 'best', '', 'best']
    """
    rounded = [round(value, digits) for value in values]
    levels = sorted({value for value in rounded if value == value}, reverse=higher_is_better)
    if len(levels) < 2:
        return [""] * len(rounded)
    marks = {levels[0]: "best", levels[1]: "second"}
    return [marks.get(value, "") for value in rounded]


def _keys(results: pd.DataFrame, names: Sequence[str]) -> list[Key]:
    """List the labels that occur, in the order of display."""
    orders = {name: order_values(name, results[name]) for name in names}
    keys = results[list(names)].drop_duplicates().itertuples(index=False, name=None)
    return sorted(keys, key=lambda key: [orders[name].index(one) for name, one in zip(names, key, strict=True)])


def _blocks(names: Sequence[str], keys: Sequence[Key]) -> list[list[int]]:
    """Rows that share all levels but the last, if there is anything to compare among them."""
    blocks = []
    for outer in dict.fromkeys(key[:-1] for key in keys):
        block = [place for place, key in enumerate(keys) if key[:-1] == outer]
        if len(block) > 1 and dict(zip(names, outer, strict=False)).get("strategy") != "none":
            blocks.append(block)
    return blocks


def _published_scores(published: pd.DataFrame, names: Sequence[str]) -> Callable[[Mapping[str, Any]], float]:
    """The paper's score of a cell, by those labels that the published table has; for a stand-in, the private set's."""
    known = [name for name in names if name in published.columns]
    if published.duplicated(known).any():
        raise ValueError(
            f"The published table must have one row for each of {', '.join(map(repr, known))}; it has several, so "
            f"something else tells them apart. Select the rows of one table with `where`."
        )
    scores = {tuple(row[name] for name in known): row["score"] for row in published.to_dict("records")}
    return lambda label: scores.get(tuple(STAND_INS.get(label[name], label[name]) for name in known), np.nan)


def _status_notes(results: pd.DataFrame, value: str) -> list[str]:
    """Sentences on trials that gave no number."""
    notes = []
    for status in ("missing", "failed", "skipped", "done") if "status" in results.columns else ():
        rows = results[results["status"] == status]
        if status == "done" and len(rows):
            rows = rows[rows[value].isna()]
        if rows.empty:
            continue
        reasons = Counter(map(_last_line, rows["reason"].fillna(""))) if "reason" in rows.columns else Counter([""])
        if status == "skipped":
            why = "; ".join(f"{reason} ({n})" for reason, n in reasons.items() if reason)
        else:
            why = next(iter(reasons)) if status == "failed" else ""
        example = "" if status == "skipped" else f", for example {describe(rows.iloc[0])}"
        verb = {"failed": ""}.get(status, "is " if len(rows) == 1 else "are ")
        state = f"done without {value}" if status == "done" else status
        notes.append(f"{len(rows)} of {len(results)} trials {verb}{state}{example}{': ' * bool(why)}{why}.")
    return notes


def _last_line(reason: str) -> str:
    """The last line of a reason, where a traceback names the error, shortened."""
    text = (reason.strip().splitlines() or [""])[-1].rstrip(". ")
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 3] + "..."
