"""The page: one self-contained HTML file that says whether the unlabeled rows helped, and shows why.

`_data` collects the facts, `tabcast.plots` draws the pictures, and `_page` fills the templates, which have the words.
"""

from tabcast.report._page import render_report

__all__ = ["render_report"]
