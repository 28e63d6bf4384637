"""Which rows to label next, the file of labels, and the page on which rows are labeled."""

from tabcast.labeling._choice import suggest_rows

__all__ = ["suggest_rows"]
