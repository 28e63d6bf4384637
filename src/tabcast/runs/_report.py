"""The page of a run: shown in a notebook, saved to a file, drawn again from a folder."""

from __future__ import annotations

import csv
import os
import re
from html import escape
from pathlib import Path

import pandas as pd

from tabcast.files import read_table_file
from tabcast.files._atomic import write_text
from tabcast.files._write import unguard
from tabcast.report import render_report
from tabcast.runs._folder import PREDICTIONS, PSEUDO_LABELS, REPORT, RunFolderError, read_csv, read_summary
from tabcast.runs._model_file import load_model
from tabcast.runs._table import PSEUDO_LABEL_COLUMNS
from tabcast.wording import Argument, ArgumentError

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


def redraw_report(
    folder: str | os.PathLike[str], table: str | os.PathLike[str] | None = None, *, sheet: str | None = None
) -> Path:
    """Draw the page of a saved run again, for instance with a newer tabcast.

    Parameters
    ----------
    folder : str or path-like
        The folder of the run.
    table : str or path-like, default=None
        The table it was fitted on, to show the values of its rows.
    sheet : str, default=None
        Which sheet to read if `table` is an Excel file. None: the first.

    Returns
    -------
    Path
        The page, in the folder.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from pathlib import Path
    >>> from tabcast import fit_table
    >>> from tabcast.runs import redraw_report
    >>> table = pd.DataFrame({"age": [1, 9] * 20, "kind": ["young", "old"] * 10 + [None] * 20})
    >>> run = fit_table(table, "kind", estimator="logistic_regression")
    >>> with tempfile.TemporaryDirectory() as place:
    ...     run.save(Path(place, "run"))
    ...     print(redraw_report(Path(place, "run")).name)
    ...
    report.html
    """
    folder = Path(folder)
    if sheet is not None and table is None:
        raise ArgumentError(Argument("sheet"), " has no effect without ", Argument("table"), ".")
    summary = read_summary(folder)
    pseudo_labels = read_csv(folder / PSEUDO_LABELS, PSEUDO_LABEL_COLUMNS, ["label", "raw_label"])
    values = None
    if table is not None:
        understanding, values = load_model(folder).understanding, read_table_file(table, sheet)
        understanding.features(values.head(1))  # names what is missing
        values = values[understanding.feature_names]
        if len(pseudo_labels) and len(values) <= pseudo_labels["row"].max():
            raise RunFolderError(
                f"{Path(table).name} has {len(values):,} rows, fewer than the table of the run; give that table, with "
                "the rows of ",
                Argument("unlabeled"),
                " below.",
            )
    predictions = _read_predictions(folder / PREDICTIONS, len(summary["table"]["classes"]))
    write_text(folder / REPORT, render_report(summary, pseudo_labels, values, predictions))
    return folder / REPORT


def _read_predictions(path: Path, n_classes: int) -> pd.DataFrame:
    """All columns of the predictions: the row, then text, and at the end one probability per class."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file), [])
    except (OSError, ValueError, csv.Error) as error:
        raise RunFolderError(f"{path} cannot be read: {' '.join(str(error).split())}.") from None
    names = unguard(pd.Series(header, dtype=object)).tolist()
    return read_csv(path, names, names[1 : len(names) - n_classes])
