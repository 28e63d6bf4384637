"""`tabcast fit`: a table file in; a guarded model, predictions and an honest page out."""

from __future__ import annotations

import os
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tabcast.cli.stop import stop


class MethodName(StrEnum):
    """How the unlabeled rows are used."""

    soft = "soft"
    cast_l = "cast-l"
    cast_d = "cast-d"
    naive = "naive"
    supervised = "supervised"


class StrategyName(StrEnum):
    """Which pseudo-labels are taken."""

    curriculum = "curriculum"
    threshold = "threshold"
    top_k = "top_k"
    all = "all"


class DensityName(StrEnum):
    """How density is measured."""

    likelihood = "likelihood"
    kernel = "kernel"
    uniform = "uniform"


class PriorName(StrEnum):
    """What the class shares of soft labels have to be."""

    auto = "auto"
    labeled = "labeled"
    none = "none"


def fit(
    table: Annotated[Path, typer.Argument(help="CSV, TSV, gzipped, Parquet or Feather, with a column of labels.")],
    target: Annotated[str, typer.Option(help="The column of labels; empty cells are what is to be learned.")],
    method: Annotated[MethodName, typer.Option(help="How the unlabeled rows are used.")] = MethodName.soft,
    model: Annotated[
        str, typer.Option(help="Base classifier: auto, xgboost, lightgbm, catboost, random_forest, ...")
    ] = "auto",
    density: Annotated[
        DensityName | None, typer.Option(help="Density of cast-l and cast-d, if another than theirs.")
    ] = None,
    strategy: Annotated[
        StrategyName | None, typer.Option(help="Which rows get pseudo-labels (not soft). Default: curriculum.")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="How much density counts, 0 to 1 (cast-l, cast-d). Default: searched for.")
    ] = None,
    class_prior: Annotated[
        PriorName | None,
        typer.Option(
            help="Class shares of soft labels: as the labeled rows have them, none, or auto: as labeled unless those "
            "look like no random sample. Default: auto."
        ),
    ] = None,
    metric: Annotated[str, typer.Option(help="What models are compared by: a scikit-learn score.")] = (
        "balanced_accuracy"
    ),
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results. Default: the table's name with -tabcast.")
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
        list[str] | None, typer.Option(metavar="COL", help="Numbers there stand for categories; repeatable.")
    ] = None,
    id_column: Annotated[
        list[str] | None, typer.Option("--id", metavar="COL", help="Names rows: left out, kept in results; repeatable.")
    ] = None,
    no_guard: Annotated[
        bool, typer.Option("--no-guard", help="Save the self-trained model even if the supervised one is better.")
    ] = False,
    time_limit: Annotated[
        str | None, typer.Option(metavar="TIME", help="Compare no longer than this: 90s, 10m, 1h.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of everything random.")] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Fits at a time. Default: one a core.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the results of an earlier run.")] = False,
) -> None:
    """Train on a table in which few rows have a label, and say whether the others helped.

    Writes the model, predictions for the unlabeled rows, what each was taken for and why, and a page to look at.
    """
    from tabcast.cli.fit_run import FitOptions, run_fit

    folder = out or default_folder(table)
    try:
        options = FitOptions(
            table=table,
            target=target,
            method=method.value,
            model=model,
            density=density and density.value,
            strategy=strategy and strategy.value,
            alpha=alpha,
            class_prior=class_prior and class_prior.value,
            metric=metric,
            out=folder,
            unlabeled=unlabeled,
            missing_label=missing_label,
            ignore=tuple(ignore or ()),
            use=tuple(use or ()),
            categories=tuple(category or ()),
            id_columns=tuple(id_column or ()),
            guard=not no_guard,
            time_limit=None if time_limit is None else read_seconds(time_limit),
            seed=seed,
            jobs=jobs or os.cpu_count() or 1,
            overwrite=overwrite,
        )
        run_fit(options, say=typer.echo)
    except KeyboardInterrupt:
        stop(f"Stopped: nothing was written to {folder}.", 130)
    except OSError as error:
        stop(f"{error.filename or folder}: {error.strerror or error}; nothing was written.")
    except (ValueError, TypeError, ImportError) as error:
        stop(str(error))


def default_folder(table: Path) -> Path:
    """Beside where one stands, named after the table."""
    name = table.name
    while Path(name).suffix.lower() in (".csv", ".tsv", ".txt", ".gz", ".parquet", ".feather"):
        name = Path(name).stem
    return Path(f"{name}-tabcast")


def read_seconds(text: str) -> float:
    """Seconds from "90", "90s", "10m" or "1.5h"."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", text)
    if match is None or float(match[1]) == 0:
        raise ValueError(f"--time-limit must be a positive time such as 90s, 10m or 1h; got {text!r}.")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]
