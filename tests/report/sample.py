"""A small run as `render_report` gets it: a real comparison with real diagnostics, under any names."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from tabcast import CASTClassifier, GuardedClassifier
from tabcast.diagnostics import diagnose

CLASSES, COLUMNS = ("stays", "leaves", "downgrades"), ("age", "fee", "calls")


@cache
def make_run(classes=CLASSES, columns=COLUMNS, n_rows=160, n_labeled=80):
    """Names may be anything; the rows are the same."""
    random = np.random.default_rng(0)
    codes = np.arange(n_rows) % len(classes)
    X = pd.DataFrame(random.normal(size=(n_rows, len(columns))), columns=list(columns))
    X.iloc[:, 0] += 2 * codes
    X.iloc[:n_labeled, 1] += 2  # labeled and unlabeled rows differ
    y = np.array([*classes], dtype=object)[codes]
    y[n_labeled:] = None
    cast = CASTClassifier(LogisticRegression(max_iter=1000), alpha=0.5, validation=0.3, max_rounds=2, random_state=0)
    guarded = GuardedClassifier(cast, n_splits=2, n_repeats=1, random_state=0).fit(X, y)
    model, proba = guarded.self_trained_, guarded.predict_proba(X[n_labeled:])
    names = list(guarded.classes_)
    counts = pd.Series(y[:n_labeled]).value_counts()
    summary = {
        "tabcast": "0.1.0",
        "title": "customers.csv",
        "created": "2026-10-02T14:05:00+00:00",
        "table": {
            "n_rows": n_rows,
            "n_labeled": n_labeled,
            "n_unlabeled": n_rows - n_labeled,
            "target": "outcome",
            "classes": [{"name": name, "n_labeled": int(counts[name])} for name in names],
            "columns": [
                *({"name": one, "kind": "number", "used": True, "why": "numbers", "leak": None} for one in columns),
                {"name": "id", "kind": "identifier", "used": False, "why": "a different value in every row"},
            ],
        },
        "method": {"name": "cast-l", "title": "CAST-L", "model": "a model", "settings": {"seed": 0}, "guard": True},
        "verdict": guarded.verdict_.to_dict(),
        "decision": guarded.decision_.to_dict(),
        "training": {
            "best_round": int(model.best_round_),
            "n_rounds": int(model.n_rounds_),
            "termination_reason": model.termination_reason_,
            "history": model.history_.astype(object).where(model.history_.notna(), None).to_dict("records"),
            "seconds": {"training": 1.0},
        },
        "diagnostics": diagnose(guarded, X, y).to_dict(),
        "suggested_rows": [
            {"row": n_labeled + n, "how": "random" if n else "chosen", "values": dict.fromkeys(columns, f"cell {n}")}
            for n in range(3)
        ],
        "warnings": ["One class is small."],
        "files": {"model": "model.skops", "predictions": "predictions.csv"},
    }
    predictions = pd.DataFrame(
        {"row": np.arange(n_labeled, n_rows), "id": [f"C-{k}" for k in range(n_rows - n_labeled)]}
    )
    predictions["prediction"] = np.array(names, dtype=object)[proba.argmax(axis=1)]
    for place, name in enumerate(names):
        predictions[f"probability_{place}_{name}"] = proba[:, place]
    return SimpleNamespace(
        guarded=guarded, X=X, y=y, summary=summary, pseudo_labels=model.pseudo_labels_, predictions=predictions
    )
