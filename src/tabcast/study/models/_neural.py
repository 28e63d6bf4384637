"""What the neural models of the paper share until they are here: their reason for being skipped, some ranges."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from tabcast.study.models._base import Model
from tabcast.study.models._space import Dimension, Integer, Real, Space

REASON = "comes with the neural models (a later issue)"

# Learning rate and its schedule, the same in five of the six appendix tables.
SCHEDULE: Mapping[str, Dimension] = {
    "learning_rate": Real(0.0001, 0.05),
    "scheduler_gamma": Real(0.1, 0.95),
    "scheduler_step_size": Integer(10, 100),
}


def announced(name: str, label: str, paper: Mapping[str, Dimension]) -> Model:
    """A model whose search space is known and whose trials are skipped."""
    return Model(name, label, partial(_refuse, name), {"paper": Space(paper), "none": Space({})}, unavailable=REASON)


def _refuse(name: str, params: Mapping[str, Any], seed: int) -> Any:
    """There is nothing to build yet."""
    raise NotImplementedError(f"Model {name!r} cannot be built: it {REASON}.")
