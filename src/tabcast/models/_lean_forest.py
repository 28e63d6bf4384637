"""A forest for few rows: scikit-learn's extra trees, made with less ceremony."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier


class LeanExtraTrees(ExtraTreesClassifier):
    """Extra trees that are copied from a first one, instead of cloned with every parameter set anew.

    The trees are the same. With a few dozen rows scikit-learn takes longer to make a tree than to fit it; this is for
    the many small forests of a cross-validation, which are not kept.
    """

    def _make_estimator(self, append: bool = True, random_state: np.random.RandomState | None = None) -> Any:
        """Make a tree; the seed is drawn as scikit-learn draws it."""
        if not hasattr(self, "_first"):
            self._first = super()._make_estimator(append=False)
        tree = copy(self._first)
        if random_state is not None:
            tree.random_state = random_state.randint(np.iinfo(np.int32).max)
        if append:
            self.estimators_.append(tree)
        return tree


def make_lean(model: Any) -> Any:
    """The same unfitted classifier, lean where it is a forest of extra trees."""
    return LeanExtraTrees(**model.get_params(deep=False)) if type(model) is ExtraTreesClassifier else model
