"""A realistic but synthetic run of `tabcast fit`, as `render_report` gets it. Seeded; no model is trained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from tabcast.decisions import DecisionRule
from tabcast.diagnostics import class_prior, curves, quality, thresholds

CLASSES = ("stays", "leaves", "downgrades")


def make_summary(
    *, classes: tuple[str, ...] = CLASSES, n_unlabeled: int = 3588, method: str = "cast-l"
) -> dict[str, Any]:
    """The summary of a run; `method` is "cast-l" (everything is there) or "soft" (no density, no alpha)."""
    rng = np.random.default_rng(7)
    cast = method == "cast-l"
    n_labeled = 412
    shares = np.array([0.62, 0.26, 0.12] if len(classes) == 3 else [1 / len(classes)] * len(classes))
    counts = np.maximum(1, np.round(shares * n_labeled)).astype(int)
    return {
        "tabcast": "0.1.0",
        "title": "customers.csv",
        "created": "2026-10-02T14:05:00+00:00",
        "table": {
            "file": "customers.csv",
            "n_rows": n_labeled + n_unlabeled,
            "n_labeled": n_labeled,
            "n_unlabeled": n_unlabeled,
            "target": "outcome",
            "classes": [{"name": name, "n_labeled": int(n)} for name, n in zip(classes, counts, strict=True)],
            "columns": make_columns(),
        },
        "method": {
            "name": method,
            "model": "hist_gradient_boosting",
            "settings": {"strategy": "curriculum", "density": "likelihood", "seed": 0}
            if cast
            else {"temperature": 0.5, "class_prior": "labeled", "seed": 0},
            "guard": True,
        },
        "verdict": make_verdict(rng) if cast else make_verdict(rng, committee=0.029, word="no difference seen"),
        "training": make_training(len(classes), cast),
        "diagnostics": make_diagnostics(classes, n_unlabeled, cast, rng),
        "warnings": ["The class “downgrades” has 49 labeled rows: numbers about it are imprecise."],
        "files": {"model": "model.skops", "predictions": "predictions.csv", "pseudo-labels": "pseudo_labels.csv"},
    }


def make_columns() -> list[dict[str, Any]]:
    kinds = {
        "age": "number",
        "tenure_months": "number",
        "monthly_fee": "number",
        "support_calls": "number",
        "contract": "category",
        "payment_method": "category",
        "region": "category",
        "last_login": "date",
    }
    used = [{"name": name, "kind": kind, "used": True, "why": ""} for name, kind in kinds.items()]
    return [
        {"name": "customer_id", "kind": "identifier", "used": False, "why": "a different value in every row"},
        *used,
        {"name": "country", "kind": "constant", "used": False, "why": "the same value, “NL”, in every row"},
        {
            "name": "notes_of_the_service_desk",
            "kind": "text",
            "used": False,
            "why": "free text: 3,120 different values",
        },
        {"name": "fax", "kind": "empty", "used": False, "why": "no values"},
    ]


def make_verdict(
    rng: np.random.Generator, *, gain: float = 0.034, word: str = "helped", committee: float | None = None
) -> dict[str, Any]:
    """A verdict; `committee` is what a committee of labeled rows gains over the supervised model."""
    scores = []
    for repeat in range(2):
        for fold in range(5):
            base = 0.74 + rng.normal(0, 0.02)
            better = base + gain + rng.normal(0, 0.014)
            scores.append({"repeat": repeat, "fold": fold, "n_test": 82, "supervised": base, "self_trained": better})
    supervised = float(np.mean([one["supervised"] for one in scores]))
    trained = float(np.mean([one["self_trained"] for one in scores]))
    total = trained - supervised
    credit = total - max(0.0, committee or 0.0)
    return {
        "word": word,
        "chosen": "self-trained" if trained > supervised else "supervised",
        "metric": "balanced_accuracy",
        "gain": credit,
        "low": credit - 0.021,
        "high": credit + 0.021,
        "level": 0.9,
        "without": "committee" if committee and committee > 0 else "supervised",
        "total": {"word": "helped", "gain": total, "low": total - 0.021, "high": total + 0.021},
        "supervised": supervised,
        "committee": None if committee is None else supervised + committee,
        "self_trained": trained,
        "n_labeled": 412,
        "n_unlabeled": 3588,
        "n_splits": 5,
        "n_repeats": 2,
        "more_labels": 0,
        "guard": True,
        "same_model": False,
        "time_limit": None,
        "stopped": False,
        "unscored": [],
        "scores": scores,
    }


def make_training(n_classes: int, cast: bool) -> dict[str, Any]:
    if not cast:
        return {
            "best_round": 1,
            "n_rounds": 1,
            "termination_reason": "max_rounds",
            "history": [
                {"round": 0, "n_selected": 0.0, "n_changed": 0.0, "score": None, "score_std_error": 0.0},
                {"round": 1, "n_selected": 3588.0, "n_changed": 3588.0, "score": None, "score_std_error": 0.0},
            ],
            "alpha": None,
            "alpha_scores": None,
            "n_fits": 98,
            "seconds": {"reading": 0.08, "comparison": 21.4, "self-training": 2.3, "diagnostics": 4.1, "teacher": 1.9},
            "class_prior": [1 / n_classes] * n_classes,
        }
    score = [0.742, 0.751, 0.768, 0.779, 0.774, 0.770]
    return {
        "best_round": 3,
        "n_rounds": 5,
        "termination_reason": "schedule_finished",
        "history": [
            {
                "round": k,
                "n_selected": 717.6 * k,
                "n_changed": 717.6 if k else 0.0,
                "score": s,
                "score_std_error": 0.011,
            }
            for k, s in enumerate(score)
        ],
        "alpha": 0.43,
        "alpha_scores": [
            {"alpha": a, "best_round": 3, "score": s, "score_std_error": 0.011, "chosen": a == 0.43}
            for a, s in zip(
                [0.0, 0.2, 0.28, 0.36, 0.43, 0.51, 0.59, 0.75],
                [0.752, 0.757, 0.763, 0.769, 0.779, 0.777, 0.781, 0.764],
                strict=True,
            )
        ],
        "n_fits": 312,
        "seconds": {"reading": 0.08, "comparison": 41.4, "self-training": 6.3, "diagnostics": 9.1, "page": 0.4},
        "class_prior": None,
    }


def make_diagnostics(classes: tuple[str, ...], n_pool: int, cast: bool, rng: np.random.Generator) -> dict[str, Any]:
    n = len(classes)
    labeled = [0.62, 0.26, 0.12] if n == 3 else [1 / n] * n
    accuracy = np.clip(0.62 + 0.03 * np.arange(10) + rng.normal(0, 0.02, 10), 0, 0.97)
    matrix = np.full((n, n), 0.28 / max(n - 1, 1)) + np.diag(np.full(n, 0.72 - 0.28 / max(n - 1, 1)))
    matrix = matrix * rng.uniform(0.6, 1.4, matrix.shape)
    matrix /= matrix.sum(axis=1, keepdims=True)
    thresholds = np.round(np.linspace(0, 1, 51), 2)
    share = 1 / (1 + np.exp((thresholds - 0.68) * 9))
    share = (share - share[-1]) / (share[0] - share[-1])
    rounds = []
    for k in range(1, 6 if cast else 2):
        moved = np.array(labeled) * (1 + np.linspace(0.05, -0.1, n) * k)
        rounds.append({"round": k, "n": 717.6 * k if cast else n_pool, "shares": list(moved / moved.sum())})
    pairs = [{"from": a, "to": b, "n": int(rng.integers(4, 90))} for a in classes for b in classes if a != b][:6]
    return {
        **make_quality(classes, labeled, rng),
        "cluster_assumption": {
            "deciles": [
                {
                    "decile": k + 1,
                    "n": 41,
                    "density_low": k / 10,
                    "density_high": (k + 1) / 10,
                    "accuracy": float(a),
                    "low": float(max(0, a - 0.11)),
                    "high": float(min(1, a + 0.09)),
                }
                for k, a in enumerate(accuracy)
            ],
            "correlation": 0.21,
            "p_value": 0.0002,
            "holds": "yes",
            "n_rows": 412,
        },
        "class_overlap": {
            "classes": list(classes),
            "matrix": matrix.tolist(),
            "overlap": float(1 - np.mean(np.diag(matrix))),
        },
        "fisher_information": {
            "regions": [
                {
                    "region": name,
                    "n": 137,
                    "density_low": low,
                    "density_high": low + 0.33,
                    "information": i,
                    "low": i * 0.8,
                    "high": i * 1.25,
                }
                for name, low, i in (("sparse", 0.0, 0.42), ("middle", 0.33, 0.71), ("dense", 0.67, 1.16))
            ]
        },
        "covariate_shift": {
            "auc": 0.61,
            "low": 0.57,
            "high": 0.65,
            "strength": "some",
            "columns": [
                {"name": "tenure_months", "importance": 0.31, "labeled": "median 22", "unlabeled": "median 9"},
                {"name": "contract", "importance": 0.12, "labeled": "yearly 48%", "unlabeled": "yearly 29%"},
                {"name": "region", "importance": 0.04, "labeled": "north 31%", "unlabeled": "north 27%"},
                {"name": "monthly_fee", "importance": 0.02, "labeled": "median 29.9", "unlabeled": "median 31"},
            ],
            "n_labeled": 412,
            "n_unlabeled": n_pool,
        },
        "selection_curve": {
            "thresholds": [
                {"threshold": float(t), "n": round(s * n_pool), "share": float(s)}
                for t, s in zip(thresholds, share, strict=True)
            ],
            "alphas": [
                {"alpha": a / 10, "n": round(n_pool * (0.8 - 0.05 * a)), "share": 0.8 - 0.05 * a} for a in range(11)
            ]
            if cast
            else None,
            "threshold": 0.62,
            "never_n": 118 if cast else 0,
            "never_share": 118 / n_pool if cast else 0.0,
        },
        "class_mix": {"classes": list(classes), "labeled": labeled, "rounds": rounds},
        "flipped_labels": {
            "n": sum(one["n"] for one in pairs),
            "n_pool": n_pool,
            "pairs": pairs,
            "rows": [
                {
                    "row": 412 + 17 * k,
                    "raw_label": one["from"],
                    "label": one["to"],
                    "raw_confidence": 0.52 + 0.01 * k,
                    "confidence": 0.44 - 0.01 * k,
                    "density": 0.81 - 0.03 * k,
                }
                for k, one in enumerate(pairs)
            ],
        },
        "reliability": {
            "supervised": make_reliability(0.10, 0.094, 0.71),
            "self_trained": make_reliability(0.04, 0.041, 0.58),
            "kept": make_reliability(0.04, 0.041, 0.58),
        },
        "rows_to_label": {
            "rows": [
                {
                    "row": 412 + 29 * k,
                    "score": 0.9 - 0.03 * k,
                    "uncertainty": 0.95 - 0.02 * k,
                    "representativeness": 0.8 - 0.03 * k,
                    "likely": [
                        {"label": one, "probability": p}
                        for one, p in zip(classes, (0.46 - 0.004 * k, 0.41, 0.13), strict=False)
                    ],
                    "why": f"unsure between two classes and typical of about {140 - 9 * k} other rows",
                }
                for k in range(12)
            ]
        },
    }


def make_quality(classes: tuple[str, ...], shares: list[float], rng: np.random.Generator) -> dict[str, Any]:
    """Diagnostics of the model that was kept, computed from drawn predictions."""
    k, n = len(classes), 412
    codes = np.sort(rng.choice(k, n, p=np.array(shares) / np.sum(shares)))
    codes[:k] = np.arange(k)
    proba = rng.dirichlet(np.full(k, 0.6), n) + 0.9 * np.eye(k)[codes]
    proba /= proba.sum(axis=1, keepdims=True)
    before = np.where(rng.random(n) < 0.1, rng.integers(k, size=n), proba.argmax(axis=1))
    rule = DecisionRule("accuracy", np.eye(k))
    drops = [("tenure_months", 0.081), ("contract", 0.042), ("monthly_fee", 0.018), ("age", 0.001), ("region", -0.002)]
    found = {
        "quality": quality(codes, proba.argmax(axis=1), before, classes),
        "curves": curves(codes, proba, classes),
        "thresholds": thresholds(codes, proba, classes, rule),
        "class_prior": class_prior(codes, classes),
    }
    return {
        **{name: None if one is None else one.to_dict() for name, one in found.items()},
        "importance": {
            "columns": [
                {"name": name, "importance": drop, "low": drop - 0.012, "high": drop + 0.012} for name, drop in drops
            ],
            "whole": 0.72,
            "n_rows": n,
            "n_repeats": 5,
            "n_columns": 8,
        },
    }


def make_predictions(
    *, classes: tuple[str, ...] = CLASSES, n_unlabeled: int = 3588, method: str = "cast-l"
) -> pd.DataFrame:
    """The predictions of the model, with an identifier; some differ from the pseudo-labels."""
    rng = np.random.default_rng(10)
    labels = make_pseudo_labels(classes=classes, n_unlabeled=n_unlabeled, method=method)["raw_label"].to_numpy()
    codes = np.array([classes.index(one) for one in labels], dtype=int)
    proba = rng.dirichlet(np.full(len(classes), 0.5), n_unlabeled) + np.eye(len(classes))[codes]
    proba /= proba.sum(axis=1, keepdims=True)
    columns = {"row": 412 + np.arange(n_unlabeled), "customer_id": [f"C-{k:05d}" for k in range(n_unlabeled)]}
    columns["prediction"] = np.array(classes, dtype=object)[proba.argmax(axis=1)]
    return pd.DataFrame({**columns, **{f"probability_{one}": proba[:, k] for k, one in enumerate(classes)}})


def make_reliability(gap: float, ece: float, loss: float) -> dict[str, Any]:
    bins = []
    for confidence, n in ((0.42, 22), (0.55, 51), (0.65, 63), (0.75, 74), (0.85, 88), (0.95, 114)):
        accuracy = max(0.0, confidence - gap * (confidence - 0.2) * 1.4)
        half = float(1.645 * np.sqrt(accuracy * (1 - accuracy) / n))
        bins.append(
            {
                "confidence": confidence,
                "accuracy": accuracy,
                "low": accuracy - half,
                "high": min(1, accuracy + half),
                "n": n,
            }
        )
    return {"bins": bins, "ece": ece, "log_loss": loss}


def make_pseudo_labels(
    *, classes: tuple[str, ...] = CLASSES, n_unlabeled: int = 3588, method: str = "cast-l"
) -> pd.DataFrame:
    """A row for each unlabeled row, as `pseudo_labels_` has it."""
    rng = np.random.default_rng(8)
    shares = np.array([0.62, 0.26, 0.12] if len(classes) == 3 else [1 / len(classes)] * len(classes))
    codes = rng.choice(len(classes), n_unlabeled, p=shares)
    density = np.clip(rng.beta(2.6, 1.8, n_unlabeled) * (1 - 0.12 * np.minimum(codes, 3)), 0, 1)
    raw = np.clip(0.45 + 0.5 * density + rng.normal(0, 0.1, n_unlabeled), 1 / len(classes), 0.999)
    confidence = raw * (0.57 + 0.43 * density) if method == "cast-l" else np.clip(raw**0.6, 0, 1)
    flipped = rng.random(n_unlabeled) < 0.06
    raw_codes = np.where(flipped, (codes + 1) % len(classes), codes)
    selected = confidence >= np.quantile(confidence, 0.4) if method == "cast-l" else np.ones(n_unlabeled, dtype=bool)
    rounds = np.where(
        confidence >= np.quantile(confidence, 0.8), 1, np.where(confidence >= np.quantile(confidence, 0.6), 2, 3)
    )
    return pd.DataFrame(
        {
            "row": 412 + np.arange(n_unlabeled),
            "label": np.array(classes, dtype=object)[codes],
            "raw_label": np.array(classes, dtype=object)[raw_codes],
            "confidence": confidence,
            "raw_confidence": raw,
            "density": density if method == "cast-l" else np.full(n_unlabeled, np.nan),
            "selected": selected,
            "round": np.where(selected, rounds, -1),
        }
    )


def make_table(*, n_unlabeled: int = 3588) -> pd.DataFrame:
    """Features of the unlabeled rows."""
    rng = np.random.default_rng(9)
    n = n_unlabeled
    return pd.DataFrame(
        {
            "age": rng.integers(18, 84, n).astype(float),
            "tenure_months": np.where(rng.random(n) < 0.03, np.nan, rng.integers(0, 96, n)),
            "monthly_fee": np.round(rng.gamma(6, 5.5, n) + 5, 2),
            "support_calls": rng.poisson(1.3, n).astype(float),
            "contract": pd.Categorical(rng.choice(["monthly", "yearly", "two years"], n, p=[0.55, 0.29, 0.16])),
            "payment_method": rng.choice(["card", "invoice", "direct debit", "other"], n),
            "region": rng.choice(["north", "east", "south", "west"], n),
            "last_login": pd.Timestamp("2026-09-30") - pd.to_timedelta(rng.integers(0, 400, n), unit="D"),
        }
    )


def make_curve(reason: str = "no gain", **more: Any) -> dict[str, Any]:
    """The score by number of unlabeled rows of a large table."""
    points = [
        {"n_rows": 20_000, "score": 0.8706, "gain": None, "std_error": None},
        {"n_rows": 40_000, "score": 0.8801, "gain": 0.0095, "std_error": 0.0041},
        {"n_rows": 80_000, "score": 0.8816, "gain": 0.0015, "std_error": 0.0032},
    ]
    facts = {"points": points, "n_rows": 80_000, "n_unlabeled": 999_500, "reason": reason, "supervised": 0.8507}
    return {**facts, "metric": "balanced_accuracy", **more}
