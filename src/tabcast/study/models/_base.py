"""What a base classifier of the study is: how to build it, what to search, how to vary it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tabcast.checks import check_choice
from tabcast.study.models._space import Space

Build = Callable[[Mapping[str, Any], int], Any]
Vary = Callable[[Any, int], Any]


@dataclass(frozen=True)
class Model:
    """A base classifier of the study.

    Attributes
    ----------
    name : how configurations and records call it.
    label : how tables and figures call it.
    build : from parameters and a seed an unfitted scikit-learn classifier with `predict_proba` that uses one thread
        (scikit-learn's gradient boosting has no such switch: the backends see to it).
    spaces : what to search, by the name of the tuning; an empty space means that nothing is searched.
    unavailable : why its trials are skipped; None: they are not.
    vary : from an unfitted classifier and a seed a copy whose fit depends on the seed, for the control that spends
        the budget of self-training on supervised fits; None: it has no randomness to vary.
    trees : name of the parameter that counts trees, which a study may cap; None: it has none.
    """

    name: str
    label: str
    build: Build
    spaces: Mapping[str, Space]
    unavailable: str | None = None
    vary: Vary | None = None
    trees: str | None = None

    def space(self, tuning: str, *, max_trees: int | None = None) -> Space:
        """What to search under a tuning.

        Parameters
        ----------
        tuning : name of one of the spaces.
        max_trees : most trees to try; None: as many as the space says. A model without trees ignores it.
        """
        check_choice(tuning, self.spaces, f"tuning of model {self.name!r}")
        space = self.spaces[tuning]
        if max_trees is None or self.trees is None or self.trees not in space:
            return space
        return space.capped({self.trees: max_trees})
