"""Labeled rows that are no random sample but balanced on purpose: what does it cost, and can it be detected?

Methods whose name begins with "balanced" draw their labeled rows anew from the fold's labeled and unlabeled rows: as
many as before, and equally many per class as far as possible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tabcast import SoftSelfTrainingClassifier
from tabcast.study.methods import Method
from tabcast.study.methods.others import AlignedSelfTraining, fit_without_validation
from tabcast.study.work import Answer
from tabcast.table._tables import take_rows
from tabcast.table._types import stack_rows
from tabcast.teachers import Committee

ALARM = 0.01  # p-value below which the labeled rows are not considered a random sample


def balance(fold, seed):
    """Draw the labeled rows of a fold anew, the same number per class."""
    X = stack_rows(fold.X_labeled, fold.X_pool)
    y = np.concatenate([fold.y_labeled, fold.y_pool])
    random = np.random.default_rng(seed)
    waiting = [random.permutation(np.flatnonzero(y == label)).tolist() for label in np.unique(y)]
    chosen = []
    while len(chosen) < len(fold.y_labeled):
        for rows in waiting:
            if rows and len(chosen) < len(fold.y_labeled):
                chosen.append(rows.pop())
    labeled = np.sort(chosen)
    pool = np.setdiff1d(np.arange(len(y)), labeled)
    return replace(
        fold, X_labeled=take_rows(X, labeled), y_labeled=y[labeled], X_pool=take_rows(X, pool), y_pool=y[pool]
    )


@dataclass(frozen=True)
class Rows:
    """Replaces the work of a fold where only its rows matter."""

    fold: Any


@dataclass(frozen=True)
class Labeling(Method):
    """Supervised or soft self-training, on labeled rows as they are or balanced.

    Attributes
    ----------
    balanced : whether labeled rows are drawn anew.
    align : "yes", "no", "auto" (unless the labeled rows do not look like a random sample), or "supervised" (no
        self-training).
    """

    uses_strategy: ClassVar[bool] = False
    balanced: bool = False
    align: str = "auto"

    def run(self, work, request):
        """Fit it."""
        fold = balance(work.fold, request.seed) if self.balanced else work.fold
        if self.align == "supervised":
            model = SoftSelfTrainingClassifier(
                request.estimator(), teacher="self", categorical_features=fold.categorical, random_state=request.seed
            )
            y = np.concatenate([fold.y_labeled, np.full(len(fold.y_pool), -1)])
            model.fit(stack_rows(fold.X_labeled, fold.X_pool), y)
            return Answer(np.asarray(model.supervised_.predict_proba(fold.X_test), dtype=float))
        temperature = 1.0 if self.align == "no" else "auto"
        classifier = (AlignedSelfTraining if self.align == "yes" else SoftSelfTrainingClassifier)(
            request.estimator(),
            teacher=Committee(),
            temperature=temperature,
            categorical_features=fold.categorical,
            random_state=request.seed,
        )
        answer = fit_without_validation(Rows(fold), classifier)
        if self.align == "auto":
            answer.facts.update(p_value=classifier.sampling_.p_value, alarm=int(not classifier.sampling_.looks_random))
        return answer


soft_auto = Labeling("soft-auto", "Soft, aligned unless detected")
balanced_supervised = Labeling("balanced-supervised", "Balanced labels: supervised", True, "supervised")
balanced_soft = Labeling("balanced-soft", "Balanced labels: soft", True, "yes")
balanced_unaligned = Labeling("balanced-soft-unaligned", "Balanced labels: soft, not aligned", True, "no")
balanced_auto = Labeling("balanced-soft-auto", "Balanced labels: soft, aligned unless detected", True, "auto")
