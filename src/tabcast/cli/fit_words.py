"""What `tabcast fit` prints: how it interpreted the table, and what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tabcast.cli.fit_options import MethodName, TeacherName

if TYPE_CHECKING:
    from tabcast.files import Understanding


def print_start(
    understanding: Understanding,
    notes: list[str],
    method: MethodName,
    model: str,
    metric: str,
    teacher: TeacherName | None = None,
) -> None:
    """How the table was interpreted, and what comes next."""
    from tabcast.cli.wording import COMMAND_LINE
    from tabcast.files import describe
    from tabcast.runs import TEACHER_TITLES, TITLES

    for line in [*notes, *describe(understanding, COMMAND_LINE)]:
        typer.echo(line)
    if method is MethodName.supervised:
        typer.echo(f"Training {model} on the labeled rows.")
    else:
        title = TITLES[method.value] if teacher is None else TEACHER_TITLES[teacher.value]
        typer.echo(f"{title}; compared with the supervised model by cross-validated {metric}.")


def print_engine(engine: Any, n_files: int, n_unlabeled: int) -> None:
    """Print where a folder is trained, and how much there is."""
    from tabcast.runs._fit_partitions import describe_engine

    typer.echo(f"{n_files:,} files with {n_unlabeled:,} unlabeled rows; {describe_engine(engine)}.")


def word_result(summary: dict[str, Any], warned: list[str], folder: Path) -> list[str]:
    """The verdict, caveats, and where everything is."""
    from tabcast.guard import say_verdict
    from tabcast.models import say_choice
    from tabcast.report._filled import say_filled
    from tabcast.report._score_words import say_score
    from tabcast.report._words import say_doublings

    files = summary["files"]
    lines = [""]
    if summary["verdict"] is not None:
        lines += say_verdict(summary["verdict"])
    pool = summary["training"].get("pool") or {}
    if pool.get("curve"):
        lines.append(say_doublings(pool["curve"]))
    elif pool and pool["n_trained"] < pool["n_unlabeled"]:
        some, every = pool["n_trained"], pool["n_unlabeled"]
        lines.append(f"{some:,} of the {every:,} unlabeled rows train the self-trained model; all are predicted.")
    lines += say_score(summary["score"])
    choice = summary["method"]["model_choice"]
    if choice is not None:
        lines.append(say_choice(choice))
    prior = summary["training"].get("class_prior")
    if prior is not None and (summary["verdict"] or {}).get("chosen") == "self-trained":
        names = [one["name"] for one in summary["table"]["classes"]]
        proportions = ", ".join(f"{name} {proportion:.0%}" for name, proportion in zip(names, prior, strict=True))
        lines.append(
            f"Soft labels were aligned with the class proportions of the labeled rows ({proportions}). This is right "
            "if these are a random sample of all rows; if they were balanced on purpose, use --class-prior none."
        )
    lines.append(f"The prediction is {summary['decision']['meaning']}; choose with --decision.")
    if summary.get("filled"):
        lines += ["", "The filled table:", *say_filled(summary["filled"]), *word_next(summary["filled"], folder)]
    tables = [
        files[name]
        for name in ("filled", "next_rows", "prediction_parts", "predictions", "pseudo_labels")
        if name in files
    ]
    return [
        *lines,
        *warned,
        "",
        f"Written to {folder}: {files['report']} (look at it first), {', '.join([*tables, files['model']])}, "
        "summary.json.",
        f"Predict other rows with: tabcast predict {folder} TABLE -o OUT.csv",
    ]


def word_next(filled: dict[str, Any], folder: Path) -> list[str]:
    """What to label, and how the share has grown."""
    from tabcast.report._filled import say_history

    lines = [say_history(filled["history"])]
    if filled["n_next_rows"]:
        file = folder / filled["files"]["next_rows"]
        lines.append(
            f"To fill more, label rows in the table (the {filled['n_next_rows']} of {file} first) and run the same "
            "command with --resume."
        )
    return [line for line in lines if line]
