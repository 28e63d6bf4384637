"""A labeling session without its page: the next card, the answers, the model in the background, what it shows."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock, RLock, Thread
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.exceptions import TabcastWarning
from tabcast.files import TableFileError
from tabcast.files._parts import is_folder
from tabcast.files._understand import find_labels
from tabcast.files._values import MISSING_WORDS, text_of
from tabcast.labeling._choice import suggest_rows
from tabcast.labeling._file import NO_ROW, RANDOM, Entry, Event, append_entry, digest_rows, find_standing, read_entries
from tabcast.report._words import percent, say_bounds, say_filled
from tabcast.runs import Run
from tabcast.runs._fit_table import Options
from tabcast.runs._folder import check_folder
from tabcast.runs._table import FEW_RANDOM, name_of, prepare_table, read_table
from tabcast.runs._training import train_run
from tabcast.wording import suggest

BATCH = 10  # labels after which the model is fitted again, and rows that are suggested at a time
RECENT = 20  # labels that show whether labels still change the accuracy
MOST_COLD = 50  # labels after which a class without two of them holds up the choice of rows no longer
MOST_POOL = 5_000  # unlabeled rows among which is chosen
PASS = (Event.SKIP, Event.CANNOT_TELL)
MOST_CLASSES, LONGEST_CLASS, LONGEST_CELL = 50, 80, 20_000

Card = tuple[int, str]  # a row, and how it was found


class Session:
    """The state of a session, for any number of threads.

    `path` is the label file, `folder` where the results go, `options` how models are trained.
    """

    def __init__(self, table: str, target: str, path: Path, folder: Path, options: Options, overwrite: bool) -> None:
        self.table, self.target, self.path, self.folder = table, target, path, folder
        self.options, self.overwrite = options, overwrite
        self.frame, given = read_partly_labeled(table, target)
        self.columns = [name for name in self.frame.columns if name != target]
        self.given = {row: str(label) for row, label in enumerate(given) if label is not None}
        self.unlabeled = np.flatnonzero([label is None for label in given])
        self.lock, self.fit_lock = RLock(), Lock()
        self.size, self.entries, self.queue = -1, list[Entry](), list[Card]()
        self.card: Card | None = None
        self.run: Run | None = None
        self.points: list[dict[str, Any]] = []
        self.tried_at, self.fitted_at, self.problem = -BATCH, -1, ""
        self._catch_up()

    def answer(self, step: int, event: str, label: str = "") -> None:
        """Take an answer to the card of a step; it is on the disk before this returns."""
        with self.lock:
            self._catch_up()
            if step != len(self.entries):
                raise ValueError("This card was answered in another window, so this answer was not taken.")
            card, entry = self._read_answer(event, label)
            append_entry(self.path, entry)
            if card is not None and self.card is not None and card != self.card:
                self.queue.insert(0, self.card)  # after an undo
            self.card = card
            self._catch_up()

    def _read_answer(self, event: str, label: str) -> tuple[Card | None, Entry]:
        """The card to show then, None for the next one, and the line to write."""
        if event == Event.UNDO and self.standing:
            last = self.standing[-1]
            return self.card if last.row == NO_ROW else (last.row, last.how), Entry(last.row, last.digest, Event.UNDO)
        if event == Event.NEW_CLASS:
            if not 0 < len(label) <= LONGEST_CLASS or not label.isprintable() or label != label.strip():
                raise ValueError(f"A class needs a name of 1 to {LONGEST_CLASS} printable characters.")
            if label.casefold() in MISSING_WORDS:
                raise ValueError(f"{label!r} means a missing value in tables; choose another name.")
            if label.casefold() in (one.casefold() for one in self.classes):
                raise ValueError(f"There is a class {label!r} already.")
            return self.card, Entry(NO_ROW, "", Event.NEW_CLASS, label)
        if self.card is None or (label not in self.classes if event == Event.LABEL else label or event not in PASS):
            raise ValueError(f"There is nothing to answer here with {str(event)!r} {label!r}.")
        row, how = self.card
        return None, Entry(row, digest_rows(self.frame, [row], self.target)[0], event, label, how)

    def _catch_up(self) -> None:
        """Read what was appended to the file, by this process or another one."""
        size = self.path.stat().st_size if self.entries or self.path.exists() else 0
        if size == self.size:
            return
        self.entries, self.size = read_entries(self.path, self.frame, self.target) if size else [], size
        self.standing = find_standing(self.entries)
        self.answers = {one.row: one for one in self.standing if one.row != NO_ROW}
        self.labels = self.given | {one.row: one.label for one in self.answers.values() if one.event == Event.LABEL}
        self.n_changes = sum(one.event in (Event.LABEL, Event.UNDO) for one in self.entries)
        self.counts = Counter(self.labels.values())
        added = [one.label for one in self.standing if one.label]
        given = sorted(set(self.given.values()), key=lambda name: (len(name) if name.isdecimal() else 99, name))
        self.classes = list(dict.fromkeys([*given, *added]))  # numbers in their order, then words
        self.is_enough = sum(n >= 2 for n in self.counts.values()) >= 2  # to train and to evaluate
        if self.card is None or self.answers.get(self.card[0], Entry(0, "", Event.SKIP)).event != Event.SKIP:
            self.card = self._next_card()

    def _next_card(self) -> Card | None:
        """The next row; skipped ones come again when no other is left."""
        self.queue = [one for one in self.queue if one[0] not in self.answers] or self.suggest(BATCH)
        skipped = [one for one in self.standing if one.event == Event.SKIP and self.answers[one.row] is one]
        self.queue = self.queue or [(one.row, one.how) for one in skipped[:1]]
        return self.queue.pop(0) if self.queue else None

    def suggest(self, count: int) -> list[Card]:
        """Rows to label next: at random until there is a model, and for a precision."""
        seed = [self.options.random_state, len(self.entries)]
        left = np.random.default_rng(seed).permutation(np.setdiff1d(self.unlabeled, list(self.answers)))
        is_cold = len(self.labels) < MOST_COLD and any(self.counts[name] < 2 for name in self.classes)
        if self.run is None or is_cold or self.options.precision is not None or not len(left):
            return [(int(row), RANDOM) for row in left[:count]]
        rows = np.sort(np.concatenate([left[:MOST_POOL], list(self.labels)])).astype(np.intp)
        y = np.where(np.isin(rows, list(self.labels)), 1.0, np.nan)
        number = int(np.random.default_rng(seed).integers(2**31))
        found = suggest_rows(self.X.iloc[rows], y, self.proba[rows], count, number)
        return [(int(rows[row]), how) for row, how in zip(found["row"], found["how"], strict=True)]

    def cells(self, row: int) -> list[tuple[str, str | None]]:
        """Columns with their values, the most important of the last fit first."""
        values = [(name, self.frame[name].iloc[row]) for name in self.columns]
        return [(name, None if pd.isna(value) else text_of(value)[:LONGEST_CELL]) for name, value in values]

    def probabilities(self) -> list[tuple[str, float]]:
        """What the last model predicts for the card, the most probable class first; nothing without a model."""
        with self.lock:
            if self.run is None or self.card is None:
                return []
            row, classes = self.proba[self.card[0]], self.run.model.classes_
            return [(text_of(classes[one]), float(row[one])) for one in np.argsort(-row, kind="stable")]

    def fit(self) -> Run:
        """What `tabcast fit --labels` does, unless the last model is of the same labels."""
        with self.fit_lock:
            n_changes, labels = self.n_changes, self.path if self.entries else None
            if self.run is not None and self.fitted_at == n_changes:
                return self.run
            limits: Any = {"max_pool": self.options.max_pool, "random_state": self.options.random_state}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TabcastWarning)  # the page has words of its own
                prepared = prepare_table(self.table, self.target, labels=labels, **limits)
                run = train_run(prepared, self.options)
            proba, found = np.asarray(run.model.predict_proba(prepared.X), dtype=float), run.summary["diagnostics"]
            point = {name: found["quality"][name] for name in ("n_rows", "accuracy", "accuracy_low", "accuracy_high")}
            ranked = [prepared.understanding.sources[one["name"]] for one in found["importance"]["columns"]]
            with self.lock:
                self.run, self.X, self.proba, self.fitted_at, self.problem = run, prepared.X, proba, n_changes, ""
                self.columns = list(dict.fromkeys([*ranked, *self.columns]))
                self.points.append({"n": run.summary["table"]["n_labeled"]} | point)
            return run

    def _fit_in_background(self) -> None:
        try:
            self.fit()
        except Exception as error:  # whatever it is, labeling goes on
            self.problem = " ".join(str(error).split()) or type(error).__name__

    def fill(self) -> str:
        """Train on all labels, and write what `tabcast fit` writes."""
        if not self.is_enough:
            raise ValueError("Label at least two rows of at least two classes first.")
        check_folder(self.folder, overwrite=self.overwrite)
        run = self.fit()
        run.save(self.folder, overwrite=self.overwrite)
        self.overwrite = True  # it is ours now
        filled = say_filled(run.summary["filled"])[:1] if "filled" in run.summary else []
        return " ".join([f"Written to {self.folder}: {', '.join(run.summary['files'].values())}.", *filled])

    def state(self) -> dict[str, Any]:
        """Everything that the page shows, as plain JSON; starts a fit where one is due."""
        with self.lock:
            self._catch_up()
            if self.is_enough and self.n_changes - self.tried_at >= BATCH and not self.fit_lock.locked():
                self.tried_at = self.n_changes
                Thread(target=self._fit_in_background, daemon=True).start()
            filled = self.run.summary.get("filled") if self.run is not None else None
            return {
                "table": name_of(self.table),
                "target": self.target,
                "file": str(self.path),
                "step": len(self.entries),
                "card": self.card and {"row": self.card[0], "cells": self.cells(self.card[0])},
                "can_undo": bool(self.standing),
                "classes": [(name, self.counts[name]) for name in self.classes],
                "n_labels": len(self.labels),
                "n_left": len(self.unlabeled) - len(self.answers),
                "points": self.points,
                "filled": filled and (filled["precision"], filled["share"]),
                "advice": advise(self.points, filled) if self.points and not self.problem else self._advise_first(),
                "is_training": self.fit_lock.locked(),
            }

    def _advise_first(self) -> str:
        """What to do while there is no model."""
        if self.problem:
            return f"The model could not be trained: {self.problem}"
        if len(self.classes) < 2:
            return "Add the classes first, at least two."
        few = ", ".join(name for name in self.classes if self.counts[name] < 2)
        missing = f" (missing: {few})" if few else ""
        return f"Rows are random until every class has two labels{missing} and there is a model."


def read_partly_labeled(table: str, target: str) -> tuple[pd.DataFrame, NDArray[Any]]:
    """The table, and the label of each row as text, None where there is none; the target may be a new column."""
    if is_folder(table):
        raise TableFileError(f"{table} is a folder; labeling needs a table in one file.")
    frame = read_table(table, "table", [target], unique=True)
    hint = suggest(target, list(frame.columns)) if target else "; name the column of labels, an existing or a new one."
    if target not in frame.columns and hint:
        raise TableFileError(f"The table has no column {target!r}{hint}")
    texts = find_labels(frame.get(target, pd.Series(None, index=frame.index, dtype=object)), None)
    if (n := len(texts.levels)) > MOST_CLASSES:
        raise TableFileError(f"Column {target!r} has {n:,} different values: more than {MOST_CLASSES} are no classes.")
    if not (texts.codes < 0).any():
        raise TableFileError(f"Every row has a label in {target!r}; there is nothing to label.")
    return frame, texts.spread(texts.levels, None)


def advise(points: Sequence[Mapping[str, Any]], filled: Mapping[str, Any] | None) -> str:
    """Whether to go on labeling, from the accuracies after some numbers of labels, and the filled table if wanted.

    With a precision: stop when it is reached for some rows. Else: stop when the accuracies of the last twenty labels
    all lie in the interval of the last one, which at least thirty random rows must support.
    """
    if filled is not None and filled["n_filled"]:
        reached = f"{100 * filled['precision']:.6g}% is reached for {percent(filled['share'])} of the unlabeled rows"
        return f"You can stop if this is enough: the precision of {reached}."
    if filled is not None:
        return " ".join(["Go on.", *say_bounds(filled)[:1]])
    last = points[-1]
    before = [place for place, one in enumerate(points) if one["n"] <= last["n"] - RECENT]
    if last["n_rows"] < FEW_RANDOM or not before:
        needed = (
            f"{FEW_RANDOM} random rows with a label (now {last['n_rows']}) and {RECENT} labels after the first model"
        )
        return f"Go on: it takes {needed} to see whether labels still change the accuracy."
    recent = [one["accuracy"] for one in points[before[-1] :]]
    low, high, n = last["accuracy_low"], last["accuracy_high"], last["n"] - points[before[-1]]["n"]
    change = f"the last {n} labels changed the accuracy from {percent(recent[0])} to {percent(recent[-1])}"
    is_still = all(low <= one <= high for one in recent)
    advice, place = ("You can stop if this is good enough", "within") if is_still else ("Go on", "more than")
    return f"{advice}: {change}, which is {place} its interval, {percent(low)} to {percent(high)}."
