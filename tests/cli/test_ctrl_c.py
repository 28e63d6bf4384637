"""Ctrl-C at 104 moments in the life of a command: one sentence, code 130, nothing left behind; or it came too late."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.cli.test_fit import make_table
from tests.end_to_end.test_study_resumes import is_empty, wait_until

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="process groups of POSIX")
N_MOMENTS = 26
# Before the handler is there, it is Python that starts.
STARTED = """
import os, signal
from tabcast.cli.ctrl_c import CTRL_C, run
signal.signal(signal.SIGINT, CTRL_C)
os.write(1, b"started\\n")
run()
"""
SWALLOWED = """
import importlib, os, signal, sys
from tabcast.cli.ctrl_c import run
place, name = sys.argv.pop(1).rsplit(".", 1)
module = importlib.import_module(place)
function = getattr(module, name)

def interrupted(*arguments, **options):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException as error:
        raise RuntimeError("a library reports it as its own failure") from error
    return function(*arguments, **options)

setattr(module, name, interrupted)
os.write(1, b"started\\n")
run()
"""
FIT = ["fit", "table.csv", "--target", "churned"]
COMMANDS = {
    "new folders": [*FIT, "--out", "a/b/out", "--estimator", "logistic_regression"],
    "xgboost": [*FIT, "--out", "out", "--estimator", "xgboost"],
    "overwrite": [*FIT, "--out", "run", "--estimator", "logistic_regression", "--overwrite"],
    "predict": ["predict", "run", "table.csv", "--out", "out.csv.gz", "--batch-rows", "10"],
}


def start(command, folder, code=STARTED):
    """A command in a process group of its own, as in a terminal, which sends Ctrl-C to all of it."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "started\n"
    return process


def contents(folder):
    """Every file and folder, with what is in it."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A table, and an earlier run."""
    folder = tmp_path_factory.mktemp("ctrl_c")
    make_table(90, 40).to_csv(folder / "table.csv", index=False)
    process = start([*FIT, "--out", "run", "--estimator", "logistic_regression", "--seed", "1"], folder)
    assert process.communicate()
    assert process.returncode == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("kind", COMMANDS)
def test_any_moment(kind, place, tmp_path):
    before, outcomes = time.monotonic(), []
    shutil.copytree(place, tmp_path / "whole")
    process = start(COMMANDS[kind], tmp_path / "whole")
    _, error = process.communicate()
    assert (process.returncode, error) == (0, "")
    lasts = time.monotonic() - before
    for number in range(N_MOMENTS):
        folder = shutil.copytree(place, tmp_path / str(number))
        earlier, process = contents(folder), start(COMMANDS[kind], folder)
        try:
            process.communicate(timeout=lasts * number / (N_MOMENTS - 1))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
        _, error = process.communicate(timeout=600)
        wait_until(lambda group=process.pid: is_empty(group))
        outcomes.append(process.returncode)
        if process.returncode == 0:
            assert error == ""
            whole = {path.relative_to(tmp_path / "whole") for path in contents(tmp_path / "whole")}
            assert {path.relative_to(folder) for path in contents(folder)} == whole
        else:
            assert process.returncode == 130, error
            assert error.startswith("Stopped")
            assert error.count("\n") == 1, error
            assert contents(folder) == earlier
    print(kind, {code: outcomes.count(code) for code in set(outcomes)})
    assert outcomes.count(130) > N_MOMENTS / 2


@pytest.mark.parametrize(
    ("kind", "function", "sentence"),
    [
        ("new folders", "tabcast.runs._training._fit", "Stopped: nothing was written to a/b/out.\n"),
        ("overwrite", "tabcast.runs._folder._move_into", ""),  # too late: all of it is written
        ("predict", "gzip.compress", "Stopped: out.csv.gz was not written.\n"),
    ],
)
def test_in_a_library_that_swallows_it(kind, function, sentence, place, tmp_path):
    folder = shutil.copytree(place, tmp_path / "here")
    earlier, command = contents(folder), [function, *COMMANDS[kind]]
    process = start(command, folder, SWALLOWED)
    _, error = process.communicate()
    assert error == sentence
    assert process.returncode == (130 if sentence else 0)
    assert contents(folder).keys() == earlier.keys()
    assert (contents(folder) == earlier) == bool(sentence)
