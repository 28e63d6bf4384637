"""Fits: a training set in, a fitted classifier with its predictions out, no training set twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from tabcast.decisions import DecisionRule, decide_with
from tabcast.exceptions import ScoreError
from tabcast.models import Adaptation, AdaptedClassifier, adapt
from tabcast.models._cut_table import cut_once
from tabcast.models._failures import explained, refuse_columns
from tabcast.progress import Progress
from tabcast.self_training._data import Split, TrainingData
from tabcast.self_training._deployed import SoftenedClassifier, soften
from tabcast.self_training._pretraining import pretrain_once
from tabcast.self_training._pseudo_labels import PseudoLabels
from tabcast.self_training._training_rows import train
from tabcast.table import Floats, Index, take_rows

Scorer = Callable[[Any, Any, Any], float]
Request = tuple[Split, PseudoLabels]

SCORING_ADVICE = (
    "It may need every class among the held-out rows: label more rows of rare classes, hold out more (fewer splits), "
    "or choose another score."
)


@dataclass(frozen=True)
class Fitted:
    """A fitted classifier and its predictions.

    Attributes
    ----------
    estimator : classifier
        The fitted classifier, for encoded tables.
    pool_proba, held_out_proba : ndarray of shape (n_rows, n_classes)
        Probabilities of the unlabeled and of the held-out rows, softened where labels were sharpened; empty where they
        were not needed. Many unlabeled rows are predicted by :meth:`Fitter.with_pool` alone.
    score : float
        Score on the held-out rows, NaN without any.
    seconds : float, default=0.0
        Time of fitting and predicting.
    present : ndarray of int
        Indices of the classes that have a training row.
    power : float, default=1.0
        The power that probabilities are raised to; 1 leaves them as they are.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    estimator: Any
    pool_proba: Floats
    held_out_proba: Floats
    score: float
    seconds: float = 0.0
    present: Index = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    power: float = 1.0


