"""What a user's table is: which rows are labeled, what the columns are, and how they become features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files._decide import Decision, decide, decide_category
from tabcast.files._errors import TableFileError, list_names, show_value, suggest
from tabcast.files._rules import NumberRule, Problem, Rule, rule_from_dict, rule_to_dict
from tabcast.files._target import Label, Target, find_target
from tabcast.files._values import decisive_format, find_texts, is_text

FORMAT_ROWS = 2_000
COLUMNS_AT_A_TIME = 8


@dataclass(frozen=True)
class ColumnNote:
    """What a column is taken for.

    Parameters
    ----------
    name : of the column.
    kind : "number", "category", "date", "text", "identifier", "constant", "empty" or "mixed".
    used : whether it is a feature.
    why : a few words for people.
    """

    name: str
    kind: str
    used: bool
    why: str


@dataclass(frozen=True)
class Converted:
    """A table as a model takes it.

    Parameters
    ----------
    features : numbers and categories.
    problems : cells that could not be used as they are, by column.
    """

    features: pd.DataFrame
    problems: list[Problem]


@dataclass(frozen=True)
class Understanding:
    """What a table is; made by :func:`understand`, saved with the model, applied to every later file.

    Parameters
    ----------
    columns : what each column but the target is taken for, in the table's order.
    rules : how the used columns become features, in the table's order.
    target_rule : how the target column becomes labels.
    n_rows, n_labeled, n_unlabeled : rows of the table it was made from.
    class_counts : labeled rows by class, classes in sorted order.
    notes : what else is worth knowing, a sentence each.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.files import understand
    >>> table = pd.DataFrame({"age": ["31", "45", "28", "60"], "churned": ["no", "yes", "no", None]})
    >>> understanding = understand(table, "churned")
    >>> understanding.columns
    [ColumnNote(name='age', kind='number', used=True, why='numbers from 28 to 60')]
    >>> understanding.labels(table)
    array(['no', 'yes', 'no', None], dtype=object)
    >>> understanding.features(table)["age"].tolist()
    [31.0, 45.0, 28.0, 60.0]
    >>> understanding.class_counts
    {'no': 2, 'yes': 1}
    """

    columns: list[ColumnNote]
    rules: list[Rule]
    target_rule: Target
    n_rows: int
    n_labeled: int
    n_unlabeled: int
    class_counts: dict[Label, int]
    notes: list[str]

    @property
    def target(self) -> str:
        """Name of the target column."""
        return self.target_rule.name

    @property
    def classes(self) -> list[Label]:
        """The classes, sorted."""
        return list(self.class_counts)

    @property
    def feature_names(self) -> list[str]:
        """Names of the used columns, in the table's order."""
        return [rule.name for rule in self.rules]

    def features(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The features of a table: the same columns, order and types for every table; see :meth:`convert`."""
        return self.convert(frame).features

    def convert(self, frame: pd.DataFrame) -> Converted:
        """The features of a table, and the cells that could not be used.

        Numbers and dates become floats, levels become categories with the levels of training. Columns that are no
        features are ignored; a column that is missing is an error.
        """
        names = set(frame.columns)
        absent = [name for name in self.feature_names if name not in names]
        if absent:
            hint = suggest(absent[0], sorted(names - set(self.feature_names), key=str)) if len(absent) == 1 else ""
            raise TableFileError(
                f"The table lacks {'column' if len(absent) == 1 else 'columns'} {list_names(absent)} of the training "
                f"table{hint or '; add what is missing'}{'' if hint else '.'}"
            )
        numbers = {rule.name: rule.format for rule in self.rules if isinstance(rule, NumberRule)}
        is_open = "decimal_comma" in numbers.values() or _has_commas(frame, list(numbers))
        hint_format = _notation(frame, list(numbers)) if is_open else None
        columns, problems = {}, []
        for rule in self.rules:
            columns[rule.name], found = rule.convert(frame[rule.name], hint_format)
            problems += found
        return Converted(pd.DataFrame(columns, index=frame.index), problems)

    def labels(self, frame: pd.DataFrame) -> NDArray[np.object_]:
        """The label of each row of a table, None where there is none."""
        if self.target not in frame.columns:
            raise _no_such_column("target", self.target, frame)
        return self.target_rule.labels(frame[self.target])

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, see :meth:`from_dict`."""
        return {
            "target": self.target_rule.to_dict(),
            "classes": self.classes,
            "class_counts": list(self.class_counts.values()),
            "n_rows": self.n_rows,
            "n_labeled": self.n_labeled,
            "n_unlabeled": self.n_unlabeled,
            "columns": [asdict(column) for column in self.columns],
            "rules": [rule_to_dict(rule) for rule in self.rules],
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Understanding:
        """The understanding that :meth:`to_dict` wrote, exactly."""
        return cls(
            columns=[ColumnNote(**column) for column in plain["columns"]],
            rules=[rule_from_dict(rule) for rule in plain["rules"]],
            target_rule=Target.from_dict(plain["target"]),
            n_rows=plain["n_rows"],
            n_labeled=plain["n_labeled"],
            n_unlabeled=plain["n_unlabeled"],
            class_counts=dict(zip(plain["classes"], plain["class_counts"], strict=True)),
            notes=list(plain["notes"]),
        )


def understand(
    frame: pd.DataFrame,
    target: str,
    *,
    missing_label: Any = None,
    ignore: Iterable[str] = (),
    use: Iterable[str] = (),
    categories: Iterable[str] = (),
    id_columns: Iterable[str] = (),
) -> Understanding:
    """Say what a table is: its labels, and the kind of each column, from the values alone (never from the labels).

    Parameters
    ----------
    frame : the table, as :func:`tabcast.files.read_table_file` gives it.
    target : name of the column to predict. Rows without a value there are unlabeled.
    missing_label : a value of the target that also means "unlabeled", for instance -1 or "unknown".
    ignore : columns to leave out.
    use : columns to use although they look like identifiers, free text or constants.
    categories : columns whose values stand for categories although they look like something else, for instance numbers.
    id_columns : columns that identify rows; left out, and kept in predictions by who asks for it.

    Raises
    ------
    TableFileError : when there is nothing to learn from, in one sentence.
    """
    ignore, use, categories, id_columns = list(ignore), list(use), list(categories), list(id_columns)
    _check_columns(frame, target, {"--ignore": ignore, "--use": use, "--category": categories, "--id": id_columns})
    target_rule, class_counts, notes = find_target(target, frame[target], missing_label)
    names = [name for name in frame.columns if name != target]
    decisions = {name: (decide_category if name in categories else decide)(name, frame[name]) for name in names}
    _settle_notation(frame, decisions)
    columns, rules = [], []
    for name in names:
        wanted = "--category" if name in categories else "--use" if name in use else None
        decision = _overrule(name, decisions[name], name in ignore, wanted, name in id_columns)
        columns.append(ColumnNote(name, decision.kind, decision.used, decision.why))
        if decision.used and decision.rule is not None:
            rules.append(decision.rule)
    if not rules:
        only = "; ".join(f"{show_value(column.name)}: {column.why}" for column in columns[:3])
        raise TableFileError(
            f"No column is left to predict {target!r} from"
            + (f" ({only}); name one with --use." if columns else ": the table has only this one.")
        )
    n_labeled = sum(class_counts.values())
    n_repeated = _count_repeated(frame)
    if n_repeated:
        rows = "row repeats another row" if n_repeated == 1 else "rows repeat another row"
        notes.append(f"{n_repeated:,} {rows} exactly; they are kept.")
    return Understanding(
        columns=columns,
        rules=rules,
        target_rule=target_rule,
        n_rows=len(frame),
        n_labeled=n_labeled,
        n_unlabeled=len(frame) - n_labeled,
        class_counts=class_counts,
        notes=notes,
    )


def _check_columns(frame: pd.DataFrame, target: str, named: dict[str, list[str]]) -> None:
    """Refuse a table without rows, with unusable names, or without the columns that are named."""
    odd = [name for name in frame.columns if not isinstance(name, str)]
    if odd:
        raise TableFileError(f"Column names must be text; got {list_names(odd)}.")
    if frame.columns.has_duplicates:
        doubles = frame.columns[frame.columns.duplicated()].unique()
        raise TableFileError(f"The table has more than one column named {list_names(doubles)}; rename or remove one.")
    if not len(frame):
        raise TableFileError("The table has no rows.")
    if target not in frame.columns:
        raise _no_such_column("target", target, frame)
    for option, columns in named.items():
        for name in columns:
            if name not in frame.columns:
                raise _no_such_column(option, name, frame)
            if name == target:
                raise TableFileError(f"{option} names {name!r}, which is the target; choose one of the two.")
    for one, other in product(("--ignore", "--id"), ("--use", "--category")):
        both = set(named[one]) & set(named[other])
        if both:
            raise TableFileError(f"Column {list_names(sorted(both))} is named by both {one} and {other}; choose one.")


def _no_such_column(what: str, name: str, frame: pd.DataFrame) -> TableFileError:
    """A column that is not there, and which one may have been meant."""
    names = [str(column) for column in frame.columns]
    begin = f"The table has no column {show_value(name)}" + ("" if what == "target" else f", which {what} names")
    hint = suggest(str(name), names)
    if hint:
        return TableFileError(begin + hint)
    more = ""
    if len(names) == 1:
        more = " (only one column was found: columns are separated by comma, semicolon, tab or pipe)"
    elif all(_is_value(column) for column in names):
        more = " (the first line seems to hold values, not names: add a line with column names)"
    return TableFileError(f"{begin}; its columns are {list_names(names)}{more}.")


def _is_value(name: str) -> bool:
    """Whether a column name is a number."""
    try:
        float(name.replace(",", "."))
    except ValueError:
        return False
    return True


def _overrule(name: str, decision: Decision, is_ignored: bool, wanted: str | None, is_id: bool) -> Decision:
    """What the user said about a column goes before what it looks like."""
    if is_ignored:
        return Decision(decision.kind, False, "left out as you asked (--ignore)", None)
    if is_id:
        return Decision("identifier", False, "left out as you asked (--id)", None)
    if wanted is None or decision.used:
        return decision
    if decision.rule is None:
        raise TableFileError(f"Column {name!r} cannot be used as {wanted} asks: {decision.why}.")
    kind = decision.rule.kind
    as_what = {"number": "numbers", "category": "levels", "date": "dates"}[kind]
    return Decision(kind, True, f"used as {as_what} as you asked ({wanted}); {decision.why}", decision.rule)


def _settle_notation(frame: pd.DataFrame, decisions: dict[str, Decision]) -> None:
    """Decide again, with what the other columns say, the columns whose numbers may be read in two ways."""
    formats = {name: one.rule.format for name, one in decisions.items() if isinstance(one.rule, NumberRule)}
    if "decimal_comma" not in formats.values() and not any(decisions[name].is_open for name in formats):
        return
    hint = _notation(frame, list(formats))
    for name, number_format in formats.items():
        if number_format is not None and (decisions[name].is_open or hint == "decimal_comma"):
            decisions[name] = decide(name, frame[name], hint)


def _notation(frame: pd.DataFrame, names: list[str]) -> str | None:
    """How numbers are written in the text columns of a table, if they all say the same; None if nothing says it."""
    found = set()
    for name in names:
        values = frame[name]
        if is_text(values):
            found.add(decisive_format(find_texts(values.iloc[:FORMAT_ROWS])))
    if "decimal_comma" in found:
        return "decimal_comma" if "thousands_comma" not in found else None
    return "thousands_comma" if "thousands_comma" in found else ("plain" if "plain" in found else None)


def _has_commas(frame: pd.DataFrame, names: list[str]) -> bool:
    """Whether numbers written with a comma are in any text column: mostly not, and then nothing is to be settled."""
    texts = (frame[name] for name in names if is_text(frame[name]))
    return any(bool(values.str.contains(",", regex=False, na=False).any()) for values in texts)


def _count_repeated(frame: pd.DataFrame) -> int:
    """Rows that equal an earlier row in every column, found among ever fewer rows, a few columns at a time."""
    rows = np.arange(len(frame))
    try:
        for start in range(0, frame.shape[1], COLUMNS_AT_A_TIME):
            rows = rows[frame.iloc[rows, start : start + COLUMNS_AT_A_TIME].duplicated(keep=False).to_numpy()]
            if not len(rows):
                return 0
        return int(frame.iloc[rows].duplicated().sum())
    except TypeError:  # cells that hold lists cannot be compared
        return 0
