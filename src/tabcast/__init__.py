"""tabcast: train better classifiers on tables where most labels are missing.

The walk, stage by stage; each stage is a module or a folder of interchangeable parts::

    table -> columns -> feature selection -> density --.
                    \\-> classifier -> probabilities -> confidence -> pseudo-labels -> noise filter -> refit -> model

Two names for most people: :class:`SoftSelfTrainingClassifier`, which needs no validation rows, and
:class:`CASTClassifier`, the paper's method. :class:`SelfTrainingClassifier` is its loop with every part exchangeable.
Importing ``tabcast`` itself is cheap: the classes are loaded when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tabcast.guard import GuardedClassifier
    from tabcast.runs import fit_table, load_run
    from tabcast.self_training import CASTClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier

__version__ = "0.1.0"

__all__ = [
    "CASTClassifier",
    "GuardedClassifier",
    "SelfTrainingClassifier",
    "SoftSelfTrainingClassifier",
    "__version__",
    "fit_table",
    "load_run",
]

_HOME = {
    "CASTClassifier": "tabcast.self_training",
    "GuardedClassifier": "tabcast.guard",
    "SelfTrainingClassifier": "tabcast.self_training",
    "SoftSelfTrainingClassifier": "tabcast.self_training",
    "fit_table": "tabcast.runs",
    "load_run": "tabcast.runs",
}


def __getattr__(name: str) -> Any:
    """Load a public name, or a stage of the walk, on first use."""
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'tabcast' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Public names."""
    return sorted(__all__)
