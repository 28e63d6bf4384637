"""The contenders of a split, trained on its training rows alone, evaluated on the same held-out rows, and scored."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import log_loss, make_scorer
from sklearn.utils import _safe_indexing

from tabcast.decisions import Decision
from tabcast.decisions._decisions import Evidence, cross_fit
from tabcast.decisions._rule import DecisionRule, decide_with
from tabcast.exceptions import TabcastWarning
from tabcast.models._adapted import seeded
from tabcast.self_training import SoftSelfTrainingClassifier
from tabcast.self_training._data import TrainingData
from tabcast.self_training._fitter import StoredPredictions, evaluate, find_scorer, predict_classes
from tabcast.self_training._self_trainer import SelfTrainer
from tabcast.statistics import corrected_interval
from tabcast.statistics._intervals import Interval, mean, smoothed_shares
from tabcast.table import Floats, Index
from tabcast.table._labels import UNLABELED
from tabcast.table._tables import take_rows

SUPERVISED, COMMITTEE, SELF_TRAINED = "supervised", "committee", "self-trained"


@dataclass(frozen=True, eq=False)
class Predicted:
    """What a contender predicts for some rows: probabilities of all classes, and the predicted classes; and itself."""

    proba: Floats
    labels: NDArray[Any]
    model: Any


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


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Probabilities of labeled rows from models that were not trained on them; each row once.

    Parameters
    ----------
    rows : ndarray of shape (n,)
        Positions in X, in ascending order. The only labeled row of a class is never held out, so it is not among them.
    codes : ndarray of shape (n,)
        Positions of their classes in `classes_`.
    folds : ndarray of shape (n,)
        The fold in which each row was held out.
    supervised : ndarray of shape (n, n_classes)
        Probabilities from the supervised model.
    self_trained : ndarray of shape (n, n_classes)
        Probabilities from the self-trained model.
    trained : dict
        The training rows of each fold.
    models : dict
        The model of each fold, of the kind that was kept.
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
    models: dict[int, Any]
    kept: Floats
    kept_labels: Index
    committee: Floats | None = None


def fit_rows(
    classifier: SelfTrainer, data: TrainingData, train: Index, seed: int, folds: Sequence[GuardSplit] = ()
) -> SelfTrainer:
    """Fit a copy of a classifier on some labeled rows and all unlabeled ones, seeded if it has no seed.

    A committee estimates its weights in the folds of the comparison, which then need not fit its members again.
    """
    rows = np.sort(np.concatenate([train, data.pool]))
    codes = np.full(len(data.labels.codes), UNLABELED, dtype=np.intp)
    codes[train] = data.labels.codes[train]
    by_row = {name: _safe_indexing(values, rows) for name, values in data.row_params.items()}
    model: SelfTrainer = seeded(classifier, seed).set_params(verbose=0)
    model._chosen = np.searchsorted(rows, data.chosen[np.isin(data.chosen, train)])
    if isinstance(model, SoftSelfTrainingClassifier) and model.validation is None and folds:
        model._folds = [(np.searchsorted(train, one.train), np.searchsorted(train, one.held_out)) for one in folds]
    return model.fit(
        take_rows(data.X, rows),
        data.labels.values(codes)[rows],
        sample_weight=None if data.sample_weight is None else data.sample_weight[rows],
        **by_row,
        **data.other_params,
    )


def decide_out_of_fold(compared: list[Compared], decision: Decision, data: TrainingData) -> list[Compared]:
    """Decide for the classes of held-out rows by rules that are tuned on the other splits of the repeat."""
    classes, decided = data.labels.classes, []
    for _, group in groupby(compared, key=lambda one: one.split.repeat):
        splits = list(group)
        rows = np.concatenate([one.split.held_out for one in splits])
        folds = np.repeat(np.arange(len(splits)), [len(one.split.held_out) for one in splits])
        random = [data.random_of(one.split.train) for one in splits]
        prior = np.array([smoothed_shares(data.labels.codes[train], len(classes)) for train in random])
        labels = {}
        for name in splits[0].predicted:
            proba = np.concatenate([one.predicted[name].proba for one in splits])
            evidence = Evidence(proba, data.labels.codes[rows], rows)
            labels[name] = classes[cross_fit(decision, classes, prior, evidence, folds)]
        for number, one in enumerate(splits):
            predicted = {
                name: replace(guess, labels=labels[name][folds == number]) for name, guess in one.predicted.items()
            }
            decided.append(replace(one, predicted=predicted))
    return decided


def compare_on_split(classifier: SelfTrainer, data: TrainingData, split: GuardSplit) -> Compared:
    """Fit the classifier without the held-out rows, and let it and the models inside it predict them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TabcastWarning)  # given already for the model of all rows
        model = fit_rows(classifier, data, split.train, split.seed)
    classes, present = data.labels.classes, np.unique(data.labels.codes[split.train])
    X = take_rows(data.X, split.held_out)

    def ask(one: Any, rule: DecisionRule) -> Predicted:
        labels = decide_with(one, rule, classes).predict(X)
        kept = one if split.repeat == 0 else None
        return Predicted(predict_classes(one, X, len(classes), present), np.asarray(labels), kept)

    predicted = {SUPERVISED: ask(model.supervised_, model.supervised_decision_)}
    committee = getattr(model, "committee_", None)
    if committee is not None and committee is not model.supervised_:
        predicted[COMMITTEE] = ask(committee, model.decision_)
    predicted[SELF_TRAINED] = ask(model.deployed_, model.decision_)
    return Compared(split, predicted, model.n_fits_)


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
        {one.split.fold: one.predicted[kept].model for one in first},
        pooled(kept),
        np.searchsorted(data.labels.classes, labels),
        pooled(COMMITTEE) if COMMITTEE in first[0].predicted else None,
    )


