"""The command line, as a person types it."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from tabcast import __version__


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "tabcast", *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "120", "TERM": "xterm", "PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1"},
    )


def test_help_lists_the_commands():
    result = run("--help")
    assert result.returncode == 0
    assert "demo" in result.stdout


def test_version():
    assert run("--version").stdout.strip() == f"tabcast {__version__}"


def test_unknown_command():
    result = run("dmeo")
    assert result.returncode == 2
    assert "No such command" in result.stderr


def test_demo_shows_scores_and_gain():
    result = run("demo", "--labels", "60", "--repeats", "2", "--seed", "1")
    assert result.returncode == 0, result.stderr
    rows = re.findall(r"│ \d +│ (0\.\d{3}) +│ (0\.\d{3}) +│ ([+-]0\.\d{3})", result.stdout)
    assert len(rows) == 2
    for supervised, trained, gain in rows:
        assert float(gain) == pytest.approx(float(trained) - float(supervised), abs=0.0015)
    mean = 100 * np.mean([float(gain) for *_, gain in rows])
    shown = float(re.search(r"Change on unseen rows: ([+-]\d+\.\d)", result.stdout).group(1))
    assert shown == pytest.approx(mean, abs=0.1)


@pytest.mark.parametrize("labels", ["3", "5000"])
def test_demo_refuses_label_counts_that_make_no_sense(labels):
    result = run("demo", "--labels", labels)
    assert result.returncode == 2
    assert "--labels must be from 20 to 898" in result.stdout


class TestDescribeGain:
    def test_words(self):
        from tabcast.cli.demo import describe_gain

        assert "more than chance explains" in describe_gain(np.array([0.02, 0.03, 0.025]))
        assert "within what chance explains" in describe_gain(np.array([0.02, -0.03, 0.0]))
        assert "a real loss here" in describe_gain(-np.array([0.02, 0.03, 0.025]))
        assert "One repetition tells nothing" in describe_gain(np.array([0.02]))
