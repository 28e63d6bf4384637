"""`tabcast datasets`: list and download the datasets of the study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tabcast.cli.stop import stop

datasets_app = typer.Typer(help="List and download the paper's datasets.", no_args_is_help=True)
DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Folder to look in before TABCAST_DATA_DIR and the cache.")
]


@datasets_app.command("list")
def list_command(data_dir: DataDir = None) -> None:
    """List the datasets of the catalog and where their files are."""
    import pandas as pd

    from tabcast.study.datasets import list_datasets
    from tabcast.study.datasets._load import find_folder

    infos = list_datasets()
    try:
        places = [find_folder(info, data_dir=data_dir) if info.load is None else "synthetic" for info in infos]
    except ValueError as error:
        stop(str(error), 2)
    folders = list(dict.fromkeys(place for place in places if isinstance(place, Path)))
    names = {str(place): f"({number})" for number, place in enumerate(folders, start=1)} | {"None": "missing"}
    rows = [
        {
            "name": info.name + ("*" if info.stand_in_for else ""),
            "rows": f"{info.n_rows:,}",
            "columns": f"{info.n_columns:,}",
            "classes": info.n_classes,
            "metric": info.metric,
            "OpenML": info.openml_id or "-",
            "where": names.get(str(place), place),
        }
        for info, place in zip(infos, places, strict=True)
    ]
    typer.echo(pd.DataFrame(rows).to_string(index=False))
    for folder in folders:
        typer.echo(f"{names[str(folder)]} {folder}")
    for info in (one for one in infos if one.stand_in_for):
        typer.echo(f"* {info.name}: a public stand-in for the paper's {info.stand_in_for}.")


@datasets_app.command("download")
def download_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Names as in `list`.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Download all datasets that are on OpenML.")] = False,
    data_dir: Annotated[Path | None, typer.Option(help="Target folder; by default the user's cache.")] = None,
) -> None:
    """Download datasets from OpenML that are not there yet."""
    from tabcast.study.datasets import download_dataset, list_datasets
    from tabcast.study.datasets._dataset import find_info

    if bool(names) == everything:
        stop("Name the datasets to download, or use --all (not both).", 2)
    try:
        chosen = [find_info(name) for name in names or [info.name for info in list_datasets() if info.openml_id]]
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