class HeldOutScore:
    """A scorer for held-out rows that does not warn about missing classes, and gives NaN if it needs them.

    The positive one of two classes is the second in sorted order.

    Parameters
    ----------
    scoring : str or callable
        The score, as in scikit-learn.
    estimator : estimator
        The base estimator.
    classes : ndarray
        All classes.
    """

    def __init__(self, scoring: Any, estimator: Any, classes: Any) -> None:
        self.name = name_score(scoring)
        if isinstance(scoring, str) and scoring == "neg_log_loss":  # it can be given the classes
            scoring = make_scorer(log_loss, greater_is_better=False, response_method="predict_proba", labels=classes)
        self.scorer = find_scorer(scoring, estimator, classes, numbers_too=True)
        self.classes = classes

    def __call__(self, model: Any, X: Any, codes: Index) -> float:
        """Score of a model on held-out rows; NaN if the score needs a class that none of them has."""
        complete = len(np.unique(codes)) == len(self.classes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            warnings.filterwarnings("ignore", message="y_pred contains classes not in y_true")
            warnings.filterwarnings("ignore", message="A single label was found")
            try:
                return evaluate(model, self.scorer, X, self.classes[codes])
            except ValueError:
                if complete:
                    raise
                return float("nan")


def score_splits(compared: Sequence[Compared], name: str, data: TrainingData, score: HeldOutScore) -> float:
    """Score of a contender on the held-out rows of some splits together."""
    rows = np.concatenate([one.split.held_out for one in compared])
    labels, proba = (
        np.concatenate([getattr(one.predicted[name], what) for one in compared]) for what in ("labels", "proba")
    )
    model = StoredPredictions(data.labels.classes, labels, proba)
    return score(model, take_rows(data.X, rows), data.labels.codes[rows])


def choose_scoring(scoring: Any, classifier: Any) -> Any:
    """The score that compares models: the user's, or the one that chose right most often in research/fit.

    That is the log-loss for the ensemble. For one kind of model it is accuracy: the probabilities of the supervised
    model are as they are, those of the self-trained one softened, and the log-loss would reward that.
    """
    if scoring is not None:
        return scoring
    return "neg_log_loss" if is_ensemble(classifier) else "accuracy"


def is_ensemble(classifier: Any) -> bool:
    """Whether the same members are compared, with and without the unlabeled rows."""
    return isinstance(classifier, SoftSelfTrainingClassifier) and classifier.estimator is None


def name_score(scoring: Any) -> str:
    """The name of a score, or of its function."""
    if isinstance(scoring, str):
        return scoring
    function = getattr(scoring, "_score_func", scoring)
    return str(getattr(function, "__name__", type(function).__name__))


def is_share(metric: str, *scores: float) -> bool:
    """Whether scores are proportions, the higher the better, so that differences are given in points."""
    return not metric.startswith("neg_") and all(0 <= score <= 1 for score in scores)


@dataclass(frozen=True, eq=False)
class PooledScores:
    """The scores of all contenders.

    A fold may lack a class, so a mean of scores per fold is a mean over the classes that happen to be there. Here the
    held-out rows of a repeat are scored together. What a fold contributes is its jackknife pseudo-value: with k folds,
    the score S of all of them, and S_j without fold j, it is ``k * S - (k - 1) * S_j``. For accuracy and folds of one
    size these are the scores of the folds.

    Attributes
    ----------
    scores : dict
        Score of each contender, mean over the repeats.
    contributions : dict
        For each contender one number per split.
    table : DataFrame
        One row per split: `repeat`, `fold`, `n_test`, and the scores of the supervised model, the committee and the
        self-trained model on the fold alone, missing if the fold lacks a class.
    test_share : float
        Number of held-out rows divided by number of training rows, mean over splits.
    resolution : float
        What one held-out row of a split changes; 0 for scores that are not proportions.
    """

    scores: dict[str, float]
    contributions: dict[str, Floats]
    table: pd.DataFrame
    test_share: float
    resolution: float

    def gain(self, contender: str, reference: str, level: float) -> Interval:
        """The gain of a contender over another one, with its interval."""
        gain, known = self.scores[contender] - self.scores[reference], self._differ(contender, reference)
        centered = known - mean(known) + gain
        return corrected_interval(centered, self.test_share, level, resolution=self.resolution)

    def _differ(self, contender: str, reference: str) -> Floats:
        """Differences of the contributions of each split, without those that are not known."""
        differences = self.contributions[contender] - self.contributions[reference]
        return differences[~np.isnan(differences)]


def pool_scores(compared: list[Compared], data: TrainingData, score: HeldOutScore) -> PooledScores:
    """Score every contender on the held-out rows of each repeat."""
    names = list(compared[0].predicted)
    repeats = [list(group) for _, group in groupby(compared, key=lambda one: one.split.repeat)]
    pooled = {name: [score_splits(repeat, name, data, score) for repeat in repeats] for name in names}
    weights = np.array([len(repeat) for repeat in repeats])
    known = ~np.isnan([pooled[name] for name in names]).any(axis=0)
    scores = {
        name: float(np.average(np.array(values)[known], weights=weights[known])) if known.any() else math.nan
        for name, values in pooled.items()
    }
    contributions = {
        name: np.concatenate(
            [_contribute(repeat, name, whole, data, score) for repeat, whole in zip(repeats, pooled[name], strict=True)]
        )
        for name in names
    }
    n_test = np.array([len(one.split.held_out) for one in compared])
    test_share = float((n_test / (len(data.labeled) - n_test)).mean())
    # Without unlabeled rows the models are the same, and nothing has to be estimated.
    in_points = len(data.pool) > 0 and is_share(score.name, *scores.values())
    shown = [name for name in (SUPERVISED, COMMITTEE, SELF_TRAINED) if name in names]
    table = _tabulate(compared, shown, data, score)
    return PooledScores(scores, contributions, table, test_share, 1 / float(n_test.mean()) if in_points else 0.0)


def _contribute(repeat: list[Compared], name: str, whole: float, data: TrainingData, score: HeldOutScore) -> Floats:
    """The pseudo-value of each fold of a repeat; NaN where the others lack a class."""
    k = len(repeat)
    if k == 1:
        return np.array([whole])
    n_classes = _count_classes(repeat, data)
    values = []
    for fold in repeat:
        others = [one for one in repeat if one is not fold]
        complete = _count_classes(others, data) == n_classes
        values.append(k * whole - (k - 1) * score_splits(others, name, data, score) if complete else math.nan)
    return np.array(values)


def _count_classes(compared: Sequence[Compared], data: TrainingData) -> int:
    """Number of classes among the held-out rows of some splits."""
    return len(np.unique(np.concatenate([data.labels.codes[one.split.held_out] for one in compared])))


def _tabulate(compared: list[Compared], names: list[str], data: TrainingData, score: HeldOutScore) -> pd.DataFrame:
    """One row per split, with the score of each contender on the fold alone."""
    n_classes = _count_classes(compared, data)
    complete = [_count_classes([one], data) == n_classes for one in compared]
    columns = {
        "repeat": np.array([one.split.repeat for one in compared]),
        "fold": np.array([one.split.fold for one in compared]),
        "n_test": np.array([len(one.split.held_out) for one in compared]),
    }
    for name in names:
        columns[name.replace("-", "_")] = np.array(
            [
                score_splits([one], name, data, score) if whole else math.nan
                for one, whole in zip(compared, complete, strict=True)
            ]
        )
    return pd.DataFrame(columns)