class Fitter:
    """Fits training sets of one estimator and one table, each of them once.

    Parameters
    ----------
    estimator : classifier
        Fitted as a copy; pretrained on the unlabeled rows first where it can be.
    data : TrainingData
        The rows, as the user gave them.
    scorer : callable or None
        Evaluates a fitted classifier on held-out rows. None: not evaluated here.
    n_jobs : int or None, default=None
        Number of fits at a time (joblib).
    keep : callable, default=None
        From a fit and the adaptation to what is remembered of the fit. None: all of it.
    predict_all : bool, default=False
        Whether every fit predicts the unlabeled and the held-out rows, because others may ask for them later.
    rule_of : callable, default=None
        From a split to the rule by which classes are predicted where a classifier is evaluated. None: the classifier's
        own `predict`.

    Attributes
    ----------
    adaptation : Adaptation
        What is encoded around the estimator.
    data : TrainingData
        The rows, encoded; columns of a large table are cut for gradient boosting.
    n_fits : int
        Number of fits so far.
    pretraining_seconds : float
        Time of pretraining, 0 without.
    seconds : dict
        Time of the fits so far: "supervised" on labeled rows alone, with pretraining, and "students" on pseudo-labels
        as well.
    progress : Progress
        Advances with every fit.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    def __init__(
        self,
        estimator: Any,
        data: TrainingData,
        scorer: Scorer | None,
        *,
        n_jobs: int | None = None,
        keep: Callable[[Fitted, Adaptation], Fitted] | None = None,
        predict_all: bool = False,
        rule_of: Callable[[Split], DecisionRule] | None = None,
    ) -> None:
        self.scorer, self.n_jobs = scorer, n_jobs
        self.keep, self.predict_all, self.rule_of = keep, predict_all, rule_of
        refuse_columns(estimator, data.X)
        self.adaptation = adapt(estimator, data.X, data.labels.classes, data.categorical_features)
        self.data = data.encoded(self.adaptation)
        if self.data.is_large:
            self.data = replace(self.data, X=cut_once(estimator, self.data.X))
        start = perf_counter()
        self.estimator = pretrain_once(estimator, self.adaptation, self.data)
        self.pretraining_seconds = 0.0 if self.estimator is estimator else perf_counter() - start
        self.progress = Progress()
        self.n_fits = 0
        self.seconds = {"supervised": self.pretraining_seconds, "students": 0.0}
        self._done: dict[tuple[bytes, bytes], Fitted] = {}

    def fit(
        self, requests: Iterable[Request], *, predict_pool: bool = True, predict_held_out: bool = True
    ) -> list[Fitted]:
        """Fit a classifier per request; equal training sets share one.

        Parameters
        ----------
        requests : iterable of tuple (Split, PseudoLabels)
            The training sets.
        predict_pool : bool, default=True
            Whether the unlabeled rows are predicted; where they are many, they are not yet.
        predict_held_out : bool, default=True
            Whether the held-out rows are predicted.

        Returns
        -------
        list of Fitted
            One per request.
        """
        keyed = [((split.key, pseudo.key), (split, pseudo)) for split, pseudo in requests]
        missing = {key: request for key, request in keyed if key not in self._done}
        fits = self._fit_each(
            list(missing.values()),
            scorer=self.scorer,
            predict_pool=(predict_pool and not self.data.is_large) or self.predict_all,
            predict_held_out=predict_held_out or self.predict_all,
        )
        for (key, (_, pseudo)), fitted in zip(missing.items(), fits, strict=True):
            self._done[key] = fitted if self.keep is None else self.keep(fitted, self.adaptation)
            self.seconds["supervised" if pseudo.is_supervised else "students"] += fitted.seconds
        return [self._done[key] for key, _ in keyed]

    def with_pool(self, fitted: Fitted) -> Fitted:
        """Predict the unlabeled rows, unless the fit has done so.

        Parameters
        ----------
        fitted : Fitted
            A fit of this fitter.

        Returns
        -------
        Fitted
            The same with `pool_proba`, which is not remembered here: of many rows only those in use are in memory.
        """
        if len(fitted.pool_proba) or len(self.data.pool) == 0:
            return fitted
        with explained(self.estimator, _show_columns(self.data), "predict"):
            return replace(fitted, pool_proba=predict_pool_classes(fitted, self.data))

    def forget(self) -> None:
        """Forget the students of a round when all candidates are past it, where rows are many."""
        if self.data.is_large and not self.predict_all:
            supervised = PseudoLabels.none(len(self.data.pool)).key
            self._done = {key: fitted for key, fitted in self._done.items() if key[1] == supervised}

    def fit_supervised(self, split: Split) -> Fitted:
        """Fit the classifier of the labeled rows alone.

        Parameters
        ----------
        split : Split
            Which labeled rows train.

        Returns
        -------
        Fitted
            The supervised classifier.
        """
        return self.fit([(split, PseudoLabels.none(len(self.data.pool)))], predict_pool=False)[0]

    def predict_held_out(self, splits: list[Split]) -> list[Floats]:
        """Predict the held-out rows of splits with classifiers of their training rows, which are not kept.

        Parameters
        ----------
        splits : list of Split
            Which labeled rows train and which are predicted.

        Returns
        -------
        list of ndarray of shape (n_held_out, n_classes)
            Probabilities, per split.
        """
        requests = [(split, PseudoLabels.none(len(self.data.pool))) for split in splits]
        fits = self._fit_each(requests, scorer=None, predict_pool=False, predict_held_out=True)
        return [fitted.held_out_proba for fitted in fits]

    def for_user(self, fitted: Fitted) -> Any:
        """Unwrap the fitted classifier for tables as the user has them.

        Parameters
        ----------
        fitted : Fitted
            A fit of this fitter.

        Returns
        -------
        classifier
            The classifier, with the encoding around it where one is needed.
        """
        return fitted.estimator.taking(self.adaptation) if self.adaptation.needed else fitted.estimator

    def _fit_each(self, requests: list[Request], **how: Any) -> Iterable[Fitted]:
        """Fit one classifier after the other, or several at a time."""
        call: Callable[[Split, PseudoLabels, DecisionRule | None], Fitted] = partial(
            fit_classifier, self.estimator, self.adaptation, self.data, **how
        )
        rule_of = self.rule_of
        rules = (None if rule_of is None or split.held_out is None else rule_of(split) for split, _ in requests)
        fits: Iterable[Fitted]
        if len(requests) == 1 or effective_n_jobs(self.n_jobs) == 1:
            fits = (call(*request, rule) for request, rule in zip(requests, rules, strict=True))
        else:
            jobs = (delayed(call)(*request, rule) for request, rule in zip(requests, rules, strict=True))
            fits = Parallel(n_jobs=self.n_jobs, return_as="generator")(jobs)
        for fitted in fits:
            self.n_fits += 1
            self.progress.advance()
            yield fitted


def fit_classifier(
    estimator: Any,
    adaptation: Adaptation,
    data: TrainingData,
    split: Split,
    pseudo: PseudoLabels,
    rule: DecisionRule | None = None,
    *,
    scorer: Scorer | None,
    predict_pool: bool,
    predict_held_out: bool,
) -> Fitted:
    """Fit a copy of the estimator on the training rows of a split plus pseudo-labels, and predict."""
    start = perf_counter()
    model, present = train(estimator, adaptation, data, split, pseudo)
    held_out, nothing, classes = split.held_out, np.empty((0, data.n_classes)), data.labels.classes
    fitted = Fitted(model, nothing, nothing, np.nan, 0.0, present, pseudo.power)
    softened = soften(model, pseudo.power)
    decided = softened if rule is None else decide_with(softened, rule, classes)
    with explained(estimator, _show_columns(data), "predict"):
        return replace(
            fitted,
            pool_proba=predict_pool_classes(fitted, data) if predict_pool and len(data.pool) else nothing,
            held_out_proba=predict_classes(softened, held_out[0], data.n_classes, fitted.present)
            if predict_held_out and held_out
            else nothing,
            score=evaluate(decided, scorer, held_out[0], classes[held_out[1]]) if scorer and held_out else np.nan,
            seconds=perf_counter() - start,
        )


def _show_columns(data: TrainingData) -> Any:
    """A table with the columns of the data, for a message."""
    return take_rows(data.X, data.labeled[:1]) if data.is_large else data.X


def predict_pool_classes(fitted: Fitted, data: TrainingData) -> Floats:
    """Probabilities of the unlabeled rows, many of them block by block."""
    model = soften(fitted.estimator, fitted.power)
    return data.map_pool(lambda X: predict_classes(model, X, data.n_classes, fitted.present))


def evaluate(model: Any, scorer: Scorer, X: Any, y: NDArray[Any]) -> float:
    """Score a model on held-out rows; a score that cannot be computed is an error, not a guess.

    Parameters
    ----------
    model : classifier
        The fitted classifier.
    scorer : callable
        As scikit-learn's scorers.
    X : array or DataFrame
        The held-out rows.
    y : ndarray
        Their classes.

    Returns
    -------
    float
        The score.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics import get_scorer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from tabcast.self_training import evaluate
    >>> model = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    >>> evaluate(model, get_scorer("accuracy"), [[0.1], [0.9]], np.array([0, 0]))
    0.5
    """
    try:
        score = float(scorer(model, X, y))
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise ScoreError(f"failed on {len(y)} held-out rows ({reason})", SCORING_ADVICE) from error
    if np.isnan(score):
        raise ScoreError(f"gave no number on {len(y)} held-out rows", SCORING_ADVICE)
    return score


def predict_classes(model: Any, X: Any, n_classes: int, present: Index) -> Floats:
    """Predict probabilities of all classes; those without a training row have probability 0.

    Parameters
    ----------
    model : classifier
        The fitted classifier.
    X : array or DataFrame
        The rows.
    n_classes : int
        Number of all classes.
    present : ndarray of int
        Indices of the classes that have a training row.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        The probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from tabcast.self_training import predict_classes
    >>> model = DummyClassifier().fit([[0], [1]], [0, 2])
    >>> predict_classes(model, [[5]], n_classes=3, present=np.array([0, 2]))
    array([[0.5, 0. , 0.5]])
    """
    proba = refuse_nan(np.asarray(model.predict_proba(X), dtype=float), model)
    if proba.shape[1] == n_classes:
        return proba
    full = np.zeros((len(proba), n_classes))
    full[:, present] = proba
    return full


def refuse_nan(proba: Floats, model: Any) -> Floats:
    """The probabilities; an error that names the classifier if some are not numbers."""
    n_bad = int(np.isnan(proba).any(axis=1).sum())
    if n_bad:
        inner = model.estimator if isinstance(model, SoftenedClassifier) else model
        inner = inner.estimator_ if isinstance(inner, AdaptedClassifier) else inner
        raise ValueError(
            f"predict_proba of {inner!r} gave NaN for {n_bad} of {len(proba)} rows, so their class is unknown. Scale "
            "or clip columns with very large values, drop constant ones, or use another estimator."
        )
    return proba
