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
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if

from tabcast.decisions._rule import DecisionRule, decide_with
from tabcast.exceptions import ScoreError
from tabcast.models._adapted import Adaptation, AdaptedClassifier, adapt, weight_parameter
from tabcast.models._failures import explained
from tabcast.progress import Progress
from tabcast.self_training._data import FEW_ROWS, PseudoLabels, Split, TrainingData
from tabcast.self_training._deployed import SoftenedClassifier, soften
from tabcast.table import Floats, Index
from tabcast.table._labels import UNLABELED
from tabcast.table._tables import take_rows

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
        From a fit and the adaptation to what is remembered of the fit, instead of all of it. Every fit then predicts
        all rows, because others may ask for them later.
    rule_of : callable, default=None
        From a split to the rule by which classes are predicted where a classifier is evaluated. None: the classifier's
        own `predict`.

    Attributes
    ----------
    adaptation : Adaptation
        What is encoded around the estimator.
    data : TrainingData
        The rows, encoded.
    n_fits : int
        Number of fits so far.
    seconds : dict
        Time of the fits so far: "pretraining", "supervised" on labeled rows alone, and "students" on pseudo-labels.
    progress : Progress
        Advances with every fit.
    """

    def __init__(
        self,
        estimator: Any,
        data: TrainingData,
        scorer: Scorer | None,
        *,
        n_jobs: int | None = None,
        keep: Callable[[Fitted, Adaptation], Fitted] | None = None,
        rule_of: Callable[[Split], DecisionRule] | None = None,
    ) -> None:
        self.scorer, self.n_jobs, self.keep, self.rule_of = scorer, n_jobs, keep, rule_of
        self.adaptation = adapt(estimator, data.X, data.labels.classes, data.categorical_features)
        self.data = data.encoded(self.adaptation)
        self.seconds = {"pretraining": 0.0, "supervised": 0.0, "students": 0.0}
        self.estimator = self._pretrain(estimator)
        self.progress = Progress()
        self.n_fits = 0
        self._done: dict[tuple[bytes, bytes], Fitted] = {}

    def _pretrain(self, estimator: Any) -> Any:
        """Pretrain an estimator with a method `pretrain(X)`, which returns an unfitted copy, once for all fits.

        Every labeled row may be held out by somebody in a run: by the validation, by the folds of a teacher or of a
        decision, or by the guard. Unlabeled rows never are, so they alone are used. Where there are fewer of them than
        labeled rows, each fit pretrains on its own training rows instead, which then know more.
        """
        data, is_pretrained = self.data, getattr(estimator, "pretrained", None) is not None
        if not hasattr(estimator, "pretrain") or is_pretrained or len(data.pool) < len(data.labeled):
            return estimator
        start = perf_counter()
        with explained(estimator, data.X_pool, "pretrain"):
            pretrained = self.adaptation.configure(estimator).pretrain(data.X_pool)
        self.seconds["pretraining"] = perf_counter() - start
        return pretrained

    def fit(
        self, requests: Iterable[Request], *, predict_pool: bool = True, predict_held_out: bool = True
    ) -> list[Fitted]:
        """Fit a classifier per request; equal training sets share one. Many unlabeled rows are not predicted yet."""
        keyed = [((split.key, pseudo.key), (split, pseudo)) for split, pseudo in requests]
        missing = {key: request for key, request in keyed if key not in self._done}
        predict_all = self.keep is not None
        fits = self._fit_each(
            list(missing.values()),
            scorer=self.scorer,
            predict_pool=(predict_pool and len(self.data.pool) <= FEW_ROWS) or predict_all,
            predict_held_out=predict_held_out or predict_all,
        )
        for (key, (_, pseudo)), fitted in zip(missing.items(), fits, strict=True):
            self._done[key] = fitted if self.keep is None else self.keep(fitted, self.adaptation)
            self.seconds["supervised" if pseudo.is_supervised else "students"] += fitted.seconds
        return [self._done[key] for key, _ in keyed]

    def with_pool(self, fitted: Fitted) -> Fitted:
        """The same with `pool_proba`, which is not remembered here: of many rows only those in use are in memory."""
        if len(fitted.pool_proba) or len(self.data.pool) == 0:
            return fitted
        with explained(self.estimator, self.data.X, "predict"):
            return replace(fitted, pool_proba=predict_pool_classes(fitted, self.data))

    def fit_supervised(self, split: Split) -> Fitted:
        """Fit the classifier of the labeled rows alone."""
        return self.fit([(split, PseudoLabels.none(len(self.data.pool)))], predict_pool=False)[0]

    def predict_held_out(self, splits: list[Split]) -> list[Floats]:
        """Probabilities of the held-out rows of splits, by classifiers of their training rows that are not kept."""
        requests = [(split, PseudoLabels.none(len(self.data.pool))) for split in splits]
        fits = self._fit_each(requests, scorer=None, predict_pool=False, predict_held_out=True)
        return [fitted.held_out_proba for fitted in fits]

    def for_user(self, fitted: Fitted) -> Any:
        """The classifier, with the encoding around it where one is needed."""
        return fitted.estimator._taking(self.adaptation) if self.adaptation.needed else fitted.estimator

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


def train(
    estimator: Any, adaptation: Adaptation, data: TrainingData, split: Split, pseudo: PseudoLabels
) -> tuple[Any, Index]:
    """Fit a copy on the training rows of a split plus pseudo-labels; also the indices of the classes in these rows."""
    rows, codes, weight = training_rows(data, split, pseudo)
    X = take_rows(data.X, rows)
    with explained(estimator, X, "fit"):
        params = _fit_params(estimator, data, rows, weight)
        model = adaptation.fit(estimator, X, codes, data.labels.classes, params)
    return model, np.flatnonzero(np.bincount(codes))


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
        soft = pseudo.soft[pseudo.chosen]
        copies, of_class = np.nonzero(soft)
        rows = np.concatenate([labeled, chosen[copies]])
        codes = np.concatenate([data.labels.codes[labeled], of_class])
        proportion = np.concatenate([np.ones(len(labeled)), soft[copies, of_class]])
    if proportion is None and data.sample_weight is None and (pseudo.weight[pseudo.chosen] == 1).all():
        return rows, codes, None
    weight = np.ones(len(data.labels.codes)) if data.sample_weight is None else data.sample_weight.copy()
    weight[data.pool] *= pseudo.weight
    return rows, codes, weight[rows] if proportion is None else weight[rows] * proportion


def _fit_params(estimator: Any, data: TrainingData, rows: Index, weight: Floats | None) -> dict[str, Any]:
    """Fit parameters of these rows: the user's, and weights where there are any."""
    params = dict(data.other_params)
    params |= {name: _safe_indexing(values, rows) for name, values in data.row_params.items()}
    if weight is not None:
        params[str(weight_parameter(estimator))] = weight  # checked before the first fit
    return params


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
    with explained(estimator, data.X, "predict"):
        return replace(
            fitted,
            pool_proba=predict_pool_classes(fitted, data) if predict_pool and len(data.pool) else nothing,
            held_out_proba=predict_classes(softened, held_out[0], data.n_classes, fitted.present)
            if predict_held_out and held_out
            else nothing,
            score=evaluate(decided, scorer, held_out[0], classes[held_out[1]]) if scorer and held_out else np.nan,
            seconds=perf_counter() - start,
        )


