"""`tabcast`: the commands, in the order in which a user meets them."""

from __future__ import annotations

from typing import Annotated

import typer

from tabcast.cli.ctrl_c import CTRL_C
from tabcast.cli.datasets import datasets_app
from tabcast.cli.fit import fit
from tabcast.cli.label import label
from tabcast.cli.predict import predict
from tabcast.cli.report import report
from tabcast.cli.study import study_app

app = typer.Typer(
    help="Train better classifiers on tables where most labels are missing.",
    no_args_is_help=True,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from tabcast import __version__

        typer.echo(f"tabcast {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """Train better classifiers on tables where most labels are missing."""


@app.command()
def demo(
    labels: Annotated[int, typer.Option(min=20, max=900, help="Labels to keep.")] = 100,
    seed: Annotated[int, typer.Option(min=0, max=2**31, help="Seed of everything random.")] = 0,
    write: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the table to a new file, such as census.csv; compare nothing."),
    ] = None,
) -> None:
    """Hide most labels of a real table, and see how many are predicted correctly."""
    CTRL_C.sentence = "Stopped before the comparison was complete."
    from tabcast.cli.demo import run_demo

    run_demo(n_labels=labels, seed=seed, write=write)


app.command()(label)
app.command()(fit)
app.command()(predict)
app.command()(report)
app.add_typer(study_app, name="study")
app.add_typer(datasets_app, name="datasets")
