"""Long steps within a fit report to the bar that is on the terminal, wherever it was made."""

import warnings
from types import SimpleNamespace

import pytest
import rich

from tabcast import progress
from tabcast.progress import Bar, Progress, current_progress, show_progress


def shown(bar):
    return bar._bar.tasks[0].description


def test_without_a_bar_nothing_is_shown():
    assert type(current_progress()) is Progress
    current_progress().detail("tabpfn, block 1 of 3")


def test_a_detail_stands_after_the_step_and_goes_away():
    with Bar("Fit", 2) as bar:
        assert current_progress() is bar
        bar.describe("final model")
        current_progress().detail("block 1 of 3")
        assert shown(bar) == "Fit: final model, block 1 of 3"
        current_progress().detail("")
        assert shown(bar) == "Fit: final model"
    assert type(current_progress()) is Progress


def test_after_an_error_the_outer_bar_is_current_again():
    outer, inner = Bar("Outer", 1), Bar("Inner", 1)
    inner._bar.start = inner._bar.stop = lambda: None  # old versions of rich draw one bar at a time
    with outer:
        try:
            with inner:
                assert current_progress() is inner
                raise KeyError
        except KeyError:
            assert current_progress() is outer


class TestTimeLeft:
    def test_steps_of_minutes_have_a_time_left(self):
        """Rich measures speed over the last 30 s unless it is told otherwise; a fit may take longer."""
        now = [0.0]
        bar = Bar("Fit", 10, get_time=lambda: now[0])
        bar._bar.start_task(bar._task)
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
                assert current_progress() is shown
                for step in range(100):
                    shown.describe(f"round {step}")
                    shown.detail("block 1")
                    shown.advance()
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 12
        assert lines[1] == "Fit: 10 of at most 100 fits, round 9"
        assert lines[-1] == "Fit: done, 100 fits"
        assert type(current_progress()) is Progress

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
