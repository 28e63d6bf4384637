"""What `tabcast fit` does: read, understand, train, compare, look, write. Every step says what it found."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console
from sklearn.metrics import get_scorer_names
from threadpoolctl import threadpool_limits

import tabcast
from tabcast import CASTClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.checks import check_choice
from tabcast.diagnostics import diagnose
from tabcast.exceptions import NoUnlabeledRowsWarning, TabcastWarning
from tabcast.files import TableFileError, Understanding, describe, read_notes, read_table_file, understand
from tabcast.guard import GuardedClassifier, say_verdict
from tabcast.models import make_model
from tabcast.report import render_report
from tabcast.runs import name_columns, save_model
from tabcast.runs._folder import MODEL, PREDICTIONS, PSEUDO_LABELS, REPORT, SUMMARY, check_folder, write_folder

Say = Callable[[str], None]

TITLES = {
    "soft": "Soft self-training, taught by a committee",
    "cast-l": "CAST with empirical likelihood (CAST-L)",
    "cast-d": "CAST with kernel density (CAST-D)",
    "naive": "Self-training by the classifier's own confidence",
    "supervised": "Supervised training on the labeled rows alone",
}
DENSITIES = {"cast-l": "likelihood", "cast-d": "kernel"}


@dataclass(frozen=True)
class FitOptions:
    """What the user asked for; None where nothing was said."""

    table: Path
    target: str
    method: str
    model: str
    density: str | None
    strategy: str | None
    alpha: float | None
    class_prior: str | None
    metric: str
    out: Path
    unlabeled: Path | None
    missing_label: str | None
    ignore: tuple[str, ...]
    use: tuple[str, ...]
    categories: tuple[str, ...]
    id_columns: tuple[str, ...]
    guard: bool
    time_limit: float | None
    seed: int
    jobs: int
    overwrite: bool

    def check(self) -> None:
        """Refuse options that make no sense, or that the method would ignore."""
        casts, loops = self.method in DENSITIES, self.method in (*DENSITIES, "naive")
        belongs = {
            "density": (casts, "cast-l and cast-d"),
            "alpha": (casts, "cast-l and cast-d"),
            "strategy": (loops, "cast-l, cast-d and naive"),
            "class_prior": (self.method == "soft", "soft"),
            "time_limit": (self.method != "supervised", "all methods but supervised"),
        }
        for name, (fits, methods) in belongs.items():
            if getattr(self, name) is not None and not fits:
                option = f"--{name.replace('_', '-')}"
                raise ValueError(f"{option} is for {methods}; it has no effect with --method {self.method}.")
        if self.method == "supervised" and not self.guard:
            raise ValueError("--no-guard has no effect with --method supervised.")
        if self.alpha is not None and not 0 <= self.alpha <= 1:
            raise ValueError(f"--alpha must be in [0, 1]; got {self.alpha}.")
        check_choice(self.metric, tuple(get_scorer_names()), "metric")
        make_model(self.model)
        check_folder(self.out, overwrite=self.overwrite)


@dataclass(frozen=True, eq=False)
class Given:
    """The user's table, understood: features of all rows, labels with None where there is none."""

    frame: pd.DataFrame
    understanding: Understanding
    X: pd.DataFrame
    y: NDArray[np.object_]
    notes: list[str]

    @property
    def unlabeled(self) -> NDArray[np.intp]:
        """Positions of the rows without a label."""
        return np.flatnonzero(pd.isna(self.y))

    @property
    def identifiers(self) -> pd.DataFrame:
        """Columns that name rows, as they came; not those that would collide with ours."""
        names = [column.name for column in self.understanding.columns if column.kind == "identifier"]
        return self.frame[[name for name in names if not column_of_ours(name)]]


def column_of_ours(name: str) -> bool:
    """Whether a column name is one that the results have themselves."""
    return name in ("row", "label", "raw_label", "confidence", "raw_confidence", "density", "selected", "round")


def run_fit(options: FitOptions, say: Say) -> None:
    """Everything, in order; nothing is written before the end."""
    options.check()
    given = read(options)
    check_unlabeled(given, options)
    for line in [*given.notes, *describe(given.understanding)]:
        say(line)
    start = perf_counter()
    if options.method == "supervised":
        say(f"Training {options.model} on the labeled rows.")
        outcome = train_supervised(given, options)
    else:
        say(f"{TITLES[options.method]}; compared with the supervised model by cross-validated {options.metric}.")
        outcome = train(given, options)
    summary = summarize(given, options, outcome, perf_counter() - start)
    write(given, options, outcome, summary)
    for line in say_result(options, outcome, summary):
        say(line)


