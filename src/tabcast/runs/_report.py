"""The page of a run: shown in a notebook, saved to a file, drawn again from a folder."""

from __future__ import annotations

import os
import re
from html import escape
from pathlib import Path

from tabcast.files._atomic import write_text

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
