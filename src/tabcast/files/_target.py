"""The column to predict: which rows are labeled, and which classes there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files._errors import TableFileError, list_names, show_value
from tabcast.files._facts import Fact, note
from tabcast.files._values import BOOLEAN_WORDS, NOT_NUMBERS, Texts, find_texts, has_leading_zeros, text_of_number
from tabcast.files._wording import Argument

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
        return {
            "name": self.name,
            "type": self.type,
            "classes": list(self.classes),
            "missing_label": self.missing_label,
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Target:
        """Back from :meth:`to_dict`."""
        return cls(plain["name"], plain["type"], tuple(plain["classes"]), plain["missing_label"])


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
