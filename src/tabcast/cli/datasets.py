"""`tabcast datasets`: list and download the datasets of the study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabcast.cli.stop import stop

if TYPE_CHECKING:
    from tabcast.study.datasets import DatasetInfo

datasets_app = typer.Typer(
    help="List and download the paper's datasets.",
    no_args_is_help=True,
    add_completion=False,
)

TABLE_WIDTH = 104  # minimum width of `list`, so that nothing is truncated

DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Folder to look in before TABCAST_DATA_DIR and the cache.")
]


@datasets_app.command("list")
def list_command(data_dir: DataDir = None) -> None:
    """List the datasets of the catalog and where their files are."""
    from rich.console import Console
    from rich.table import Table

    from tabcast.study.datasets import list_datasets

    infos = list_datasets()
    try:
        places = [_where(info, data_dir) for info in infos]
    except ValueError as error:
        stop(str(error), 2)
    folders = [place for place in dict.fromkeys(places) if isinstance(place, Path)]
    table = Table(box=None, pad_edge=False)
    table.add_column("name", no_wrap=True)
    for heading in ("rows", "columns", "classes"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("metric", no_wrap=True)
    table.add_column("OpenML", justify="right", no_wrap=True)
    table.add_column("where", no_wrap=True)
    for info, place in zip(infos, places, strict=True):
        table.add_row(
            info.name + ("*" if info.stand_in_for else ""),
            f"{info.n_rows:,}",
            f"{info.n_columns:,}",
            str(info.n_classes),
            info.metric,
            str(info.openml_id or "-"),
            place if isinstance(place, str) else f"({folders.index(place) + 1})",
        )
    # On a narrower terminal, long lines are better than truncated names.
    # rich ignores a width without a height where TERM is "dumb".
    console = Console(width=max(Console().width, TABLE_WIDTH), height=Console().height)
    console.print(table)
    for number, folder in enumerate(folders, start=1):
        console.print(f"({number}) {folder}", soft_wrap=True, highlight=False)
    for info in infos:
        if info.stand_in_for:
            console.print(f"* {info.name}: a public stand-in for the paper's {info.stand_in_for}.", soft_wrap=True)


@datasets_app.command("download")
def download_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Names as in `list`.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Download all datasets that are on OpenML.")] = False,
    data_dir: Annotated[
        Path | None, typer.Option("--data-dir", help="Target folder; by default the user's cache.")
    ] = None,
) -> None:
    """Download datasets from OpenML that are not there yet."""
    from tabcast.study.datasets import download_dataset, list_datasets
    from tabcast.study.datasets._dataset import find_info

    if bool(names) == everything:
        stop("Name the datasets to download, or use --all (not both).", 2)
    try:
        chosen = (
            [info for info in list_datasets() if info.openml_id is not None]
            if everything
            else [find_info(name) for name in names or []]
        )
    except ValueError as error:
        stop(str(error), 2)
    failed = []
    for info in chosen:
        try:
            folder = download_dataset(info, data_dir=data_dir)
        except (OSError, ValueError) as error:
            failed.append(info.name)
            typer.echo(f"{info.name}: {error}", err=True)
        else:
            typer.echo(f"{info.name}: in {folder}")
    if failed:
        stop(f"{len(failed)} of {len(chosen)} not downloaded: {', '.join(failed)}.", 1)


def _where(info: DatasetInfo, data_dir: Path | None) -> Path | str:
    """Return the folder that has a dataset, or the reason why there is none."""
    from tabcast.study.datasets._load import find_folder

    if info.load is not None:
        return "synthetic"
    return find_folder(info, data_dir=data_dir) or "missing"
