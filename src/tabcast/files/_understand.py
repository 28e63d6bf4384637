"""Interpreting a user's table: which rows are labeled, what the columns are, and how they become features."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files._decide import Decision, decide, decide_category, learn_text
from tabcast.files._errors import TableFileError, list_names, show_value, suggest
from tabcast.files._facts import ColumnNote, Fact, note
from tabcast.files._marks import remove_marks
from tabcast.files._notation import Notation, agree, settle_notation
from tabcast.files._rules import DateRule, NumberRule, Problem, Rule, rule_from_dict, rule_to_dict
from tabcast.files._target import Label, Target, find_target
from tabcast.files._text_rule import TextRule
from tabcast.files._values import find_texts, first_decisive_format, is_text
from tabcast.files._wording import Argument
from tabcast.files._words import PLURAL

FORMAT_ROWS = 2_000
COLUMNS_AT_A_TIME = 8
NUMBERED = re.compile(r"(.+)\.\d+")  # what a column is called whose name was taken, here and in pandas


@dataclass(frozen=True)
class Converted:
    """A table as a model takes it.

    Parameters
    ----------
    features : DataFrame
        Numbers and categories.
    problems : list of Problem
        Cells that could not be used as they are, by column.
    notes : tuple of str
        What could not be settled about the notation of dates, as sentences.
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
            raise _no_such_column(self.target, frame)
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
    missing_label : object, optional
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
    _check_columns(frame, target, named)
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
        raise _no_such_column(target, frame)
    for argument, columns in named.items():
        for name in columns:
            if name not in frame.columns:
                raise _no_such_column(name, frame, ", which ", Argument(argument), " names")
            if name == target:
                raise TableFileError(
                    Argument(argument), f" names {name!r}, which is the target; choose one of the two."
                )
    for one, other in product(("ignore", "id_columns"), ("use", "categories")):
        both = sorted(set(named[one]) & set(named[other]))
        if both:
            arguments = (Argument(one), " and ", Argument(other))
            raise TableFileError(f"Column {list_names(both)} is named by both ", *arguments, "; choose one.")


def _no_such_column(name: str, frame: pd.DataFrame, *named_by: str | Argument) -> TableFileError:
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
    hint = _notation(frame, list(formats))
    for name, number_format in formats.items():
        if number_format is not None and (decisions[name].is_open or hint == "decimal_comma"):
            decisions[name] = decide(name, frame[name], hint)


def _notation(frame: pd.DataFrame, names: list[str]) -> str | None:
    """How numbers are written in the text columns of a table, if they agree; None if nothing tells."""
    texts = (frame[name].iloc[:FORMAT_ROWS] for name in names if is_text(frame[name]))
    return agree({first_decisive_format(remove_marks(find_texts(values))) for values in texts})


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
