"""A forest for few rows: extra trees made with less ceremony than scikit-learn's."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

from tabcast.table import Floats


class LeanExtraTrees(ExtraTreesRegressor):
    """Extra trees that predict indicators of the classes, each copied from a first one.

    The variance of indicators is half their Gini impurity, so the same seed grows the trees of scikit-learn's
    classifier, up to the rounding of impurities. With a few dozen rows scikit-learn takes longer to clone a tree and to
    check its labels than to grow it; this is for the many small forests of a cross-validation, which are not kept.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LeanExtraTrees:
        """Fit on class labels."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        super().fit(X, np.eye(max(len(self.classes_), 2))[codes], sample_weight)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Predict the mean of the trees."""
        return np.asarray(self.predict(X), dtype=float)[:, : len(self.classes_)]

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
    """The same unfitted classifier, lean where it is a forest of extra trees without class weights."""
    if type(model) is not ExtraTreesClassifier or model.criterion != "gini" or model.class_weight is not None:
        return model
    params = model.get_params(deep=False)
    del params["class_weight"]
    return LeanExtraTrees(**{**params, "criterion": "squared_error"})
