"""Labeling: which rows to label next, and labels that remember how their row was chosen."""

from tabcast.labeling._choice import suggest_rows

__all__ = ["suggest_rows"]
