"""Long steps within a fit report to the bar that is on the terminal, wherever it was made."""

from tabcast.progress import Bar, Progress, current_progress


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
