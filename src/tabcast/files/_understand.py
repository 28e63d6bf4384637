"""Interpreting a user's table: which rows are labeled, what the columns are, and how later tables become features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files._columns import RULES, Column, NumberRule, Problem, Rule, decide_columns, decide_prose
from tabcast.files._values import (
    BOOLEAN_WORDS,
    EXACT,
    NOT_NUMBERS,
    ORDERS,
    PERCENT,
    PLAIN,
    Tally,
    Texts,
    agree,
    find_texts,
    has_leading_zeros,
    plain_number,
    read_levels,
    read_typed,
)
from tabcast.wording import PYTHON, Argument, TableFileError, Wording, list_names, show_value, suggest

Label = str | int | float | bool
Note = tuple[str | Argument, ...]  # a sentence with arguments that each audience names in its own way

CAUTION = "Caution: "  # begins a note on a table that is probably not what its user takes it for
FEW_CLASSES, MOST_CLASSES_OF = 20, {"float": 20, "int": 100}
# What people write for "no label yet"; compared without case. A class may be called so too: the user is told.
MARKERS = NOT_NUMBERS | frozenset(
    {"unlabeled", "unlabelled", "not labeled", "not labelled", "no label", "nolabel", "unlabel", "unclassified"}
    | {"undefined", "undetermined", "tbd", "todo", "to do", "???", "??", "not available", "-1", "-9", "-99", "-999"}
)
MOST_WORD_SHARE = 0.5  # proportion of labeled rows that may have a class of their own
MOST_CLASSES, MOST_NAMES, MOST_LEFT_OUT = 10, 5, 10  # that a description shows
PLURAL = {"number": "numbers", "category": "categories", "date": "dates", "text": "texts"}


@dataclass(frozen=True)
class Target:
    """How the target column of any table becomes labels.

    Parameters
    ----------
    name : str
        The column.
    type : {"bool", "int", "float", "str"}
        What the labels are in Python.
    classes : list
        The labels, sorted.
    counts : list of int
        Labeled rows of each.
    missing_label : str or None
        Text that also means "unlabeled".
    """

    name: str
    type: str
    classes: list[Label]
    counts: list[int]
    missing_label: str | None

    def labels(self, values: pd.Series[Any]) -> NDArray[np.object_]:
        """The label of each row, None where there is none."""
        texts = find_labels(values, self.missing_label)
        known = {_key(label, self.type): label for label in self.classes}
        keys = [_key(text, self.type) for text in texts.levels]
        unknown = [text for text, key in zip(texts.levels, keys, strict=True) if key not in known]
        if unknown:
            known_ones = f"no class of the training table; classes are {list_names(self.classes)}"
            raise TableFileError(f"Column {self.name!r} holds {list_names(unknown, 3)}, which is {known_ones}.")
        return texts.spread(np.array([known[key] for key in keys], dtype=object), None)


def find_labels(values: pd.Series[Any], missing_label: Any) -> Texts:
    """The labels of a column as texts; what means "unlabeled" is missing."""
    texts = find_texts(values)
    if missing_label is None:
        return texts
    marker = plain_number(str(missing_label).strip())
    return texts.keep(plain_number(level) != marker for level in texts.levels)


def find_target(name: str, values: pd.Series[Any], missing_label: Any = None) -> tuple[Target, list[Note]]:
    """Find the classes; returns the target, and notes."""
    marker = None if missing_label is None else str(missing_label).strip()
    texts, notes = find_labels(values, marker), list[Note]()
    if marker is not None and texts.n_values == find_texts(values).n_values:
        notes.append((f"No row of {name!r} holds the missing label {marker!r}.",))
    if not texts.n_values:
        raise TableFileError(f"No row has a label: column {name!r} is empty; label some rows of at least two classes.")
    label_type = _find_type(texts)
    counts: dict[Label, int] = {}
    for text, n in zip(texts.levels, texts.counts.tolist(), strict=True):
        label = _label(_key(text, label_type), label_type)
        counts[label] = counts.get(label, 0) + n
    counts = {label: counts[label] for label in sorted(counts)}
    _check_classes(name, label_type, counts)
    single = [label for label, count in counts.items() if count == 1]
    if single:
        notes.append((f"Only one labeled row of class {list_names(single)}: label more of it.",))
    for label in find_markers(counts):
        rows = f"{counts[label]:,} row{'' if counts[label] == 1 else 's'} of {name!r}"
        begin = (
            f"{CAUTION}Label {label!r} is treated as a class ({rows}); if it marks unlabeled rows, empty these cells"
        )
        notes.append((f"{begin} or use ", Argument("missing_label", label), "."))
    return Target(name, label_type, list(counts), list(counts.values()), marker), notes


def find_markers(counts: dict[Label, int]) -> list[Label]:
    """The classes that are called like a marker of unlabeled rows, the most frequent first."""
    return sorted((one for one in counts if str(one).casefold() in MARKERS), key=lambda label: -counts[label])


def _find_type(texts: Texts) -> str:
    """What labels are in Python: booleans, integers, other numbers, or text."""
    if {level.casefold() for level in texts.levels} <= BOOLEAN_WORDS:
        return "bool"
    try:
        numbers = np.array([float(level.replace("_", "?")) for level in texts.levels])
    except ValueError:
        return "str"
    if not np.isfinite(numbers).all() or np.abs(numbers).max() >= EXACT or has_leading_zeros(texts):
        return "str"
    return "int" if (numbers == np.round(numbers)).all() else "float"


def _key(label: Any, label_type: str) -> str:
    """What two spellings of the same label have in common."""
    if label_type == "str":
        return str(label)
    return str(label).casefold() if label_type == "bool" else plain_number(str(label))


def _label(key: str, label_type: str) -> Label:
    """A label in Python, from its key."""
    if label_type == "bool":
        return key == "true"
    return int(key) if label_type == "int" else (float(key) if label_type == "float" else key)


def _check_classes(name: str, label_type: str, counts: dict[Label, int]) -> None:
    """Refuse one class, and targets that are no classes."""
    n_labeled, n_classes, only = sum(counts.values()), len(counts), next(iter(counts))
    if n_classes == 1 and find_markers(counts):
        begin = f"No row has a label: column {name!r} holds nothing but {show_value(only)}, which looks like a marker"
        advice: Note = ("; label some rows of at least two classes, and use ", Argument("missing_label", only), ".")
        raise TableFileError(f"{begin} of unlabeled rows", *advice)
    if n_classes == 1:
        begin = f"Column {name!r} has only one class among its {n_labeled:,} labeled rows, {show_value(only)}"
        raise TableFileError(f"{begin}; at least two are needed (is the other one left empty on purpose?).")
    what, problem = "labels", "hardly two rows of a class; name another target, or label more rows"
    if label_type in ("int", "float"):
        what, problem = "numbers", "so it looks like a quantity; cut it into ranges, or write class codes as text"
    most = MOST_CLASSES_OF.get(label_type, n_labeled)
    if n_classes > most or n_classes == n_labeled or n_classes > max(FEW_CLASSES, MOST_WORD_SHARE * n_labeled):
        counted = f"{n_classes:,} different {what} in {n_labeled:,} labeled rows"
        raise TableFileError(f"Column {name!r} has {counted}, {problem}.")


@dataclass(frozen=True)
class Notation:
    """How a file writes its columns of numbers and dates, and what could not be settled about it, as sentences."""

    by_column: dict[str, str]
    notes: tuple[str, ...] = ()


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
    columns : list of Column
        How each column but the target was interpreted, in the table's order.
    target_rule : Target
        How the target column becomes labels.
    n_rows : int
        Rows of the table it was made from.
    notes : list of tuple
        What else was noticed about the table, for :func:`describe`; not saved with the model.

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

    columns: list[Column]
    target_rule: Target
    n_rows: int
    notes: list[Note] = field(default_factory=list, compare=False)

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
        return self.target_rule.classes

    @property
    def class_counts(self) -> dict[Label, int]:
        """Number of labeled rows per class.

        Returns
        -------
        dict
            Classes in sorted order.
        """
        return dict(zip(self.target_rule.classes, self.target_rule.counts, strict=True))

    @property
    def n_labeled(self) -> int:
        """Rows with a label.

        Returns
        -------
        int
            The number.
        """
        return sum(self.target_rule.counts)

    @property
    def n_unlabeled(self) -> int:
        """Rows without a label.

        Returns
        -------
        int
            The number.
        """
        return self.n_rows - self.n_labeled

    @property
    def rules(self) -> list[Rule]:
        """How the used columns become features, in the table's order.

        Returns
        -------
        list of Rule
            One for each used column.
        """
        return [column.rule for column in self.columns if column.used and column.rule is not None]

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
    def sources(self) -> dict[str, str]:
        """The column that each feature is made of; a column of text becomes several.

        Returns
        -------
        dict of str to str
            Features and their columns, in the table's order.
        """
        return {feature: rule.name for rule in self.rules for feature in rule.outputs}

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
            features, found = rule.convert(frame[rule.name], notation.by_column.get(rule.name))
            columns |= features
            problems += found
        return Converted(pd.DataFrame(columns, index=frame.index), problems, notation.notes)

    def settle_notation(self, frames: Iterable[pd.DataFrame]) -> Notation:
        """Find how a file writes numbers and dates, once for all of its rows.

        Of two notations that read equally many values of a column, that of the training table is taken, unless other
        columns show that the file is written in another way: then theirs.

        Parameters
        ----------
        frames : iterable of DataFrame
            All rows of the file, in batches with the columns of :attr:`feature_names`.

        Returns
        -------
        Notation
            For :meth:`convert`.
        """
        rules = {rule.name: rule for rule in self.rules if isinstance(rule, NumberRule) and rule.notation != "clock"}
        tallies = {name: Tally(rule.kind, rule.mark) for name, rule in rules.items()}
        for frame in frames:
            typed = [name for name in rules if read_typed(frame[name].iloc[:0], rules[name].kind) is not None]
            for name, tally in tallies.items():
                if name in typed:
                    tally.n_values += len(frame)
                else:
                    tally.add(find_texts(frame[name]).without(NOT_NUMBERS))
            if len(typed) == len(rules):
                break  # a file has one type per column
        commas = {name: tally.decisive for name, tally in tallies.items() if tally.kind == "number" and tally.decisive}
        is_different = any({"decimal_comma"} < {rules[name].notation, comma} for name, comma in commas.items())
        by_column, notes = dict[str, str](), list[str]()
        for name, tally in tallies.items():
            is_number = tally.kind == "number"
            preferred = (rules[name].notation, agree(commas.values()))
            chosen = tally.choose(*(reversed(preferred) if is_different else preferred))
            if chosen is None and is_number:
                unclear = f"{show_value(tally.unclear)} may mean thousands or a decimal comma"
                advice = "write the numbers with a decimal point and without separators of thousands"
                unclear += ", and neither its file nor the training table tells which"
                raise TableFileError(f"Column {name!r}: {unclear}; {advice}.")
            by_column[name] = chosen or tally.guess()
            if chosen is None:
                unclear = "no date tells whether day or month comes first, and the training table does not either"
                advice = f"read as {ORDERS[tally.guess()]}. Write the dates as YYYY-MM-DD to be sure"
                notes.append(f"Column {name!r}: {unclear}; {advice}.")
            if is_number and tally.n_values and (tally.n_percent > 0) != (tally.mark == PERCENT):
                where = "only here" if tally.n_percent else "only in the training table"
                notes.append(f"Column {name!r} is written with % {where}; 7.5% is 7.5. Check that both mean the same.")
        return Notation(by_column, tuple(notes))

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
            columns = f"column{'' if len(absent) == 1 else 's'} {list_names(absent)}"
            raise TableFileError(f"The table lacks {columns} of the training table{hint or '; add what is missing.'}")

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
        """Give the understanding as plain JSON, without the notes.

        Returns
        -------
        dict
            For :meth:`from_dict`.
        """
        return {key: value for key, value in asdict(self).items() if key != "notes"}

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
        rules = [one["rule"] and RULES[one["rule"]["kind"]](**one["rule"]) for one in plain["columns"]]
        columns = [Column(**one | {"rule": rule}) for one, rule in zip(plain["columns"], rules, strict=True)]
        return cls(columns, Target(**plain["target_rule"]), plain["n_rows"])


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
    target_rule, notes = find_target(target, frame[target], missing_label)
    names = [name for name in frame.columns if name != target]
    found = decide_columns(frame, names, named["categories"])
    columns = [_overrule(column, named, frame) for column in found.values()]
    understanding = Understanding(columns, target_rule, len(frame), notes)
    if not columns:
        raise TableFileError(f"No column is left to predict {target!r} from: the table has only this one.")
    if not understanding.rules:
        reasons = "; ".join(f"{show_value(column.name)}: {column.why}" for column in columns[:3])
        begin = f"No column is left to predict {target!r} from ({reasons})"
        raise TableFileError(f"{begin}; name one with ", Argument("use"), ".")
    return understanding


def _overrule(column: Column, named: dict[str, list[str]], frame: pd.DataFrame) -> Column:
    """What the user requested for a column goes before what it looks like; free text that is used is learned."""
    name = column.name
    if name in named["ignore"]:
        return Column(name, column.kind, False, "left out on request")
    if name in named["id_columns"]:
        return Column(name, "identifier", False, "declared as an identifier")
    column = decide_prose(column, frame[name], frame.columns)
    wanted = next((argument for argument in ("categories", "use") if name in named[argument]), None)
    if column.used or wanted is None:
        return column
    if column.rule is None:
        raise TableFileError(f"Column {name!r}, named by ", Argument(wanted), f", cannot be used: {column.why}.")
    kind = column.rule.kind
    return replace(column, kind=kind, used=True, why=f"used as {PLURAL[kind]} on request; {column.why}")


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
    for argument, name in ((argument, name) for argument, names in named.items() for name in names):
        if name not in frame.columns:
            raise no_such_column(name, frame, ", which ", Argument(argument), " names")
        if name == target:
            raise TableFileError(Argument(argument), f" names {name!r}, which is the target; choose one of the two.")
    both = sorted({*named["ignore"], *named["id_columns"]} & {*named["use"], *named["categories"]})
    if both:
        raise TableFileError(f"Column {list_names(both)} is named both to be used and to be left out; choose one.")


def no_such_column(name: str, frame: pd.DataFrame, *named_by: str | Argument) -> TableFileError:
    """A column that is not there, and which one may have been meant."""
    names = [str(column) for column in frame.columns]
    more = ""
    if len(names) == 1:
        more = " (only one column was found: columns are separated by comma, semicolon, tab or pipe)"
    elif not np.isnan(read_levels(names, "number", PLAIN)).any():
        more = " (the first line seems to hold values, not names: add a line with column names)"
    hint = suggest(str(name), names) or f"; its columns are {list_names(names)}{more}."
    if name == "":
        return TableFileError(Argument("target"), f" must name the column of labels{hint}")
    return TableFileError(f"The table has no column {show_value(name)}", *named_by, hint)


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
    1 column left out, to be used with `use=['NAME']`:
      'from' (constant): the same value in every row, 'here'.
    Only one labeled row of class 'yes': label more of it.
    """
    used = [column for column in understanding.columns if column.used]
    left_out = [column for column in understanding.columns if not column.used]
    counts = list(understanding.class_counts.items())
    shown = ", ".join(f"{show_value(one) if isinstance(one, str) else one} {n:,}" for one, n in counts[:MOST_CLASSES])
    more = f" and {len(counts) - MOST_CLASSES:,} more" if len(counts) > MOST_CLASSES else ""
    by_kind = []
    for kind, plural in PLURAL.items():
        names = [column.name for column in used if column.kind == kind]
        if names:
            by_kind.append(f"{len(names):,} {kind if len(names) == 1 else plural} ({list_names(names, MOST_NAMES)})")
    hints: list[str | Argument] = ["Leave columns out with ", Argument("ignore", ["NAME"])]
    if any(column.kind == "number" for column in used):
        hints += [", treat a numeric column as categorical with ", Argument("categories", ["NAME"])]
    lines = [
        f"{understanding.n_rows:,} rows: {understanding.n_labeled:,} labeled, {understanding.n_unlabeled:,} unlabeled.",
        f"Classes of {show_value(understanding.target)}: {shown}{more}.",
        wording.sentence(f"{_count(used)} used: {', '.join(by_kind)}. ", *hints, "."),
    ]
    if left_out:
        lines.append(wording.sentence(f"{_count(left_out)} left out, to be used with ", Argument("use", ["NAME"]), ":"))
        lines += [f"  {show_value(column.name)} ({column.kind}): {column.why}." for column in left_out[:MOST_LEFT_OUT]]
    others = [column.name for column in left_out[MOST_LEFT_OUT:]]
    lines += [f"  and {len(others):,} more: {list_names(others)}."] if others else []
    lines += [f"Column {show_value(column.name)}: {column.why}." for column in used if column.is_altered]
    return lines + [wording.sentence(*note) for note in understanding.notes]


def _count(columns: list[Column]) -> str:
    return f"{len(columns):,} column{'' if len(columns) == 1 else 's'}"
