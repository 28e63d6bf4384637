"""CSV files of runs and predictions hold no formulas, and a run that is loaded has the text that was there."""

import csv

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tabcast import fit_table, load_run
from tabcast.cli.main import app
from tabcast.report._data import write_csv
from tabcast.runs import redraw_report

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
    options = {"method": "naive", "strategy": "all", "time_limit": 0.1, "id_columns": ["=id"]}
    return fit_table(table, "y", model="logistic_regression", **options)


def cells(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [cell for record in csv.reader(file) for cell in record]


def is_formula(cell):
    return cell.startswith(tuple("=+@\t\r")) or (cell.startswith("-") and not cell[1:].replace(".", "").isdigit())


@pytest.mark.parametrize("safe", [True, False])
def test_a_run_is_written_for_spreadsheets_and_comes_back(run, tmp_path, safe):
    run.save(tmp_path / "out", spreadsheet_safe=safe)
    for name in ("predictions.csv", "pseudo_labels.csv"):
        found = [cell for cell in cells(tmp_path / "out" / name) if is_formula(cell)]
        assert (not found) == safe
    again = load_run(tmp_path / "out")
    for one, other in ((run.predictions, again.predictions), (run.pseudo_labels, again.pseudo_labels)):
        pd.testing.assert_frame_equal(one, other, check_dtype=False)
    assert again.summary == run.summary
    redraw_report(tmp_path / "out")
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8") == again.report.html


def test_the_commands(table, tmp_path):
    def call(*arguments):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert result.exit_code == 0, result.output

    table.to_csv(tmp_path / "table.csv", index=False)
    options = ["--target", "y", "--method", "supervised", "--model", "logistic_regression", "--id", "=id"]
    for number, guard in enumerate(([], ["--no-spreadsheet-guard"])):
        folder = tmp_path / f"out{number}"
        call("fit", tmp_path / "table.csv", *options, "--out", folder, *guard)
        call("predict", folder, tmp_path / "table.csv", "-o", tmp_path / "all.csv", *guard)
        for path in (folder / "predictions.csv", tmp_path / "all.csv"):
            assert any(map(is_formula, cells(path))) == bool(guard)


def test_rows_to_label_on_the_page():
    row = {"row": 3, "likely": [{"label": "=low", "probability": 0.5}], "why": "+ near"}
    _, line = write_csv("=y", [row], {3: [("a", "-1.5"), ("b", "=1+1")]})
    assert line.split(",") == ["3", "", "'=low", "0.500", "'+ near", "-1.5", "'=1+1"]
    assert write_csv("=y", [row], {})[0].split(",")[1] == "'=y"
