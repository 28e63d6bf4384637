"""A bar with the time left, lines of text where no bar can be drawn, nothing with verbose=0."""

import warnings
from types import SimpleNamespace

import pytest
import rich

from tabcast import progress
from tabcast.progress import Bar, show_progress


def test_steps_of_minutes_have_a_time_left():
    """Rich measures speed over the last 30 s unless it is told otherwise; a fit may take longer."""
    now, bar = [0.0], Bar("Fit", 10)
    bar._bar.get_time = bar._bar.tasks[0]._get_time = lambda: now[0]
    bar._bar.reset(bar._task)
    for step in range(1, 4):
        now[0] = 90.0 * step
        bar.advance()
    assert bar._bar.tasks[0].time_remaining == 7 * 90


class TestNotebook:
    @pytest.fixture
    def notebook(self, monkeypatch):
        """What rich takes for a notebook, and no ipywidgets."""
        monkeypatch.setattr(rich, "get_console", lambda: SimpleNamespace(is_jupyter=True))
        monkeypatch.setattr(progress, "find_spec", lambda name: None)

    def test_without_ipywidgets_lines_of_text_and_no_warning(self, notebook, capsys):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with show_progress("Fit", 100, 1) as shown:
                for step in range(100):
                    shown.describe(f"round {step}")
                    shown.advance()
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 12
        assert lines[1] == "Fit: 10 of at most 100 fits, round 9"
        assert lines[-1] == "Fit: done, 100 fits"

    def test_with_ipywidgets_or_in_a_terminal_a_bar(self, notebook, monkeypatch):
        monkeypatch.setattr(progress, "find_spec", lambda name: object())
        monkeypatch.setattr(progress, "Bar", lambda *args, **kwargs: "bar")
        assert show_progress("Fit", 1, 1) == "bar"
        monkeypatch.setattr(rich, "get_console", lambda: SimpleNamespace(is_jupyter=False))
        monkeypatch.setattr(progress, "find_spec", lambda name: None)
        assert show_progress("Fit", 1, 1) == "bar"

    def test_nothing_without_verbose(self, notebook, capsys):
        with show_progress("Fit", 3, 0) as shown:
            shown.advance()
        assert capsys.readouterr().out == ""
