"""Messages of the library reach the command line in terms of its options."""

import inspect

import pytest
from typer.main import get_command

from tabcast import fit_table
from tabcast.cli.main import app
from tabcast.cli.wording import COMMAND_LINE, FLAGS, OPTIONS
from tabcast.files import Argument

FIT_OPTIONS = {option for one in get_command(app).commands["fit"].params for option in one.opts}
OF_PYTHON_ALONE = {"table", "target", "verbose", "on_understood"}


@pytest.mark.parametrize(
    ("argument", "option"),
    [
        (Argument("ignore"), "--ignore"),
        (Argument("categories", ["a"]), "--category a"),
        (Argument("use", ["a", "b"]), "--use a --use b"),
        (Argument("missing_label", -1), "--missing-label -1"),
        (Argument("overwrite", True), "--overwrite"),
        (Argument("guard", False), "--no-guard"),
        (Argument("folder"), "--out"),
        (Argument("method", "supervised"), "--method supervised"),
    ],
)
def test_options(argument, option):
    assert COMMAND_LINE.name(argument) == option
    assert option.split()[0] in FIT_OPTIONS


@pytest.mark.parametrize("name", sorted(set(inspect.signature(fit_table).parameters) - OF_PYTHON_ALONE))
def test_every_argument_of_fit_table_is_an_option(name):
    flags = [FLAGS[key] for key in FLAGS if key[0] == name]
    assert set(flags or [COMMAND_LINE.name(Argument(name))]) <= FIT_OPTIONS


def test_every_renamed_option_exists():
    assert {*OPTIONS.values(), *FLAGS.values()} <= FIT_OPTIONS
