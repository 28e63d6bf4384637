"""`tabcast study`: run the trials of a configuration, show their progress, make its tables and figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tabcast.study.config import Study
    from tabcast.study.status import Status

study_app = typer.Typer(help="The paper's tables and figures as commands, resumable.", no_args_is_help=True)


class BackendName(StrEnum):
    """Where trials run."""

    serial = "serial"
    processes = "processes"
    dask = "dask"


class Style(StrEnum):
    """How tables are written."""

    markdown = "markdown"
    csv = "csv"
    latex = "latex"


Configs = Annotated[
    list[Path],
    typer.Argument(help="Configurations, for instance paper/configs/*.toml; trials that they share run once."),
]
Config = Annotated[Path, typer.Argument(help="Configuration, for instance paper/configs/table_1.toml.")]
Profile = Annotated[str, typer.Option(help="Profile of the configuration: smoke, quick or full.")]
Records = Annotated[Path | None, typer.Option(help="Folder of the records, in place of the configuration's.")]
Plugins = Annotated[
    list[Path] | None,
    typer.Option(help="Folder whose Python files add datasets, models or methods; they are executed."),
]
Results = Annotated[
    Path | None, typer.Option(help="Results table (CSV) to read in place of the records, as written by `table --out`.")
]
DataDir = Annotated[Path | None, typer.Option(help="Folder of the datasets.")]


@study_app.command()
def run(
    configs: Configs,
    profile: Profile = "quick",
    backend: Annotated[BackendName, typer.Option(help="Where trials run.")] = BackendName.processes,
    jobs: Annotated[int, typer.Option(min=1, help="Number of workers, one thread each.")] = 1,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler; by default a cluster starts on this machine.")
    ] = None,
    records: Records = None,
    plugins: Plugins = None,
    data_dir: DataDir = None,
) -> None:
    """Run the trials that have no record yet. It can be stopped at any time: finished trials are not run again."""
    import os
    import time

    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

    from tabcast.progress import Bar
    from tabcast.study.backends import BACKENDS, Dask
    from tabcast.study.run import check_tools, run_studies
    from tabcast.study.status import count_written, missing_records

    if scheduler and backend is not BackendName.dask:
        raise typer.BadParameter(f"--scheduler needs --backend dask; got --backend {backend.value}.")
    studies = [_read(config, records, plugins, profile) for config in configs]
    if data_dir is not None and not data_dir.is_dir():
        raise typer.BadParameter(f"--data-dir {data_dir} is not a folder.")
    with _one_sentence():
        check_tools(studies, profile)
    paths, start = missing_records(studies, profile), time.time()
    crashed = []
    if paths:
        title = studies[0].item if len(studies) == 1 else f"{len(studies)} items"
        with Bar(f"{title} ({profile})", len(paths), unit="trials", left="left") as bar:
            crashed = run_studies(
                studies,
                profile,
                backend=Dask(scheduler) if scheduler else BACKENDS[backend.value],
                n_workers=jobs,
                data_dir=None if data_dir is None else data_dir.resolve(),
                poll=lambda: bar.reach(count_written(paths, start)),
            )
            bar.reach(count_written(paths, start))
    for crash in crashed:
        typer.echo(f"{crash.item} crashed: {crash.traceback_text.strip().splitlines()[-1]}", err=True)
    found = [_print_status(study, profile) for study in studies]
    if crashed or any(status.counts["failed"] for status in found):
        raise typer.Exit(1)


@study_app.command()
def status(config: Config, profile: Profile = "quick", records: Records = None, plugins: Plugins = None) -> None:
    """Show which trials are done, failed, skipped and missing, and an estimate of the time left."""
    from tabcast.study.run import check_tools

    study = _read(config, records, plugins, profile)
    with _one_sentence():
        check_tools([study], profile)
    _print_status(study, profile, by_dataset=True)


@study_app.command()
def restore(
    config: Config,
    results: Annotated[Path, typer.Option(help="Results table (CSV), as written by `table --out`.")],
    profile: Profile = "quick",
    records: Records = None,
    plugins: Plugins = None,
) -> None:
    """Make records from a results table where they are gone, so that `run` computes only trials that are not in it.

    A table does not say which version computed it: restore only what today's version would compute as well.
    """
    from tabcast.study.restore import restore_records

    study = _read(config, records, plugins, profile)
    with _one_sentence():
        n_restored = restore_records(study, profile, results)
    typer.echo(f"{n_restored} records restored from {results} to {study.records}.")


@study_app.command()
def table(
    config: Config,
    profile: Profile = "quick",
    style: Annotated[Style, typer.Option(help="Format of the printed tables.")] = Style.markdown,
    out: Annotated[Path | None, typer.Option(help="Folder to write every table to, in all formats.")] = None,
    results: Results = None,
    records: Records = None,
    plugins: Plugins = None,
) -> None:
    """Make the tables of a configuration: print them, or write them to a folder with the results behind them."""
    from tabcast.study.outputs import make_tables, render_tables, write_tables

    study = _read(config, records, plugins, profile)
    with _one_sentence():
        if out is None:
            typer.echo(render_tables(study, make_tables(study, profile, results), style.value))
            return
        paths = write_tables(study, profile, out, results)
    for path in paths:
        typer.echo(path)


@study_app.command()
def figure(
    config: Config,
    out: Annotated[Path, typer.Option(help="Folder to write the figures to.")],
    profile: Profile = "quick",
    kind: Annotated[list[str] | None, typer.Option("--format", help="png, svg or pdf; can be repeated.")] = None,
    results: Results = None,
    records: Records = None,
    plugins: Plugins = None,
) -> None:
    """Draw the figures of a configuration."""
    from tabcast.study.outputs import write_figures

    study = _read(config, records, plugins, profile)
    with _one_sentence():
        paths = write_figures(study, profile, out, kind or ["png"], results)
    for path in paths:
        typer.echo(path)


@study_app.command()
def write(
    configs: Configs,
    out: Annotated[Path, typer.Option(help="Folder that gets a folder per configuration.")],
    profile: Profile = "quick",
    records: Records = None,
    plugins: Plugins = None,
) -> None:
    """Write all tables and figures of several configurations, each with the results behind it."""
    from tabcast.study.outputs import write_figures, write_tables

    for config in configs:
        study = _read(config, records, plugins, profile)
        with _one_sentence():
            if study.tables:
                write_tables(study, profile, out / study.name)
            if study.figures:
                write_figures(study, profile, out / study.name)
        typer.echo(out / study.name)


@contextmanager
def _one_sentence() -> Iterator[None]:
    """Turn errors that a user can fix into one sentence."""
    try:
        yield
    except (ValueError, FileNotFoundError, ImportError) as error:
        raise typer.BadParameter(str(error)) from error


def _read(config: Path, records: Path | None, plugins: list[Path] | None, profile: str) -> Study:
    """Read a configuration and check its profile; errors become one sentence."""
    from tabcast.checks import check_choice
    from tabcast.study.config import read_study

    with _one_sentence():
        study = read_study(config, records=records, plugins=plugins or ())
        check_choice(profile, study.profiles, f"profile of {config.name}")
        return study


def _print_status(study: Study, profile: str, by_dataset: bool = False) -> Status:
    """Print the counts, by dataset if wanted, and why trials failed or were skipped."""
    from rich.console import Console
    from rich.table import Table

    from tabcast.study.analysis import display_name
    from tabcast.study.status import STATES, find_status

    found, console = find_status(study, profile), Console()
    if by_dataset:
        table = Table("dataset", *STATES, title=f"{study.item}: {study.title} ({profile})")
        for name, row in found.by_dataset.iterrows():
            table.add_row(display_name("dataset", name, study.catalog.labels), *(str(row[state]) for state in STATES))
        console.print(table)
    counts = ", ".join(f"{found.counts[state]} {state}" for state in STATES)
    left = "" if not found.seconds_left else f"; about {_words(found.seconds_left)} of one worker left"
    console.print(f"{study.item}: {counts}{left}", highlight=False, markup=False)
    for reason, count in found.reasons.items():
        console.print(f"  {count} x {reason}", highlight=False, markup=False)
    return found


def _words(seconds: float) -> str:
    """Format a time."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
