"""`tabcast fit`: options into a call of `fit_table`, its results into lines and exit codes."""

from __future__ import annotations

import os
import re
import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabcast.cli.predict import GUARD_HELP
from tabcast.cli.stop import stop

if TYPE_CHECKING:
    from tabcast.files import Understanding
    from tabcast.runs import Run


LEARNERS = ("catboost", "lightgbm", "xgboost")  # packages with exceptions of their own


class MethodName(StrEnum):
    """How the unlabeled rows are used."""

    soft = "soft"
    cast_l = "cast-l"
    cast_d = "cast-d"
    naive = "naive"
    supervised = "supervised"


class StrategyName(StrEnum):
    """Which rows get pseudo-labels."""

    curriculum = "curriculum"
    threshold = "threshold"
    top_k = "top_k"
    all = "all"


class DensityName(StrEnum):
    """How density is estimated."""

    likelihood = "likelihood"
    kernel = "kernel"
    uniform = "uniform"


class PriorName(StrEnum):
    """Which class proportions soft labels are aligned with."""

    auto = "auto"
    labeled = "labeled"
    none = "none"


class TeacherName(StrEnum):
    """Who writes soft labels."""

    committee = "committee"
    own_model = "self"
    tabpfn = "tabpfn"
    tabicl = "tabicl"


def fit(
    table: Annotated[
        Path, typer.Argument(help="CSV, TSV, gzipped, Parquet, Feather or Excel, with a column of labels.")
    ],
    target: Annotated[str, typer.Option(help="The column of labels; rows with an empty cell are unlabeled.")],
    method: Annotated[MethodName, typer.Option(help="How the unlabeled rows are used.")] = MethodName.soft,
    model: Annotated[
        str,
        typer.Option(
            help="Base classifier: xgboost, lightgbm, catboost, random_forest, ..., or auto: chosen among several "
            "kinds by cross-validation on the labeled rows."
        ),
    ] = "auto",
    density: Annotated[DensityName | None, typer.Option(help="Density of cast-l and cast-d, if not their own.")] = None,
    strategy: Annotated[
        StrategyName | None, typer.Option(help="Which rows get pseudo-labels (not soft). Default: curriculum.")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="Weight of density, 0 to 1 (cast-l, cast-d). Default: searched.")
    ] = None,
    class_prior: Annotated[
        PriorName | None,
        typer.Option(
            help="Class proportions that soft labels are aligned with: those of the labeled rows, none, or auto: as "
            "labeled, unless the labeled rows do not look like a random sample. Default: auto."
        ),
    ] = None,
    teacher: Annotated[
        TeacherName | None,
        typer.Option(
            help="Who writes soft labels (method soft): a committee, the model itself, or a foundation model, which "
            "needs an extra and weights. Default: committee."
        ),
    ] = None,
    teacher_weights: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Weights of tabpfn or tabicl, if not in its cache. Nothing is downloaded."),
    ] = None,
    metric: Annotated[str, typer.Option(help="The scikit-learn score that models are compared by.")] = (
        "balanced_accuracy"
    ),
    decision: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="How a class is predicted from the probabilities: accuracy (the most probable), balanced (relative to "
            "the class proportions), f1 (tuned), or for two classes a number such as 0.3: the second one from this "
            "probability on. Default: what the metric needs.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Folder for the results. Default: the table's name with -tabcast."),
    ] = None,
    unlabeled: Annotated[Path | None, typer.Option(help="Another table of rows without a label.")] = None,
    missing_label: Annotated[
        str | None, typer.Option(help="A label that means unlabeled, besides empty cells.")
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="COL", help="Leave a column out; repeatable.")] = None,
    use: Annotated[
        list[str] | None, typer.Option(metavar="COL", help="Use a column that would be left out; repeatable.")
    ] = None,
    category: Annotated[
        list[str] | None, typer.Option(metavar="COL", help="Treat a numeric column as categorical; repeatable.")
    ] = None,
    id_column: Annotated[
        list[str] | None,
        typer.Option("--id", metavar="COL", help="Identifies rows: left out, kept in results; repeatable."),
    ] = None,
    sheet: Annotated[str | None, typer.Option(help="Which sheet of an Excel file to read. Default: the first.")] = None,
    no_guard: Annotated[
        bool, typer.Option("--no-guard", help="Save the self-trained model even if the supervised one is better.")
    ] = False,
    time_limit: Annotated[
        str | None, typer.Option(metavar="TIME", help="Compare no longer than this: 90s, 10m, 1h.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of everything random.")] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Fits at a time. Default: one per core.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the results of an earlier run.")] = False,
    no_spreadsheet_guard: Annotated[bool, typer.Option("--no-spreadsheet-guard", help=GUARD_HELP)] = False,
) -> None:
    """Train on a table in which few rows are labeled, and find out whether the unlabeled rows helped.

    Writes the model, predictions for the unlabeled rows, the pseudo-label of each with the reasons, and a report.
    """
    from rich.console import Console

    from tabcast.exceptions import TabcastWarning
    from tabcast.files._words import word_note
    from tabcast.runs import check_folder, fit_table

    folder, said = default_folder(table) if out is None else Path(out), list[str]()

    def show_start(understanding: Understanding, notes: list[str]) -> None:
        said.extend(notes)
        print_start(understanding, notes, method, model, metric, teacher)

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", TabcastWarning)
            check_folder(folder if out is None else out, overwrite=overwrite)  # a Path of no text is the current folder
            run = fit_table(
                table,
                target,
                method=method.value,
                model=model,
                density=density and density.value,
                strategy=strategy and strategy.value,
                alpha=alpha,
                class_prior=class_prior and class_prior.value,
                teacher=teacher and teacher.value,
                teacher_weights=teacher_weights,
                metric=metric,
                decision=None if decision is None else read_decision(decision),
                unlabeled=unlabeled,
                missing_label=missing_label,
                ignore=ignore or (),
                use=use or (),
                categories=category or (),
                id_columns=id_column or (),
                sheet=sheet,
                guard=not no_guard,
                time_limit=None if time_limit is None else read_seconds(time_limit),
                random_state=seed,
                n_jobs=jobs or os.cpu_count() or 1,
                verbose=int(Console().is_terminal),
                on_understood=show_start,
            )
    except KeyboardInterrupt:
        stop(f"Stopped: nothing was written to {folder}.", 130)
    except OSError as error:
        stop(f"{error.filename or folder}: {error.strerror or error}; nothing was written.")
    except (ValueError, TypeError, ImportError) as error:
        stop(error)
    except Exception as error:
        if type(error).__module__.split(".")[0] not in LEARNERS:
            raise
        stop(f"{model} could not be trained on this table ({error}); try another --model.")
    save(run, folder, overwrite=overwrite, spreadsheet_safe=not no_spreadsheet_guard)
    warned = [str(one.message) for one in caught if issubclass(one.category, TabcastWarning)]
    said.extend(map(word_note, run.understanding.notes))
    warned = [sentence for sentence in warned if sentence not in said]
    for line in word_result(run.summary, warned, folder):
        typer.echo(line)


