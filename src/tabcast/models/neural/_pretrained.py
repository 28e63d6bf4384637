"""What pretraining leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from tabcast.models.neural._cells import Cells, TableEncoder

Weights = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Pretrained:
    """An encoder that was trained without labels, for any number of fits.

    Attributes
    ----------
    encoder : TableEncoder
        The encoding of tables, learned from the pretraining rows.
    architecture : dict
        The parameters that the network was built from.
    weights : dict of str to ndarray
        The weights of its encoder.
    cells : Cells
        The pretraining rows.
    """

    encoder: TableEncoder
    architecture: dict[str, Any]
    weights: Weights
    cells: Cells

    def __deepcopy__(self, memo: dict[int, Any]) -> Pretrained:
        """Itself: nothing in it changes, and `clone` copies parameters."""
        return self

    def __repr__(self) -> str:
        return f"Pretrained(n_rows={len(self.cells)})"
