"""Tables as text: Markdown to read anywhere, LaTeX to print, CSV to compute with."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from itertools import groupby

from tabcast.study.analysis.names import Labels, display_name
from tabcast.study.analysis.summary import STANDARD_ERROR
from tabcast.study.analysis.tables import RANK_DIGITS, Cell, Key, Table

NOTHING = "—"
LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "—": "---",
    "±": r"$\pm$",
}


def escape_markdown(text: str) -> str:
    r"""Escape text for Markdown, also inside a table.

    Examples
    --------
    >>> print(escape_markdown("a|b_c"))
    a\|b\_c
    """
    return re.sub(r"([\\`*_|<\[\]])", r"\\\1", " ".join(text.split()))


def escape_latex(text: str) -> str:
    r"""Escape text for LaTeX.

    Examples
    --------
    >>> print(escape_latex("50% of a_b & c"))
    50\% of a\_b \& c
    """
    return re.sub("|".join(map(re.escape, LATEX)), lambda match: LATEX[match[0]], text)


def format_cell(cell: Cell, digits: int, *, standard_errors: bool = False) -> str:
    """Format a cell without its mark; an em dash where there is no number."""
    if cell.value is None:
        return NOTHING
    if cell.kind == "rank":
        return f"{cell.value:.{RANK_DIGITS}f} ({cell.standard_error:.{RANK_DIGITS}f})"
    text = f"{cell.value:.{digits}f}"
    if standard_errors and cell.standard_error is not None:
        text += f" ± {cell.standard_error:.{digits}f}"
    return text


def to_markdown(table: Table, *, labels: Labels | None = None, standard_errors: bool = False) -> str:
    """Render a table in GitHub's Markdown, aligned so that it is readable as plain text.

    The levels of a column label are joined by " / ", because Markdown has one line of headings; the outer label of a
    row is written once per block. The best is bold, the second best underlined.

    Parameters
    ----------
    table : Table
        The table.
    labels : mapping of str to mapping, default=None
        Labels of the values of each column, as in :func:`tabcast.study.analysis.display_name`.
    standard_errors : bool, default=False
        Whether to append standard errors to the means.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> from tabcast.study.analysis import Cell, Table, to_markdown
    >>> cells = ((Cell(0.53, 0.01, 3),), (Cell(0.5),))
    >>> table = Table(("method",), (("cast-l",), ("baseline",)), ("dataset",), (("cmc",),), cells)
    >>> print(to_markdown(table, standard_errors=True))
    | method   |             cmc |
    |:---------|----------------:|
    | cast-l   | 0.5300 ± 0.0100 |
    | baseline |          0.5000 |
    """
    width = len(table.row_names)
    head = [escape_markdown(name.replace("_", " ")) for name in table.row_names]
    rows, columns = _shown(table, labels)
    head += [escape_markdown(" / ".join(part for part in label if part)) for label in columns]
    marks = {"best": "**{}**", "second": "<u>{}</u>", "": "{}"}
    body = [
        [*map(escape_markdown, label)]
        + [marks[cell.mark].format(format_cell(cell, table.digits, standard_errors=standard_errors)) for cell in cells]
        for label, cells in zip(_once(rows), table.cells, strict=True)
    ]
    widths = [max(3, *(len(row[j]) for row in [head, *body])) for j in range(len(head))]
    lines = [_pad(head, widths, width)]
    lines.append(
        "|" + "|".join(f":{'-' * (n + 1)}" if j < width else f"{'-' * (n + 1)}:" for j, n in enumerate(widths)) + "|"
    )
    lines += [_pad(row, widths, width) for row in body]
    above = [f"**{escape_markdown(table.title)}**", ""] if table.title else []
    below = [part for note in _notes(table, standard_errors) for part in ("", escape_markdown(note))]
    return "\n".join([*above, *lines, *below])


def to_csv(table: Table, *, labels: Labels | None = None) -> str:
    """Render a table as CSV, one line per cell: labels, value, standard error, n, mark.

    Title and notes are left out. Cells without a number have an empty value and n = 0.

    Parameters
    ----------
    table : Table
        The table.
    labels : mapping of str to mapping, default=None
        Display names by kind, as in :func:`to_markdown`.

    Returns
    -------
    str
        One header line and one line per cell.

    Examples
    --------
    >>> from tabcast.study.analysis import Cell, Table, to_csv
    >>> cells = ((Cell(0.53, 0.01, 3),), (Cell(0.5),))
    >>> table = Table(("method",), (("cast-l",), ("baseline",)), ("dataset",), (("car",),), cells)
    >>> print(to_csv(table))
    method,dataset,value,standard_error,se_over,n,mark
    cast-l,car,0.53,0.01,,3,
    baseline,car,0.5,,,0,
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table.row_names, *table.column_names, "value", "standard_error", "se_over", "n", "mark"])
    rows, columns = _shown(table, labels)
    for label, cells in zip(rows, table.cells, strict=True):
        for column, cell in zip(columns, cells, strict=True):
            numbers = ["" if one is None else f"{one:.10g}" for one in (cell.value, cell.standard_error)]
            writer.writerow([*label, *column, *numbers, cell.se_over, cell.n, cell.mark])
    return text.getvalue()


