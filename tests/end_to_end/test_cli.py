"""The command line, as a person types it."""

import os
import subprocess
import sys

from tabcast import __version__


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "tabcast", *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "120", "TERM": "xterm", "PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1"},
    )


def test_version():
    assert run("--version").stdout.strip() == f"tabcast {__version__}"


def test_unknown_command():
    result = run("dmeo")
    assert result.returncode == 2
    assert "No such command" in result.stderr
