"""What values of the results table are called in tables and figures, and the order in which they are shown.

Methods, models and datasets carry their own labels, which are passed in; strategies, noise filters and tunings are
named here, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

Labels = Mapping[str, Mapping[str, str]]  # column: value: label

WORDS: Labels = {
    "strategy": {"none": "", "threshold": "FPL", "curriculum": "CPL", "all": "Naive"},
    "noise_filter": {"none": "no filter", "mahalanobis": "Mahalanobis"},
    "tuning": {"paper": "paper's tuning", "sane": "sane tuning", "none": "untuned"},
}
STAND_INS: Mapping[str, str] = {"gusto": "6m-mortality"}  # our public set: the private one it stands in for


def display_name(column: str, value: Any, labels: Labels | None = None) -> str:
    """Give the text that tables and figures show for a value of the results table.

    Parameters
    ----------
    column : str
        Name of the column, because "none" means something else in each.
    value : object
        The value. One without a label is shown as it is.
    labels : mapping of str to mapping, default=None
        Labels of the values of each column, as `Catalog.labels` returns them.

    Returns
    -------
    str
        The label.

    Examples
    --------
    >>> from tabcast.study.analysis import display_name
    >>> display_name("strategy", "threshold"), display_name("model", "my_model"), display_name("label_fraction", 0.1)
    ('FPL', 'my_model', '0.1')
    >>> display_name("method", "supervised", {"method": {"supervised": "w/o ST"}})
    'w/o ST'
    """
    if isinstance(value, float):
        return f"{value:g}"
    known = {**WORDS.get(column, {}), **(labels or {}).get(column, {})}
    return known.get(str(value), str(value))


def order_values(column: str, values: Iterable[Any]) -> list[Any]:
    """Sort numbers by size and words as in `WORDS`; keep all others, unique, as the configuration lists them.

    Examples
    --------
    >>> from tabcast.study.analysis.names import order_values
    >>> order_values("strategy", ["curriculum", "none", "threshold", "none"])
    ['none', 'threshold', 'curriculum']
    >>> order_values("label_fraction", [0.3, 0.05])
    [0.05, 0.3]
    """
    distinct = list(pd.unique(pd.Series(list(values), dtype=object)))
    if all(isinstance(value, int | float) for value in distinct):
        return sorted(distinct)
    known = list(WORDS.get(column, {}))
    return sorted(distinct, key=lambda value: known.index(value) if value in known else len(known))
