"""The page: one self-contained HTML file that says whether the unlabeled rows helped, and shows why.

Facts become words, and both fill templates: `_words` has the sentences, `_phrases` the numbers in them; `_charts` has
one function per picture, built from `_forms`, the geometry of `_scales` and the markup of `_svg`; `_figures` joins
pictures and words, `_data` is the data embedded in the page, and `_page` renders the files in `templates`.
"""

from tabcast.report._page import render_report

__all__ = ["render_report"]
