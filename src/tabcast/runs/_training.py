"""Training: the model of all rows, the comparison with the supervised one, the diagnostics, and a summary of it all."""

from __future__ import annotations

import json
import warnings
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import tabcast
from tabcast import CASTClassifier, GuardedClassifier, SoftSelfTrainingClassifier
from tabcast.diagnostics import diagnose
from tabcast.diagnostics._columns import Importance
from tabcast.diagnostics._quality import Quality
from tabcast.exceptions import NothingHeldOutError, ScoreError, TabcastWarning
from tabcast.labeling import suggest_rows
from tabcast.labeling._choice import RANDOM_SHARE
from tabcast.plots._figure import shorten
from tabcast.runs._filling import fill_table, warn_of_filled
from tabcast.runs._folder import FILLED, MODEL, PARTS, PREDICTIONS, PSEUDO_LABELS, REPORT
from tabcast.runs._predict import tabulate_predictions
from tabcast.runs._run import Run
from tabcast.runs._table import PreparedTable
from tabcast.self_training._deployed import AveragedClassifier
from tabcast.teachers import Committee
from tabcast.wording import PYTHON, Argument, ArgumentError

if TYPE_CHECKING:
    from tabcast.runs._fit_table import Options

TITLES = {
    "soft": "Soft labels from an ensemble",
    "cast-l": "CAST with empirical likelihood (CAST-L)",
    "cast-d": "CAST with kernel density (CAST-D)",
    "naive": "Self-training by the classifier's own confidence",
}
MOST_LOOKED_AT = 2_000  # unlabeled rows among which is suggested
MOST_VALUES, LONGEST_VALUE = 5, 200  # of a suggested row that are shown
KINDS = {"own": "gradient boosting", "boosting": "gradient boosting", "trees": "extra trees", "linear": "linear model"}


def train_run(table: PreparedTable, options: Options) -> Run:
    """Train, compare, predict and, if a precision is given, fill the table."""
    if table.parts and options.precision is not None:
        raise ArgumentError(Argument("precision"), " fills a table in one file; it does not work with a folder.")
    if options.dask is not None and not table.parts:
        raise ArgumentError(Argument("dask"), " is for folders of tables; a single table needs no cluster.")
    for sentence in [*table.differences, *table.alarms, *warn_of_filled(table)]:
        warnings.warn(sentence, TabcastWarning, stacklevel=3)
    start = perf_counter()
    guarded = GuardedClassifier(
        options.classifier,
        scoring=options.scoring,
        decision=options.decision,
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        verbose=options.verbose,
    )
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(limits=1):
        warnings.simplefilter("always", TabcastWarning)
        _fit(guarded, table, options.scoring)
        diagnostics = diagnose(guarded, table.X, table.y, random_state=options.random_state)
        suggested = suggest_values(table, guarded, diagnostics.importance, options)
        warn_of_constant(diagnostics.quality)
    warned = list({(one.category, str(one.message)): one for one in caught}.values())
    for one in warned:
        warnings.warn(one.message, stacklevel=3)
    model, rule = guarded.deployed_, guarded.decision_
    predictions = tabulate_predictions(model, rule, table.X, table.unlabeled, table.identifiers)
    pseudo_labels = guarded.self_trained_.pseudo_labels_
    identifiers = table.identifiers.iloc[pseudo_labels["row"].astype(int)].reset_index(drop=True)
    pseudo_labels = pd.concat([pseudo_labels[["row"]], identifiers, pseudo_labels.drop(columns="row")], axis=1)
    sentences = [str(one.message) for one in warned if issubclass(one.category, TabcastWarning)]
    summary = {
        **summarize(table, options, guarded, perf_counter() - start),
        "diagnostics": diagnostics.to_dict(),
        "suggested_rows": suggested,
        "warnings": [*table.notes, *(PYTHON.sentence(*note) for note in table.understanding.notes), *sentences],
    }
    filled = None
    if options.precision is not None:
        filled, summary["filled"] = fill_table(
            table, predictions, model.classes_, rule, guarded.out_of_fold_, options.precision
        )
        summary["files"]["filled"] = FILLED
    if table.parts:
        summary["files"]["prediction_parts"] = PARTS
    return Run(
        model=model,
        understanding=table.understanding,
        predictions=predictions,
        pseudo_labels=pseudo_labels,
        summary=summary,
        decision=rule,
        diagnostics=diagnostics,
        filled=filled,
        parts=tuple(table.parts),
        dask=options.dask,
    )


def warn_of_constant(quality: Quality) -> None:
    """Warn where the model is right no more often than the most frequent class."""
    if quality.accuracy <= quality.constant_accuracy:
        warnings.warn(
            f"The model is no better than a constant answer: always {str(quality.constant)!r} is right in "
            f"{quality.constant_accuracy:.1%} of the labeled rows, the model in {quality.accuracy:.1%}, held out. Its "
            "probabilities may still rank rows (see its curves). Label more rows, above all of other classes, or "
            "choose another decision.",
            TabcastWarning,
            stacklevel=2,
        )


