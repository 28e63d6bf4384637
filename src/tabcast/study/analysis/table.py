"""A table of findings: a DataFrame with a title and notes, shown as Markdown, LaTeX or CSV by pandas."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from tabcast.checks import check_choice
from tabcast.study.analysis.summary import STANDARD_ERROR
from tabcast.study.analysis.trials import Labels, display_name

AVERAGE_RANK = "Avg rank (sd)"
RANK_DIGITS = 2  # to which average ranks are shown
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
        text, marks, n_labels = self._as_grid(labels) if self.rows else self._as_list(labels)
        right = text.columns[n_labels:] if self.rows else self.frame.select_dtypes("number").columns
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
        text.columns = pd.Index([escape_markdown(" / ".join(filter(None, _levels(name)))) for name in text.columns])
        shown = text.to_markdown(index=False, colalign=aligned, disable_numparse=True)
        return "\n\n".join([*above, shown, *below]) + "\n"

    def _as_list(self, labels: Labels | None) -> tuple[pd.DataFrame, pd.DataFrame, int]:
        """The frame as text, without marks."""
        columns = {
            str(name).replace("_", " "): [self._format(str(name), value, labels) for value in self.frame[name]]
            for name in self.frame.columns
        }
        text = pd.DataFrame(columns, dtype=object)
        right = {str(name).replace("_", " ") for name in self.frame.select_dtypes("number").columns}
        return text, text.map(lambda _: ""), len(text.columns) - len(right)

    def _format(self, column: str, value: Any, labels: Labels | None) -> str:
        """Format a value: p-values to two significant digits, names by their label, a dash for a missing value."""
        if value is None or value is pd.NA or (isinstance(value, float) and value != value):
            return NOTHING
        if isinstance(value, float):
            return f"{value:.2g}" if column.startswith("p ") else f"{value:.{self.digits}f}"
        return display_name("method" if column == "reference" else column, value, labels)

    def _as_grid(self, labels: Labels | None) -> tuple[pd.DataFrame, pd.DataFrame, int]:
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
        return pd.DataFrame(text, columns=index), pd.DataFrame(marks, columns=index), len(self.rows)

    def _format_cell(self, line: Mapping[Any, Any]) -> str:
        """Format a mean with its standard error, or an average rank with its standard deviation."""
        value, error = line.get("value"), line.get("standard_error")
        if value is None or value != value:
            return NOTHING
        if line[self.columns[0]] == AVERAGE_RANK:
            return f"{value:.{RANK_DIGITS}f} ({error:.{RANK_DIGITS}f})"
        text = f"{value:.{self.digits}f}"
        return text if error is None or error != error else f"{text} ± {error:.{self.digits}f}"

    def _explain_errors(self) -> list[str]:
        """Say what the standard errors of a grid are taken over, and how they are computed."""
        over = sorted({one for one in self.frame["se_over"] if one}, reverse=True) if self.rows else []
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


def _levels(name: Any) -> tuple[str, ...]:
    return name if isinstance(name, tuple) else (name,)
