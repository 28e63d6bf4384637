"""Base classifiers: the default one, and adapters that fit others to the user's table."""

from tabcast.models._adapted import Adaptation, AdaptedClassifier, adapt, weight_parameter
from tabcast.models._catalog import MODEL_NAMES, make_model
from tabcast.models._default import default_classifier
from tabcast.models._native_columns import NativeColumns
from tabcast.models._portfolio import Choice, Portfolio, resolve_estimator
from tabcast.models._seeded import is_random, seeded
from tabcast.models._words import say_choice

__all__ = [
    "MODEL_NAMES",
    "Adaptation",
    "AdaptedClassifier",
    "Choice",
    "NativeColumns",
    "Portfolio",
    "adapt",
    "default_classifier",
    "is_random",
    "make_model",
    "resolve_estimator",
    "say_choice",
    "seeded",
    "weight_parameter",
]
