"""A finished run: the model, what it predicts, what is known about it; saved to a folder and loaded again."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.decisions._rule import DecisionRule
from tabcast.diagnostics import Diagnostics
from tabcast.exceptions import TabcastWarning
from tabcast.files import Understanding
from tabcast.files._atomic import write_text
from tabcast.files._read import TableFile
from tabcast.files._write import guard_frame
from tabcast.guard import Verdict
from tabcast.report import render_report
from tabcast.runs._folder import (
    FILLED,
    MODEL,
    PARTS,
    PREDICTIONS,
    PSEUDO_LABELS,
    REPORT,
    SUMMARY,
    check_folder,
    read_csv,
    read_summary,
    read_text,
    refuse_taken,
    write_folder,
)
from tabcast.runs._model_file import SavedModel, load_model, save_model
from tabcast.runs._predict import name_columns, predict_parts, tabulate_predictions
from tabcast.runs._table import PSEUDO_LABEL_COLUMNS, TableLike, find_identifiers, read_table

HEIGHT = 800  # pixels in a notebook


class RunReport:
    """The page of a run; a notebook shows it inline.

    Parameters
    ----------
    html : str
        The page, one self-contained document.

    See Also
    --------
    Run.report : The page of a run.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from tabcast.runs import RunReport
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     RunReport("<p>A page</p>").save(Path(folder, "report.html"))
    ...     Path(folder, "report.html").read_text()
    ...
    '<p>A page</p>'
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<RunReport: {len(self.html):,} characters of HTML; save it with .save('report.html')>"

    def _repr_html_(self) -> str:
        """A frame of its own, in which nothing runs and whose styles do not reach the notebook."""
        # Without a base of its own, a link within the page would load the notebook into the frame.
        page = self.html.replace("<head>", '<head><base href="about:srcdoc">', 1)
        page = re.sub(r'<a class="file" href="[^"]*">', '<a class="file">', page)  # the files may not be written yet
        return (
            f'<iframe srcdoc="{escape(page)}" sandbox="" title="Report of a run" '
            f'style="width: 100%; height: {HEIGHT}px; border: 0"></iframe>'
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : str or path-like
            Where to; an existing file is replaced.
        """
        write_text(Path(path), self.html)


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A table that was fitted: the model that predicts, and an honest account of whether the unlabeled rows helped.

    Made by :func:`fit_table` and :func:`load_run`.

    Parameters
    ----------
    model : classifier
        The fitted model that predicts; it takes `understanding.features(table)`.
    understanding : Understanding
        How the table was interpreted.
    predictions : DataFrame
        One row per unlabeled row: `row` (its position in the table), the columns that identify it, `prediction`, and
        `probability_<class>` for each class.
    pseudo_labels : DataFrame
        One row per unlabeled row that trained: the label that self-training gave it, and why.
    summary : dict
        Everything there is to know about the run, plain JSON; see docs/diagnostics.md.
    decision : DecisionRule
        The rule by which `prediction` follows from the probabilities.
    diagnostics : Diagnostics or None, default=None
        What is known about the table and the model. None after loading, where `summary["diagnostics"]` has it as plain
        JSON.
    filled : DataFrame or None, default=None
        The whole table, with labels filled in where the model may be trusted, and the columns `status` ("given",
        "filled" or "review") and `probability`; see docs/filled_table.md. None without `precision`; text after loading.
    parts : tuple of TableFile, default=()
        The files of a folder. The other tables are about a sample of their rows, named by the columns `file` and
        `file_row`; :meth:`save` predicts every row of every file, into the folder `predictions`.
    dask : str or None, default=None
        Address of the Dask scheduler whose workers predict them.

    See Also
    --------
    fit_table : Make a run.
    load_run : Load a saved one.
    """

    model: Any
    understanding: Understanding
    predictions: pd.DataFrame
    pseudo_labels: pd.DataFrame
    summary: dict[str, Any]
    decision: DecisionRule
    diagnostics: Diagnostics | None = None
    filled: pd.DataFrame | None = None
    parts: tuple[TableFile, ...] = ()
    dask: str | None = None

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the unlabeled rows helped; print it to read it.

        Returns
        -------
        Verdict
            The verdict.
        """
        return Verdict.from_dict(self.summary["verdict"])

    @cached_property
    def report(self) -> RunReport:
        """The page that says whether the unlabeled rows helped, and shows why.

        Returns
        -------
        RunReport
            Shown inline by a notebook.
        """
        pseudo_labels = self.pseudo_labels[list(PSEUDO_LABEL_COLUMNS)]
        return RunReport(render_report(self.summary, pseudo_labels, self.predictions))

    def predict(self, table: TableLike) -> pd.DataFrame:
        """Predict every row of a table.

        Parameters
        ----------
        table : path or DataFrame
            A table with the columns of training, in any order, with or without labels. Of an Excel workbook the first
            sheet with these columns is read.

        Returns
        -------
        DataFrame
            One row per row of the table, in its order, with the columns of `predictions`; a column of identifiers only
            if the table has it.
        """
        frame = read_table(table, "table", self.understanding.feature_names)
        converted = self.understanding.convert(frame)
        for sentence in (*converted.notes, *(problem.say() for problem in converted.problems)):
            warnings.warn(sentence, TabcastWarning, stacklevel=2)
        identifiers, rows = frame[find_identifiers(self.understanding, frame.columns)], np.arange(len(frame))
        return tabulate_predictions(self.model, self.decision, converted.features, rows, identifiers)

    def save(self, folder: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write the run to a folder: model, predictions, pseudo-labels, report and summary, all of them or none.

        In the CSV files, text that begins with =, +, - or @ gets an apostrophe in front, so that no spreadsheet takes
        it for a formula; :func:`load_run` restores the text.

        Parameters
        ----------
        folder : str or path-like
            Where to; made if it does not exist.
        overwrite : bool, default=False
            Whether to replace an earlier run there. A folder that holds other files as well is never replaced.

        Raises
        ------
        RunFolderError
            If the run cannot be saved there.
        TableFileError
            If one of the files of a folder is not as it was; it is named.
        """
        check_folder(folder, overwrite=overwrite)
        summary = json.dumps(self.summary, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        saved = SavedModel(self.model, self.understanding, self.decision)
        tables = {PREDICTIONS: self.predictions, PSEUDO_LABELS: self.pseudo_labels}
        if self.filled is not None:
            tables[FILLED] = self.filled
        writers: dict[str, Callable[[Path], Any]] = {
            MODEL: lambda path: save_model(path, saved),
            **{name: partial(guard_frame(one).to_csv, index=False) for name, one in tables.items()},
            REPORT: self.report.save,
            SUMMARY: lambda path: path.write_text(summary, encoding="utf-8"),
        }
        if self.parts:
            writers[PARTS] = lambda path: predict_parts(saved, self.parts, path, self.dask)
        write_folder(Path(folder), writers, partial(refuse_taken, overwrite=overwrite))

    def _repr_html_(self) -> str:
        """For notebooks: what was fitted, and the verdict."""
        return f"<p>{escape(repr(self))}</p><pre>{escape(str(self.verdict))}</pre>"

    def __repr__(self) -> str:
        table, method, verdict = (self.summary[key] for key in ("table", "method", "verdict"))
        outcome = f", verdict {verdict['word']!r}, {verdict['chosen']} model"
        return (
            f"<Run: {table['file']}, target {table['target']!r}, {table['n_labeled']:,} labeled and "
            f"{table['n_unlabeled']:,} unlabeled rows, {method['model']}{outcome}>"
        )


def load_run(folder: str | os.PathLike[str]) -> Run:
    """Load a run that :meth:`Run.save` or `tabcast fit` wrote.

    No code from the files is run. Not available after loading: `diagnostics` (plain JSON in `summary`), and the types
    of identifiers, which are text.

    Parameters
    ----------
    folder : str or path-like
        The folder of the run.

    Returns
    -------
    Run
        The run; its predictions are those of the saved one.

    See Also
    --------
    fit_table : Make a run.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from pathlib import Path
    >>> from tabcast import fit_table, load_run
    >>> table = pd.DataFrame({"size": [1, 9] * 20, "kind": ["small", "large"] * 10 + [None] * 20})
    >>> run = fit_table(table, "kind", estimator="logistic_regression")
    >>> with tempfile.TemporaryDirectory() as place:
    ...     run.save(Path(place, "run"))
    ...     print(load_run(Path(place, "run")).predict(table.head(2))["prediction"].tolist())
    ...
    ['small', 'large']
    """
    folder = Path(folder)
    summary, saved = read_summary(folder), load_model(folder)
    understanding = saved.understanding
    identifiers = find_identifiers(understanding, [column.name for column in understanding.columns])
    label, probabilities = name_columns(saved.classes, ["row", *identifiers])
    predictions = read_csv(folder / PREDICTIONS, ["row", *identifiers, label, *probabilities], [*identifiers, label])
    row, *others = PSEUDO_LABEL_COLUMNS
    pseudo_labels = read_csv(folder / PSEUDO_LABELS, [row, *identifiers, *others], [*identifiers, "label", "raw_label"])
    for frame, names in ((predictions, [label]), (pseudo_labels, ["label", "raw_label"])):
        for name in names:
            frame[name] = _restore_labels(frame[name], understanding, saved.classes)
    filled = read_text(folder / FILLED) if summary.get("filled") else None
    loaded = (saved.classifier, understanding, predictions, pseudo_labels, summary, saved.decision)
    return Run(*loaded, filled=filled)


def _restore_labels(texts: pd.Series[Any], understanding: Understanding, classes: NDArray[Any]) -> NDArray[Any]:
    """Labels with the type that they have in the model, from the texts of a CSV file."""
    position = {label: number for number, label in enumerate(classes.tolist())}
    return classes[[position[label] for label in understanding.target_rule.labels(texts)]]