def suggest_values(
    table: PreparedTable, guarded: GuardedClassifier, importance: Importance, options: Options
) -> list[dict[str, Any]]:
    """Rows to label next, as plain JSON: `row`, `how`, and the values of identifiers and of important columns."""
    pool = np.random.default_rng(options.random_state).permutation(table.unlabeled)[:MOST_LOOKED_AT]
    rows = np.sort(np.concatenate([np.flatnonzero(~pd.isna(table.y)), pool]))
    X, share = table.X.iloc[rows], RANDOM_SHARE if options.precision is None else 1.0
    proba = guarded.predict_proba(X)
    found = suggest_rows(X, table.y[rows], proba, random_state=options.random_state, random_share=share)
    important = (table.understanding.sources[name] for name in importance.columns["name"])
    names = list(dict.fromkeys([*table.identifiers.columns, *important]))[:MOST_VALUES]
    cells = table.frame[names].iloc[rows[found["row"]]].astype(object)
    values = cells.where(cells.notna(), None).map(lambda cell: shorten(cell, LONGEST_VALUE)).to_dict("records")
    plain = zip(rows[found["row"]].tolist(), found["how"], values, strict=True)
    return [{"row": row, "how": how, "values": shown} for row, how, shown in plain]


def describe_model(guarded: GuardedClassifier, name: str) -> str:
    """The kind of the model that was kept: a name, or the members of an ensemble with their weights."""
    model, teacher = guarded.deployed_, getattr(guarded.self_trained_, "teacher_", None)
    if not (isinstance(model, AveragedClassifier) and isinstance(teacher, Committee)):
        return name
    named = zip(teacher.members, model.weights, strict=True)
    return "ensemble of " + ", ".join(f"{KINDS.get(str(one), str(one))} {weight:.0%}" for one, weight in named)


def _fit(guarded: GuardedClassifier, table: PreparedTable, scoring: str) -> None:
    """Fit, with errors in terms of the arguments of a run."""
    try:
        guarded._chosen = table.chosen
        guarded.fit(table.X, table.y)
    except ScoreError as error:
        raise ArgumentError(
            Argument("scoring", scoring), f" {error.problem}. Label more rows of rare classes, or choose another score."
        ) from error
    except NothingHeldOutError as error:
        if len(table.chosen):
            raise ArgumentError(
                "Too few rows that were drawn at random are labeled to compare models on them: only "
                f"{table.understanding.n_labeled - len(table.chosen)} of {table.understanding.n_labeled} labels, and "
                "rows that were chosen are never held out. Label more random rows."
            ) from error
        raise ArgumentError(
            "Too few rows are labeled to compare models on held-out ones: every class has a single labeled row, in the "
            "table or in the training rows of a split. Label more rows."
        ) from error


def find_method(classifier: Any) -> str:
    """The method of a classifier, as it is called in summaries."""
    if isinstance(classifier, SoftSelfTrainingClassifier):
        return "soft"
    if isinstance(classifier, CASTClassifier):
        return "cast-d" if "kernel" in str(classifier.density).lower() else "cast-l"
    return "naive"


def summarize(table: PreparedTable, options: Options, guarded: GuardedClassifier, seconds: float) -> dict[str, Any]:
    """The table, the method, the verdict and the training of a run, as plain JSON."""
    understanding, method, model = table.understanding, find_method(options.classifier), guarded.self_trained_
    scores = getattr(model, "alpha_scores_", None)
    settings = {
        "scoring": options.scoring,
        "decision": None if options.decision is None else str(options.decision),
        "precision": None if options.precision is None else float(options.precision),
        "max_pool": None if options.max_pool is None else int(options.max_pool),
        "missing_label": understanding.target_rule.missing_label,
        "seed": int(options.random_state),
    }
    return {
        "tabcast": tabcast.__version__,
        "title": table.name,
        "created": pd.Timestamp.now(tz="UTC").isoformat(timespec="seconds"),
        "table": {
            "file": table.name,
            "n_files": len(table.parts),
            "n_rows": understanding.n_rows,
            "n_labeled": understanding.n_labeled,
            "n_chosen": len(table.chosen),
            "n_unlabeled": understanding.n_unlabeled,
            "target": understanding.target,
            "classes": [{"name": str(name), "n_labeled": n} for name, n in understanding.class_counts.items()],
            "columns": [
                {"name": one.name, "kind": one.kind, "used": one.used, "why": one.why, "leak": one.leak}
                for one in understanding.columns
            ],
        },
        "method": {
            "name": method,
            "title": TITLES[method],
            "model": describe_model(guarded, options.name),
            "settings": {name: value for name, value in settings.items() if value is not None},
            "guard": True,
        },
        "verdict": guarded.verdict_.to_dict(),
        "score": None,
        "decision": guarded.decision_.to_dict(),
        "training": {
            "best_round": int(model.best_round_),
            "n_rounds": int(model.n_rounds_),
            "termination_reason": model.termination_reason_,
            "history": _to_records(model.history_),
            "alpha": getattr(model, "alpha_", None),
            "alpha_scores": None if scores is None else _to_records(scores),
            "n_fits": guarded.n_fits_,
            "seconds": {"training": seconds},
            "pool": {"n_unlabeled": guarded.verdict_.n_unlabeled, "n_trained": len(model.pseudo_labels_)},
        },
        "files": {"model": MODEL, "predictions": PREDICTIONS, "pseudo_labels": PSEUDO_LABELS, "report": REPORT},
    }


def _to_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a small table, missing numbers as null."""
    records: list[dict[str, Any]] = json.loads(frame.to_json(orient="records", double_precision=15))
    return records
