"""`tabcast fit`: options into a call of `fit_table`, its results into lines and exit codes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tabcast.cli import fit_options as given
from tabcast.cli.fit_options import MethodName
from tabcast.cli.fit_values import read_cost, read_decision, read_pool, read_seconds
from tabcast.cli.fit_words import print_engine, print_start, word_result
from tabcast.cli.stop import stop

if TYPE_CHECKING:
    from tabcast.files import Understanding
    from tabcast.runs import Run


LEARNERS = ("catboost", "lightgbm", "xgboost")  # packages with exceptions of their own


def fit(
    table: given.Table,
    target: given.Target,
    method: given.Method = MethodName.soft,
    model: given.Model = "auto",
    density: given.Density = None,
    strategy: given.Strategy = None,
    alpha: given.Alpha = None,
    class_prior: given.ClassPrior = None,
    teacher: given.Teacher = None,
    teacher_weights: given.TeacherWeights = None,
    deploy: given.Deploy = None,
    metric: given.Metric = "balanced_accuracy",
    decision: given.Decision = None,
    precision: given.Precision = None,
    per_class: given.PerClass = False,
    precision_confidence: given.PrecisionConfidence = 0.9,
    cost: given.Cost = None,
    out: given.Out = None,
    unlabeled: given.Unlabeled = None,
    engine: given.Engine = None,
    missing_label: given.MissingLabel = None,
    ignore: given.Ignore = None,
    use: given.Use = None,
    category: given.Category = None,
    id_column: given.IdColumn = None,
    sheet: given.Sheet = None,
    no_guard: given.NoGuard = False,
    judge_rows: given.JudgeRows = 20_000,
    max_pool: given.MaxPool = "auto",
    time_limit: given.TimeLimit = None,
    seed: given.Seed = 0,
    jobs: given.Jobs = None,
    overwrite: given.Overwrite = False,
    resume: given.Resume = False,
    no_spreadsheet_guard: given.NoSpreadsheetGuard = False,
) -> None:
    """Train on a table in which few rows are labeled, and find out whether the unlabeled rows helped.

    Writes the model, predictions for the unlabeled rows, the pseudo-label of each with the reasons, and a report; with
    --precision or --cost also the filled table.
    """
    from rich.console import Console

    from tabcast.exceptions import TabcastWarning
    from tabcast.files._words import word_note
    from tabcast.runs import check_folder

    folder, said = default_folder(table) if out is None else Path(out), list[str]()
    overwrite = overwrite or resume

    def show_start(understanding: Understanding, notes: list[str]) -> None:
        said.extend(notes)
        print_start(understanding, notes, method, model, metric, teacher)

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", TabcastWarning)
            check_folder(folder if out is None else out, overwrite=overwrite)  # a Path of no text is the current folder
            run = choose_fit(table, unlabeled, engine, folder, resume=resume)(
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
                deploy=deploy and deploy.value,
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
                judge_rows=judge_rows,
                max_pool=read_pool(max_pool),
                time_limit=None if time_limit is None else read_seconds(time_limit),
                precision=precision,
                per_class=per_class,
                precision_confidence=precision_confidence,
                cost=None if cost is None else read_cost(cost),
                resume=folder if resume else None,
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
    forget_rounds(folder)
    warned = [str(one.message) for one in caught if issubclass(one.category, TabcastWarning)]
    said.extend(map(word_note, run.understanding.notes))
    warned = [sentence for sentence in warned if sentence not in said]
    for line in word_result(run.summary, warned, folder):
        typer.echo(line)


def choose_fit(
    table: Path, unlabeled: Path | None, engine: str | None, folder: Path, *, resume: bool
) -> Callable[..., Run]:
    """What fits a table: in memory, or in partitions if it is a folder, with finished rounds beside the results."""
    from tabcast.runs import fit_partitions, fit_table
    from tabcast.runs._fit_partitions import is_folder

    if not is_folder(table, unlabeled):
        if engine is not None:
            raise ValueError("--engine is for folders of tables; a single table is trained in memory.")
        return fit_table
    if not resume:
        forget_rounds(folder)
    return partial(fit_partitions, engine=engine, checkpoint=rounds_of(folder), on_engine=print_engine)


def rounds_of(folder: Path) -> Path:
    """Where finished rounds of a folder are kept until the results are written."""
    return folder.with_name(f".{folder.name}.rounds")


def forget_rounds(folder: Path) -> None:
    """Remove the finished rounds of a folder."""
    from tabcast.files._atomic import remove

    remove(rounds_of(folder))


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


def default_folder(table: Path) -> Path:
    """In the current folder, named after the table."""
    name = table.name
    while Path(name).suffix.lower() in (".csv", ".tsv", ".txt", ".gz", ".parquet", ".feather", ".xlsx", ".xlsm"):
        name = Path(name).stem
    return Path(f"{name}-tabcast")
