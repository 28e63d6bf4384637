"""A labeling session without its page: the next card, the answers, the model in the background and what it shows."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tabcast.files import TableFileError
from tabcast.files._parts import is_folder
from tabcast.files._understand import find_labels
from tabcast.files._values import MISSING_WORDS, text_of
from tabcast.labeling import _file as answers
from tabcast.labeling._choice import suggest_rows
from tabcast.labeling._file import RANDOM, Entry, append_entry, digest_rows, find_standing, read_entries
from tabcast.report._words import percent, say_bound, say_filled
from tabcast.runs import Run
from tabcast.runs._fit_table import read_options
from tabcast.runs._folder import check_folder
from tabcast.runs._table import name_of, prepare_table, read_table
from tabcast.runs._training import train_run
from tabcast.table import Floats
from tabcast.wording import suggest

REFIT_EVERY = BATCH = 10  # labels
RECENT = 20  # labels that show whether labels still change the accuracy
FEW_RANDOM = 30  # rows on which an accuracy says little
MOST_COLD = 50  # labels after which a class without two labels does not hold up the choice of rows any more
MOST_POOL = 5_000  # unlabeled rows among which is chosen
MOST_UNLABELED = 50_000  # that train, as in `tabcast fit`
MOST_CLASSES, LONGEST_CLASS, LONGEST_CELL = 50, 80, 20_000


class RefusedError(ValueError):
    """An answer that was not taken, in one sentence."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """The model of the labels after some number of answers, its features of all rows and their probabilities."""

    run: Run
    X: pd.DataFrame
    proba: Floats
    n_answers: int


class Session:
    """The state of a session; every method may be called by any thread.

    `path` is the label file; results go to `folder`.
    """

    def __init__(
        self,
        table: str,
        target: str,
        path: Path,
        folder: Path,
        *,
        precision: float | None = None,
        overwrite: bool = False,
        seed: int = 0,
        estimator: Any = "auto",
    ) -> None:
        options: dict[str, Any] = {"random_state": seed, "n_jobs": os.cpu_count() or 1, "verbose": 0, "dask": None}
        options |= {"precision": precision, "scoring": None, "decision": None, "max_pool": MOST_UNLABELED}
        self.options = read_options(estimator=estimator, **options)
        self.table, self.target, self.path, self.folder, self.overwrite = table, target, path, folder, overwrite
        self.frame, given = read_partly_labeled(table, target)
        self.given = {row: str(label) for row, label in enumerate(given) if label is not None}
        self.unlabeled = np.flatnonzero([label is None for label in given])
        self.lock = threading.RLock()
        self.size, self.entries = 0, list[Entry]()
        self.queue: list[tuple[int, str]] = []
        self.fitted: Fitted | None = None
        self.points: list[dict[str, Any]] = []
        self.tried, self.is_training, self.wants_fill = 0, False, False
        self.problem = self.filled = ""
        self._catch_up()
        self.card = self._next_card()

    # ---- Answers

    def answer(self, step: int, event: str, label: str = "") -> None:
        """Take an answer to the card of a step: on the disk before this returns."""
        with self.lock:
            self._catch_up()
            if step != len(self.entries):
                raise RefusedError("This card was answered in another window, so this answer was not taken.")
            append_entry(self.path, self._read_answer(event, label))
            self._catch_up()
            self._begin_fit()

    def _read_answer(self, event: str, label: str) -> Entry:
        """The line to write; an undone row is the card again."""
        if event == answers.UNDO:
            if not self.standing:
                raise RefusedError("There is nothing to undo.")
            last = self.standing[-1]
            if last.row != answers.NO_ROW:
                self.queue = [*([self.card] if self.card else []), *self.queue]
                self.card = (last.row, last.how)
            return Entry(last.row, last.digest, answers.UNDO)
        if event == answers.NEW_CLASS:
            return Entry(answers.NO_ROW, "", answers.NEW_CLASS, self._check_class(label.strip()))
        if self.card is None or event not in (answers.LABEL, answers.SKIP, answers.CANNOT_TELL):
            raise RefusedError("There is no card to answer.")
        if event == answers.LABEL and label not in self.classes:
            raise RefusedError(f"There is no class {label!r}.")
        row, how = self.card
        label = label if event == answers.LABEL else ""
        return Entry(row, digest_rows(self.frame, [row], self.target)[0], event, label, how)

    def _check_class(self, name: str) -> str:
        """The name of a new class."""
        if not name or len(name) > LONGEST_CLASS or not name.isprintable():
            raise RefusedError(f"A class needs a name of 1 to {LONGEST_CLASS} printable characters.")
        if name.casefold() in MISSING_WORDS:
            raise RefusedError(f"{name!r} means a missing value in tables; choose another name.")
        if name.casefold() in (one.casefold() for one in self.classes):
            raise RefusedError(f"There is a class {name!r} already.")
        return name

    def _catch_up(self) -> None:
        """Read what was appended to the file, also by another process; a file that is gone is an error."""
        if not self.path.exists() and not self.entries:
            size = 0
        elif (size := self.path.stat().st_size) != self.size:
            self.entries = read_entries(self.path, self.frame, self.target)
        self.size = size
        self.standing = find_standing(self.entries)
        self.answers = {one.row: one for one in self.standing if one.row != answers.NO_ROW}
        added = [one.label for one in self.standing if one.event in (answers.LABEL, answers.NEW_CLASS)]
        self.classes = list(dict.fromkeys([*sorted(set(self.given.values()), key=_sort_key), *added]))
        labeled = {row: one.label for row, one in self.answers.items() if one.event == answers.LABEL}
        self.labels = self.given | labeled
        self.counts = Counter(self.labels.values())
        if self.card is not None and self.card[0] in self.answers:
            self.card = self._next_card()

    # ---- Cards

    card: tuple[int, str] | None = None

    def _next_card(self) -> tuple[int, str] | None:
        """The next row; skipped ones come again when no other is left."""
        self.queue = [one for one in self.queue if one[0] not in self.answers] or self.suggest(BATCH)
        skipped = [one for one in self.standing if one.event == answers.SKIP and self.answers[one.row] is one]
        self.queue = self.queue or [(one.row, one.how) for one in skipped[:1]]
        return self.queue.pop(0) if self.queue else None

    def suggest(self, count: int) -> list[tuple[int, str]]:
        """Rows to label next, and how each was found: at random until there is a model, or for a precision always."""
        seed = [self.options.random_state, len(self.entries)]
        left = np.random.default_rng(seed).permutation(np.setdiff1d(self.unlabeled, list(self.answers)))
        is_cold = len(self.labels) < MOST_COLD and any(self.counts[name] < 2 for name in self.classes)
        if self.fitted is None or is_cold or self.options.precision is not None or not len(left):
            return [(int(row), RANDOM) for row in left[:count]]
        rows = np.sort(np.concatenate([left[:MOST_POOL], list(self.labels)])).astype(np.intp)
        y = np.where(np.isin(rows, list(self.labels)), 1.0, np.nan)
        number = int(np.random.default_rng(seed).integers(2**31))
        found = suggest_rows(self.fitted.X.iloc[rows], y, self.fitted.proba[rows], count, number)
        return [(int(rows[row]), how) for row, how in zip(found["row"], found["how"], strict=True)]

    def probabilities(self) -> list[dict[str, Any]] | None:
        """What the model of the last fit predicts for the card, the most probable class first."""
        with self.lock:
            if self.fitted is None or self.card is None:
                return None
            row = self.fitted.proba[self.card[0]]
            names = [text_of(one) for one in self.fitted.run.model.classes_]
            return [{"label": names[one], "probability": float(row[one])} for one in np.argsort(-row, kind="stable")]

    def cells(self, row: int) -> list[tuple[str, str | None]]:
        """Columns with their values, the most important of the last fit first."""
        names = [name for name in self.frame.columns if name != self.target]
        if self.fitted is not None and self.fitted.run.diagnostics is not None:
            ranked = self.fitted.run.diagnostics.importance.columns["name"].tolist()
            place = {name: number for number, name in enumerate(ranked)}
            names.sort(key=lambda name: place.get(name, len(place)))
        cells = [(name, self.frame[name].iloc[row]) for name in names]
        return [(name, None if value is None or value != value else text_of(value)[:LONGEST_CELL]) for name, value in cells]

    # ---- The model

    def fill(self) -> None:
        """Train on all labels in the background, and write what `tabcast fit` writes."""
        with self.lock:
            if not self._is_enough():
                raise RefusedError("Label at least two rows of at least two classes first.")
            check_folder(self.folder, overwrite=self.overwrite)
            self.wants_fill, self.filled = True, f"Training on all labels; then everything is written to {self.folder}."
            self._begin_fit()

    def begin(self) -> None:
        """Fit the labels that are there already."""
        with self.lock:
            self._begin_fit()

    def _is_enough(self) -> bool:
        """Whether two classes have two labels, without which nothing can be trained and evaluated."""
        return sum(n >= 2 for n in self.counts.values()) >= 2

    def _n_answers(self) -> int:
        """Lines that changed a label."""
        return sum(one.event in (answers.LABEL, answers.UNDO) for one in self.entries)

    def _begin_fit(self) -> None:
        """Start a fit where one is due and none is running."""
        is_due = not (self.points or self.problem) or self._n_answers() - self.tried >= REFIT_EVERY
        if not self.is_training and self._is_enough() and (is_due or self.wants_fill):
            self.is_training = True
            threading.Thread(target=self._fit_in_background, daemon=True).start()

    def _fit_in_background(self) -> None:
        """Fit unless the last one is of the same labels, write if that is wanted, and start over if more came."""
        with self.lock:
            fitted, n_answers, is_last = self.fitted, self._n_answers(), self.wants_fill
            self.tried = n_answers
        problem = filled = ""
        try:
            if fitted is None or fitted.n_answers != n_answers:
                fitted = self._fit(n_answers)
            if is_last:
                fitted.run.save(self.folder, overwrite=self.overwrite)
                files = ", ".join(str(one) for one in fitted.run.summary["files"].values())
                filled = " ".join([f"Written to {self.folder}: {files}.", *self._say_filled(fitted)])
        except Exception as error:  # whatever it is, labeling goes on
            problem = " ".join(str(error).split()) or type(error).__name__
        with self.lock:
            if not problem and fitted is not None:
                self._remember(fitted)
            self.problem, self.is_training = problem, False
            if is_last:
                self.wants_fill, self.filled, self.overwrite = False, filled, self.overwrite or bool(filled)
            self._begin_fit()

    def _fit(self, n_answers: int) -> Fitted:
        """What `tabcast fit --labels` does."""
        max_pool, seed = self.options.max_pool, self.options.random_state
        frame = self.frame.copy()
        frame[self.target] = pd.Series([self.labels.get(r) for r in range(len(frame))], dtype=object)
        prepared = prepare_table(frame, self.target, max_pool=max_pool, random_state=seed)
        run = train_run(prepared, self.options)
        return Fitted(run, prepared.X, np.asarray(run.model.predict_proba(prepared.X), dtype=float), n_answers)

    def _remember(self, fitted: Fitted) -> None:
        """Keep the accuracy of a new fit."""
        quality = fitted.run.diagnostics.quality if fitted.run.diagnostics is not None else None
        if fitted is not self.fitted and quality is not None:
            point = {"n": int(fitted.run.summary["table"]["n_labeled"]), "rows": quality.n_rows}
            point |= {"accuracy": quality.accuracy, "low": quality.accuracy_low, "high": quality.accuracy_high}
            self.points.append(point)
        self.fitted = fitted

    def _say_filled(self, fitted: Fitted) -> list[str]:
        filled = fitted.run.summary.get("filled")
        return say_filled(filled)[:1] if filled else []

    # ---- For the page

    def state(self) -> dict[str, Any]:
        """Everything that the page shows, as plain JSON."""
        with self.lock:
            self._catch_up()
            filled = self.fitted.run.summary.get("filled") if self.fitted is not None else None
            hows = Counter(one.how for one in self.answers.values() if one.event == answers.LABEL)
            card = None
            if self.card is not None:
                card = {"row": self.card[0], "cells": self.cells(self.card[0])}
            return {
                "table": name_of(self.table),
                "target": self.target,
                "file": str(self.path),
                "step": len(self.entries),
                "card": card,
                "can_undo": bool(self.standing),
                "classes": [{"name": name, "n": self.counts[name]} for name in self.classes],
                "n_labels": len(self.labels),
                "n_given": len(self.given),
                "n_random": hows[RANDOM],
                "n_left": len(self.unlabeled) - len(self.answers),
                "points": self.points,
                "share": None if filled is None else filled["share"],
                "precision": self.options.precision,
                "advice": self._advise(filled),
                "is_training": self.is_training,
                "problem": self.problem,
                "filled": self.filled,
            }

    def _advise(self, filled: Mapping[str, Any] | None) -> str:
        if self.points:
            return advise(self.points, filled)
        if len(self.classes) < 2:
            return "Add the classes first: at least two."
        few = [name for name in self.classes if self.counts[name] < 2]
        if few and len(self.labels) < MOST_COLD:
            return f"Rows are drawn at random until every class has two labels; missing: {', '.join(few)}."
        return "The first model is being trained." if self.is_training else "Go on."


def read_partly_labeled(table: str, target: str) -> tuple[pd.DataFrame, Any]:
    """The table, and the label of each row as text, None where there is none; the target may be a new column."""
    if is_folder(table):
        raise TableFileError(f"{table} is a folder; labeling needs a table in one file.")
    frame = read_table(table, "table")
    if target not in frame.columns:
        if not target or (hint := suggest(target, list(frame.columns))):
            hint = hint if target else "; name the column of labels, an existing or a new one."
            raise TableFileError(f"The table has no column {target!r}{hint}")
        return frame, np.full(len(frame), None, dtype=object)
    texts = find_labels(frame[target], None)
    if len(texts.levels) > MOST_CLASSES:
        raise TableFileError(
            f"Column {target!r} has {len(texts.levels):,} different values, more than {MOST_CLASSES} classes; name another."
        )
    if not (texts.codes < 0).any():
        raise TableFileError(f"Every row has a label in {target!r}; there is nothing to label.")
    return frame, texts.spread(texts.levels, None)


def advise(points: Sequence[Mapping[str, Any]], filled: Mapping[str, Any] | None) -> str:
    """Whether to go on labeling, from the accuracies after some numbers of labels, and the filled table if wanted.

    With a precision: stop when it is reached for some rows. Else: stop when the accuracies of the last twenty labels
    all lie in the interval of the last one, which at least thirty random rows must support.
    """
    last = points[-1]
    if filled is not None:
        if not filled["n_filled"]:
            return f"Go on. {say_bound(filled)}" if filled["n_held_out"] and filled["n_unlabeled"] else "Go on."
        return (
            f"The precision of {100 * filled['precision']:.6g}% is reached for {percent(filled['share'])} of the unlabeled rows. "
            "You can stop here; more labels would fill more rows."
        )
    if last["rows"] < FEW_RANDOM:
        return f"Go on: the accuracy is known from {last['rows']} random rows only; below {FEW_RANDOM} it says little."
    before = [number for number, one in enumerate(points) if one["n"] <= last["n"] - RECENT]
    if not before:
        return f"Go on: {RECENT} labels after the first accuracy it shows whether labels still change it."
    recent = [one["accuracy"] for one in points[before[-1] :]]
    change = f"the last {last['n'] - points[before[-1]]['n']} labels changed the accuracy from {percent(recent[0])} to {percent(recent[-1])}"
    interval = f"its interval, {percent(last['low'])} to {percent(last['high'])}"
    if all(last["low"] <= one <= last["high"] for one in recent):
        return f"You can stop: {change}, which is within {interval}."
    return f"Go on: {change}, which is more than {interval}."


def _sort_key(label: str) -> tuple[bool, float, str]:
    """Numbers by value, then words."""
    try:
        return (False, float(label), label)
    except ValueError:
        return (True, 0.0, label)
