"""Figures of a run or a fitted model."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tabcast import SelfTrainingClassifier, plots
from tabcast.diagnostics import diagnose
from tabcast.guard import GuardedClassifier

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

PLOTS = [name for name in plots.__all__ if name.startswith("plot_")]


@pytest.fixture(scope="module")
def sources():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=120) > 0, "yes", "no").astype(object)
    y[50:] = None
    model = SelfTrainingClassifier(GaussianNB(), max_rounds=1, random_state=0)
    guarded = GuardedClassifier(model, n_splits=2, n_repeats=1, random_state=0).fit(X, y)
    found = diagnose(guarded, X, y)
    trained = guarded.self_trained_
    training = {"history": trained.history_.to_dict("records"), "best_round": trained.best_round_}
    summary = {"diagnostics": found.to_dict(), "verdict": guarded.verdict_.to_dict(), "training": training}
    return SimpleNamespace(guarded=guarded, found=found, run=SimpleNamespace(summary=summary))


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize("name", PLOTS)
def test_a_run_gives_a_figure(sources, name):
    figure = getattr(plots, name)(sources.run)
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    assert all(ax.get_xlabel() for ax in figure.axes[:1])


@pytest.mark.parametrize("name", sorted({*PLOTS} - {"plot_importance"}))
def test_a_fitted_classifier_gives_the_same_figure(sources, name):
    def numbers(figure):
        return [line.get_xydata().tolist() for ax in figure.axes for line in ax.lines]

    draw = getattr(plots, name)
    assert numbers(draw(sources.guarded)) == numbers(draw(sources.run))


def test_importance_needs_the_table(sources):
    assert isinstance(plots.plot_importance(sources.found), Figure)
    with pytest.raises(ValueError, match=r"plot_importance needs the table as well: pass the Run, or the Diagnostics"):
        plots.plot_importance(sources.guarded)


def test_the_confusion_matrix_has_its_counts(sources):
    [ax] = plots.plot_confusion(sources.guarded).axes
    counts = sources.found.quality.confusion
    assert [text.get_text() for text in ax.texts] == [str(one) for one in counts.ravel()]
    assert [one.get_text() for one in ax.get_yticklabels()] == ["no", "yes"]


def test_what_cannot_be_drawn_is_said(sources):
    with pytest.raises(
        TypeError, match="plot_confusion draws a Run, a fitted GuardedClassifier or Diagnostics; got str"
    ):
        plots.plot_confusion("run")
    with pytest.raises(ValueError, match="must be fitted"):
        plots.plot_curves(GuardedClassifier())
    supervised = SimpleNamespace(summary={"diagnostics": {}, "verdict": None, "training": {}})
    for name in ("plot_confusion", "plot_verdict", "plot_rounds"):
        with pytest.raises(ValueError, match=f"There is nothing for {name} to draw"):
            getattr(plots, name)(supervised)


@pytest.mark.parametrize("name", PLOTS)
def test_without_matplotlib_one_sentence_says_how_to_install_it(monkeypatch, sources, name):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(
        ImportError, match=rf"{name} needs matplotlib\. Install it with: pip install 'tabcast\[plots\]'"
    ):
        getattr(plots, name)(sources.run)
