"""Everything there is to know about a run, as plain JSON."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

import tabcast
from tabcast.exceptions import TabcastWarning
from tabcast.files._facts import ColumnNote
from tabcast.files._words import word_note, word_reasons
from tabcast.runs._folder import MODEL, PREDICTIONS, PSEUDO_LABELS, REPORT
from tabcast.runs._options import TITLES, RunOptions
from tabcast.runs._prepared_table import PreparedTable
from tabcast.runs._training import Trained

LEAKS = ("predicts_target", "only_labeled")  # what the leak alarm notes about a column


def summarize(table: PreparedTable, options: RunOptions, trained: Trained) -> dict[str, Any]:
    """The table, the method, the verdict, the training, the diagnostics and the warnings of a run."""
    understanding, guarded = table.understanding, trained.guarded
    warned = [str(warning) for warning in trained.warnings if isinstance(warning, TabcastWarning)]
    return {
        "tabcast": tabcast.__version__,
        "title": table.name,
        "created": pd.Timestamp.now(tz="UTC").isoformat(timespec="seconds"),
        "table": {
            "file": table.name,
            "n_rows": understanding.n_rows,
            "n_labeled": understanding.n_labeled,
            "n_unlabeled": understanding.n_unlabeled,
            "target": understanding.target,
            "classes": [{"name": str(name), "n_labeled": n} for name, n in understanding.class_counts.items()],
            "columns": [
                {
                    "name": column.name,
                    "kind": column.kind,
                    "used": column.used,
                    "why": column.why,
                    "leak": _describe_leak(column),
                }
                for column in understanding.columns
            ],
        },
        "method": {
            "name": options.method,
            "title": TITLES[options.method],
            "model": options.model,
            "model_choice": None if trained.choice is None else trained.choice.to_dict(),
            "settings": options.settings(understanding.target_rule.missing_label),
            "guard": options.guard and guarded is not None,
        },
        "verdict": None if guarded is None else guarded.verdict_.to_dict(),
        "score": None if trained.supervised is None else trained.supervised.score,
        "decision": trained.decision.to_dict(),
        "training": _describe_training(trained, options),
        "diagnostics": {} if trained.diagnostics is None else trained.diagnostics.to_dict(),
        "warnings": [*table.notes, *map(word_note, understanding.notes), *warned],
        "files": {"model": MODEL, "predictions": PREDICTIONS, "pseudo_labels": PSEUDO_LABELS, "report": REPORT},
    }


def _describe_leak(column: ColumnNote) -> str | None:
    """Why a column may leak the label, None if nothing was noticed."""
    leaks = [fact for fact in column.facts if fact.code in LEAKS]
    return word_reasons(leaks).lstrip("; ") if leaks else None


def _describe_training(trained: Trained, options: RunOptions) -> dict[str, Any]:
    """Rounds, alphas, fits and seconds."""
    guarded = trained.guarded
    if guarded is None:
        return {"n_fits": trained.n_fits, "seconds": {"training": trained.seconds}}
    model = guarded.self_trained_
    prior = getattr(model, "class_prior_", None)
    scores = getattr(model, "alpha_scores_", None)
    phases = getattr(model, "seconds_", {"model": guarded.seconds_["model"]})
    others = {name: seconds for name, seconds in guarded.seconds_.items() if name != "model"}
    return {
        "best_round": int(model.best_round_),
        "n_rounds": int(model.n_rounds_),
        "termination_reason": model.termination_reason_,
        "history": _to_records(model.history_),
        "alpha": getattr(model, "alpha_", None),
        "alpha_scores": None if scores is None else _to_records(scores),
        "n_fits": trained.n_fits,
        "seconds": {**phases, **others},
        "pool": _describe_pool(trained, options),
        "class_prior": None if prior is None else [float(proportion) for proportion in prior],
    }


def _describe_pool(trained: Trained, options: RunOptions) -> dict[str, Any]:
    """How many unlabeled rows there are, how many were compared with, trained on and looked at, and the curve."""
    assert trained.guarded is not None
    verdict, curve, n_trained = trained.guarded.verdict_, trained.guarded.pool_curve_, len(trained.pseudo_labels)
    return {
        "n_unlabeled": verdict.n_unlabeled,
        "n_judged": verdict.n_judged,
        "n_trained": n_trained,
        "n_diagnosed": n_trained if options.judge_rows is None else min(n_trained, options.judge_rows),
        "curve": None if curve is None else curve.to_dict(),
    }


def _to_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a small table, missing numbers as null."""
    records: list[dict[str, Any]] = json.loads(frame.to_json(orient="records", double_precision=15))
    return records
