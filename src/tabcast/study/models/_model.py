"""What a base classifier of the study is: how to build it, what to search, how to vary it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tabcast.checks import check_choice

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

Build = Callable[[Mapping[str, Any], int], Any]
Vary = Callable[[Any, int], Any]


def import_optuna() -> ModuleType:
    """Import Optuna, or raise an ImportError that says how to install it."""
    try:
        import optuna
    except ImportError as error:
        raise ImportError("Tuning needs Optuna. Install it with: pip install 'tabcast[study]'.") from error
    return optuna


@dataclass(frozen=True)
class Space:
    """The parameters that a search may try.

    Parameters
    ----------
    distributions : mapping of str to BaseDistribution
        Optuna's distribution of each parameter.
    start : mapping of str to object, default=None
        The point that a search tries first. By default it starts at random, as in the paper.

    Examples
    --------
    >>> from optuna.distributions import FloatDistribution, IntDistribution
    >>> from tabcast.study.models import Space
    >>> space = Space({"n_estimators": IntDistribution(10, 3000), "learning_rate": FloatDistribution(0, 1)})
    >>> space.capped("n_estimators", 200).distributions["n_estimators"].high
    200
    """

    distributions: Mapping[str, BaseDistribution]
    start: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.start is not None:  # Optuna refuses a start that lacks a parameter or lies outside
            create = import_optuna().trial.create_trial
            create(params=dict(self.start), distributions=dict(self.distributions), value=0.0)

    def capped(self, name: str, highest: float) -> Space:
        """Lower the upper bound of a parameter that is a number, and the start with it.

        Parameters
        ----------
        name : str
            The parameter.
        highest : float
            The largest value allowed; of a list of numbers, those that are not larger stay. A cap above the upper bound
            changes nothing.

        Returns
        -------
        Space
            The capped space.
        """
        kinds = import_optuna().distributions
        old: Any = self.distributions[name]
        is_list, is_integer = (isinstance(old, kind) for kind in (kinds.CategoricalDistribution, kinds.IntDistribution))
        lowest = min(old.choices) if is_list else old.low
        if highest < lowest:
            raise ValueError(f"A cap on `{name}` must be at least {lowest}, where its range starts; got {highest!r}.")
        if is_list:
            new = kinds.CategoricalDistribution(tuple(one for one in old.choices if one <= highest))
        else:
            kind, high = (kinds.IntDistribution, int(highest)) if is_integer else (kinds.FloatDistribution, highest)
            new = kind(old.low, min(old.high, high), log=old.log)
        start = None if self.start is None else {**self.start, name: min(self.start[name], highest)}
        return replace(self, distributions={**self.distributions, name: new}, start=start)

    def describe(self) -> dict[str, Any]:
        """Describe the space as plain JSON values, for records.

        Returns
        -------
        dict
            The distributions, as Optuna stores them, and the start.
        """
        to_json = import_optuna().distributions.distribution_to_json
        plain = {name: to_json(distribution) for name, distribution in self.distributions.items()}
        return {"distributions": plain, "start": None if self.start is None else dict(self.start)}


def _is_numeric(distribution: BaseDistribution) -> bool:
    """Whether a distribution is over numbers, or over a list of them; booleans do not count."""
    choices = getattr(distribution, "choices", (0,))
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in choices)


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
        thread (scikit-learn's gradient boosting has no such parameter: a study limits it).
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
        found = {name for space in spaces for name, one in space.distributions.items() if _is_numeric(one)}
        known = sorted(found | set(self.sizes))
        for name, value in caps.items():
            check_choice(name, known, f"parameter to cap of model {self.name!r}")
            if name in self.sizes and value < 1:
                raise ValueError(f"A cap on `{name}` must be at least 1; got {value!r}.")
            for space in spaces:
                if name in space.distributions:
                    space.capped(name, value)
