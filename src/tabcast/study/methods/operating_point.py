"""A control: does the gain come from another decision threshold alone?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tabcast.study.methods._base import Method, Request
from tabcast.study.work import Answer, Work


@dataclass(frozen=True)
class OperatingPoint(Method):
    """The supervised probabilities divided by the class proportions of the labeled rows; unlabeled rows are not used.

    F1 and balanced accuracy reward a classifier that predicts the positive class more often. What this gains over the
    supervised classifier comes from the decision threshold; AUC does not change.
    """

    uses_strategy: ClassVar[bool] = False

    def run(self, work: Work, request: Request) -> Answer:
        """Move the decision threshold of the supervised classifier."""
        fitted = work.supervised(request.estimator())
        proportions = np.bincount(work.fold.y_labeled, minlength=work.fold.n_classes) / len(work.fold.y_labeled)
        proba = np.maximum(fitted.test_proba, 1e-12) / np.maximum(proportions, 1e-12)
        proba = np.where(proportions > 0, proba, 0.0)
        return Answer(proba / proba.sum(axis=1, keepdims=True), {"best_round": 0, "n_fits": 1}, {"fit": fitted.seconds})


operating_point = OperatingPoint("operating-point", "Operating point")
