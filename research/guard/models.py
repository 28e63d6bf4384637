"""Cheap user models: a linear model, which has little left to learn, and trees, which have much to learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from tabcast.study.models import Model


def build_line(params: Mapping[str, Any], seed: int) -> Any:
    """Logistic regression with scikit-learn's defaults; nothing in it is random."""
    return LogisticRegression(**params)


def build_tree(params: Mapping[str, Any], seed: int) -> Any:
    """A decision tree with at least three rows in a leaf."""
    return DecisionTreeClassifier(min_samples_leaf=3, random_state=seed, **params)


def build_coarse_tree(params: Mapping[str, Any], seed: int) -> Any:
    """A decision tree with at least eight rows in a leaf: with twenty labeled rows of a class it can hardly split."""
    return DecisionTreeClassifier(min_samples_leaf=8, random_state=seed, **params)


line = Model("line", "Linear model", build_line)
small_tree = Model("small_tree", "Small tree", build_tree)
coarse_tree = Model("coarse_tree", "Coarse tree", build_coarse_tree)
