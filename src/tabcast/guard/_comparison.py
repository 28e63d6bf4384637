"""Both models of a split, trained on its training rows alone and evaluated on the same held-out rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import _safe_indexing

from tabcast.decisions import decide_with
from tabcast.exceptions import TabcastWarning
from tabcast.guard._scoring import HeldOutScore
from tabcast.models import seeded
from tabcast.self_training import TrainingData, predict_classes
from tabcast.table import UNLABELED, Floats, Index, take_rows


@dataclass(frozen=True, eq=False)
class GuardSplit:
    """The training rows and held-out rows (positions in the table) of one fold of one repeat."""

    repeat: int
    fold: int
    train: Index
    held_out: Index
    seed: int


@dataclass(frozen=True, eq=False)
class Compared:
    """The result of a split: scores and probabilities of both models on its held-out rows."""

    split: GuardSplit
    supervised: float
    self_trained: float
    supervised_proba: Floats
    self_trained_proba: Floats
    n_fits: int
    seconds: float


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Probabilities of labeled rows from models that were not trained on them; each row once.

    Parameters
    ----------
    rows : ndarray of shape (n,)
        Positions in X, in ascending order. The only labeled row of a class is never held out, so it is not among them;
        nor are rows of folds that were left out because of a time limit.
    codes : ndarray of shape (n,)
        Positions of their classes in `classes_`.
    folds : ndarray of shape (n,)
        The fold in which each row was held out.
    supervised : ndarray of shape (n, n_classes)
        Probabilities from the supervised model.
    self_trained : ndarray of shape (n, n_classes)
        Probabilities from the self-trained model.
    trained : dict
        The training rows of each fold; see :meth:`train`.

    See Also
    --------
    GuardedClassifier : The classifier that keeps one in `out_of_fold_`.
    """

    rows: Index
    codes: Index
    folds: Index
    supervised: Floats
    self_trained: Floats
    trained: dict[int, Index]

    def train(self, fold: int) -> Index:
        """Give the labeled rows on which the models of a fold were trained.

        Parameters
        ----------
        fold : int
            Number of the fold.

        Returns
        -------
        ndarray
            Positions in X.
        """
        return self.trained[fold]


def fit_rows(classifier: Any, data: TrainingData, train: Index, seed: int) -> Any:
    """Fit a copy of the classifier on some labeled rows and all unlabeled ones, seeded if it has no seed."""
    rows = np.sort(np.concatenate([train, data.pool]))
    codes = np.full(len(data.labels.codes), UNLABELED, dtype=np.intp)
    codes[train] = data.labels.codes[train]
    by_row = {name: _safe_indexing(values, rows) for name, values in data.row_params.items()}
    return (
        seeded(classifier, seed)
        .set_params(verbose=0)
        .fit(
            take_rows(data.X, rows),
            data.labels.values(codes)[rows],
            sample_weight=None if data.sample_weight is None else data.sample_weight[rows],
            **by_row,
            **data.other_params,
        )
    )


def compare_on_split(classifier: Any, data: TrainingData, split: GuardSplit, score: HeldOutScore) -> Compared:
    """Fit the classifier without the held-out rows, and score it and its supervised model on them."""
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TabcastWarning)  # given already for the model of all rows
        model = fit_rows(classifier, data, split.train, split.seed)
    X, codes = take_rows(data.X, split.held_out), data.labels.codes[split.held_out]
    present = np.unique(data.labels.codes[split.train])
    return Compared(
        split,
        score(decide_with(model.supervised_, model.supervised_decision_, model.classes_), X, codes),
        score(decide_with(model.estimator_, model.decision_, model.classes_), X, codes),
        predict_classes(model.supervised_, X, data.n_classes, present),
        predict_classes(model.estimator_, X, data.n_classes, present),
        model.n_fits_,
        perf_counter() - start,
    )


def collect_scores(compared: list[Compared]) -> pd.DataFrame:
    """One row per split: `repeat`, `fold`, `n_test`, `supervised`, `self_trained`."""
    return pd.DataFrame(
        {
            "repeat": np.array([one.split.repeat for one in compared]),
            "fold": np.array([one.split.fold for one in compared]),
            "n_test": np.array([len(one.split.held_out) for one in compared]),
            "supervised": np.array([one.supervised for one in compared]),
            "self_trained": np.array([one.self_trained for one in compared]),
        }
    )


def collect_out_of_fold(compared: list[Compared], data: TrainingData) -> OutOfFold:
    """Held-out probabilities of the first repeat, in the order of the table."""
    first = [one for one in compared if one.split.repeat == 0]
    rows = np.concatenate([one.split.held_out for one in first])
    order = np.argsort(rows)
    folds = np.concatenate([np.full(len(one.split.held_out), one.split.fold) for one in first])
    return OutOfFold(
        rows[order],
        data.labels.codes[rows[order]],
        folds[order],
        np.concatenate([one.supervised_proba for one in first])[order],
        np.concatenate([one.self_trained_proba for one in first])[order],
        {one.split.fold: one.split.train for one in first},
    )
