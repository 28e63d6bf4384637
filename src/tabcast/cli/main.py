"""`tabcast`: the commands, in the order in which a user meets them."""

from __future__ import annotations

from typing import Annotated

import typer

from tabcast.cli.ctrl_c import CTRL_C
from tabcast.cli.datasets import datasets_app
from tabcast.cli.fit import fit
from tabcast.cli.predict import predict
from tabcast.cli.report import report
from tabcast.cli.study import study_app

app = typer.Typer(
    help="A better classifier from a table in which few rows are labeled and many are not.",
    no_args_is_help=True,
    add_completion=False,
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
    """A better classifier from a table in which few rows are labeled and many are not."""


@app.command()
def demo(
    labels: Annotated[int, typer.Option(help="Labels to keep in each repetition.")] = 40,
    repeats: Annotated[int, typer.Option(help="Repetitions, each with other rows labeled.")] = 6,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    write: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the table to a new file, such as tumors.csv, for `tabcast fit`; compare nothing.",
        ),
    ] = None,
) -> None:
    """Hide most labels of a real table, and compare a supervised model, CAST and soft self-training."""
    CTRL_C.sentence = "Stopped before the comparison was complete."
    from tabcast.cli.demo import run_demo

    run_demo(n_labels=labels, n_repeats=repeats, seed=seed, write=write)


app.command()(fit)
app.command()(predict)
app.command()(report)
app.add_typer(study_app, name="study")
app.add_typer(datasets_app, name="datasets")
