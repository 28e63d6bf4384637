"""What was noticed about a table: facts as data, and one wording for each, used by the terminal and by the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tabcast.wording import PYTHON, Argument, Wording, list_names, show_value

if TYPE_CHECKING:
    from tabcast.files._understand import Understanding


@dataclass(frozen=True)
class Fact:
    """Something noticed about a column or a table.

    Parameters
    ----------
    code : str
        What was noticed, for example "constant"; `tabcast.files._words` has a wording for each code.
    values : dict
        The numbers and texts that belong to it, plain JSON.

    See Also
    --------
    understand : Interprets a table.
    """

    code: str
    values: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Give the fact as plain JSON.

        Returns
        -------
        dict
            The code and the values.
        """
        return {"code": self.code, **self.values}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Fact:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        plain : dict
            The code and the values.

        Returns
        -------
        Fact
            The same fact.
        """
        return cls(plain["code"], {key: value for key, value in plain.items() if key != "code"})


def note(code: str, **values: Any) -> Fact:
    """A fact, written briefly."""
    return Fact(code, values)


@dataclass(frozen=True)
class ColumnNote:
    """How a column was interpreted.

    Parameters
    ----------
    name : str
        The column.
    kind : {"number", "category", "date", "text", "identifier", "constant", "empty", "mixed"}
        What the column is.
    used : bool
        Whether it is a feature.
    facts : tuple of Fact
        Why, the reason first and details after it.

    See Also
    --------
    understand : Interprets a table.
    """

    name: str
    kind: str
    used: bool
    facts: tuple[Fact, ...]

    @property
    def why(self) -> str:
        """The facts in a few words.

        Returns
        -------
        str
            A phrase without a period.
        """
        return word_reasons(self.facts)

    @property
    def is_altered(self) -> bool:
        """Whether the column is used, but some of its values not as they are in the table.

        Returns
        -------
        bool
            True if the user should be told.
        """
        return self.used and any(fact.code in ALTERED for fact in self.facts)

    def to_dict(self) -> dict[str, Any]:
        """Give the note as plain JSON.

        Returns
        -------
        dict
            Name, kind, use, the reason in words, and the facts.
        """
        facts = [fact.to_dict() for fact in self.facts]
        return {"name": self.name, "kind": self.kind, "used": self.used, "why": self.why, "facts": facts}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> ColumnNote:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        plain : dict
            The note as plain JSON.

        Returns
        -------
        ColumnNote
            The same note.
        """
        return cls(plain["name"], plain["kind"], plain["used"], tuple(map(Fact.from_dict, plain["facts"])))


MOST_CLASSES = 10
MOST_NAMES = 5
MOST_LEFT_OUT = 10
PLURAL = {"number": "numbers", "category": "categories", "date": "dates", "text": "texts"}

Words = str | Callable[[dict[str, Any]], str]  # a template for the values of a fact, or a function of them
Sentence = str | Callable[[dict[str, Any]], str | tuple[str | Argument, ...]]  # with arguments that each audience names

# Codes of columns some of whose values are not used as they are in the table.
ALTERED = frozenset(
    {"decimal_comma", "thousands_comma", "two_notations", "stray", "infinite", "too_large", "rounded"}
    | {"grouped_levels", "day_or_month", "currency", "unit", "clock", "percent", "partly_percent", "text_features"}
)


def _word_range(values: dict[str, Any]) -> str:
    low, high = (_show(values[name]) for name in ("low", "high"))
    if values["low"] < values["high"]:
        return f"{'durations in seconds' if values['unit'] == 'seconds' else 'numbers'} from {low} to {high}"
    return f"the number {low} or missing"


def _word_levels(values: dict[str, Any]) -> str:
    n, shown = values["n"], ", ".join(map(repr, values["shown"]))
    return f"{n} level{'' if n == 1 else 's'}: {shown}{', ...' if n > len(values['shown']) else ''}"


