"""Base classifiers of a study. Your own is a :class:`Model` in a file of a plug-in folder."""

from tabcast.study.models._members import MODELS
from tabcast.study.models._model import Model, Space

__all__ = ["MODELS", "Model", "Space"]
