"""All contenders of a split, trained on its training rows alone and evaluated on the same held-out rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from sklearn.utils import _safe_indexing

from tabcast.exceptions import TabcastWarning
from tabcast.guard._contenders import COMMITTEE, SELF_TRAINED, SUPERVISED, Predicted, predict_contenders
from tabcast.models import seeded
from tabcast.self_training import PoolSample, SelfTrainer, TrainingData
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
    """The result of a split: what each contender predicts for its held-out rows."""

    split: GuardSplit
    predicted: dict[str, Predicted]
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
        Probabilities from the self-trained model; of several variants, from the one that is best on the other folds.
    trained : dict
        The training rows of each fold; see :meth:`train`.
    kept : ndarray of shape (n, n_classes)
        Probabilities from the kind of model that was kept.
    kept_labels : ndarray of shape (n,)
        Positions in `classes_` of the classes that it predicts, each by the decision rule of its split.
    committee : ndarray of shape (n, n_classes) or None, default=None
        Probabilities from the committee, where there is one.

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
    kept: Floats
    kept_labels: Index
    committee: Floats | None = None

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


def fit_rows(classifier: SelfTrainer, data: TrainingData, train: Index, seed: int) -> dict[str, SelfTrainer]:
    """Fit the variants of a classifier on some labeled rows and all unlabeled ones, seeded if it has no seed."""
    rows = np.sort(np.concatenate([train, data.pool]))
    codes = np.full(len(data.labels.codes), UNLABELED, dtype=np.intp)
    codes[train] = data.labels.codes[train]
    by_row = {name: _safe_indexing(values, rows) for name, values in data.row_params.items()}
    variants: dict[str, SelfTrainer] = (
        seeded(classifier, seed)
        .set_params(verbose=0)
        .fit_variants(
            take_rows(data.X, rows),
            data.labels.values(codes)[rows],
            sample_weight=None if data.sample_weight is None else data.sample_weight[rows],
            **by_row,
            **data.other_params,
        )
    )
    return variants


def compare_on_split(classifier: SelfTrainer, data: TrainingData, split: GuardSplit) -> Compared:
    """Fit the classifier without the held-out rows, and let it and the models inside it predict them."""
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TabcastWarning)  # given already for the model of all rows
        variants = fit_rows(classifier, data, split.train, split.seed)
    present = np.unique(data.labels.codes[split.train])
    predicted = predict_contenders(variants, take_rows(data.X, split.held_out), data.labels.classes, present)
    n_fits = max(model.n_fits_ for model in variants.values())  # they share their fits
    return Compared(split, predicted, n_fits, perf_counter() - start)


def compare_on_sample(classifier: SelfTrainer, sample: PoolSample, split: GuardSplit) -> Compared:
    """The same with some of the unlabeled rows; the split has positions in the whole table."""
    inside = replace(split, train=sample.inside(split.train), held_out=sample.inside(split.held_out))
    return replace(compare_on_split(classifier, sample.data, inside), split=split)


def fill_variants(compared: Compared, names: list[str]) -> Compared:
    """A split in which a variant was not possible counts the first one for it; variants not possible in the end go."""
    predicted = compared.predicted
    fixed = {name: one for name, one in predicted.items() if name in (SUPERVISED, COMMITTEE)}
    return replace(compared, predicted=fixed | {name: predicted.get(name, predicted[names[0]]) for name in names})


def collect_out_of_fold(compared: list[Compared], data: TrainingData, kept: str) -> OutOfFold:
    """Held-out predictions of the first repeat, in the order of the table; `kept` names the contender that was kept."""
    first = [one for one in compared if one.split.repeat == 0]
    rows = np.concatenate([one.split.held_out for one in first])
    order = np.argsort(rows)
    folds = np.concatenate([np.full(len(one.split.held_out), one.split.fold) for one in first])

    def pooled(name: str) -> Floats:
        return np.concatenate([one.predicted[name].proba for one in first])[order]

    labels = np.concatenate([one.predicted[kept].labels for one in first])[order]
    return OutOfFold(
        rows[order],
        data.labels.codes[rows[order]],
        folds[order],
        pooled(SUPERVISED),
        pooled(SELF_TRAINED),
        {one.split.fold: one.split.train for one in first},
        pooled(kept),
        np.searchsorted(data.labels.classes, labels),
        pooled(COMMITTEE) if COMMITTEE in first[0].predicted else None,
    )
