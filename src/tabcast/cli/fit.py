"""`tabcast fit`: options into the arguments of `fit_table`, its results into lines and exit codes."""

from __future__ import annotations

import os
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from tabcast.cli.ctrl_c import CTRL_C
from tabcast.cli.stop import COMMAND_LINE, stop

if TYPE_CHECKING:
    from tabcast.runs import Run

LEARNERS = ("catboost", "lightgbm", "xgboost")  # packages with exceptions of their own
ENDINGS = (".csv", ".tsv", ".txt", ".gz", ".parquet", ".feather", ".xlsx", ".xlsm")
DataOption, ModelOption, OutputOption = (partial(Option, rich_help_panel=name) for name in ("Data", "Model", "Output"))
Columns = list[str] | None
# Those that `tabcast label` has as well.
Estimator = Annotated[
    str,
    ModelOption(
        metavar="NAME",
        help="auto: soft self-training with an ensemble; xgboost, lightgbm, catboost, random_forest, ...: with "
        "that base classifier; cast: CAST.",
    ),
]
Out = Annotated[
    str | None, OutputOption(metavar="PATH", help="Folder for the results. Default: the table's name with -tabcast.")
]
Seed = Annotated[int, ModelOption(min=0, max=2**32 - 1, help="Seed of everything random.")]
Overwrite = Annotated[bool, OutputOption("--overwrite", help="Replace the results of an earlier run.")]


def fit(
    table: Annotated[
        str,
        typer.Argument(
            help="CSV, TSV, gzipped, Parquet, Feather or Excel with a column of labels, or a folder of files."
        ),
    ],
    target: Annotated[
        str, DataOption(help="The column of labels; rows with an empty cell are unlabeled.", show_default="required")
    ] = "",
    estimator: Estimator = "auto",
    scoring: Annotated[
        str | None,
        ModelOption(
            metavar="NAME",
            help="The score that chooses between the models with and without unlabeled rows. Default: neg_log_loss for "
            "the ensemble, accuracy for one base classifier.",
        ),
    ] = None,
    decision: Annotated[
        str | None,
        ModelOption(
            metavar="RULE",
            help="How a class is predicted from the probabilities: accuracy (the most probable, the default), balanced "
            "(relative to the class proportions), f1 (tuned), or for two classes a number such as 0.3: the second one "
            "from this probability on.",
        ),
    ] = None,
    precision: Annotated[
        float | None,
        OutputOption(
            metavar="P",
            help="Write filled.csv: the whole table, with predictions filled in from the probability on at which a "
            "proportion of at least P, such as 0.95, is right.",
        ),
    ] = None,
    out: Out = None,
    unlabeled: Annotated[
        str | None,
        DataOption(metavar="TABLE", help="Another table of rows without a label, or a folder of such files."),
    ] = None,
    dask: Annotated[
        str | None, OutputOption(metavar="ADDRESS", help="Dask scheduler whose workers predict the files of a folder.")
    ] = None,
    labels: Annotated[
        str | None, DataOption(metavar="FILE", help="More labels: what tabcast label wrote, or Label Studio's export.")
    ] = None,
    missing_label: Annotated[str | None, DataOption(help="A label that means unlabeled, besides empty cells.")] = None,
    ignore: Annotated[Columns, DataOption(metavar="COL", help="Leave a column out; repeatable.")] = None,
    use: Annotated[Columns, DataOption(metavar="COL", help="Use a column that would be left out; repeatable.")] = None,
    category: Annotated[
        Columns, DataOption(metavar="COL", help="Treat a numeric column as categorical; repeatable.")
    ] = None,
    id_column: Annotated[
        Columns, DataOption("--id", metavar="COL", help="Identifies rows: left out, kept in results; repeatable.")
    ] = None,
    max_pool: Annotated[
        int, ModelOption(metavar="N", min=0, help="Most unlabeled rows that train, drawn at random; 0 is all.")
    ] = 50_000,
    seed: Seed = 0,
    overwrite: Overwrite = False,
) -> None:
    """Train on a table in which few rows are labeled, and find out whether the unlabeled rows helped.

    Writes the model, predictions for the unlabeled rows, the pseudo-label of each with the reasons, and a report; with
    --precision also the filled table. Of a folder, every file is predicted.
    """
    folder, pool = default_folder(table) if out is None else Path(out), max_pool or None
    CTRL_C.expect(f"Stopped: nothing was written to {folder}.", folder / "summary.json")
    with warnings.catch_warnings(record=True) as caught:
        from rich.console import Console

        from tabcast.exceptions import LargePoolWarning, TabcastWarning
        from tabcast.files import describe
        from tabcast.guard._verdict import name_in_words
        from tabcast.runs._fit_table import read_options
        from tabcast.runs._folder import check_folder, refuse_inside
        from tabcast.runs._predict import DaskError
        from tabcast.runs._table import prepare_table
        from tabcast.runs._training import TITLES, find_method, train_run
        from tabcast.wording import PYTHON

        warnings.simplefilter("always", TabcastWarning)
        try:
            refuse_inside(folder, table, unlabeled)
            options = read_options(
                estimator=estimator,
                scoring=scoring,
                decision=None if decision is None else read_decision(decision),
                precision=precision,
                dask=dask,
                max_pool=pool,
                random_state=seed,
                n_jobs=os.cpu_count() or 1,
                verbose=int(Console().is_terminal),
            )
            prepared = prepare_table(
                table,
                target,
                unlabeled=unlabeled,
                labels=labels,
                missing_label=missing_label,
                ignore=ignore or (),
                use=use or (),
                categories=category or (),
                id_columns=id_column or (),
                max_pool=pool,
                random_state=seed,
            )
            check_folder(folder if out is None else out, overwrite=overwrite)  # a Path of no text is the current folder
            for line in [*prepared.notes, *describe(prepared.understanding, COMMAND_LINE)]:
                typer.echo(line)
            title = TITLES[find_method(options.classifier)]
            score = name_in_words(options.scoring)
            typer.echo(f"{title}; compared with the supervised model by cross-validated {score}.")
            run = train_run(prepared, options)
        except DaskError as error:
            stop(error, 1)
        except OSError as error:
            stop(f"{error.filename or folder}: {error.strerror or error}; nothing was written.")
        except (ValueError, TypeError, ImportError) as error:
            stop(error)
        except Exception as error:
            if type(error).__module__.split(".")[0] not in LEARNERS:
                raise
            stop(f"{estimator} could not be trained on this table ({error}); try another --estimator.")
    save(run, folder, overwrite=overwrite)
    said = {*prepared.notes, *(PYTHON.sentence(*note) for note in run.understanding.notes)}
    said |= {str(one.message) for one in caught if issubclass(one.category, LargePoolWarning)}  # in the result
    warned = [str(one.message) for one in caught if issubclass(one.category, TabcastWarning)]
    for line in word_result(run.summary, [sentence for sentence in warned if sentence not in said], folder):
        typer.echo(line)


