"""The page: one self-contained HTML file that says whether the unlabeled rows helped, and shows why.

`_phrases` says numbers and names, `_words` has the sentences; `_svg` has the drawing primitives, `_forms` the bars and
dots that several pictures share, `_charts` a function a picture; `_data` is what the page carries for its table,
`_sections` and `_page` put it together; report.css and report.js are its looks and its manners.
"""

from tabcast.report._page import render_report

__all__ = ["render_report"]
