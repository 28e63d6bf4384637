"""How messages of the library name arguments on the command line: as options."""

from __future__ import annotations

from shlex import quote
from typing import Any

from tabcast.files import Argument, Wording

# Options that are not called like the Python argument; the rest differ by dashes only.
OPTIONS = {"categories": "--category", "id_columns": "--id", "folder": "--out", "n_jobs": "--jobs"}
OPTIONS |= {"random_state": "--seed", "time_limit": "--time-limit"}
FLAGS = {("guard", False): "--no-guard", ("overwrite", True): "--overwrite"}


class CommandLine(Wording):
    """Arguments as options: `--ignore`, `--missing-label -1`, `--overwrite`."""

    def name(self, argument: Argument) -> str:
        """The option, with its value if it has one; once per entry of a list."""
        option = OPTIONS.get(argument.name, f"--{argument.name.replace('_', '-')}")
        value: Any = argument.value
        if value is ...:
            return option
        if isinstance(value, bool):
            return FLAGS[argument.name, value]
        return " ".join(f"{option} {quote(str(one))}" for one in (value if isinstance(value, list) else [value]))


COMMAND_LINE = CommandLine()
