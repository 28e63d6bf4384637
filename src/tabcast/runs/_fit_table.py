"""`fit_table`: a table in, a run out; and what its arguments mean."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone
from sklearn.metrics import get_scorer_names

from tabcast.checks import check_choice, is_integer, is_number, resolve_part
from tabcast.decisions import DECISIONS, Decision
from tabcast.guard._comparison import choose_scoring
from tabcast.models import MODEL_NAMES, make_model
from tabcast.models._adapted import weight_parameter
from tabcast.runs._predict import connect
from tabcast.runs._run import Run
from tabcast.runs._table import TableLike, prepare_table
from tabcast.runs._training import train_run
from tabcast.self_training import CASTClassifier, SoftSelfTrainingClassifier
from tabcast.self_training._self_trainer import SelfTrainer
from tabcast.wording import Argument, ArgumentError

CAST = "cast"
LARGEST_SEED = 2**32 - 1
# Those of scikit-learn's scores that are for classes; the others are for numbers, clusters or several labels per row.
CLASSIFICATION = re.compile(
    r"accuracy|balanced_accuracy|matthews_corrcoef|average_precision|neg_log_loss|neg_brier_score|roc_auc(_ov[or](_weighted)?)?"
    r"|(f1|precision|recall|jaccard)(_macro|_micro|_weighted)?"
)


@dataclass(frozen=True)
class Options:
    """How a run is trained: a ready classifier, and what the user called it; checked before anything long begins."""

    classifier: SelfTrainer
    name: str
    scoring: str
    decision: Decision | None  # None: that of the classifier
    precision: float | None
    dask: str | None
    max_pool: int | None
    random_state: int
    n_jobs: int | None
    verbose: int


def fit_table(
    table: TableLike,
    target: str,
    *,
    estimator: Any = "auto",
    scoring: str | None = None,
    decision: str | Decision | None = None,
    precision: float | None = None,
    unlabeled: TableLike | None = None,
    labels: str | os.PathLike[str] | None = None,
    missing_label: Any = None,
    ignore: Iterable[str] = (),
    use: Iterable[str] = (),
    categories: Iterable[str] = (),
    id_columns: Iterable[str] = (),
    max_pool: int | None = 50_000,
    dask: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Run:
    """Train on a table in which few rows are labeled, and find out whether the unlabeled rows helped.

    Does what `tabcast fit` does: reads the table, decides what its columns are, trains with and without the unlabeled
    rows, compares both models on held-out labeled rows, and keeps the better one. Nothing is written before
    :meth:`Run.save`.

    Parameters
    ----------
    table : path or DataFrame
        The table: a CSV, TSV, gzipped, Parquet, Feather or Excel file, a DataFrame of pandas or polars, or a folder or
        pattern of files: of these all labeled rows and a sample of the others train, and :meth:`Run.save` predicts
        every row of every file. Of an Excel workbook the sheet with the target column is read.
    target : str
        The column of labels. Rows without a value there are unlabeled.
    estimator : str or classifier, default="auto"
        The model. "auto": an ensemble of gradient boosting, extra trees and a linear model, trained with soft labels
        of the unlabeled rows. The name of a base classifier, one of `tabcast.models.MODEL_NAMES`, or any scikit-learn
        classifier: soft self-training with it, or CAST if its `fit` takes no `sample_weight`. "cast": CAST. Or one of
        tabcast's classifiers with its own parameters, such as ``CASTClassifier(XGBClassifier(), alpha=0.5)``.
    scoring : str, default=None
        The score that chooses between the models with and without the unlabeled rows, a classification score that
        scikit-learn knows. None: the log-loss for the ensemble, accuracy for one kind of model. It does not change how
        classes are predicted: that is `decision`.
    decision : str or Decision, default=None
        How classes are predicted from probabilities: "accuracy" (the most probable one), "balanced" (the highest
        probability relative to the proportion of the class among the labeled rows), "f1" (weights tuned on out-of-fold
        predictions), or a member of `tabcast.decisions` such as `Threshold(0.3)` or `Costs(...)`. None: that of the
        classifier, which is "accuracy" unless a ready one says otherwise.
    precision : float, default=None
        Fill the table: rows are filled with predictions from the lowest probability on at which, with 90% confidence,
        at least this proportion of the filled labels is right, for example 0.95; see docs/filled_table.md. The result
        is in `filled` of the run. None: no filled table.
    unlabeled : path or DataFrame, default=None
        More rows without a label, with the columns of `table`; it may write numbers and dates in a notation of its own.
        Columns that only one of the two has are named in a warning.
    labels : path, default=None
        More labels of rows of `table`: the file that `tabcast label` wrote, or Label Studio's export; see
        docs/labeling.md. All of them train. Rows that were chosen to be labeled are never held out: scores, class
        proportions, verdict and precision are those of rows drawn at random, among which those count that have their
        label in `table`.
    missing_label : object, default=None
        A label that means unlabeled, besides empty cells.
    ignore : iterable of str, default=()
        Columns to leave out.
    use : iterable of str, default=()
        Columns to use that would be left out.
    categories : iterable of str, default=()
        Numeric columns to treat as categorical.
    id_columns : iterable of str, default=()
        Columns that identify rows: left out, and kept in predictions.
    max_pool : int or None, default=50_000
        Most unlabeled rows that train, drawn at random (fewer if the `max_pool` of a ready classifier is smaller);
        every row is predicted. None: all.
    dask : str, default=None
        Address of a Dask scheduler whose workers predict the files of a folder. None: this process.
    random_state : int, default=0
        Seed of everything random.
    n_jobs : int, default=None
        Fits at a time. None: 1; -1: one per core.
    verbose : int, default=0
        Whether to show a progress bar.

    Returns
    -------
    Run
        The model, its predictions, the verdict and the report.

    Raises
    ------
    TableFileError
        If the table cannot be read, or there is nothing to learn from.
    ArgumentError
        If an argument is invalid.

    See Also
    --------
    GuardedClassifier : The comparison alone, for arrays and DataFrames of features.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from tabcast import fit_table
    >>> table = load_iris(as_frame=True).frame.astype({"target": object})
    >>> table.loc[np.random.default_rng(0).random(150) < 0.6, "target"] = None
    >>> run = fit_table(table, "target", estimator="logistic_regression")
    >>> run
    <Run: table, target 'target', 68 labeled and 82 unlabeled rows, logistic_regression, verdict '...', ... model>
    >>> run.predict(table.head(2)).columns.tolist()
    ['row', 'prediction', 'probability_0', 'probability_1', 'probability_2']
    """
    options = read_options(
        estimator=estimator,
        scoring=scoring,
        decision=decision,
        precision=precision,
        dask=dask,
        max_pool=max_pool,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    prepared = prepare_table(
        table,
        target,
        unlabeled=unlabeled,
        labels=labels,
        missing_label=missing_label,
        ignore=ignore,
        use=use,
        categories=categories,
        id_columns=id_columns,
        max_pool=max_pool,
        random_state=random_state,
    )
    return train_run(prepared, options)


def read_options(
    *, estimator: Any, scoring: str | None, decision: Any, precision: float | None, max_pool: int | None, **others: Any
) -> Options:
    """Check the arguments of `fit_table` that say how to train."""
    if scoring is not None:
        check_choice(scoring, tuple(filter(CLASSIFICATION.fullmatch, get_scorer_names())), "scoring")
    seed, n_jobs = others["random_state"], others["n_jobs"]
    if isinstance(decision, str):
        check_choice(decision, DECISIONS, "decision")
    if not is_integer(seed, 0, LARGEST_SEED):
        raise ArgumentError(Argument("random_state"), f" must be an integer from 0 to {LARGEST_SEED}; got {seed!r}.")
    if n_jobs is not None and not (is_integer(n_jobs) and n_jobs != 0):
        raise ArgumentError(Argument("n_jobs"), f" must be a number of processes, -1 for all cores; got {n_jobs!r}.")
    if max_pool is not None and not is_integer(max_pool, 1):
        raise ArgumentError(Argument("max_pool"), f" must be a number of rows, or None for all; got {max_pool!r}.")
    if precision is not None and not is_number(precision, "(0, 1)"):
        raise ArgumentError(Argument("precision"), f" must be between 0 and 1, such as 0.95; got {precision!r}.")
    classifier = make_classifier(estimator, scoring, max_pool, seed)
    name = estimator if isinstance(estimator, str) else " ".join(repr(estimator).split())
    rule = None
    if decision is not None:
        rule = resolve_part(decision, DECISIONS, Decision, "decision", "fit_table")
        rule.check()
    if others["dask"] is not None:  # whether there is one is known before the work
        with connect(others["dask"]):
            pass
    return Options(classifier, name, choose_scoring(scoring, classifier), rule, precision, max_pool=max_pool, **others)


def make_classifier(estimator: Any, scoring: str | None, max_pool: int | None, seed: int) -> SelfTrainer:
    """The semi-supervised classifier that `estimator` of `fit_table` means."""
    # None marks unlabeled rows in the labels of a prepared table, where -1 may be a class.
    common: dict[str, Any] = {"missing_label": None, "max_pool": max_pool, "random_state": seed}
    if isinstance(estimator, SelfTrainer):
        pools = [most for most in (estimator.max_pool, max_pool) if most is not None]
        common["max_pool"] = min(pools, default=None)
        if estimator.random_state is not None:
            del common["random_state"]
        return clone(estimator).set_params(**common)
    if isinstance(estimator, str):
        check_choice(estimator, ("auto", CAST, *MODEL_NAMES), "estimator")
        if estimator == CAST:
            return CASTClassifier(scoring=scoring, **common)
        return SoftSelfTrainingClassifier(None if estimator == "auto" else make_model(estimator, seed=seed), **common)
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params") and hasattr(estimator, "predict_proba")):
        raise ArgumentError(
            Argument("estimator"),
            " must be 'auto', 'cast', the name of a model, a classifier of scikit-learn with `predict_proba`, or one "
            f"of tabcast's classifiers; got {' '.join(repr(estimator).split())[:80]}.",
        )
    if weight_parameter(estimator) is None:  # soft labels are weights
        return CASTClassifier(estimator, scoring=scoring, **common)
    return SoftSelfTrainingClassifier(estimator, **common)
