"""The options of `tabcast fit`: names, choices and help, in the order in which `--help` lists them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tabcast.cli.predict import GUARD_HELP


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


class DeployName(StrEnum):
    """Which model predicts after soft self-training."""

    student = "student"
    retrained = "retrained"
    committee = "committee"
    auto = "auto"


Table = Annotated[Path, typer.Argument(help="CSV, TSV, gzipped, Parquet, Feather or Excel, with a column of labels.")]
Target = Annotated[str, typer.Option(help="The column of labels; rows with an empty cell are unlabeled.")]
Method = Annotated[MethodName, typer.Option(help="How the unlabeled rows are used.")]
Model = Annotated[
    str,
    typer.Option(
        help="Base classifier: xgboost, lightgbm, catboost, random_forest, ..., or auto: chosen among several kinds by "
        "cross-validation on the labeled rows."
    ),
]
Density = Annotated[DensityName | None, typer.Option(help="Density of cast-l and cast-d, if not their own.")]
Strategy = Annotated[
    StrategyName | None, typer.Option(help="Which rows get pseudo-labels (not soft). Default: curriculum.")
]
Alpha = Annotated[float | None, typer.Option(help="Weight of density, 0 to 1 (cast-l, cast-d). Default: searched.")]
ClassPrior = Annotated[
    PriorName | None,
    typer.Option(
        help="Class proportions that soft labels are aligned with: those of the labeled rows, none, or auto: both "
        "are compared, if the labeled rows look like a random sample. Default: auto."
    ),
]
Teacher = Annotated[
    TeacherName | None,
    typer.Option(
        help="Who writes soft labels (method soft): a committee, the model itself, or a foundation model, which "
        "needs an extra and weights. Default: committee."
    ),
]
TeacherWeights = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Weights of tabpfn or tabicl, if not in its cache. Nothing is downloaded."),
]
Deploy = Annotated[
    DeployName | None,
    typer.Option(
        help="The model that predicts (method soft): the student, one model of its kind; the committee, retrained on "
        "soft labels or as it is; or auto, the better one. Default: student."
    ),
]
Metric = Annotated[str, typer.Option(help="The scikit-learn score that models are compared by.")]
Decision = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="How a class is predicted from the probabilities: accuracy (the most probable), balanced (relative to "
        "the class proportions), f1 (tuned), or for two classes a number such as 0.3: the second one from this "
        "probability on. Default: what the metric needs.",
    ),
]
Precision = Annotated[
    float | None,
    typer.Option(
        metavar="P",
        help="Write filled.csv: the whole table, with predictions filled in from the probability on at which a "
        "proportion of at least P, such as 0.95, is right.",
    ),
]
PerClass = Annotated[bool, typer.Option("--per-class", help="Reach the precision for each class by itself.")]
PrecisionConfidence = Annotated[float, typer.Option(metavar="P", help="Confidence that the precision is reached.")]
Cost = Annotated[
    str | None,
    typer.Option(
        metavar="COSTS",
        help="Write filled.csv by costs instead: rows whose expected error costs less than a review are filled. Such "
        'as "review=1, error=20", and "ill as well=90" for filling in well where ill is true.',
    ),
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Replace an earlier run of the same table and keep its history (filled tables)."),
]
Out = Annotated[
    str | None, typer.Option(metavar="PATH", help="Folder for the results. Default: the table's name with -tabcast.")
]
Unlabeled = Annotated[
    Path | None, typer.Option(help="Another table of rows without a label, or a folder or pattern of such tables.")
]
Engine = Annotated[
    str | None,
    typer.Option(
        metavar="stream|ADDRESS",
        help="Where a folder is trained: in this process (the default), or on a Dask cluster, for instance "
        "tcp://host:8786.",
    ),
]
MissingLabel = Annotated[str | None, typer.Option(help="A label that means unlabeled, besides empty cells.")]
Ignore = Annotated[list[str] | None, typer.Option(metavar="COL", help="Leave a column out; repeatable.")]
Use = Annotated[list[str] | None, typer.Option(metavar="COL", help="Use a column that would be left out; repeatable.")]
Category = Annotated[
    list[str] | None, typer.Option(metavar="COL", help="Treat a numeric column as categorical; repeatable.")
]
IdColumn = Annotated[
    list[str] | None,
    typer.Option("--id", metavar="COL", help="Identifies rows: left out, kept in results; repeatable."),
]
Sheet = Annotated[str | None, typer.Option(help="Which sheet of an Excel file to read. Default: the first.")]
NoGuard = Annotated[
    bool, typer.Option("--no-guard", help="Save the self-trained model even if the supervised one is better.")
]
JudgeRows = Annotated[
    int,
    typer.Option(
        metavar="N", min=1, help="Unlabeled rows that models are compared with and diagnostics look at, at most."
    ),
]
MaxPool = Annotated[
    str,
    typer.Option(
        metavar="N|auto|all",
        help="Most unlabeled rows that train the final model: a number, all, or auto: doubled until the score on "
        "held-out rows stops rising. Every row is predicted in any case.",
    ),
]
TimeLimit = Annotated[str | None, typer.Option(metavar="TIME", help="Compare no longer than this: 90s, 10m, 1h.")]
Seed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of everything random.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Fits at a time. Default: one per core.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the results of an earlier run.")]
NoSpreadsheetGuard = Annotated[bool, typer.Option("--no-spreadsheet-guard", help=GUARD_HELP)]
