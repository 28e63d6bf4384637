"""Excel workbooks: a sheet as a table, with the types of its cells, in training and in prediction."""

import sys
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tabcast import fit_table, load_run
from tabcast.cli.main import app
from tabcast.files import TableFileError, read_table_file, understand
from tabcast.files._read import open_table_file

ROWS = [
    ["age", "paid", "since", "member", "code", "mixed", "churned"],
    [31, 1.5, datetime(2020, 1, 2), True, "007", "A1", "yes"],
    [None, 2, datetime(2021, 5, 6), False, "010", 17, None],
    [28, None, None, True, None, None, "no"],
]


def write(path, **sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_cells_keep_their_types(tmp_path):
    frame = read_table_file(write(tmp_path / "t.xlsx", data=ROWS))
    assert frame.columns.tolist() == ROWS[0]
    np.testing.assert_array_equal(frame["age"], [31, np.nan, 28])
    np.testing.assert_array_equal(frame["paid"], [1.5, 2, np.nan])
    assert frame["since"].dt.year.tolist()[:2] == [2020, 2021]
    assert frame["member"].tolist() == [True, False, True]
    assert frame["code"].tolist()[:2] == ["007", "010"]
    assert frame["mixed"].tolist()[:2] == ["A1", "17"]
    assert frame["churned"].isna().tolist() == [False, True, False]
    assert "notes" in frame.attrs
    assert not frame.attrs["notes"]


def test_an_empty_border_does_not_count(tmp_path):
    rows = [[None], ["a", "b", None], [None, None, " "], [1, 2, None], [3, 4, None], [None]]
    frame = read_table_file(write(tmp_path / "t.xlsx", data=rows))
    assert frame.to_dict("list") == {"a": [1, 3], "b": [2, 4]}


def test_sheets(tmp_path):
    path = write(tmp_path / "t.xlsx", one=[["a", "b"], [1, 2]], two=[["c", "d"], [3, 4]], none=[["a"]], empty=[])
    first = read_table_file(path)
    assert first.columns.tolist() == ["a", "b"]
    assert first.attrs["notes"] == [
        "t.xlsx has 4 sheets ('one', 'two', 'none', 'empty'); 'one' was read. Save another one as a file of its own to "
        "read it."
    ]
    second = read_table_file(path, ["c", "d", "x"])
    assert second.columns.tolist() == ["c", "d"]
    assert "'two' was read" in second.attrs["notes"][0]
    with pytest.raises(TableFileError, match=r"t.xlsx is empty; a table needs column names and rows"):
        read_table_file(write(tmp_path / "t.xlsx", one=[], two=[[None]]))
    with pytest.raises(TableFileError, match=r"has a header line but no rows"):
        read_table_file(write(tmp_path / "t.xlsx", one=[["a"]]))


def test_two_sheets_with_the_target_are_never_guessed_between(tmp_path):
    book = {"notes": [["x"], [1]], "2023": [["a", "y"], [1, "u"]], "2024": [["a", " y "], [1, "u"]]}
    path = write(tmp_path / "t.xlsx", **book)
    with pytest.raises(
        TableFileError, match=r"has 2 sheets with the column 'y', '2023', '2024'; save the right one as"
    ):
        fit_table(path, "y")
    assert "'2023' was read" in read_table_file(path, ["a", "y"]).attrs["notes"][0]  # to predict: the first


def test_without_the_target_anywhere_the_columns_of_a_sheet_are_named(tmp_path):
    path = write(tmp_path / "t.xlsx", one=[["a", "churned"], [1, "u"]], two=[["x"], [1]])
    with pytest.raises(TableFileError, match=r"no column 'churn'; did you mean 'churned'"):
        fit_table(path, "churn")


def test_batches(tmp_path):
    path = write(tmp_path / "t.xlsx", data=[["a", "b"], *([n, n / 2] for n in range(7))])
    table = open_table_file(path)
    batches = [batch for batch, _ in table.batches(3, table.names)]
    assert [len(batch) for batch in batches] == [3, 3, 1]
    pd.testing.assert_frame_equal(pd.concat(batches), read_table_file(path))


def test_without_openpyxl_one_sentence(tmp_path, monkeypatch):
    path = write(tmp_path / "t.xlsx", data=ROWS)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(
        TableFileError, match=r"openpyxl is needed for t.xlsx; install it with: pip install 'tabcast\[ex"
    ):
        read_table_file(path)


def test_the_same_features_as_from_csv(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "number": random.normal(size=60).round(3),
            "count": random.integers(0, 9, 60),
            "day": pd.date_range("2020-01-01", periods=60),
            "word": random.choice(["red", "blue"], 60),
            "y": [*["u", "v"] * 15, *[None] * 30],
        }
    )
    rows = frame.astype(object).where(frame.notna(), None)
    path = write(tmp_path / "t.xlsx", data=[frame.columns.tolist(), *rows.to_numpy().tolist()])
    frame.to_csv(tmp_path / "t.csv", index=False)
    excel, text = read_table_file(path), read_table_file(tmp_path / "t.csv")
    understanding = understand(text, "y")
    pd.testing.assert_frame_equal(understanding.features(excel), understanding.features(text))
    assert [column.kind for column in understand(excel, "y").columns] == ["number", "number", "date", "category"]


def test_fit_and_predict(tmp_path):
    random = np.random.default_rng(0)
    rows = [["a", "b", "y"]]
    rows += [[float(n % 2 + random.normal(0, 0.3)), "uv"[n % 2], None if n > 40 else "uv"[n % 2]] for n in range(80)]
    path = write(tmp_path / "t.xlsx", notes=[["x"], [1]], data=rows)
    options = ["--out", str(tmp_path / "out")]
    fit = ["fit", str(path), "--target", "y", "--estimator", "logistic_regression"]
    result = CliRunner().invoke(app, [*fit, *options])
    assert result.exit_code == 0, result.output
    assert "t.xlsx has 2 sheets ('notes', 'data'); 'data' was read." in result.output
    predict = ["predict", str(tmp_path / "out"), str(path), "-o", str(tmp_path / "p.csv")]
    result = CliRunner().invoke(app, [*predict, "--batch-rows", "30"])
    assert result.exit_code == 0, result.output
    assert len(pd.read_csv(tmp_path / "p.csv")) == 80
    assert load_run(tmp_path / "out").predict(path)["prediction"].tolist() == (
        pd.read_csv(tmp_path / "p.csv")["prediction"].tolist()
    )
