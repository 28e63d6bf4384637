"""A list of findings, one line each, for what is not a comparison of methods by datasets: plain values, then text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from tabcast.study.analysis.names import Labels, display_name
from tabcast.study.analysis.rendering import NOTHING, escape_latex, escape_markdown


@dataclass(frozen=True)
class Listing:
    """A table of findings.

    Parameters
    ----------
    title : str
        Text above.
    frame : DataFrame
        One row per finding.
    digits : int, default=4
        Digits after the decimal point. Columns whose name starts with "p " are p-values, shown to two digits.
    notes : tuple of str, default=()
        Sentences below.
    """

    title: str
    frame: pd.DataFrame
    digits: int = 4
    notes: tuple[str, ...] = ()


def format_value(column: str, value: Any, digits: int, labels: Labels | None = None) -> str:
    """Format a value: p-values to two significant digits, names by their label, a dash for a missing value.

    Examples
    --------
    >>> from tabcast.study.analysis.listing import format_value
    >>> format_value("p Holm", 0.01234, 4), format_value("mean", 0.5, 2), format_value("strategy", "threshold", 4)
    ('0.012', '0.50', 'FPL')
    """
    if value is None or value is pd.NA or (isinstance(value, float) and value != value):
        return NOTHING
    if isinstance(value, float):
        return f"{value:.2g}" if column.startswith("p ") else f"{value:.{digits}f}"
    return display_name("method" if column == "reference" else column, value, labels)


def listing_to_markdown(listing: Listing, labels: Labels | None = None) -> str:
    """Render the listing in GitHub's Markdown, numbers aligned to the right."""
    names = [str(name) for name in listing.frame.columns]
    body = _texts(listing, labels, escape_markdown)
    if not body:
        notes = [escape_markdown(note) for note in listing.notes]
        return "\n\n".join([f"**{escape_markdown(listing.title)}**", "No finished trials.", *notes]) + "\n"
    widths = [max(len(name), *(len(row[i]) for row in body), 3) for i, name in enumerate(names)]
    right = [pd.api.types.is_numeric_dtype(kind) for kind in listing.frame.dtypes]
    lines = [f"**{escape_markdown(listing.title)}**", ""] if listing.title else []
    lines += [_line([escape_markdown(name.replace("_", " ")) for name in names], widths, right)]
    lines += ["|" + "|".join("-" * (n + 1) + (":" if r else "-") for n, r in zip(widths, right, strict=True)) + "|"]
    lines += [_line(row, widths, right) for row in body]
    for note in listing.notes:
        lines += ["", escape_markdown(note)]
    return "\n".join(lines) + "\n"


def listing_to_csv(listing: Listing) -> str:
    """Render the listing as CSV with full numbers; title and notes are left out."""
    return listing.frame.to_csv(index=False, lineterminator="\n", float_format="%.10g")


def listing_to_latex(listing: Listing, labels: Labels | None = None) -> str:
    """Render the listing as a LaTeX tabular; needs the package booktabs."""
    right = [pd.api.types.is_numeric_dtype(kind) for kind in listing.frame.dtypes]
    head = " & ".join(escape_latex(str(name).replace("_", " ")) for name in listing.frame.columns)
    lines = [rf"% {escape_latex(listing.title)}"] if listing.title else []
    lines += [
        rf"\begin{{tabular}}{{{''.join('r' if r else 'l' for r in right)}}}",
        r"\toprule",
        head + r" \\",
        r"\midrule",
    ]
    lines += [" & ".join(row) + r" \\" for row in _texts(listing, labels, escape_latex)]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\footnotesize {escape_latex(note)}" for note in listing.notes]
    return "\n".join(lines) + "\n"


def _texts(listing: Listing, labels: Labels | None, escape: Any) -> list[list[str]]:
    """Format and escape the cells."""
    columns = [str(name) for name in listing.frame.columns]
    return [
        [escape(format_value(name, value, listing.digits, labels)) for name, value in zip(columns, row, strict=True)]
        for row in listing.frame.itertuples(index=False, name=None)
    ]


def _line(row: list[str], widths: list[int], right: list[bool]) -> str:
    cells = [text.rjust(n) if r else text.ljust(n) for text, n, r in zip(row, widths, right, strict=True)]
    return "| " + " | ".join(cells) + " |"
