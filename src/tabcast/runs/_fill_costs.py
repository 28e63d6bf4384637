"""What it costs to review a row and to fill it with a wrong label, as a user writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabcast.checks import is_number
from tabcast.decisions import Costs, Decision, MostProbable
from tabcast.files import Argument, ArgumentError
from tabcast.files._errors import list_names, suggest
from tabcast.table import Floats

REVIEW, ERROR = "review", "error"
COST = Argument("cost")


@dataclass(frozen=True)
class FillCosts:
    """Costs of reviewing a row, of a wrong label, and of some errors in particular.

    Parameters
    ----------
    review : float
        Cost of reviewing a row by hand.
    error : float
        Cost of filling a row with a wrong label.
    of_pairs : dict
        Cost of errors that differ: from (true class, filled class), both as text, to a number.
    """

    review: float
    error: float
    of_pairs: dict[tuple[str, str], float]

    def matrix(self, classes: Sequence[Any]) -> Floats:
        """Costs by class index: true classes as rows, filled ones as columns."""
        names = [str(one) for one in classes]
        found = self.error * (1 - np.eye(len(names)))
        for (true, filled), cost in self.of_pairs.items():
            unknown = [name for name in (true, filled) if name not in names]
            if unknown:
                hint = suggest(unknown[0], names) or f"; classes are {list_names(names)}."
                raise ArgumentError(COST, f" names the class {unknown[0]!r}, which the table does not have{hint}")
            found[names.index(true), names.index(filled)] = cost
        return found

    def decision(self, classes: Sequence[Any]) -> Decision:
        """The decision that goes with them: the class with the smallest expected cost."""
        return Costs(self.matrix(classes)) if self.of_pairs else MostProbable()

    def __str__(self) -> str:
        pairs = [f"{true} as {filled} {cost:g}" for (true, filled), cost in self.of_pairs.items()]
        return ", ".join([f"{REVIEW} {self.review:g}", f"{ERROR} {self.error:g}", *pairs])

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        pairs = [{"true": true, "filled": filled, "cost": cost} for (true, filled), cost in self.of_pairs.items()]
        return {REVIEW: self.review, ERROR: self.error, "pairs": pairs}


def read_costs(given: Any) -> FillCosts:
    """Costs from a dictionary such as ``{"review": 1, "error": 20, ("ill", "well"): 90}``."""
    if not isinstance(given, Mapping):
        raise ArgumentError(COST, f" must map 'review' and 'error' to numbers; got {given!r}.")
    for name, cost in given.items():
        pair = isinstance(name, tuple) and len(name) == 2 and name[0] != name[1]
        if not pair and name not in (REVIEW, ERROR):
            raise ArgumentError(COST, f" has {name!r}; it takes 'review', 'error' and pairs of different classes.")
        if not is_number(cost, "(0, inf)"):
            raise ArgumentError(COST, f" of {_show(name)} must be a positive number; got {cost!r}.")
    missing = [name for name in (REVIEW, ERROR) if name not in given]
    if missing:
        raise ArgumentError(COST, f" lacks {missing[0]!r}: it needs what a review costs and what an error costs.")
    pairs = {(str(name[0]), str(name[1])): float(cost) for name, cost in given.items() if isinstance(name, tuple)}
    found = FillCosts(float(given[REVIEW]), float(given[ERROR]), pairs)
    if found.review >= max(found.error, *pairs.values(), 0.0):
        raise ArgumentError(
            COST,
            f" says that a review ({found.review:g}) costs as much as an error: then no row is worth a review, "
            "whatever the model predicts.",
        )
    return found


def _show(name: Any) -> str:
    """What a cost is called in a message."""
    return f"{name[0]!r} filled as {name[1]!r}" if isinstance(name, tuple) else repr(name)
