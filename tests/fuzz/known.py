"""Faults that are known and not fixed yet: a pattern of what happened and of the case, and the reason.

A case that matches counts as "known" instead of as a failure. Remove an entry together with its fault.
"""

KNOWN: dict[str, str] = {
    # Wrong without a word.
    r"Usecols do not match columns": "a column without a name among the identifiers: the saved run cannot be loaded",
    # Messages of other libraries.
    r"^\w+: .* with bare (tree|naive Bayes) on": "columns that the estimator does not take",
    r"^ValueError: could not convert string to float": "text in an array or in a column that was numeric in fit",
    r"^TypeError: float\(\) argument must be .* not '[\w.]+'": "cells that are no numbers",
    r"^ValueError: Input X contains infinity": "infinite values in an array",
}
