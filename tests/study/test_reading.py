"""The numbers of paper/README.md come from the committed results."""

import runpy
from pathlib import Path

import pandas as pd
import pytest

from tabcast.study.results import RESULTS, read_beside

PAPER = Path(__file__).parents[2] / "paper"


@pytest.fixture(scope="module")
def reading():
    return runpy.run_path(str(PAPER / "reading.py"))


def test_figure_2_falls_in_f1_and_rises_in_accuracy(reading):
    """What the reading says of gusto, from the details that the figure is drawn from."""
    ends = reading["bins"]().frame.set_index(["dataset", "low"])
    sparse, dense = ends.loc[("gusto", 0.0)], ends.loc[("gusto", 0.9)]
    assert sparse["accuracy"] < dense["accuracy"]
    assert sparse["score"] > dense["score"]
    [trial, *_] = [
        one for one in read_beside(PAPER / "results" / "density_quality" / RESULTS) if one["dataset"] == "gusto"
    ]
    positives = next(one for one in trial["ranking"] if one["label"] == 1)
    found = sum(part["score"] * (part["n"] - part["correct"]) / (2 * (1 - part["score"])) for part in trial["bins"])
    assert found == pytest.approx(positives["correct"])  # true positives, counted and computed from F1


def test_differences_by_dataset_are_described(reading):
    found = reading["describe"](pd.Series([0.02, 0.01, -0.01, 1e-17]).to_numpy())
    assert (found["better"], found["ties"], found["of"]) == (2, 1, 4)
    assert found["difference"] == pytest.approx(0.005)
    assert found["se"] == pytest.approx(pd.Series([0.02, 0.01, -0.01, 0.0]).sem())


@pytest.mark.slow
def test_the_page_is_up_to_date(reading):
    """Results that were made anew need `python paper/reading.py`."""
    assert reading["make_page"]() == (PAPER / "results" / "reading.md").read_text("utf-8")


def test_new_results_count_their_fits():
    for item in ("density_quality", "same_budget"):
        results = pd.read_csv(PAPER / "results" / item / "results.csv.gz")
        assert (results["n_fits"] >= 1).all()


def test_another_build_of_xgboost_is_named():
    """`python paper/recompute.py` tells what may make numbers differ."""
    explain = runpy.run_path(str(PAPER / "recompute.py"))["explain"]
    explain.__globals__["versions"] = lambda: {"xgboost": "3.2.0"}
    assert "computed with xgboost-cpu 3.2.0, and this environment has xgboost 3.2.0" in explain("table_1")
    explain.__globals__["versions"] = lambda: {"xgboost-cpu": "3.2.0"}
    assert "build of XGBoost is the same (xgboost-cpu 3.2.0)" in explain("table_1")


@pytest.mark.slow
def test_the_readme_is_up_to_date(reading):
    text = (PAPER / "README.md").read_text("utf-8")
    assert reading["fill"](text) == text
