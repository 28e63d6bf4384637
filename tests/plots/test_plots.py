"""Figures of a run or a fitted model."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from tabcast import plots
from tabcast.diagnostics import diagnose
from tabcast.guard import GuardedClassifier
from tabcast.plots._figure import to_svg
from tests.report.sample import make_run

ODD = ("$x$ & <b>", r"\frac{1}{$", "null \x00 byte", "日本語", "a" * 200)


@pytest.fixture(scope="module")
def run():
    return make_run(("no", "yes"))


@pytest.mark.parametrize("name", plots.__all__)
def test_a_run_gives_a_figure_that_is_the_same_each_time(run, name):
    before = dict(mpl.rcParams)
    figure = getattr(plots, name)(run)
    assert isinstance(figure, Figure)
    assert figure.axes[0].get_xlabel()
    svg = to_svg(figure, "Title & <text>")
    assert svg == to_svg(getattr(plots, name)(run), "Title & <text>")
    root = ET.fromstring(svg)
    assert root.find("{http://www.w3.org/2000/svg}title").text == "Title & <text>"
    assert "dc:date" not in svg
    assert figure._repr_html_().startswith('<img src="data:image/svg+xml;base64,')
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("name", sorted({*plots.__all__} - {"plot_importance"}))
def test_a_fitted_classifier_gives_the_same_figure(run, name):
    def numbers(figure):
        return [line.get_xydata().tolist() for ax in figure.axes for line in ax.lines]

    draw = getattr(plots, name)
    assert str(numbers(draw(run.guarded))) == str(numbers(draw(run)))


def test_names_are_text_whatever_is_in_them(recwarn):
    run = make_run(ODD[:4], ODD)
    for name in ("plot_confusion", "plot_curves", "plot_importance"):
        text = "".join(ET.fromstring(to_svg(getattr(plots, name)(run), "")).itertext())
        assert "$x$ & <b>" in text
        assert r"\frac{1}{$" in text
        assert "null \ufffd byte" in text
    assert not [one for one in recwarn.list if "lyph" in str(one.message)]


def test_importance_needs_the_table(run):
    assert isinstance(plots.plot_importance(diagnose(run.guarded, run.X, run.y)), Figure)
    with pytest.raises(ValueError, match=r"plot_importance needs the table as well: pass the Run, or the Diagnostics"):
        plots.plot_importance(run.guarded)


def test_the_confusion_matrix_has_its_counts(run):
    [ax] = plots.plot_confusion(run.guarded).axes
    counts = run.summary["diagnostics"]["quality"]["confusion"]
    assert [text.get_text() for text in ax.texts] == [str(one) for line in counts for one in line]
    assert [one.get_text() for one in ax.get_yticklabels()] == ["no", "yes"]


def test_the_verdict_has_its_gain_and_interval(run):
    found = run.summary["verdict"] | {"committee": 0.8, "gain": 0.02, "low": -0.01, "high": 0.05}
    [ax] = plots.plot_verdict({"verdict": found}).axes
    names = [one.get_text() for one in ax.get_yticklabels()]
    assert names == ["committee, labeled rows only", "with the unlabeled rows", "added by the unlabeled rows"]
    assert [one.get_text() for one in ax.texts][-1] == "+2.0"
    assert [line.get_xdata()[0] for line in ax.lines][-2:] == pytest.approx([-1, 2])


def test_what_cannot_be_drawn_is_said(run):
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


def test_importing_does_not_import_matplotlib_and_drawing_not_pyplot():
    code = (
        "import sys, tabcast.plots as plots; assert 'matplotlib' not in sys.modules\n"
        "history = [{'round': 0, 'n_selected': 0, 'score': None}]\n"
        "plots.plot_rounds({'training': {'best_round': 0, 'history': history}})\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
