"""The one place where the pool reaches an estimator that can learn without labels."""

from __future__ import annotations

from typing import Any

from tabcast.models import Adaptation
from tabcast.models._failures import explained
from tabcast.self_training._data import TrainingData


def pretrain_once(estimator: Any, adaptation: Adaptation, data: TrainingData) -> Any:
    """Pretrain an estimator on the unlabeled rows, for all fits of a run, if it can be pretrained and is not yet.

    An estimator takes part by its own choice: it has a method ``pretrain(X)``, which returns an unfitted copy whose
    `fit` starts from what `X` taught, as do its clones and deep copies, and a parameter `pretrained`, None before that.

    Every labeled row may be held out by somebody in a run: by the validation, by the folds of a teacher or of a
    decision, or by the guard. Only unlabeled rows never are, so they alone are used, and one pretraining serves all
    rounds, alphas and splits without a look at held-out rows. Where there are fewer of them than labeled rows, each fit
    is left to pretrain on its own training rows, which then know more.

    Parameters
    ----------
    estimator : classifier
        The estimator, with everything random in it seeded.
    adaptation : Adaptation
        What is set on the estimator before any fit.
    data : TrainingData
        The rows, with tables as the estimator takes them.

    Returns
    -------
    classifier
        The pretrained copy, or the estimator itself.
    """
    if not hasattr(estimator, "pretrain") or getattr(estimator, "pretrained", None) is not None:
        return estimator
    if len(data.pool) < len(data.labeled):
        return estimator
    with explained(estimator, data.X_pool, "pretrain"):
        return adaptation.configure(estimator).pretrain(data.X_pool)
