"""A control: is the gain only another threshold?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tabcast.study.methods._base import Method, Request
from tabcast.study.work import Answer, Work


@dataclass(frozen=True)
class OperatingPoint(Method):
    """The supervised probabilities divided by the class shares of the labeled rows: no unlabeled row is used.

    F1 and balanced accuracy reward a classifier that says "positive" more often. What this gains over the supervised
    classifier is a matter of where the line is drawn; AUC does not change.
    """

    uses_strategy: ClassVar[bool] = False

    def run(self, work: Work, request: Request) -> Answer:
        """Move the supervised classifier's line."""
        fitted = work.supervised(request.estimator())
        shares = np.bincount(work.fold.y_labeled, minlength=work.fold.n_classes) / len(work.fold.y_labeled)
        proba = np.maximum(fitted.test_proba, 1e-12) / np.maximum(shares, 1e-12)
        proba = np.where(shares > 0, proba, 0.0)
        return Answer(proba / proba.sum(axis=1, keepdims=True), {"best_round": 0}, {"fit": fitted.seconds})


operating_point = OperatingPoint("operating-point", "Operating point")