def to_latex(table: Table, *, labels: Labels | None = None, standard_errors: bool = False) -> str:
    r"""Render a table in LaTeX; needs the package booktabs.

    With a title it is a ``table`` with a caption, otherwise a ``tabular`` alone. The best is bold, the second best
    underlined; rules separate blocks, and notes follow in small print.

    Parameters
    ----------
    table : Table
        What is rendered.
    labels : mapping of str to mapping, default=None
        Display names, as in :func:`to_markdown`.
    standard_errors : bool, default=False
        Whether standard errors follow the values.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> from tabcast.study.analysis import Cell, Table, to_latex
    >>> cells = ((Cell(0.53, 0.01, 3),), (Cell(0.5),))
    >>> table = Table(("method",), (("cast-l",), ("baseline",)), ("dataset",), (("kc2",),), cells)
    >>> print(to_latex(table).splitlines()[0].split("{")[1])
    tabular}
    """
    width = len(table.row_names)
    rows, columns = _shown(table, labels)
    marks = {"best": r"\textbf{%s}", "second": r"\underline{%s}", "": "%s"}
    lines = [
        rf"\begin{{tabular}}{{{'l' * width}{'r' * len(table.columns)}}}",
        r"\toprule",
        *_latex_head(table, columns),
        r"\midrule",
    ]
    for i, (label, cells) in enumerate(zip(_once(rows), table.cells, strict=True)):
        if i and rows[i][:-1] != rows[i - 1][:-1]:
            lines.append(r"\midrule")
        texts = [
            marks[cell.mark] % escape_latex(format_cell(cell, table.digits, standard_errors=standard_errors))
            for cell in cells
        ]
        lines.append(" & ".join([*map(escape_latex, label), *texts]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [
        part for note in _notes(table, standard_errors) for part in ("", rf"{{\footnotesize {escape_latex(note)}}}")
    ]
    if table.title:
        caption = rf"\caption{{{escape_latex(table.title)}}}"
        lines = [r"\begin{table}", r"\centering", caption, *lines, r"\end{table}"]
    return "\n".join(lines)


def _notes(table: Table, standard_errors: bool) -> list[str]:
    """List the table's notes, after a sentence on the standard errors if they are shown."""
    over = sorted({cell.se_over for cells in table.cells for cell in cells if cell.se_over}, reverse=True)
    if not standard_errors or not over:
        return list(table.notes)
    return [explain_errors(over), *table.notes]


def explain_errors(over: Sequence[str]) -> str:
    """Say what the standard errors of a table are taken over, and how they are computed."""
    folds = " (one seed; its folds share rows, so these are too small)" if "folds" in over else ""
    return f"Numbers after ± are standard errors over {' or '.join(over)}{folds}: {STANDARD_ERROR}."


def _shown(table: Table, labels: Labels | None) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Format the labels of rows and columns."""

    def show(names: Sequence[str], keys: Sequence[Key]) -> list[tuple[str, ...]]:
        return [tuple(display_name(*pair, labels) for pair in zip(names, key, strict=True)) for key in keys]

    return show(table.row_names, table.rows), show(table.column_names, table.columns)


def _once(labels: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Blank the outer levels of labels where they repeat those of the row above."""
    shown = []
    for i, label in enumerate(labels):
        above = labels[i - 1] if i else None
        repeats = [above is not None and above[: j + 1] == label[: j + 1] for j in range(len(label) - 1)]
        shown.append((*("" if repeat else part for repeat, part in zip(repeats, label, strict=False)), label[-1]))
    return shown


def _pad(row: Sequence[str], widths: Sequence[int], n_labels: int) -> str:
    texts = [
        text.ljust(n) if j < n_labels else text.rjust(n) for j, (text, n) in enumerate(zip(row, widths, strict=True))
    ]
    return "| " + " | ".join(texts) + " |"


def _latex_head(table: Table, columns: Sequence[tuple[str, ...]]) -> list[str]:
    """Write one line per level of the column labels, with rules under labels that span several columns."""
    width, lines = len(table.row_names), []
    for level in range(len(table.column_names)):
        last = level == len(table.column_names) - 1
        names = [name.replace("_", " ") if last else "" for name in table.row_names]
        cells, rules, start = [*map(escape_latex, names)], [], width + 1
        for _, group in groupby(range(len(columns)), key=lambda j: columns[j][: level + 1]):
            members = list(group)
            text = escape_latex(columns[members[0]][level])
            cells.append(text if len(members) == 1 else rf"\multicolumn{{{len(members)}}}{{c}}{{{text}}}")
            if len(members) > 1:
                rules.append(rf"\cmidrule(lr){{{start}-{start + len(members) - 1}}}")
            start += len(members)
        lines.append(" & ".join(cells) + r" \\")
        if rules:
            lines.append("".join(rules))
    return lines