def _word_different(values: dict[str, Any]) -> str:
    n, n_rows = values["n"], values["n_rows"]
    return f"a different value in {'every row' if n == n_rows else f'{math.floor(100 * n / n_rows)}% of the rows'}"


def _word_marker(values: dict[str, Any]) -> tuple[str | Argument, ...]:
    label = show_value(values["label"]) if isinstance(values["label"], str) else str(values["label"])
    rows = f"{values['n']:,} row{'' if values['n'] == 1 else 's'}"
    begin = f"Label {label} is treated as a class ({rows} of {values['target']!r}); if it marks unlabeled rows"
    if not values["can_be_declared"]:  # there is room for one marker
        return (f"{begin} too, empty these cells.",)
    return (f"{begin}, use ", Argument("missing_label", values["label"]), ".")


def _word_leak(values: dict[str, Any]) -> tuple[str | Argument, ...]:
    names, one = values["columns"], len(values["columns"]) == 1
    who = (
        f"Column {names[0]!r} alone predicts"
        if one
        else f"Columns {list_names(names, MOST_NAMES)}, each alone, predict"
    )
    score = f"{'' if one else 'at least '}{values['score']:.1%}"
    return (
        f"{who} {values['target']!r} nearly perfectly (balanced accuracy {score} on held-out labeled rows); if "
        f"{'it is' if one else 'they are'} known only after the label or made from it, leave out with ",
        Argument("ignore", names[:MOST_NAMES]),
        ".",
    )


def _word_known_for_labeled_rows(values: dict[str, Any]) -> tuple[str | Argument, ...]:
    names, one = values["columns"], len(values["columns"]) == 1
    who = f"Column {names[0]!r} has" if one else f"Columns {list_names(names, MOST_NAMES)} have"
    return (
        f"{who} values in labeled rows and in hardly any unlabeled one, so the model learns from what it will not "
        "know; leave out with ",
        Argument("ignore", names[:MOST_NAMES]),
        ".",
    )


def _word_stray(values: dict[str, Any]) -> str:
    strays = "value that is not one counts" if values["n"] == 1 else "values that are not count"
    return f"; {values['n']:,} {strays} as missing, for example {values['example']!r}"


# The reason comes first; a detail begins with the punctuation that joins it to what stands before.
REASONS: dict[str, Words] = {
    "no_value": "no value in any row",
    "only_missing_words": 'no value in any row (only words such as "NA")',
    "only_infinite": "only infinite values",
    "nested": "holds values of type {type}, which are no table cells",
    "two_notations": "{example!r} may mean thousands or a decimal comma",
    "numbers_and_words": "{n_numbers:,} numbers and {n_words:,} words in one column",
    "same_value": "the same value in every row, {value!r}",
    "same_number": lambda values: f"the same value in every row, {_show(values['value'])}",
    "same_date": "the same date in every row, {value}",
    "range": _word_range,
    "dates": "dates from {first} to {last}, as days",
    "levels": _word_levels,
    "grouped_levels": "{n:,} levels, the {n_kept} most frequent kept ({share:.0%} of the rows), the rest grouped",
    "many_levels": "{n:,} levels",
    "free_text": "free text, {n:,} different values in {n_rows:,} rows",
    "different_values": _word_different,
    "index": "row numbers, like an index that pandas writes",
    "repeats": "named like column {column!r}, with the same value in every row",
    "named_like_the_target": "named like the target {target!r}, with other values",
    "row_numbers": "consecutive integers, a different one in every row, like row numbers",
    "long_integers": "a different integer in every row, too long for a measurement",
    "named_like_a_key": "named like a key, with a different integer in (nearly) every row",
    "named_like_a_key_of_words": "named like a key, {n:,} different values in {n_rows:,} rows",
    "ignored": "left out on request",
    "declared_identifier": "declared as an identifier",
    "used_on_request": "used as {as_what} on request; ",
    # details
    "decimal_comma": ", written with a decimal comma",
    "thousands_comma": ", written with thousands commas",
    "currency": ", amounts with {mark}",
    "unit": ", written with the unit {mark!r}",
    "clock": ", times of day in minutes since midnight",
    "percent": ", written with % (7.5% is 7.5)",
    "partly_percent": lambda values: (
        f"; {values['n']:,} without % {'is' if values['n'] == 1 else 'are'} read as percent too"
    ),
    "leading_zeros": " (digits with leading zeros are codes)",
    "day_or_month": " (no date tells whether day or month comes first: read as {order})",
    "stray": _word_stray,
    "infinite": "; {n:,} infinite as missing",
    "too_large": "; {n:,} cut to 1e38",
    "rounded": "; integers this long are rounded",
    "category_on_request": ", as requested",
    "text_features": lambda values: (
        f", as {values['n']} features of {values['n_terms']:,} "
        f"{'words' if values['terms'] == 'words' else 'groups of three characters'}"
    ),
    "nothing_in_common": ", with too few words in common",
    "like_names": ", in {n_rows:,} rows: perhaps names or keys",
    "predicts_target": "; alone it predicts the target (balanced accuracy {score:.1%} on held-out labeled rows)",
    "only_labeled": "; has values in labeled rows and in hardly any unlabeled one",
}

