"""`fit_table`: a table in, a run out. Check, read, understand, train, compare, diagnose."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any

import pandas as pd

from tabcast.decisions import Decision
from tabcast.exceptions import TabcastWarning
from tabcast.files import Argument, ArgumentError, Understanding
from tabcast.runs._filling import fill_table, warn_of_filled
from tabcast.runs._folder import FILLED, HISTORY, NEXT_ROWS
from tabcast.runs._history import read_history
from tabcast.runs._options import RunOptions, read_column_options
from tabcast.runs._predictions import tabulate_predictions
from tabcast.runs._prepared_table import PreparedTable, TableLike, prepare_table
from tabcast.runs._run import Run
from tabcast.runs._summary import summarize
from tabcast.runs._training import train


def fit_table(
    table: TableLike,
    target: str,
    *,
    method: str = "soft",
    model: str = "auto",
    density: str | None = None,
    strategy: str | None = None,
    alpha: float | None = None,
    class_prior: str | None = None,
    teacher: str | None = None,
    teacher_weights: str | PathLike[str] | None = None,
    deploy: str | None = None,
    metric: str = "balanced_accuracy",
    decision: str | Decision | None = None,
    unlabeled: TableLike | None = None,
    missing_label: Any = None,
    ignore: Iterable[str] = (),
    use: Iterable[str] = (),
    categories: Iterable[str] = (),
    id_columns: Iterable[str] = (),
    sheet: str | None = None,
    guard: bool = True,
    judge_rows: int | None = 20_000,
    max_pool: int | str | None = "auto",
    time_limit: float | None = None,
    precision: float | None = None,
    per_class: bool = False,
    precision_confidence: float = 0.9,
    cost: Mapping[Any, float] | None = None,
    resume: str | PathLike[str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    on_understood: Callable[[Understanding, list[str]], None] | None = None,
) -> Run:
    """Train on a table in which few rows are labeled, and find out whether the unlabeled rows helped.

    Does what `tabcast fit` does: reads the table, decides what its columns are, trains with and without the unlabeled
    rows, compares both models on held-out labeled rows, and keeps the better one. Nothing is written before
    :meth:`Run.save`.

    Parameters
    ----------
    table : path or DataFrame
        The table: a CSV, TSV, gzipped, Parquet, Feather or Excel file, or a pandas DataFrame.
    target : str
        The column of labels. Rows without a value there are unlabeled.
    method : {"soft", "cast-l", "cast-d", "naive", "supervised"}, default="soft"
        How the unlabeled rows are used: soft self-training with a committee, CAST with empirical likelihood or with
        kernel density, self-training by the classifier's own confidence, or not at all.
    model : str, default="auto"
        The base classifier: one of `tabcast.models.MODEL_NAMES`. "auto" chooses among several kinds by
        cross-validation on the labeled rows; see :class:`~tabcast.models.Portfolio`.
    density : {"likelihood", "kernel", "uniform"}, default=None
        The density of "cast-l" and "cast-d", if another than their own.
    strategy : {"curriculum", "threshold", "top_k", "all"}, default=None
        Which rows get pseudo-labels, with "cast-l", "cast-d" and "naive". None: "curriculum".
    alpha : float, default=None
        The weight of density in confidence, from 0 to 1, with "cast-l" and "cast-d". None: searched.
    class_prior : {"auto", "labeled", "none"}, default=None
        The class proportions that soft labels are aligned with: those of the labeled rows, none, or "auto": a student
        without alignment and, if the labeled rows look like a random sample, one with it are compared, and the better
        one is kept. None: "auto" with "soft".
    teacher : {"committee", "self", "tabpfn", "tabicl"}, default=None
        Who writes soft labels, with "soft": a committee, the model itself, or a pretrained foundation model, which
        needs an extra and weights (docs/foundation_models.md). None: "committee".
    teacher_weights : path, default=None
        File with the weights of "tabpfn" or "tabicl". None: the default weights in the library's cache. Nothing is
        downloaded.
    deploy : {"student", "retrained", "committee", "auto"}, default=None
        The model that predicts, with "soft": one model of its kind, the committee trained once more on the soft labels,
        the committee itself, or "auto": the better of the committee and, with up to 110 labeled rows, the retrained
        one, with more the student. None: "student".
    metric : str, default="balanced_accuracy"
        The score that models are compared by, a name that scikit-learn knows.
    decision : str or Decision, default=None
        How classes are predicted from probabilities: "accuracy" (the most probable one), "balanced" (the highest
        probability relative to the proportion of the class among the labeled rows), "f1" (weights tuned on out-of-fold
        predictions), or a member of `tabcast.decisions` such as `Threshold(0.3)` or `Costs(...)`. None: what the metric
        needs, "balanced" for "balanced_accuracy", "f1" for F1 scores, "accuracy" for all others.
    unlabeled : path or DataFrame, default=None
        More rows without a label, with the columns of `table`; it may write numbers and dates in a notation of its own.
        Columns that only one of the two has are named in a warning.
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
    sheet : str, default=None
        Which sheet to read if `table` is an Excel file. None: the first. Of `unlabeled` the first is read.
    guard : bool, default=True
        Whether the supervised model is kept where it is better. False: the self-trained model is kept in any case.
    judge_rows : int or None, default=20_000
        Most unlabeled rows that models are compared with, that alpha is chosen with and that diagnostics look at, drawn
        at random. None: all.
    max_pool : int, "auto" or None, default="auto"
        Most unlabeled rows that train the final model, drawn at random; every row is predicted in any case. "auto":
        twice `judge_rows`, four times, and so on, until the score on held-out rows stops rising (docs/verdict.md).
        None: all.
    time_limit : float, default=None
        Seconds after which no further split is compared.
    precision : float, default=None
        Fill the table: rows are filled with predictions from the lowest probability on at which at least this
        proportion of the filled labels is right, for example 0.95; see docs/filled_table.md. The result is in
        `filled` and `next_rows` of the run. None: no filled table.
    per_class : bool, default=False
        Whether `precision` is to be reached for each class by itself.
    precision_confidence : float, default=0.9
        Confidence that `precision` is reached.
    cost : dict, default=None
        Fill the table by costs instead: a row is filled where the expected cost of an error is smaller than the cost
        of a review. For example ``{"review": 1, "error": 20}``; a pair ``("ill", "well"): 90`` is the cost of filling
        in "well" where "ill" is true. The predicted class is the one with the smallest expected cost.
    resume : path, default=None
        Folder of an earlier run with a filled table, whose history is continued. It need not exist yet.
    random_state : int, default=0
        Seed of everything random.
    n_jobs : int, default=None
        Fits at a time. None: 1; -1: one per core.
    verbose : int, default=0
        Whether to show a progress bar.
    on_understood : callable, default=None
        Called before training with the :class:`~tabcast.files.Understanding` of the table and a list of notes on its
        file, for instance to print them.

    Returns
    -------
    Run
        The model, its predictions, the verdict and the report.

    Raises
    ------
    TableFileError
        If the table cannot be read, or there is nothing to learn from.
    ArgumentError
        If an argument is invalid, or has no effect with the method.

    See Also
    --------
    load_run : Load a saved run.
    GuardedClassifier : The comparison alone, for arrays and DataFrames of features.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from tabcast import fit_table
    >>> table = load_iris(as_frame=True).frame.astype({"target": object})
    >>> table.loc[np.random.default_rng(0).random(150) < 0.6, "target"] = None
    >>> run = fit_table(table, "target", method="naive", model="logistic_regression", time_limit=1)
    >>> run
    <Run: table, target 'target', 68 labeled and 82 unlabeled rows, method 'naive', verdict '...', ... model>
    >>> run.predict(table.head(2)).columns.tolist()
    ['row', 'prediction', 'probability_0', 'probability_1', 'probability_2']
    """
    options = RunOptions(
        method=method,
        model=model,
        density=density,
        strategy=strategy,
        alpha=alpha,
        class_prior=class_prior,
        metric=metric,
        decision=decision,
        guard=guard,
        time_limit=time_limit,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
        teacher=teacher,
        teacher_weights=teacher_weights,
        deploy=deploy,
        precision=precision,
        per_class=per_class,
        precision_confidence=precision_confidence,
        cost=cost,
        judge_rows=judge_rows,
        max_pool=max_pool,
    )
    options.check()
    if resume is not None and not options.fills:
        either = (Argument("precision"), " or ", Argument("cost"))
        raise ArgumentError(Argument("resume"), " is for filled tables; it has no effect without ", *either, ".")
    history = [] if resume is None else read_history(resume, target)
    columns = read_column_options(missing_label, ignore=ignore, use=use, categories=categories, id_columns=id_columns)
    needs_unlabeled = method != "supervised"
    prepared = prepare_table(table, target, unlabeled, columns, needs_unlabeled=needs_unlabeled, sheet=sheet)
    options = options.with_costs(prepared.understanding.classes)
    if on_understood is not None:
        on_understood(prepared.understanding, prepared.notes)
    for sentence in [*prepared.differences, *prepared.alarms, *warn_of_filled(prepared)]:
        warnings.warn(sentence, TabcastWarning, stacklevel=2)
    trained = train(prepared, options)
    for warning in trained.warnings:
        warnings.warn(warning, stacklevel=2)
    rows = prepared.unlabeled
    predictions = tabulate_predictions(trained.model, trained.decision, prepared.X, rows, prepared.identifiers)
    summary, filling = summarize(prepared, options, trained), None
    if options.fills:
        filling = fill_table(prepared, trained, options, predictions, summary, history)
        summary["filled"] = filling.summary
        summary["files"] |= {"filled": FILLED, "next_rows": NEXT_ROWS, "history": HISTORY}
    return Run(
        model=trained.model,
        understanding=prepared.understanding,
        predictions=predictions,
        pseudo_labels=_with_identifiers(prepared, trained.pseudo_labels),
        summary=summary,
        decision=trained.decision,
        diagnostics=trained.diagnostics,
        feature_values=None if trained.guarded is None else prepared.frame[prepared.understanding.feature_names],
        filled=None if filling is None else filling.filled,
        next_rows=None if filling is None else filling.next_rows,
    )


def _with_identifiers(table: PreparedTable, pseudo_labels: pd.DataFrame) -> pd.DataFrame:
    """The table of pseudo-labels with the columns that identify rows in front."""
    identifiers = table.identifiers.iloc[pseudo_labels["row"].astype(int)].reset_index(drop=True)
    return pd.concat([pseudo_labels[["row"]], identifiers, pseudo_labels.drop(columns="row")], axis=1)
