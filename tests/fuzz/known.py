"""Faults that are known and not fixed yet: a pattern of what happened and of the case, and the reason.

A case that matches counts as "known" instead of as a failure. Remove an entry together with its fault.
"""

KNOWN: dict[str, str] = {
    # Wrong without a word.
    r"^classes .* of labels .*-1\.0": "class -1 of a table is taken for the marker of unlabeled rows",
    r"^classes_ .*'nan'.* of labels .* y: list": "NaN in a list beside text becomes a class called 'nan'",
    r"^labels of type \{'bool'\} come back as \[0": "NaN or -1 in a list beside booleans turns them into numbers",
    r"^classes_? .* of labels .*x00": "labels that end in NUL lose it",
    r"^labels of type \{'int'\} come back as .* y: polars": "integers beside nulls in a polars Series become floats",
    r"^predict_proba gives values that are not finite .*naive Bayes": "NaN probabilities of GaussianNB pass through",
    r"^predictions change with types of columns": "the same values in another type are unseen levels in predict",
    r"^predictions change with the notation": "decimal marks and dates are settled per batch in predict",
    r"^predictions change with --batch-rows": "decimal marks and dates are settled per batch in predict",
    r"Usecols do not match columns": "a column without a name among the identifiers: the saved run cannot be loaded",
    # Messages of other libraries.
    r"^\w+: .* with bare (tree|naive Bayes) on": "columns that the estimator does not take",
    r"^ValueError: could not convert string to float": "text in an array or in a column that was numeric in fit",
    r"^TypeError: float\(\) argument must be .* not '[\w.]+'": "cells that are no numbers",
    r"^ValueError: Input X contains infinity": "infinite values in an array",
    r"^ValueError: Complex data not supported": "complex numbers",
    r"^TypeError: Feature names are only supported": "column names of which some are integers",
    r"^TypeError: unhashable type": "lists as cells, or a pyarrow.Table as X",
    r"^ValueError: setting an array element with a sequence": "lists or tuples as cells or labels",
    r"^InvalidOperationError: cannot cast List": "polars columns of lists",
    r"^ValueError: invalid literal for int\(\)": "labels of 2**53 and beyond in a table",
    r"^TypeError: NumPy boolean array indexing assignment": "tuples as labels",
    r"^ValueError: sample_weight\.shape": "sample_weight of another length",
    r"^ValueError: Input sample_weight contains": "sample_weight with missing values",
    r"^ValueError: Input y contains": "infinite labels in a list",
    r"^ValueError: array must not contain infs or NaNs": "NaN probabilities of GaussianNB in soft self-training",
}
