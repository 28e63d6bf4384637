"""Faults that are known and not fixed yet: a pattern of what happened and of the case, and the reason.

A case that matches counts as "known" instead of as a failure. Remove an entry together with its fault.
"""

KNOWN: dict[str, str] = {
    # Wrong without a word.
    r"^classes .* of labels .*-1\.0": "class -1 of a table is taken for the marker of unlabeled rows",
    r"^classes_ .*'nan'.* of labels .* y: list": "NaN in a list beside text becomes a class called 'nan'",
    r"^labels of type \{'bool'\} come back as \[0\.0, 1\.0\]": "NaN in a list beside booleans turns them into floats",
    r"^classes_ .* of labels .*x00": "labels that end in NUL lose it",
    r"^predictions change with types of columns": "the same values in another type are unseen levels in predict",
    r"^predictions change with the notation": "decimal marks and dates are settled per batch in predict",
    r"^predictions change with --batch-rows": "decimal marks and dates are settled per batch in predict",
    r"Usecols do not match columns": "a column without a name among the identifiers: the saved run cannot be loaded",
    # Messages of other libraries.
    r"^ValueError: could not convert string to float": "text in an array, or for an estimator that takes numbers only",
    r"^ValueError: Cannot cast str dtype to float64": "text for an estimator that takes numbers only",
    r"^TypeError: unsupported operand type\(s\) for /": "text for an estimator that takes numbers only",
    r"^ValueError: Input X contains NaN": "missing values for an estimator that does not take them",
    r"^TypeError: float\(\) argument must be .* not '(NAType|Timestamp|date|Period|time)'": "cells that are no numbers",
    r"^TypeError: Feature names are only supported": "column names of which some are integers",
    r"^TypeError: unhashable type": "lists as cells, or a pyarrow.Table as X",
    r"^ValueError: setting an array element with a sequence": "lists or tuples as cells or labels",
    r"^TypeError: NumPy boolean array indexing assignment": "tuples as labels",
    r"^ValueError: sample_weight\.shape": "sample_weight of another length",
    r"^ValueError: Input sample_weight contains": "sample_weight with missing values",
    r"^ValueError: Input y contains": "infinite labels in a list",
    r"^ValueError: array must not contain infs or NaNs": "numbers too large for the linear member of the committee",
}
