"""CSV files of runs and predictions hold no formulas, and a run that is loaded has the text that was there."""

import csv

import numpy as np
import pandas as pd
import pytest

from tabcast import SelfTrainingClassifier, fit_table, load_run
from tabcast.models import make_model
from tabcast.runs import load_model, predict_file

N_ROWS = 60
KINDS = ["=HYPERLINK(1)", "@low", "-dash"]


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    classes = np.arange(N_ROWS) % 3
    table = pd.DataFrame({"=id": [f"={row}+1" if row % 2 else f"-{row}" for row in range(N_ROWS)]})
    table["a"] = (classes + random.normal(0, 0.2, N_ROWS)).round(3)
    table["b"] = random.normal(0, 1, N_ROWS).round(3)
    table["y"] = [KINDS[one] if row < 40 else None for row, one in enumerate(classes)]
    return table


@pytest.fixture(scope="module")
def run(table):
    linear = make_model("logistic_regression")
    estimator = SelfTrainingClassifier(linear, strategy="all", validation=None, max_rounds=1)
    return fit_table(table, "y", estimator=estimator, id_columns=["=id"])


def cells(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [cell for record in csv.reader(file) for cell in record]


def is_formula(cell):
    return cell.startswith(tuple("=+@\t\r")) or (cell.startswith("-") and not cell[1:].replace(".", "").isdigit())


def test_a_run_is_written_for_spreadsheets_and_comes_back(run, table, tmp_path):
    run.save(tmp_path / "out")
    table.to_csv(tmp_path / "table.csv", index=False)
    predict_file(load_model(tmp_path / "out"), tmp_path / "table.csv", tmp_path / "out" / "all.csv")
    for name in ("predictions.csv", "pseudo_labels.csv", "all.csv"):
        assert not any(map(is_formula, cells(tmp_path / "out" / name)))
    again = load_run(tmp_path / "out")
    for one, other in ((run.predictions, again.predictions), (run.pseudo_labels, again.pseudo_labels)):
        pd.testing.assert_frame_equal(one, other, check_dtype=False)
    assert again.summary == run.summary
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8") == again.report.html