def read(options: FitOptions) -> Given:
    """The table file, with the rows of --unlabeled below, understood."""
    frame = read_table_file(options.table)
    notes = list(read_notes(frame))
    target = options.target
    if options.unlabeled is not None:
        more = read_table_file(options.unlabeled)
        notes += read_notes(more)
        absent = [name for name in frame.columns if name not in more.columns and name != target]
        if target in frame.columns and len(absent) == frame.shape[1] - 1:
            raise TableFileError(
                f"{options.unlabeled.name} has none of the columns of {options.table.name}; the two must be alike."
            )
        more = more.reindex(columns=[name for name in frame.columns if name != target])
        frame = pd.concat([frame, more], ignore_index=True)
    understanding = understand(
        frame,
        target,
        missing_label=options.missing_label,
        ignore=options.ignore,
        use=options.use,
        categories=options.categories,
        id_columns=options.id_columns,
    )
    return Given(frame, understanding, understanding.features(frame), understanding.labels(frame), notes)


def check_unlabeled(given: Given, options: FitOptions) -> None:
    """There must be unlabeled rows to learn from."""
    if not len(given.unlabeled) and options.method != "supervised":
        raise TableFileError(
            f"Every row has a label in {options.target!r}, so there is nothing to learn from besides; add unlabeled "
            "rows (empty cells, or --unlabeled TABLE), or use --method supervised."
        )


@dataclass(frozen=True, eq=False)
class Trained:
    """What training gave: the model that is saved, and what is known about it."""

    model: Any
    guarded: GuardedClassifier | None
    diagnostics: dict[str, Any]
    warnings: list[str]

    @property
    def classifier(self) -> SelfTrainingClassifier | None:
        """The semi-supervised classifier of all rows."""
        return None if self.guarded is None else self.guarded.self_trained_


def make_classifier(options: FitOptions) -> SelfTrainingClassifier:
    """The semi-supervised classifier by its name."""
    estimator, seed = make_model(options.model, seed=options.seed), options.seed
    if options.method == "soft":
        prior = None if options.class_prior == "none" else options.class_prior or "auto"
        temperature = 1.0 if prior is None else "auto"
        return SoftSelfTrainingClassifier(estimator, class_prior=prior, temperature=temperature, random_state=seed)
    strategy = options.strategy or "curriculum"
    if options.method == "naive":
        return SelfTrainingClassifier(estimator, strategy=strategy, scoring=options.metric, random_state=seed)
    return CASTClassifier(
        estimator,
        density=options.density or DENSITIES[options.method],
        alpha="search" if options.alpha is None else options.alpha,
        strategy=strategy,
        scoring=options.metric,
        random_state=seed,
    )


def train(given: Given, options: FitOptions) -> Trained:
    """Fit, compare, choose, look."""
    guarded = GuardedClassifier(
        make_classifier(options),
        scoring=options.metric,
        guard=options.guard,
        time_limit=options.time_limit,
        n_jobs=options.jobs,
        random_state=options.seed,
        verbose=int(Console().is_terminal),
    )
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(limits=1):
        warnings.simplefilter("always", TabcastWarning)
        guarded.fit(given.X, given.y)
        diagnostics = diagnose(guarded, given.X, given.y, random_state=options.seed)
    said = [str(one.message) for one in caught if issubclass(one.category, TabcastWarning)]
    return Trained(guarded.estimator_, guarded, diagnostics.to_dict(), list(dict.fromkeys(said)))


def train_supervised(given: Given, options: FitOptions) -> Trained:
    """Fit the base classifier on the labeled rows."""
    labeled = np.flatnonzero(~pd.isna(given.y))
    estimator = make_model(options.model, seed=options.seed, n_jobs=options.jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoUnlabeledRowsWarning)
        model = SelfTrainingClassifier(estimator, random_state=options.seed)
        model.fit(given.X.iloc[labeled].reset_index(drop=True), given.y[labeled])
    return Trained(model.estimator_, None, {}, [])


def summarize(given: Given, options: FitOptions, trained: Trained, seconds: float) -> dict[str, Any]:
    """Everything there is to know, as plain JSON."""
    understanding, guarded = given.understanding, trained.guarded
    plain = understanding.to_dict()
    return {
        "tabcast": tabcast.__version__,
        "title": options.table.name,
        "created": pd.Timestamp.now(tz="UTC").isoformat(timespec="seconds"),
        "table": {
            "file": options.table.name,
            "n_rows": understanding.n_rows,
            "n_labeled": understanding.n_labeled,
            "n_unlabeled": understanding.n_unlabeled,
            "target": understanding.target,
            "classes": [{"name": str(name), "n_labeled": n} for name, n in understanding.class_counts.items()],
            "columns": plain["columns"],
        },
        "method": {
            "name": options.method,
            "title": TITLES[options.method],
            "model": options.model,
            "settings": settings(options),
            "guard": options.guard and guarded is not None,
        },
        "verdict": None if guarded is None else guarded.verdict_.to_dict(),
        "training": {"n_fits": 1, "seconds": {"training": seconds}} if guarded is None else describe_training(guarded),
        "diagnostics": trained.diagnostics,
        "warnings": [*given.notes, *understanding.notes, *trained.warnings],
        "files": {"model": MODEL, "predictions": PREDICTIONS, "pseudo_labels": PSEUDO_LABELS, "report": REPORT},
    }


