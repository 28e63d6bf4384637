"""How dense the labeled rows of a class lie around a row. Third stage of the walk.

To add one: subclass `Density` in a file of its own, write `_fit(table)` and `_score(table)`, list it here.
"""

from tabcast.density._base import Density
from tabcast.density._class_conditional import ClassConditional
from tabcast.density._empirical_likelihood import EmpiricalLikelihood
from tabcast.density._kernel_density import KernelDensity
from tabcast.density._short_names import DENSITIES, resolve_density
from tabcast.density._uniform import Uniform

__all__ = [
    "DENSITIES",
    "ClassConditional",
    "Density",
    "EmpiricalLikelihood",
    "KernelDensity",
    "Uniform",
    "resolve_density",
]