def predict_pool_classes(fitted: Fitted, data: TrainingData) -> Floats:
    """Probabilities of the unlabeled rows, many of them block by block."""
    model = soften(fitted.estimator, fitted.power)
    return data.map_pool(lambda X: predict_classes(model, X, data.n_classes, fitted.present))


def evaluate(model: Any, scorer: Scorer, X: Any, y: NDArray[Any]) -> float:
    """Score a model on held-out rows; a score that cannot be computed is an error, not a guess."""
    try:
        score = float(scorer(model, X, y))
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise ScoreError(f"failed on {len(y)} held-out rows ({reason})", SCORING_ADVICE) from error
    if np.isnan(score):
        raise ScoreError(f"gave no number on {len(y)} held-out rows", SCORING_ADVICE)
    return score


def predict_classes(model: Any, X: Any, n_classes: int, present: Index) -> Floats:
    """Predict probabilities of all classes; those without a training row have probability 0."""
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


class StoredPredictions(ClassifierMixin, BaseEstimator):
    """Predictions that were made already, as a classifier that scikit-learn's scorers take.

    Rows of several folds were predicted by several models; a score of all of them together needs one "model".
    """

    def __init__(self, classes: NDArray[Any], labels: NDArray[Any], proba: Floats) -> None:
        self.classes = classes
        self.labels = labels
        self.proba = proba

    @property
    def classes_(self) -> NDArray[Any]:
        """All classes."""
        return self.classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the stored classes, whatever the table."""
        return self.labels

    def predict_proba(self, X: Any) -> Floats:
        """Return the stored probabilities, whatever the table."""
        return self.proba


def _model_has(method: str) -> Any:
    """Whether the classifier has a method."""
    return lambda self: hasattr(self.model, method)


class _Coded(ClassifierMixin, BaseEstimator):
    """A fitted classifier that predicts positions of classes instead of their names."""

    def __init__(self, model: Any, classes: NDArray[Any]) -> None:
        self.model = model
        self.classes = classes

    @property
    def classes_(self) -> NDArray[Any]:
        return np.searchsorted(self.classes, np.asarray(self.model.classes_))

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray[Any]:
        return np.searchsorted(self.classes, np.asarray(self.model.predict(X)))

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        return self.model.predict_proba(X)

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        return self.model.decision_function(X)


def find_scorer(scoring: Any, estimator: Any, classes: NDArray[Any], *, numbers_too: bool = False) -> Scorer:
    """Find the scorer of a name; of two classes the second in sorted order is the positive one.

    scikit-learn's binary scores, such as "f1", look for a class 1, which classes with names do not have.
    """
    scorer: Scorer = check_scoring(estimator, scoring=scoring)
    if not isinstance(scoring, str) or len(classes) != 2 or not (numbers_too or classes.dtype.kind not in "biuf"):
        return scorer

    def score(model: Any, X: Any, y: NDArray[Any]) -> float:
        return scorer(_Coded(model, classes), X, np.searchsorted(classes, y))

    return score
