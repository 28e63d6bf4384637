"""Interpreting a user's table: which rows are labeled, what the columns are, and how later tables become features."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files._decide import Decision, decide, decide_category, learn_text
from tabcast.files._notation import Notation, find_hint, settle_notation
from tabcast.files._rules import DateRule, NumberRule, Rule, TextRule, rule_from_dict, rule_to_dict
from tabcast.files._values import (
    BOOLEAN_WORDS,
    NOT_NUMBERS,
    Texts,
    find_texts,
    has_leading_zeros,
    text_of_number,
)
from tabcast.files._words import PLURAL, ColumnNote, Fact, Problem, note
from tabcast.wording import Argument, TableFileError, list_names, show_value, suggest

Label = str | int | float | bool

EXACT = 2**53
MOST_FLOAT_CLASSES = 20
MOST_INTEGER_CLASSES = 100
# What people write for "no label yet"; compared without case. A class may be called so too: the user is told.
MARKERS = NOT_NUMBERS | frozenset(
    {"unlabeled", "unlabelled", "not labeled", "not labelled", "no label", "nolabel", "unlabel", "unclassified"}
    | {"undefined", "undetermined", "tbd", "todo", "to do", "???", "??", "not available", "-1", "-9", "-99", "-999"}
)
MOST_WORD_SHARE = 0.5  # proportion of labeled rows that may have a class of their own


@dataclass(frozen=True)
class Target:
    """How the target column of any table becomes labels.

    Parameters
    ----------
    name : str
        The column.
    type : {"bool", "int", "float", "str"}
        What the labels are in Python.
    classes : tuple
        The labels, sorted.
    missing_label : str or None
        Text that also means "unlabeled".
    """

    name: str
    type: str
    classes: tuple[Label, ...]
    missing_label: str | None

    def labels(self, values: pd.Series[Any]) -> NDArray[np.object_]:
        """The label of each row, None where there is none."""
        texts = remove_marker(find_texts(values), self.missing_label)
        known = {_key(label, self.type): label for label in self.classes}
        by_level = np.empty(len(texts.levels) + 1, dtype=object)
        unknown = []
        for position, text in enumerate(texts.levels):
            by_level[position] = known.get(_key(text, self.type))
            if by_level[position] is None:
                unknown.append(text)
        if unknown:
            raise TableFileError(
                f"Column {self.name!r} holds {list_names(unknown, 3)}, which is no class of the training table; "
                f"classes are {list_names(self.classes)}."
            )
        return by_level[texts.codes]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self) | {"classes": list(self.classes)}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Target:
        """Back from :meth:`to_dict`."""
        return cls(**plain | {"classes": tuple(plain["classes"])})


def find_target(
    name: str, values: pd.Series[Any], missing_label: Any = None
) -> tuple[Target, dict[Label, int], list[Fact]]:
    """Find the classes; returns the target, labeled rows by class, and notes."""
    marker = None if missing_label is None else str(missing_label).strip()
    every = find_texts(values)
    texts = remove_marker(every, marker)
    notes = []
    if marker is not None and texts is every:
        notes.append(note("absent_missing_label", target=name, label=marker))
    if not texts.n_values:
        raise TableFileError(f"No row has a label: column {name!r} is empty; label some rows of at least two classes.")
    label_type = _find_type(values, texts)
    keys = [_key(text, label_type) for text in texts.levels]
    labels = {key: _label(key, label_type) for key in keys}
    counts = dict.fromkeys(labels.values(), 0)
    for key, count in zip(keys, texts.counts, strict=True):
        counts[labels[key]] += int(count)
    counts = {label: counts[label] for label in sorted(counts)}
    _check_classes(name, label_type, counts)
    if texts.n_values == len(values):
        notes.append(note("all_labeled", target=name))
    notes += _find_markers(name, counts, can_be_declared=marker is None)
    single = [label for label, count in counts.items() if count == 1]
    if single:
        notes.append(note("single_row", classes=single))
    return Target(name, label_type, tuple(counts), marker), counts, notes


def _find_markers(name: str, counts: dict[Label, int], *, can_be_declared: bool) -> list[Fact]:
    """The classes that are called like a marker of unlabeled rows, the most frequent first."""
    found = sorted(filter(_is_marker, counts), key=lambda label: -counts[label])
    return [
        note("marker_class", target=name, label=label, n=counts[label], can_be_declared=can_be_declared and not place)
        for place, label in enumerate(found)
    ]


def _is_marker(label: Label) -> bool:
    """Whether a label is called like a marker of unlabeled rows."""
    return str(label).casefold() in MARKERS


def remove_marker(texts: Texts, marker: str | None) -> Texts:
    """The labels without the one that means "unlabeled"; the very same object if it does not occur."""
    if marker is None:
        return texts
    same = np.array([level == marker or _same_number(level, marker) for level in texts.levels], dtype=bool)
    if not same.any():
        return texts
    renumber = np.append(np.where(same, -1, np.cumsum(~same) - 1), -1)
    return Texts(renumber[texts.codes], texts.levels[~same])


def _find_type(values: pd.Series[Any], texts: Texts) -> str:
    """What labels are in Python: booleans, integers, other numbers, or text."""
    if {level.casefold() for level in texts.levels} <= BOOLEAN_WORDS:
        return "bool"
    numbers = pd.to_numeric(pd.Series(texts.levels, dtype=object), errors="coerce").to_numpy(dtype=float)
    if not np.isfinite(numbers).all() or np.abs(numbers).max() >= EXACT or has_leading_zeros(pd.Series(texts.levels)):
        return "str"
    return "int" if (numbers == np.round(numbers)).all() else "float"


def _key(label: Any, label_type: str) -> str:
    """What two spellings of the same label have in common."""
    if label_type == "bool":
        return str(label).casefold()
    if label_type in ("int", "float"):
        try:
            return text_of_number(float(label))
        except (ValueError, OverflowError):
            return str(label)
    return str(label)


def _label(key: str, label_type: str) -> Label:
    """A label in Python, from its key."""
    if label_type == "bool":
        return key == "true"
    return int(key) if label_type == "int" else (float(key) if label_type == "float" else key)


def _same_number(one: str, other: str) -> bool:
    """Whether two texts are the same number."""
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def _check_classes(name: str, label_type: str, counts: dict[Label, int]) -> None:
    """Refuse one class, and targets that are no classes."""
    n_labeled, n_classes = sum(counts.values()), len(counts)
    only = next(iter(counts))
    if n_classes == 1 and _is_marker(only):
        raise TableFileError(
            f"No row has a label: column {name!r} holds nothing but {show_value(only)}, which looks like a marker of "
            "unlabeled rows; label some rows of at least two classes, and use ",
            Argument("missing_label", only),
            ".",
        )
    if n_classes == 1:
        raise TableFileError(
            f"Column {name!r} has only one class among its {n_labeled:,} labeled rows, "
            f"{show_value(only)}; at least two are needed (is the other one left empty on purpose?)."
        )
    is_number = label_type in ("int", "float")
    most = {"float": MOST_FLOAT_CLASSES, "int": MOST_INTEGER_CLASSES}.get(label_type, n_labeled)
    many = n_classes > max(MOST_FLOAT_CLASSES, MOST_WORD_SHARE * n_labeled)
    if is_number and (n_classes == n_labeled > 2 or n_classes > most or many):
        raise TableFileError(
            f"Column {name!r} has {n_classes:,} different numbers in {n_labeled:,} labeled rows, so it looks like a "
            "quantity; tabcast predicts classes: cut it into ranges, or write class codes as text."
        )
    if n_classes == n_labeled or many:
        raise TableFileError(
            f"Column {name!r} has {n_classes:,} different labels in {n_labeled:,} labeled rows, hardly two rows of a "
            "class; name another target, or label more rows."
        )


def check_named(frame: pd.DataFrame, target: str, named: dict[str, list[str]]) -> None:
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
        raise no_such_column(target, frame)
    for argument, columns in named.items():
        for name in columns:
            if name not in frame.columns:
                raise no_such_column(name, frame, ", which ", Argument(argument), " names")
            if name == target:
                raise TableFileError(
                    Argument(argument), f" names {name!r}, which is the target; choose one of the two."
                )
    for one, other in product(("ignore", "id_columns"), ("use", "categories")):
        both = sorted(set(named[one]) & set(named[other]))
        if both:
            arguments = (Argument(one), " and ", Argument(other))
            raise TableFileError(f"Column {list_names(both)} is named by both ", *arguments, "; choose one.")


def no_such_column(name: str, frame: pd.DataFrame, *named_by: str | Argument) -> TableFileError:
    """A column that is not there, and which one may have been meant."""
    names = [str(column) for column in frame.columns]
    begin = (f"The table has no column {show_value(name)}", *named_by)
    hint = suggest(str(name), names)
    if hint:
        return TableFileError(*begin, hint)
    more = ""
    if len(names) == 1:
        more = " (only one column was found: columns are separated by comma, semicolon, tab or pipe)"
    elif all(_is_value(column) for column in names):
        more = " (the first line seems to hold values, not names: add a line with column names)"
    return TableFileError(*begin, f"; its columns are {list_names(names)}{more}.")


def _is_value(name: str) -> bool:
    """Whether a column name is a number."""
    try:
        float(name.replace(",", "."))
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Converted:
    """A table as a model takes it.

    Parameters
    ----------
    features : DataFrame
        Numbers and categories.
    problems : list of Problem
        Cells that could not be used as they are, by column.
    notes : tuple of str, default=()
        What could not be settled about the notation of dates, as sentences.

    See Also
    --------
    understand : Interprets a table.
    """

    features: pd.DataFrame
    problems: list[Problem]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Understanding:
    """How a table was interpreted; made by :func:`understand`, saved with the model, applied to every later file.

    Parameters
    ----------
    columns : list of ColumnNote
        How each column but the target was interpreted, in the table's order.
    rules : list of Rule
        How the used columns become features, in the table's order.
    target_rule : Target
        How the target column becomes labels.
    n_rows, n_labeled, n_unlabeled : int
        Rows of the table it was made from.
    class_counts : dict
        Number of labeled rows per class, classes in sorted order.
    notes : list of Fact
        What else was noticed about the table.

    See Also
    --------
    understand : Interpret a table.
    describe : The interpretation in words.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.files import understand
    >>> table = pd.DataFrame({"age": ["31", "45", "28", "60"], "churned": ["no", "yes", "no", None]})
    >>> understanding = understand(table, "churned")
    >>> understanding.columns[0].kind, understanding.columns[0].why
    ('number', 'numbers from 28 to 60')
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
    notes: list[Fact]

    @property
    def target(self) -> str:
        """Name of the target column.

        Returns
        -------
        str
            The name.
        """
        return self.target_rule.name

    @property
    def classes(self) -> list[Label]:
        """The classes, sorted.

        Returns
        -------
        list
            Labels as they are in Python.
        """
        return list(self.class_counts)

    @property
    def feature_names(self) -> list[str]:
        """Names of the used columns, in the table's order.

        Returns
        -------
        list of str
            The columns that :meth:`features` needs.
        """
        return [rule.name for rule in self.rules]

    @property
    def output_names(self) -> list[str]:
        """Names of the features: of a column of text several, of any other the column itself.

        Returns
        -------
        list of str
            The columns that :meth:`features` has.
        """
        return [name for rule in self.rules for name in (rule.outputs if isinstance(rule, TextRule) else (rule.name,))]

    def features(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Get the features of a table: the same columns, order and types for every table.

        Parameters
        ----------
        frame : DataFrame
            A table that has all columns of :attr:`feature_names`.

        Returns
        -------
        DataFrame
            The features; see :meth:`convert`.
        """
        return self.convert(frame).features

    def convert(self, frame: pd.DataFrame, notation: Notation | None = None) -> Converted:
        """Get the features of a table, and the cells that could not be used.

        Numbers and dates become floats, levels become categories with the levels of training. Columns that are not
        features are ignored; a missing column is an error.

        Parameters
        ----------
        frame : DataFrame
            A table with the columns of training, as :func:`read_table_file` reads it.
        notation : Notation, optional
            How the table's file writes numbers and dates, from :meth:`settle_notation`; needed where `frame` is only a
            batch of its rows. None: found in `frame`.

        Returns
        -------
        Converted
            The features and the problems.
        """
        self.check_columns(frame.columns)
        notation = self.settle_notation([frame]) if notation is None else notation
        columns: dict[str, pd.Series[Any]] = {}
        problems: list[Problem] = []
        for rule in self.rules:
            if isinstance(rule, TextRule):
                found_features = rule.convert_text(frame[rule.name])
                columns |= {name: found_features[name] for name in rule.outputs}
                continue
            columns[rule.name], found = rule.convert(frame[rule.name], notation.formats.get(rule.name))
            problems += found
        return Converted(pd.DataFrame(columns, index=frame.index), problems, notation.notes)

    def settle_notation(self, frames: Iterable[pd.DataFrame]) -> Notation:
        """Find how a file writes numbers and dates, once for all of its rows.

        Of several notations that read all values of a column, that of the training table is taken.

        Parameters
        ----------
        frames : iterable of DataFrame
            All rows of the file, in batches with the columns of :attr:`text_columns` at least.

        Returns
        -------
        Notation
            For :meth:`convert`.
        """
        return settle_notation(self.rules, frames)

    @property
    def text_columns(self) -> list[str]:
        """Names of the used columns that have a notation in a text file: numbers and dates.

        Returns
        -------
        list of str
            The columns that :meth:`settle_notation` needs.
        """
        return [rule.name for rule in self.rules if isinstance(rule, NumberRule | DateRule)]

    @property
    def notation(self) -> Notation:
        """The notation of the training table.

        Returns
        -------
        Notation
            For :meth:`convert` of that very table.
        """
        rules = (rule for rule in self.rules if isinstance(rule, NumberRule | DateRule))
        return Notation({rule.name: rule.format for rule in rules if rule.format is not None})

    def check_columns(self, columns: Iterable[str]) -> None:
        """Refuse a table that lacks columns of training, and name those that may be meant.

        Parameters
        ----------
        columns : iterable of str
            The columns of the table.

        Raises
        ------
        TableFileError
            If one of :attr:`feature_names` is not among them.
        """
        names = set(columns)
        absent = [name for name in self.feature_names if name not in names]
        if absent:
            hint = suggest(absent[0], sorted(names - set(self.feature_names), key=str)) if len(absent) == 1 else ""
            raise TableFileError(
                f"The table lacks {'column' if len(absent) == 1 else 'columns'} {list_names(absent)} of the training "
                f"table{hint or '; add what is missing'}{'' if hint else '.'}"
            )

    def labels(self, frame: pd.DataFrame) -> NDArray[np.object_]:
        """Get the label of each row of a table.

        Parameters
        ----------
        frame : DataFrame
            A table with the target column.

        Returns
        -------
        ndarray of object, shape (n_rows,)
            Labels, None where a row is unlabeled.
        """
        if self.target not in frame.columns:
            raise no_such_column(self.target, frame)
        return self.target_rule.labels(frame[self.target])

    def to_dict(self) -> dict[str, Any]:
        """Give the understanding as plain JSON.

        Returns
        -------
        dict
            For :meth:`from_dict`.
        """
        return {
            "target": self.target_rule.to_dict(),
            "classes": self.classes,
            "class_counts": list(self.class_counts.values()),
            "n_rows": self.n_rows,
            "n_labeled": self.n_labeled,
            "n_unlabeled": self.n_unlabeled,
            "columns": [column.to_dict() for column in self.columns],
            "rules": [rule_to_dict(rule) for rule in self.rules],
            "notes": [fact.to_dict() for fact in self.notes],
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Understanding:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        plain : dict
            The understanding as plain JSON.

        Returns
        -------
        Understanding
            The same understanding.
        """
        return cls(
            columns=[ColumnNote.from_dict(column) for column in plain["columns"]],
            rules=[rule_from_dict(rule) for rule in plain["rules"]],
            target_rule=Target.from_dict(plain["target"]),
            n_rows=plain["n_rows"],
            n_labeled=plain["n_labeled"],
            n_unlabeled=plain["n_unlabeled"],
            class_counts=dict(zip(plain["classes"], plain["class_counts"], strict=True)),
            notes=[Fact.from_dict(fact) for fact in plain["notes"]],
        )


COLUMNS_AT_A_TIME = 8
NUMBERED = re.compile(r"(.+)\.\d+")  # what a column is called whose name was taken, here and in pandas


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
    """Interpret a table: its labels, and the kind of each column, from the values alone (never from the labels).

    Parameters
    ----------
    frame : DataFrame
        The table, as :func:`read_table_file` reads it.
    target : str
        The column to predict. Rows without a value there are unlabeled.
    missing_label : object, default=None
        A value of the target that also means "unlabeled", for instance -1 or "unknown".
    ignore : iterable of str, default=()
        Columns to leave out.
    use : iterable of str, default=()
        Columns to use although they look like identifiers, free text or constants.
    categories : iterable of str, default=()
        Columns whose values are categories although they look like something else, for instance numbers.
    id_columns : iterable of str, default=()
        Columns that identify rows: no features, but kept in predictions.

    Returns
    -------
    Understanding
        The interpretation, which turns this table and every later one into features and labels.

    Raises
    ------
    TableFileError
        If there is nothing to learn from.

    See Also
    --------
    describe : The interpretation in words.
    read_table_file : Read a table.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.files import understand
    >>> table = pd.DataFrame({"plan": ["gold", "basic"] * 3, "churned": ["no", "yes", "no", "yes", None, None]})
    >>> understand(table, "churned").columns[0].why
    "2 levels: 'basic', 'gold'"
    """
    named = {"ignore": list(ignore), "use": list(use), "categories": list(categories), "id_columns": list(id_columns)}
    check_named(frame, target, named)
    target_rule, class_counts, notes = find_target(target, frame[target], missing_label)
    names = [name for name in frame.columns if name != target]
    is_category = set(named["categories"])
    decisions = {name: (decide_category if name in is_category else decide)(name, frame[name]) for name in names}
    settle_decisions(frame, decisions)
    decisions |= {name: _leave_out_repeated(frame, name, decisions[name], target) for name in names}
    columns, rules = [], []
    for name in names:
        decision = decisions[name]
        if isinstance(decision.rule, TextRule) and name not in named["ignore"] + named["id_columns"]:
            decision = learn_text(decision.rule, frame[name], decision, frame.columns)
        decision = _overrule(name, decision, named)
        columns.append(ColumnNote(name, decision.kind, decision.used, decision.facts))
        if decision.used and decision.rule is not None:
            rules.append(decision.rule)
    if not rules:
        if not columns:
            raise TableFileError(f"No column is left to predict {target!r} from: the table has only this one.")
        reasons = "; ".join(f"{show_value(column.name)}: {column.why}" for column in columns[:3])
        raise TableFileError(
            f"No column is left to predict {target!r} from ({reasons}); name one with ", Argument("use"), "."
        )
    n_labeled = sum(class_counts.values())
    alike = [one.name for one in columns if one.used and any(fact.code == "like_names" for fact in one.facts)]
    alike = [name for name in alike if name not in named["use"]]
    if alike:
        notes.append(note("names_or_keys", columns=alike))
    n_repeated = _count_repeated(frame)
    if n_repeated:
        notes.append(note("repeated_rows", n=n_repeated))
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


def _overrule(name: str, decision: Decision, named: dict[str, list[str]]) -> Decision:
    """What the user requested for a column goes before what it looks like."""
    if name in named["ignore"]:
        return Decision(decision.kind, False, (note("ignored"),), None)
    if name in named["id_columns"]:
        return Decision("identifier", False, (note("declared_identifier"),), None)
    wanted = next((argument for argument in ("categories", "use") if name in named[argument]), None)
    if wanted is None or decision.used:
        return decision
    column = ColumnNote(name, decision.kind, False, decision.facts)
    if decision.rule is None:
        raise TableFileError(f"Column {name!r}, named by ", Argument(wanted), f", cannot be used: {column.why}.")
    requested = note("used_on_request", as_what=PLURAL[decision.rule.kind])
    return replace(decision, kind=decision.rule.kind, used=True, facts=(requested, *decision.facts))


def settle_decisions(frame: pd.DataFrame, decisions: dict[str, Decision]) -> None:
    """Decide again, by the notation of the other columns, the columns whose numbers may be read in two ways."""
    formats = {name: one.rule.format for name, one in decisions.items() if isinstance(one.rule, NumberRule)}
    if "decimal_comma" not in formats.values() and not any(decisions[name].is_open for name in formats):
        return
    hint = find_hint(frame[name] for name in formats)
    for name, number_format in formats.items():
        if number_format is not None and (decisions[name].is_open or hint == "decimal_comma"):
            decisions[name] = decide(name, frame[name], hint)


def _leave_out_repeated(frame: pd.DataFrame, name: str, decision: Decision, target: str) -> Decision:
    """Leave a column out that has the name of another, but for a number, and its values, or the name of the target."""
    found = NUMBERED.fullmatch(name)
    if not decision.used or found is None or found[1] not in frame.columns:
        return decision
    if not frame[name].astype(object).equals(frame[found[1]].astype(object)):
        facts = (note("named_like_the_target", target=target),)
        return decision if found[1] != target else replace(decision, used=False, facts=facts)
    return replace(decision, used=False, facts=(note("repeats", column=found[1]),))


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
