"""How a table was interpreted: kept with the model, applied to every later table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files._errors import TableFileError, list_names, suggest
from tabcast.files._facts import ColumnNote, Fact
from tabcast.files._named_columns import no_such_column
from tabcast.files._notation import Notation, settle_notation
from tabcast.files._rules import DateRule, NumberRule, Problem, Rule, rule_from_dict, rule_to_dict
from tabcast.files._target import Label, Target
from tabcast.files._text_rule import TextRule


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
