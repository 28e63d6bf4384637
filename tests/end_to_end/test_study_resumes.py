"""A study may be stopped at any moment: what is done stays done, and the rest is run next time."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tabcast.study.config import read_study
from tabcast.study.run import plan_jobs, run_jobs
from tests.study.small_study import write_config

SECONDS = 120  # after which a test that waits for something gives up
N_SEEDS = 3
N_TRIALS = N_SEEDS * 3 * 3  # seeds, folds, methods

GRID = f"""
datasets = ["clouds"]
models = ["bayes"]
tunings = ["none"]
strategies = ["threshold"]
methods = ["supervised", "cast-l-no-selection", "gated"]
seeds = {N_SEEDS}
"""

# A trial that never ends while there is a gate (reading a FIFO blocks): so no run ends before it is stopped.
GATED = f"""
from dataclasses import dataclass
from pathlib import Path

from tabcast.confidence import Raw
from tabcast.study.methods import Method

GATE = Path(__file__).with_name("gate")


@dataclass(frozen=True)
class Gated(Method):
    def run(self, work, request):
        if GATE.exists() and work.seed >= {N_SEEDS} - 2:
            GATE.read_text()
        return work.self_train(request.estimator(), Raw(), request.strategy, request.noise_filter)


gated = Gated("gated", "Gated")
"""


def start(config, *arguments):
    """`tabcast study run` in a process group of its own, as in a terminal."""
    command = "from tabcast.cli.main import app; app()"
    return subprocess.Popen(
        [sys.executable, "-c", command, "study", "run", str(config), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env={**os.environ, "COLUMNS": "200", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )


def records_in(folder):
    return sorted(folder.rglob("*.json"))


def wait_until(condition, process=None):
    """Look again and again; if a process is given, it must still be running."""
    idle = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    try:
        for _ in range(SECONDS * 100):
            if condition():
                return
            if process is not None and process.poll() is not None:
                pytest.fail(f"the run ended by itself: {process.communicate()[0]}")
            try:
                idle.wait(timeout=0.01)
            except subprocess.TimeoutExpired:
                continue
    finally:
        idle.communicate()
    pytest.fail(f"nothing happened in {SECONDS} s")


def is_empty(group):
    """Whether no process of a group is alive."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture
def config(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("needs FIFOs and process groups")
    config = write_config(tmp_path, GRID)
    (tmp_path / "plugins" / "gated.py").write_text(GATED)
    os.mkfifo(tmp_path / "plugins" / "gate")
    return config


@pytest.mark.parametrize(
    ("stop", "jobs"),
    [
        pytest.param(signal.SIGKILL, "2", marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, "2", marks=pytest.mark.slow),
        (signal.SIGINT, "1"),
    ],
    ids=["killed", "interrupted", "interrupted in one process"],
)
def test_stopped_and_run_again(config, stop, jobs):
    records = config.parent / "records"
    workers = ["--jobs", jobs]
    first = start(config, *workers)
    try:
        wait_until(lambda: len(records_in(records)) >= 5, first)
        os.killpg(first.pid, stop)
        output = first.communicate(timeout=SECONDS)[0]
    finally:
        if not is_empty(first.pid):
            os.killpg(first.pid, signal.SIGKILL)
    assert first.returncode != 0
    assert "Traceback" not in output
    wait_until(lambda: is_empty(first.pid))

    # Everything that is there is whole, and something is missing.
    before = {path: (path.stat().st_mtime_ns, path.read_text()) for path in records_in(records)}
    found = {path: json.loads(text) for path, (_, text) in before.items()}
    assert {record["status"] for record in found.values()} == {"done"}
    n_done = sum("method" in record["configuration"] for record in found.values())
    assert 0 < n_done < N_TRIALS

    (config.parent / "plugins" / "gate").unlink()
    run_jobs(plan_jobs([read_study(config, records=records)], "quick"))
    for path, (stamp, text) in before.items():
        assert path.stat().st_mtime_ns == stamp, f"{path} was written again"
        assert path.read_text() == text

    # The numbers do not depend on how often it was stopped.
    whole = read_study(config, records=config.parent / "whole")
    run_jobs(plan_jobs([whole], "quick"))
    assert len(records_in(records)) == N_TRIALS
    for path in records_in(records):
        record = json.loads(path.read_text())
        other = json.loads((whole.records / path.relative_to(records)).read_text())
        assert record["status"] == "done"
        for name in ("configuration", "metrics", "facts", "history"):
            assert record[name] == other[name]


@pytest.mark.slow
def test_workers_end_with_the_run_that_started_them(config):
    run = start(config, "--jobs", "2")
    try:
        wait_until(lambda: len(records_in(config.parent / "records")) >= 1, run)
        os.kill(run.pid, signal.SIGKILL)  # it alone: the workers, stuck at the gate, are not told
        run.communicate(timeout=SECONDS)
        wait_until(lambda: is_empty(run.pid))
        assert is_empty(run.pid)
        assert run.returncode != 0
        assert 0 < len(records_in(config.parent / "records")) < N_TRIALS
    finally:
        if not is_empty(run.pid):
            os.killpg(run.pid, signal.SIGKILL)