NOTES: dict[str, Sentence] = {
    "absent_missing_label": "No row of {target!r} holds the missing label {label!r}.",
    "all_labeled": "Every row has a label in {target!r}: there are no unlabeled rows to learn from.",
    "marker_class": _word_marker,
    "names_or_keys": lambda values: (
        f"Like names or keys, nearly each value of {_columns(values['columns'])} is in a few rows only; if it tells "
        "rows apart and nothing else, leave out with ",
        Argument("ignore", values["columns"][:MOST_NAMES]),
        ".",
    ),
    "leak": _word_leak,
    "known_for_labeled_rows": _word_known_for_labeled_rows,
    "single_row": lambda values: f"Only one labeled row of class {list_names(values['classes'])}: label more of it.",
    "repeated_rows": lambda values: (
        f"{values['n']:,} {'row repeats' if values['n'] == 1 else 'rows repeat'} another row exactly; they are kept."
    ),
}

# Of one value, of several.
PROBLEMS = {
    "not a number": ("is not a number and counts as missing", "are not numbers and count as missing"),
    "not a date": ("is not a date and counts as missing", "are not dates and count as missing"),
    "infinite": ("is infinite and counts as missing", "are infinite and count as missing"),
    "too large": ("is beyond 1e+38 and is cut to it", "are beyond 1e+38 and are cut to it"),
    "unseen level": (
        "is a level that was not there in training and counts as missing",
        "are levels that were not there in training and count as missing",
    ),
}


def word_reasons(facts: Iterable[Fact]) -> str:
    """Why a column is what it is, in a few words."""
    return "".join(_fill(REASONS[fact.code], fact) for fact in facts)


# Codes of notes on a table that is probably not what its user takes it for.
ALARMS = frozenset({"marker_class", "leak", "known_for_labeled_rows"})


def word_note(fact: Fact, wording: Wording = PYTHON) -> str:
    """A fact about the table as a sentence."""
    words = NOTES[fact.code]
    found = words.format_map(fact.values) if isinstance(words, str) else words(fact.values)
    begin = "Caution: " if fact.code in ALARMS else ""
    return wording.sentence(begin, *([found] if isinstance(found, str) else found))


def _fill(words: Words, fact: Fact) -> str:
    return words.format_map(fact.values) if isinstance(words, str) else words(fact.values)


@dataclass(frozen=True)
class Problem:
    """Cells of a column that a rule could not use as they are: what is wrong, how many, and one of them in quotes."""

    column: str
    what: str  # one of PROBLEMS
    n: int
    example: str

    def say(self) -> str:
        """The problem as a sentence."""
        became = PROBLEMS[self.what][self.n > 1]
        values = "value" if self.n == 1 else "values"
        return f"Column {self.column!r}: {self.n:,} {values} {became} (for example {self.example})."


