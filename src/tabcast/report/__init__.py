"""The page: one self-contained HTML file that says whether the unlabeled rows helped, and shows why.

`_words` has the sentences, `_svg` the drawing primitives, `_charts` a function a picture, `_data` what the page carries
for its table, `_page` puts it together; report.css and report.js are its looks and its manners.
"""

from tabcast.report._page import render_report

__all__ = ["render_report"]
