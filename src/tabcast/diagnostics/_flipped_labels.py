"""Pseudo-labels that differ from the classifier's own prediction, because of density or alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from tabcast.diagnostics._base import Diagnostic

MOST_ROWS = 100
COLUMNS = ["row", "raw_label", "label", "raw_confidence", "confidence", "density"]


@dataclass(frozen=True, eq=False)
class FlippedLabels(Diagnostic):
    """Unlabeled rows whose pseudo-label differs from the classifier's own prediction.

    Attributes
    ----------
    n : int
        Number of such rows.
    n_pool : int
        Number of all unlabeled rows.
    pairs : DataFrame
        One row per pair of classes, most frequent first: `from` (the classifier's), `to`, `n`.
    rows : DataFrame
        The 100 most confident: `row`, `raw_label`, `label`, `raw_confidence` and `confidence` (in `label`), `density`
        (NaN without one).

    See Also
    --------
    flipped_labels : Computes it.
    """

    n: int
    n_pool: int
    pairs: pd.DataFrame
    rows: pd.DataFrame


def flipped_labels(pseudo_labels: pd.DataFrame) -> FlippedLabels:
    """Find the pseudo-labels that differ from the classifier's own prediction.

    Parameters
    ----------
    pseudo_labels : DataFrame
        Attribute `pseudo_labels_` of a fitted classifier.

    Returns
    -------
    FlippedLabels
        Counts and rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.diagnostics import flipped_labels
    >>> table = pd.DataFrame(
    ...     {"row": [4, 7], "label": ["no", "yes"], "raw_label": ["no", "no"], "confidence": [0.6, 0.4],
    ...      "raw_confidence": [0.8, 0.45], "density": [0.5, 0.9], "selected": True, "round": 1}
    ... )
    >>> flipped_labels(table).pairs
      from   to  n
    0   no  yes  1
    """
    flipped = pseudo_labels.loc[pseudo_labels["raw_label"].to_numpy() != pseudo_labels["label"].to_numpy(), COLUMNS]
    counted = flipped.groupby(["raw_label", "label"], sort=True).size()
    pairs: list[tuple[Any, Any, int]] = [(one, other, int(n)) for (one, other), n in counted.items()]
    pairs.sort(key=lambda pair: -pair[2])
    rows = flipped.sort_values("confidence", ascending=False, kind="stable").head(MOST_ROWS).reset_index(drop=True)
    table = pd.DataFrame(pairs, columns=["from", "to", "n"])
    return FlippedLabels(len(flipped), len(pseudo_labels), table, rows)