def describe(understanding: Understanding, wording: Wording = PYTHON) -> list[str]:
    """Describe how a table was interpreted: rows, classes, columns used, columns left out, notes.

    Parameters
    ----------
    understanding : Understanding
        What :func:`understand` found.
    wording : Wording, default=PYTHON
        How the arguments that overrule it are named.

    Returns
    -------
    list of str
        The lines.

    See Also
    --------
    understand : Interpret a table.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.files import describe, understand
    >>> table = pd.DataFrame({"age": [31, 45, 28, 60], "from": ["here"] * 4, "churned": ["no", "yes", "no", None]})
    >>> print(*describe(understand(table, "churned")), sep="\\n")
    4 rows: 3 labeled, 1 unlabeled.
    Classes of 'churned': 'no' 2, 'yes' 1.
    1 column used: 1 number ('age'). Leave columns out with `ignore=['NAME']`, treat a numeric column as categorical
    with `categories=['NAME']`.
    1 column left out, use it with `use=['NAME']`:
      'from' (constant): the same value in every row, 'here'.
    Only one labeled row of class 'yes': label more of it.
    """
    used = [column for column in understanding.columns if column.used]
    left_out = [column for column in understanding.columns if not column.used]
    return [
        f"{understanding.n_rows:,} rows: {understanding.n_labeled:,} labeled, {understanding.n_unlabeled:,} unlabeled.",
        _word_classes(understanding),
        _word_used(used, wording),
        *(_word_left_out(left_out, wording) if left_out else ()),
        *(f"Column {show_value(column.name)}: {column.why}." for column in used if column.is_altered),
        *(word_note(fact, wording) for fact in sorted(understanding.notes, key=lambda fact: fact.code in ALARMS)),
    ]


def _word_classes(understanding: Understanding) -> str:
    """The classes and their counts, the most frequent if there are many."""
    counts = list(understanding.class_counts.items())
    if len(counts) > MOST_CLASSES:
        counts = sorted(counts, key=lambda item: -item[1])[:MOST_CLASSES]
    shown = ", ".join(f"{show_value(label) if isinstance(label, str) else label} {count:,}" for label, count in counts)
    more = len(understanding.class_counts) - len(counts)
    return f"Classes of {show_value(understanding.target)}: {shown}{f' and {more:,} more' if more else ''}."


def _word_used(used: list[ColumnNote], wording: Wording) -> str:
    """The used columns by kind."""
    by_kind = []
    for kind, plural in PLURAL.items():
        names = [column.name for column in used if column.kind == kind]
        if names:
            by_kind.append(f"{len(names):,} {kind if len(names) == 1 else plural} ({list_names(names, MOST_NAMES)})")
    hints: list[str | Argument] = ["Leave columns out with ", Argument("ignore", ["NAME"])]
    if any(column.kind == "number" for column in used):
        hints += [", treat a numeric column as categorical with ", Argument("categories", ["NAME"])]
    return wording.sentence(f"{_count(len(used))} used: {', '.join(by_kind)}. ", *hints, ".")


def _word_left_out(left_out: list[ColumnNote], wording: Wording) -> list[str]:
    """The columns left out and why, the first few of them."""
    which = "it" if len(left_out) == 1 else "one"
    lines = [wording.sentence(f"{_count(len(left_out))} left out, use {which} with ", Argument("use", ["NAME"]), ":")]
    lines += [f"  {show_value(column.name)} ({column.kind}): {column.why}." for column in left_out[:MOST_LEFT_OUT]]
    more = [column.name for column in left_out[MOST_LEFT_OUT:]]
    return [*lines, f"  and {len(more):,} more: {list_names(more)}."] if more else lines


def _columns(names: list[str]) -> str:
    return f"column{'' if len(names) == 1 else 's'} {list_names(names, MOST_NAMES)}"


def _count(n: int) -> str:
    return f"{n:,} column{'' if n == 1 else 's'}"


def _show(number: float) -> str:
    """A number, short."""
    return f"{number:,.0f}" if number == round(number) and abs(number) < 1e12 else f"{number:.4g}"
