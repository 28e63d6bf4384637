"""The short names of the family."""

from __future__ import annotations

from typing import Any

from tabcast.checks import resolve_part
from tabcast.density._base import Density
from tabcast.density._empirical_likelihood import EmpiricalLikelihood
from tabcast.density._kernel_density import KernelDensity
from tabcast.density._uniform import Uniform

DENSITIES: dict[str | None, type[Density]] = {
    "likelihood": EmpiricalLikelihood,
    "kernel": KernelDensity,
    "uniform": Uniform,
}


def resolve_density(given: Any, owner: str) -> Density:
    """Return the density that a user passed, or the one that a short name stands for.

    Parameters
    ----------
    given : "likelihood", "kernel", "uniform" or Density
        The value of the argument `density`.
    owner : str
        Name of the class that takes the argument.

    Returns
    -------
    Density
        The density, with default parameters where a name was given.

    Examples
    --------
    >>> from tabcast.density import resolve_density
    >>> resolve_density("kernel", "CASTClassifier")
    KernelDensity()
    >>> resolve_density("kernell", "CASTClassifier")
    Traceback (most recent call last):
    ValueError: `density` of CASTClassifier must be 'likelihood', ... got 'kernell'. Did you mean 'kernel'?
    """
    return resolve_part(given, DENSITIES, Density, "density", owner)
