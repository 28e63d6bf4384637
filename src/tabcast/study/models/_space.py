"""What a search may try: the range of each parameter, and where the search starts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Integer:
    """A whole number between two bounds, both included.

    Parameters
    ----------
    low, high : the bounds.
    log : whether equal ratios are equally likely, instead of equal differences.
    """

    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        _check_range(self)

    def suggest(self, trial: Any, name: str) -> int:
        """The value an Optuna trial tries."""
        return int(trial.suggest_int(name, self.low, self.high, log=self.log))

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high


@dataclass(frozen=True)
class Real:
    """A number between two bounds, both included.

    Parameters
    ----------
    low, high : the bounds.
    log : whether equal ratios are equally likely, instead of equal differences.
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        _check_range(self)

    def suggest(self, trial: Any, name: str) -> float:
        """The value an Optuna trial tries."""
        return float(trial.suggest_float(name, self.low, self.high, log=self.log))

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and self.low <= value <= self.high


@dataclass(frozen=True)
class Choice:
    """One of some values.

    Parameters
    ----------
    values : None, truth values, numbers or text; kept as a tuple.
    """

    values: tuple[bool | int | float | str | None, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        if not self.values:
            raise ValueError("`values` of Choice must name at least one value; got none.")

    def suggest(self, trial: Any, name: str) -> bool | int | float | str | None:
        """The value an Optuna trial tries."""
        value: bool | int | float | str | None = trial.suggest_categorical(name, self.values)
        return value

    def __contains__(self, value: object) -> bool:
        return any(value is one or (type(value) is type(one) and value == one) for one in self.values)


Dimension = Integer | Real | Choice


def _check_range(dimension: Integer | Real) -> None:
    """Bounds are finite and in order; a logarithm needs positive ones."""
    kind, low, high = type(dimension).__name__, dimension.low, dimension.high
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ValueError(f"`low` of {kind} must not exceed `high`, both finite; got {low} and {high}.")
    if dimension.log and low <= 0:
        raise ValueError(f"`low` of {kind} must be positive where `log` is true; got {low}.")


class Space(Mapping[str, Dimension]):
    """Parameters and their ranges: a mapping that can be sampled and capped.

    Parameters
    ----------
    dimensions : the range of each parameter.
    start : the point that a search tries first, inside the ranges; None: the search starts at random, as the paper's.

    Examples
    --------
    >>> from tabcast.study.models import Integer, Real, Space
    >>> space = Space({"n_estimators": Integer(10, 3000), "learning_rate": Real(0, 1)})
    >>> space.capped({"n_estimators": 200})["n_estimators"]
    Integer(low=10, high=200, log=False)
    """

    def __init__(self, dimensions: Mapping[str, Dimension], *, start: Mapping[str, Any] | None = None) -> None:
        self._dimensions = dict(dimensions)
        self.start = None if start is None else dict(start)
        if self.start is None:
            return
        if set(self.start) != set(self._dimensions):
            raise ValueError(
                f"`start` of Space must have a value for each of {sorted(self._dimensions)}; got {sorted(self.start)}."
            )
        for name, value in self.start.items():
            if value not in self._dimensions[name]:
                raise ValueError(f"`start` of Space must lie in {self._dimensions[name]} for {name!r}; got {value!r}.")

    def __getitem__(self, name: str) -> Dimension:
        return self._dimensions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._dimensions)

    def __len__(self) -> int:
        return len(self._dimensions)

    def __repr__(self) -> str:
        return f"Space({self._dimensions!r}, start={self.start!r})"

    def suggest(self, trial: Any) -> dict[str, Any]:
        """The values an Optuna trial tries, one for each parameter."""
        return {name: dimension.suggest(trial, name) for name, dimension in self._dimensions.items()}

    def capped(self, highest: Mapping[str, int]) -> Space:
        """The same space with lower upper bounds, and its start moved below them.

        Parameters
        ----------
        highest : the largest value allowed, by parameter. A cap above the upper bound changes nothing.
        """
        dimensions, start = dict(self._dimensions), None if self.start is None else dict(self.start)
        for name, cap in highest.items():
            dimension = dimensions.get(name)
            if not isinstance(dimension, Integer):
                numbers = [one for one, kind in dimensions.items() if isinstance(kind, Integer)]
                raise ValueError(f"Only {numbers} can be capped in this space; got {name!r}.")
            if cap < dimension.low:
                raise ValueError(f"The cap of {name!r} must be at least its lower bound {dimension.low}; got {cap}.")
            dimensions[name] = replace(dimension, high=min(dimension.high, cap))
            if start is not None:
                start[name] = min(start[name], cap)
        return Space(dimensions, start=start)
