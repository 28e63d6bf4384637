"""What a base classifier of the study is: how to build it, what to search, how to vary it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tabcast.checks import check_choice
from tabcast.study.models._space import Space, import_optuna

Build = Callable[[Mapping[str, Any], int], Any]
Vary = Callable[[Any, int], Any]


@dataclass(frozen=True)
class Model:
    """A base classifier of the study.

    Parameters
    ----------
    name : str
        Name in configurations and records.
    label : str
        Name in tables and figures.
    build : callable
        Makes an unfitted scikit-learn classifier with `predict_proba` from parameters and a seed. It should use one
        thread (scikit-learn's gradient boosting has no such parameter: the backends limit it).
    spaces : mapping of str to callable, default={}
        Functions that return the :class:`Space` to search, by the name of the tuning. They are functions so that Optuna
        is only imported where something is tuned.
    unavailable : str, optional
        Why its trials are skipped. By default they are not.
    vary : callable, optional
        Makes a copy whose fit depends on the seed from an unfitted classifier and a seed, for the control that spends
        the budget of self-training on supervised fits. By default the model has no randomness to vary.
    trees : str, optional
        Name of the parameter that counts trees, which a study may cap. By default it has none.

    See Also
    --------
    Space : What a search may try.
    tabcast.study.methods.Method : What is done with a base classifier.
    """

    name: str
    label: str
    build: Build
    spaces: Mapping[str, Callable[[], Space]] = field(default_factory=dict)
    unavailable: str | None = None
    vary: Vary | None = None
    trees: str | None = None

    def space(self, tuning: str, *, max_trees: int | None = None) -> Space:
        """Return what to search.

        Parameters
        ----------
        tuning : str
            Name of one of the spaces.
        max_trees : int, optional
            The largest number of trees to try. By default the space decides; a model without trees ignores it.

        Returns
        -------
        Space
            The search space.
        """
        check_choice(tuning, self.spaces, f"tuning of model {self.name!r}")
        import_optuna()
        space = self.spaces[tuning]()
        if max_trees is None or self.trees is None or self.trees not in space.distributions:
            return space
        return space.capped(self.trees, max_trees)
