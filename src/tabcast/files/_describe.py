"""What was understood, in a few lines for people."""

from __future__ import annotations

from tabcast.files._errors import list_names, show_value
from tabcast.files._understand import ColumnNote, Understanding

MOST_CLASSES = 10
MOST_NAMES = 5
MOST_LEFT_OUT = 10
PLURAL = {"number": "numbers", "category": "categories", "date": "dates"}


def describe(understanding: Understanding) -> list[str]:
    """What :func:`understand` found, a line each: rows, classes, columns used, columns left out, notes.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.files import describe, understand
    >>> table = pd.DataFrame({"age": [31, 45, 28, 60], "from": ["here"] * 4, "churned": ["no", "yes", "no", None]})
    >>> print(*describe(understand(table, "churned")), sep="\\n")
    4 rows: 3 labeled, 1 unlabeled.
    Classes of 'churned': 'no' 2, 'yes' 1.
    1 column used: 1 number ('age'). Leave columns out with --ignore NAME, call numbers categories with --category NAME.
    1 column left out, use it with --use NAME:
      'from' (constant): the same value in every row, 'here'.
    Only one labeled row of class 'yes': label more of it.
    """
    lines = [
        f"{understanding.n_rows:,} rows: {understanding.n_labeled:,} labeled, {understanding.n_unlabeled:,} unlabeled.",
        _say_classes(understanding),
        _say_used([column for column in understanding.columns if column.used]),
    ]
    left_out = [column for column in understanding.columns if not column.used]
    if left_out:
        one = len(left_out) == 1
        lines.append(f"{_count(len(left_out), 'column')} left out, use {'it' if one else 'one'} with --use NAME:")
        lines += [f"  {show_value(column.name)} ({column.kind}): {column.why}." for column in left_out[:MOST_LEFT_OUT]]
        if len(left_out) > MOST_LEFT_OUT:
            lines.append(
                f"  and {len(left_out) - MOST_LEFT_OUT:,} more: {list_names(_names(left_out[MOST_LEFT_OUT:]))}."
            )
    # A column that is used, but not as it came, deserves a line as well.
    lines += [f"Column {show_value(column.name)}: {column.why}." for column in understanding.columns if _is_odd(column)]
    return lines + list(understanding.notes)


def _say_classes(understanding: Understanding) -> str:
    """The classes and how often each is there, the most frequent if they are many."""
    counts = list(understanding.class_counts.items())
    if len(counts) > MOST_CLASSES:
        counts = sorted(counts, key=lambda item: -item[1])[:MOST_CLASSES]
    shown = ", ".join(f"{show_value(label) if isinstance(label, str) else label} {count:,}" for label, count in counts)
    more = len(understanding.class_counts) - len(counts)
    return f"Classes of {show_value(understanding.target)}: {shown}{f' and {more:,} more' if more else ''}."


def _say_used(used: list[ColumnNote]) -> str:
    """The used columns by kind."""
    parts = []
    for kind, plural in PLURAL.items():
        names = [column.name for column in used if column.kind == kind]
        if names:
            parts.append(f"{len(names):,} {kind if len(names) == 1 else plural} ({list_names(names, MOST_NAMES)})")
    more = ", call numbers categories with --category NAME" if any(one.kind == "number" for one in used) else ""
    return f"{_count(len(used), 'column')} used: {', '.join(parts)}. Leave columns out with --ignore NAME{more}."


def _is_odd(column: ColumnNote) -> bool:
    """Whether some of a used column's values are not taken as they are."""
    return column.used and any(
        word in column.why for word in ("as missing", "cut to", "rounded", "grouped", "comes first", "comma")
    )


def _names(columns: list[ColumnNote]) -> list[str]:
    """Names of columns."""
    return [column.name for column in columns]


def _count(n: int, what: str) -> str:
    """`1 column`, `2 columns`."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"
