"""What a classifier is trained on: rows of the table with labels or soft labels, and their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from tabcast.models import Adaptation, weight_parameter
from tabcast.models._cut_table import CutTable
from tabcast.models._failures import explained
from tabcast.models._soft_labels import takes_soft_labels
from tabcast.self_training._data import Split, TrainingData
from tabcast.self_training._pseudo_labels import PseudoLabels
from tabcast.table import UNLABELED, Floats, Index, take_rows


def train(
    estimator: Any, adaptation: Adaptation, data: TrainingData, split: Split, pseudo: PseudoLabels
) -> tuple[Any, Index]:
    """Fit a copy of the estimator on the training rows of a split plus pseudo-labels.

    Parameters
    ----------
    estimator : classifier
        The classifier to copy.
    adaptation : Adaptation
        What is encoded around it.
    data : TrainingData
        The rows, encoded.
    split : Split
        Which labeled rows train.
    pseudo : PseudoLabels
        Which unlabeled rows train, with which labels.

    Returns
    -------
    model : classifier
        The fitted copy.
    present : ndarray of int
        Indices of the classes that have a training row.
    """
    classes = data.labels.classes
    soft = soft_training_rows(data, split, pseudo) if _without_copies(estimator, data, pseudo) else None
    if soft is not None and soft[1].any(axis=0).all():
        rows, proportions, weight = soft
        X = take_training_rows(data, rows)
        with explained(estimator, X, "fit"):
            return adaptation.fit_soft(estimator, X, proportions, classes, weight), np.arange(len(classes))
    rows, codes, weight = training_rows(data, split, pseudo)
    X = take_training_rows(data, rows)
    with explained(estimator, X, "fit"):
        model = adaptation.fit(estimator, X, codes, classes, _fit_params(estimator, data, rows, weight))
    return model, np.flatnonzero(np.bincount(codes))


def take_training_rows(data: TrainingData, rows: Index) -> Any:
    """The rows to train on; a large table itself where that is all of its rows in their order."""
    every_row = len(rows) == len(data.labels.codes) and (np.diff(rows) == 1).all()
    if data.is_large and every_row and not isinstance(data.X, CutTable):
        return data.X
    return take_rows(data.X, rows)


def training_rows(data: TrainingData, split: Split, pseudo: PseudoLabels) -> tuple[Index, Index, Floats | None]:
    """Positions of the rows to train on, their class indices, and their weights; None: 1 each.

    A row with soft labels comes once per class that it has a proportion of, with that proportion as weight.
    """
    chosen = data.pool[pseudo.chosen]
    if pseudo.soft is None:
        codes = np.full(len(data.labels.codes), UNLABELED, dtype=np.intp)
        codes[split.train] = data.labels.codes[split.train]
        codes[chosen] = pseudo.labels[pseudo.chosen]
        rows = np.flatnonzero(codes != UNLABELED)
        codes, proportion = codes[rows], None
    else:
        labeled = np.sort(split.train)
        copies, of_class = np.nonzero(pseudo.soft[pseudo.chosen])
        rows = np.concatenate([labeled, chosen[copies]])
        codes = np.concatenate([data.labels.codes[labeled], of_class])
        proportion = np.concatenate([np.ones(len(labeled)), pseudo.soft[pseudo.chosen][copies, of_class]])
    if proportion is None and data.sample_weight is None and (pseudo.weight[pseudo.chosen] == 1).all():
        return rows, codes, None
    weight = _weigh(data, pseudo)
    return rows, codes, weight[rows] if proportion is None else weight[rows] * proportion


def soft_training_rows(
    data: TrainingData, split: Split, pseudo: PseudoLabels
) -> tuple[Index, NDArray[np.float32], Floats | None]:
    """Positions of the rows to train on, the proportions of the classes in them, and their weights; None: 1 each."""
    assert pseudo.soft is not None
    codes, chosen = data.labels.codes, data.pool[pseudo.chosen]
    proportions = np.zeros((len(codes), data.n_classes), dtype=np.float32)
    proportions[split.train, codes[split.train]] = 1
    proportions[chosen] = pseudo.soft if len(chosen) == len(data.pool) else pseudo.soft[pseudo.chosen]
    used = np.zeros(len(codes), dtype=bool)
    used[split.train] = used[chosen] = True
    rows = np.flatnonzero(used)
    weight = None
    if data.sample_weight is not None or not (pseudo.weight == 1).all():
        weight = _weigh(data, pseudo)[rows]
    return rows, proportions if used.all() else proportions[rows], weight


def _without_copies(estimator: Any, data: TrainingData, pseudo: PseudoLabels) -> bool:
    """Whether many rows have soft labels, and the estimator learns from them what it would learn from copies."""
    told = data.row_params or data.other_params
    return pseudo.soft is not None and data.is_large and not told and takes_soft_labels(estimator)


def _weigh(data: TrainingData, pseudo: PseudoLabels) -> Floats:
    """The weights of all rows."""
    weight = np.ones(len(data.labels.codes)) if data.sample_weight is None else data.sample_weight.copy()
    weight[data.pool] *= pseudo.weight
    return weight


def _fit_params(estimator: Any, data: TrainingData, rows: Index, weight: Floats | None) -> dict[str, Any]:
    """Fit parameters of these rows: the user's, and weights where there are any."""
    params = dict(data.other_params)
    params |= {name: _safe_indexing(values, rows) for name, values in data.row_params.items()}
    if weight is not None:
        params[str(weight_parameter(estimator))] = weight  # checked before the first fit
    return params
