"""`tabcast study`: run the trials of a configuration, show their progress, make its tables and figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabcast.cli.ctrl_c import CTRL_C
from tabcast.cli.stop import stop

if TYPE_CHECKING:
    from tabcast.study.config import Study

study_app = typer.Typer(help="The paper's tables and figures as commands, resumable.", no_args_is_help=True)


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
    Path | None, typer.Option(help="Results table to read in place of the records: results.csv.gz of `write`.")
]
DataDir = Annotated[Path | None, typer.Option(help="Folder of the datasets.")]


@study_app.command()
def run(
    configs: Configs,
    profile: Profile = "quick",
    jobs: Annotated[int, typer.Option(min=1, help="Number of worker processes, one thread each.")] = 1,
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler whose workers run the trials.")] = None,
    records: Records = None,
    plugins: Plugins = None,
    data_dir: DataDir = None,
    tuning_only: Annotated[
        bool, typer.Option("--tuning-only", help="Only search parameters and choose columns, also for finished trials.")
    ] = False,
) -> None:
    """Run the trials that have no record yet. It can be stopped at any time: finished trials are not run again."""
    import os

    CTRL_C.sentence = "Stopped: trials that are done will not run again."
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

    from tabcast.progress import Bar
    from tabcast.study.run import check_tools, plan_jobs, run_jobs

    studies = [_read(config, records, plugins, profile) for config in configs]
    if data_dir is not None and not data_dir.is_dir():
        raise typer.BadParameter(f"--data-dir {data_dir} is not a folder.")
    with _one_sentence():
        check_tools(studies, profile)
    plan = plan_jobs(studies, profile, None if data_dir is None else data_dir.resolve(), tuning_only=tuning_only)
    stopped = None
    if plan:
        title = studies[0].item if len(studies) == 1 else f"{len(studies)} items"
        n_trials = sum(len(job.tasks) for job in plan)
        try:
            unit = "searches" if tuning_only else "trials"
            with _one_sentence(), Bar(f"{title} ({profile})", n_trials, unit=unit, left="left") as bar:
                run_jobs(plan, n_jobs=jobs, dask=dask, show=bar.reach)
        except OSError as error:  # workers died, the scheduler is not there, the disk is full
            stopped = error
    failed = [_print_status(study, profile) for study in studies]
    if stopped is not None:
        stop(str(stopped), 1)
    if any(failed):
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
    results: Annotated[Path, typer.Option(help="Results table: results.csv.gz of `write`.")],
    profile: Profile = "quick",
    records: Records = None,
    plugins: Plugins = None,
) -> None:
    """Make records from a results table where they are gone, so that `run` computes only trials that are not in it.

    A table does not say which version computed it: restore only what today's version would compute as well.
    """
    from tabcast.study.results import restore_records

    study = _read(config, records, plugins, profile)
    with _one_sentence():
        n_restored = restore_records(study, profile, results)
    typer.echo(f"{n_restored} records restored from {results} to {study.records}.")


@study_app.command()
def table(
    config: Config,
    profile: Profile = "quick",
    style: Annotated[Style, typer.Option("--format", help="Format of the tables.")] = Style.markdown,
    name: Annotated[str | None, typer.Option(help="One of the tables; by default all.")] = None,
    results: Results = None,
    records: Records = None,
    plugins: Plugins = None,
) -> None:
    """Print the tables of a configuration."""
    from tabcast.study.results import render_tables

    study = _read(config, records, plugins, profile)
    with _one_sentence():
        typer.echo(render_tables(study, profile, style.value, results, name))


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
    from tabcast.study.results import write_figures

    study = _read(config, records, plugins, profile)
    with _one_sentence():
        typer.echo("\n".join(map(str, write_figures(study, profile, out, kind or ["png"], results))))


@study_app.command()
def write(
    configs: Configs,
    out: Annotated[Path, typer.Option(help="Folder that gets a folder per configuration.")],
    profile: Profile = "quick",
    records: Records = None,
    plugins: Plugins = None,
) -> None:
    """Write a page with all tables and figures of each configuration, and the results behind them."""
    from tabcast.study.results import write_folder

    for config in configs:
        study = _read(config, records, plugins, profile)
        with _one_sentence():
            write_folder(study, profile, out / study.name)
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


def _print_status(study: Study, profile: str, by_dataset: bool = False) -> bool:
    """Print the counts, by dataset if wanted, and why trials failed or were skipped; whether any failed."""
    from rich.console import Console
    from rich.table import Table

    from tabcast.study.analysis.summary import display_name
    from tabcast.study.results import STATES, collect_results, count_states, estimate_seconds, list_searches

    console, results = Console(), collect_results(study, profile)
    counts = count_states(results)
    if by_dataset:
        table = Table("dataset", *STATES, title=f"{study.item}: {study.title} ({profile})")
        for name, row in counts.iterrows():
            table.add_row(display_name("dataset", name, study.catalog.labels), *(str(row[state]) for state in STATES))
        console.print(table)
    seconds = estimate_seconds(results, list_searches(study, profile))
    left = f"; about {_words(seconds)} of one worker left" if seconds else ""
    sums = ", ".join(f"{counts[state].sum()} {state}" for state in STATES)
    console.print(f"{study.item}: {sums}{left}", highlight=False, markup=False)
    reasons = results.loc[results["status"].isin(["failed", "skipped"]), "reason"].value_counts()
    for reason, count in reasons.items():
        console.print(f"  {count} x {reason}", highlight=False, markup=False)
    return bool(counts["failed"].sum())


def _words(seconds: float) -> str:
    """Format a time."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
