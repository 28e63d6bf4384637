"""Base classifiers: the default one, others by name, and an adapter that encodes what a classifier cannot take."""

from tabcast.models._adapted import AdaptedClassifier
from tabcast.models._catalog import MODEL_NAMES, make_model

__all__ = ["MODEL_NAMES", "AdaptedClassifier", "make_model"]