def save(run: Run, folder: Path, *, overwrite: bool) -> None:
    """Save a run; where that has become impossible during training, keep it elsewhere and say where."""
    from tabcast.files import TableFileError
    from tabcast.runs import DaskError, RunFolderError
    from tabcast.runs._folder import spare_folders

    try:
        run.save(folder, overwrite=overwrite)
        return
    except DaskError as error:
        stop(error, 1)
    except TableFileError as error:
        stop(error)
    except OSError as error:
        problem = f"{error.filename or folder}: {error.strerror or error}"
    except RunFolderError as error:
        problem = error.say(COMMAND_LINE).rstrip(".")
    for spare in spare_folders(folder):
        try:
            run.save(spare)
        except (OSError, RunFolderError):
            continue
        stop(f"{problem}. The results are in {spare} instead.")
    stop(f"{problem}; nothing was written.")


def default_folder(table: str) -> Path:
    """In the current folder, named after the table, or after the folder of a pattern."""
    path = Path(table)
    name = path.name if not set(path.name) & set("*?[") else path.parent.name
    name = name or path.resolve().name
    while Path(name).suffix.lower() in ENDINGS:
        name = Path(name).stem
    return Path(f"{name}-tabcast")


def read_decision(text: str) -> Any:
    """The name of a decision, or the threshold that a number means."""
    from tabcast.decisions import DECISIONS, Threshold

    if text in DECISIONS:
        return text
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise ValueError(
            "--decision must be accuracy, balanced, f1 or, for two classes, a probability between 0 and 1 such as 0.3; "
            f"got {text!r}."
        )
    return Threshold(value)


def word_result(summary: dict[str, Any], warned: list[str], folder: Path) -> list[str]:
    """The verdict, caveats, and where everything is."""
    from tabcast.guard._verdict import say_verdict
    from tabcast.report._words import say_filled, say_quality

    files, pool, filled = summary["files"], summary["training"]["pool"], summary.get("filled")
    lines = ["", *say_verdict(summary["verdict"]), say_quality(summary["diagnostics"]["quality"])]
    if pool["n_trained"] < pool["n_unlabeled"]:
        some, every = pool["n_trained"], pool["n_unlabeled"]
        lines.append(f"{some:,} of the {every:,} unlabeled rows train the self-trained model; all are predicted.")
    lines.append(f"The prediction is {summary['decision']['meaning']}; choose with --decision.")
    if filled:
        lines += ["", "The filled table:", *say_filled(filled)]
    tables = [path for name, path in files.items() if name not in ("report", "model")]
    return [
        *lines,
        *warned,
        "",
        f"Written to {folder}: {files['report']} (look at it first), {', '.join([*tables, files['model']])}, "
        "summary.json.",
        f"Predict other rows with: tabcast predict {folder} TABLE -o OUT.csv",
    ]