def settings(options: FitOptions) -> dict[str, Any]:
    """What was asked for or decided, without what has no effect on the model."""
    names = ("strategy", "density", "alpha", "class_prior", "metric", "time_limit", "missing_label", "seed")
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


def describe_training(guarded: GuardedClassifier) -> dict[str, Any]:
    """Rounds, alphas, fits and seconds, as plain JSON."""
    model = guarded.self_trained_
    prior = getattr(model, "class_prior_", None)
    scores = getattr(model, "alpha_scores_", None)
    return {
        "best_round": int(model.best_round_),
        "n_rounds": int(model.n_rounds_),
        "termination_reason": model.termination_reason_,
        "history": to_records(model.history_),
        "alpha": getattr(model, "alpha_", None),
        "alpha_scores": None if scores is None else to_records(scores),
        "n_fits": int(guarded.n_fits_),
        "seconds": {**getattr(model, "seconds_", {"model": guarded.seconds_["model"]}), **_comparison(guarded)},
        "class_prior": None if prior is None else [float(share) for share in prior],
    }


def _comparison(guarded: GuardedClassifier) -> dict[str, float]:
    return {"comparison": guarded.seconds_["comparison"]}


def to_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a small table as plain JSON, missing numbers as null."""
    records: list[dict[str, Any]] = json.loads(frame.to_json(orient="records", double_precision=15))
    return records


def write(given: Given, options: FitOptions, trained: Trained, summary: dict[str, Any]) -> None:
    """All files together."""
    predictions = predict_unlabeled(given, trained.model)
    pseudo = explain_unlabeled(given, trained)
    facts = {"summary": {key: summary[key] for key in ("title", "method", "verdict")}}
    shown = given.frame[given.understanding.feature_names] if trained.guarded is not None else None
    page = render_report(summary, pseudo, shown)
    texts = {REPORT: page, SUMMARY: json.dumps(summary, indent=1, ensure_ascii=False, allow_nan=False) + "\n"}
    write_folder(
        options.out,
        {
            MODEL: lambda path: save_model(path, trained.model, given.understanding.to_dict(), facts),
            PREDICTIONS: lambda path: predictions.to_csv(path, index=False),
            PSEUDO_LABELS: lambda path: with_identifiers(given, pseudo).to_csv(path, index=False),
            REPORT: lambda path: _write_text(path, texts[REPORT]),
            SUMMARY: lambda path: _write_text(path, texts[SUMMARY]),
        },
    )


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def predict_unlabeled(given: Given, model: Any) -> pd.DataFrame:
    """Label and probabilities of every unlabeled row, by the model that is saved."""
    rows = given.unlabeled
    proba = model.predict_proba(given.X.iloc[rows]) if len(rows) else np.empty((0, len(model.classes_)))
    identifiers = given.identifiers.iloc[rows].reset_index(drop=True)
    label, shares = name_columns(model.classes_, ["row", *identifiers.columns])
    columns = {"row": rows, **{name: identifiers[name] for name in identifiers.columns}}
    columns[label] = model.classes_[proba.argmax(axis=1)] if len(rows) else np.empty(0, dtype=object)
    return pd.DataFrame({**columns, **dict(zip(shares, proba.T, strict=True))})


def explain_unlabeled(given: Given, trained: Trained) -> pd.DataFrame:
    """What every unlabeled row was taken for and why; nothing where nothing was taken for anything."""
    if trained.classifier is not None:
        return trained.classifier.pseudo_labels_
    names = ["row", "label", "raw_label", "confidence", "raw_confidence", "density", "selected", "round"]
    return pd.DataFrame({name: [] for name in names})


def with_identifiers(given: Given, pseudo: pd.DataFrame) -> pd.DataFrame:
    """The table of pseudo-labels with the columns that name rows in front."""
    identifiers = given.identifiers.iloc[pseudo["row"].astype(int)].reset_index(drop=True)
    return pd.concat([pseudo[["row"]], identifiers, pseudo.drop(columns="row")], axis=1)


def say_result(options: FitOptions, trained: Trained, summary: dict[str, Any]) -> list[str]:
    """The verdict, what to be careful about, and where everything is."""
    lines = [""]
    if trained.guarded is not None:
        lines += say_verdict(summary["verdict"])
    prior = summary["training"].get("class_prior")
    if prior is not None:
        names = [one["name"] for one in summary["table"]["classes"]]
        shares = ", ".join(f"{name} {share:.0%}" for name, share in zip(names, prior, strict=True))
        lines.append(
            f"Soft labels were aligned with the class shares of the labeled rows ({shares}): right if these are a "
            "random sample of all rows; if they were balanced on purpose, use --class-prior none."
        )
    lines += trained.warnings
    lines += ["", f"Written to {options.out}: {REPORT} (look at it first), {MODEL}, {PREDICTIONS}, {PSEUDO_LABELS},"]
    lines[-1] += f" {SUMMARY}."
    lines.append(f"Predict other rows with: tabcast predict {options.out} TABLE -o OUT.csv")
    return lines
