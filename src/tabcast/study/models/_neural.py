"""What the neural models of the paper share until they are here: why they are skipped, and some ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tabcast.study.models._base import Model
from tabcast.study.models._space import Space

REASON = "is not wired into studies yet"


def schedule() -> dict[str, Any]:
    """Return the learning rate and its schedule, the same in five of the six appendix tables."""
    from optuna.distributions import FloatDistribution, IntDistribution

    return {
        "learning_rate": FloatDistribution(0.0001, 0.05),
        "scheduler_gamma": FloatDistribution(0.1, 0.95),
        "scheduler_step_size": IntDistribution(10, 100),
    }


def announced(name: str, label: str, paper: Callable[[], Mapping[str, Any]]) -> Model:
    """Return a model whose search space is known and whose trials are skipped."""
    return Model(name, label, partial(_refuse, name), {"paper": lambda: Space(paper())}, unavailable=REASON)


def _refuse(name: str, params: Mapping[str, Any], seed: int) -> Any:
    """Say that it cannot be built; trials are skipped before they get here."""
    raise NotImplementedError(f"Model {name!r} cannot be built: it {REASON}.")
