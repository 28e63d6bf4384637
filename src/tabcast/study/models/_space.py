"""What a search may try: Optuna's distribution of each parameter, and where the search starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution


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

    @property
    def numeric(self) -> list[str]:
        """Names of the parameters that are numbers, which can be capped."""
        return [name for name, one in self.distributions.items() if _is_numeric(one)]

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
        new: BaseDistribution
        if isinstance(old, kinds.CategoricalDistribution):
            lowest, kept = min(old.choices), tuple(one for one in old.choices if one <= highest)
        else:
            lowest, kept = old.low, ()
        if highest < lowest:
            raise ValueError(f"A cap on `{name}` must be at least {lowest}, where its range starts; got {highest!r}.")
        if kept:
            new = kinds.CategoricalDistribution(kept)
        elif isinstance(old, kinds.IntDistribution):
            new = kinds.IntDistribution(old.low, min(old.high, int(highest)), log=old.log)
        else:
            new = kinds.FloatDistribution(old.low, min(old.high, highest), log=old.log)
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