def save(run: Run, folder: Path, *, overwrite: bool, spreadsheet_safe: bool) -> None:
    """Save a run; where that has become impossible during training, keep it elsewhere and say where."""
    from tabcast.cli.wording import COMMAND_LINE
    from tabcast.files import ArgumentError
    from tabcast.runs import spare_folders

    try:
        run.save(folder, overwrite=overwrite, spreadsheet_safe=spreadsheet_safe)
        return
    except KeyboardInterrupt:
        stop(f"Stopped: nothing was written to {folder}.", 130)
    except OSError as error:
        problem = f"{error.filename or folder}: {error.strerror or error}"
    except ArgumentError as error:
        problem = error.say(COMMAND_LINE).rstrip(".")
    for spare in spare_folders(folder):
        try:
            run.save(spare, spreadsheet_safe=spreadsheet_safe)
        except (OSError, ArgumentError):
            continue
        stop(f"{problem}. The results are in {spare} instead.")
    stop(f"{problem}; nothing was written.")


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


def word_result(summary: dict[str, Any], warned: list[str], folder: Path) -> list[str]:
    """The verdict, caveats, and where everything is."""
    from tabcast.guard import say_verdict
    from tabcast.models import say_choice

    files = summary["files"]
    lines = [""]
    if summary["verdict"] is not None:
        lines += say_verdict(summary["verdict"])
    choice = summary["method"]["model_choice"]
    if choice is not None:
        lines.append(say_choice(choice))
    prior = summary["training"].get("class_prior")
    if prior is not None:
        names = [one["name"] for one in summary["table"]["classes"]]
        proportions = ", ".join(f"{name} {proportion:.0%}" for name, proportion in zip(names, prior, strict=True))
        lines.append(
            f"Soft labels were aligned with the class proportions of the labeled rows ({proportions}). This is right "
            "if these are a random sample of all rows; if they were balanced on purpose, use --class-prior none."
        )
    lines.append(f"The prediction is {summary['decision']['meaning']}; choose with --decision.")
    return [
        *lines,
        *warned,
        "",
        f"Written to {folder}: {files['report']} (look at it first), {files['model']}, {files['predictions']}, "
        f"{files['pseudo_labels']}, summary.json.",
        f"Predict other rows with: tabcast predict {folder} TABLE -o OUT.csv",
    ]


def default_folder(table: Path) -> Path:
    """In the current folder, named after the table."""
    name = table.name
    while Path(name).suffix.lower() in (".csv", ".tsv", ".txt", ".gz", ".parquet", ".feather", ".xlsx", ".xlsm"):
        name = Path(name).stem
    return Path(f"{name}-tabcast")


def read_decision(text: str) -> Any:
    """The name of a decision, or the threshold that a number means."""
    from tabcast.decisions import DECISIONS, Threshold

    try:
        value = float(text)
    except ValueError:
        value = None
    if value is None and text in DECISIONS:
        return text
    if value is None or not 0 < value < 1:
        raise ValueError(
            "--decision must be accuracy, balanced, f1 or, for two classes, a probability between 0 and 1 such as 0.3; "
            f"got {text!r}."
        )
    return Threshold(value)


def read_seconds(text: str) -> float:
    """Seconds from "90", "90s", "10m" or "1.5h"."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", text)
    if match is None or float(match[1]) == 0:
        raise ValueError(f"--time-limit must be a positive time such as 90s, 10m or 1h; got {text!r}.")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]
