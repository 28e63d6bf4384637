"""How dense the labeled rows of a class are around a row. Third stage of the walk.

To add a density, subclass `Density`, write `_fit(table)` and `_score(table)`, and list it here.
"""

from tabcast.density._density import ClassConditional, Density, EmpiricalLikelihood, Uniform
from tabcast.density._kernel_density import KernelDensity

__all__ = ["ClassConditional", "Density", "EmpiricalLikelihood", "KernelDensity", "Uniform"]

DENSITIES: dict[str | None, type[Density]] = {
    "likelihood": EmpiricalLikelihood,
    "kernel": KernelDensity,
    "uniform": Uniform,
}
