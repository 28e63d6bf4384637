"""What a base classifier of the study is: how to build it, what to search, how to vary it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
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
    unavailable : str, default=None
        Why its trials are skipped. By default they are not.
    vary : callable, default=None
        Makes a copy whose fit depends on the seed from an unfitted classifier and a seed, for the control that spends
        the budget of self-training on supervised fits. By default the model has no randomness to vary.
    trees : str, default=None
        Name of the parameter that counts trees, which a study may cap. By default it has none.
    preprocessing : str, default=None
        Name of the preprocessing that its tables need, whatever a study chooses: "native" for a model that encodes
        categories and missing values itself and would lose them otherwise. By default the study's.
    sizes : mapping of str to int, default={}
        Parameters outside of the search spaces, with their values, that a study may cap as well.

    See Also
    --------
    Space : What a search may try.
    tabcast.study.methods.Method : What is done with a base classifier.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from tabcast.study.models import Model
    >>> model = Model("naive_bayes", "Naive Bayes", build=lambda params, seed: GaussianNB(**params))
    >>> model.build({"var_smoothing": 1e-8}, 0)
    GaussianNB(var_smoothing=1e-08)
    """

    name: str
    label: str
    build: Build
    spaces: Mapping[str, Callable[[], Space]] = field(default_factory=dict)
    unavailable: str | None = None
    vary: Vary | None = None
    trees: str | None = None
    preprocessing: str | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)

    def space(self, tuning: str, *, max_trees: int | None = None, caps: Mapping[str, float] | None = None) -> Space:
        """Return what to search.

        Parameters
        ----------
        tuning : str
            Name of one of the spaces.
        max_trees : int, optional
            The largest number of trees to try. By default the space decides; a model without trees ignores it.
        caps : mapping of str to float, optional
            The largest value of other parameters to try; those that are not in the space are ignored. By default the
            space decides.

        Returns
        -------
        Space
            The search space.
        """
        check_choice(tuning, self.spaces, f"tuning of model {self.name!r}")
        import_optuna()
        space = self.spaces[tuning]()
        highest = dict(caps or {})
        if max_trees is not None and self.trees is not None:
            highest[self.trees] = min(max_trees, highest.get(self.trees, max_trees))
        for name, value in highest.items():
            if name in space.distributions:
                space = space.capped(name, value)
        return space

    def capped_sizes(self, caps: Mapping[str, float]) -> dict[str, int]:
        """Return the parameters outside of the search spaces that are capped.

        Parameters
        ----------
        caps : mapping of str to float
            The largest value of parameters.

        Returns
        -------
        dict of str to int
            Their values.
        """
        return {name: int(min(value, caps[name])) for name, value in self.sizes.items() if name in caps}

    def check_caps(self, caps: Mapping[str, float]) -> None:
        """Raise a ValueError if a parameter is unknown, is not a number, or may not be as small as its cap.

        Search spaces are made of Optuna's distributions. Without Optuna nothing is checked, and nothing can be tuned.

        Parameters
        ----------
        caps : mapping of str to float
            The largest value of parameters.
        """
        if not caps or find_spec("optuna") is None:
            return
        spaces = [make() for make in self.spaces.values()]
        known = sorted({name for space in spaces for name in space.numeric} | set(self.sizes))
        for name, value in caps.items():
            check_choice(name, known, f"parameter to cap of model {self.name!r}")
            if name in self.sizes and value < 1:
                raise ValueError(f"A cap on `{name}` must be at least 1; got {value!r}.")
            for space in spaces:
                if name in space.distributions:
                    space.capped(name, value)
