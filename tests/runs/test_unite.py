"""A table of unlabeled rows beside the labeled one: columns by name, each file in its own notation."""

import numpy as np
import pandas as pd
import pytest

from tabcast import fit_table
from tabcast.exceptions import TabcastWarning
from tabcast.files import TableFileError
from tabcast.runs._options import read_column_options
from tabcast.runs._prepared_table import prepare_table

N_ROWS = 60
COLUMNS = read_column_options(None, ignore=(), use=(), categories=(), id_columns=())


def make_rows(seed):
    random = np.random.default_rng(seed)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(random.integers(0, 700, N_ROWS), unit="D")
    rows = pd.DataFrame({"since": days, "income": random.normal(0, 900, N_ROWS).round(3)})
    return rows.assign(plan=np.where(random.random(N_ROWS) < 0.5, "gold", "basic"))


def as_text(rows, date="%Y-%m-%d", decimal="."):
    text = rows.assign(since=rows["since"].dt.strftime(date))
    return text.assign(income=rows["income"].map(lambda number: f"{number:.3f}".replace(".", decimal)))


def labeled(rows):
    return rows.assign(y=["a", "b"] * (N_ROWS // 2))


def prepare(table, unlabeled, columns=COLUMNS):
    return prepare_table(table, "y", unlabeled, columns, needs_unlabeled=True)


@pytest.mark.parametrize("other", ["A", " a_", "A a"[2:]])
def test_another_spelling_of_a_column_is_refused(other):
    table = labeled(make_rows(0)).rename(columns={"income": "a"})
    more = make_rows(1).rename(columns={"income": other})
    if other == "a":
        assert prepare(table, more).differences == []
        return
    with pytest.raises(TableFileError, match=r"`unlabeled` has no column 'a'; did you mean its column"):
        prepare(table, more)


def test_columns_of_one_table_only_are_named():
    table = labeled(make_rows(0)).assign(age=np.arange(N_ROWS) % 7)
    more = make_rows(1).assign(size=3)
    with pytest.warns(TabcastWarning) as caught:
        run = fit_table(table, "y", unlabeled=more, method="supervised", model="logistic_regression")
    said = " ".join(str(one.message) for one in caught)
    assert "`unlabeled` lacks column 'age' of table: missing in all of its 60 rows." in said
    assert "`unlabeled` has column 'size' that table lacks: not used." in said
    assert sum("lacks column 'age'" in sentence for sentence in run.summary["warnings"]) == 1
    assert sum("Column 'age' has values in labeled rows" in sentence for sentence in run.summary["warnings"]) == 1
    ignoring = read_column_options(None, ignore=["age"], use=(), categories=(), id_columns=())
    assert "age" not in " ".join(prepare(table, more, ignoring).differences)


def test_labels_of_the_unlabeled_table_are_not_used_and_it_is_said():
    prepared = prepare(labeled(make_rows(0)), labeled(make_rows(1)))
    assert len(prepared.unlabeled) == N_ROWS
    assert prepared.differences == [
        "The labels of `unlabeled` in 'y' are not used: all of its rows count as unlabeled."
    ]


NOTATIONS = [("%Y-%m-%d", "."), ("%d/%m/%Y", ","), ("%m/%d/%Y", "."), ("%d.%m.%Y", ",")]


@pytest.mark.parametrize("second", NOTATIONS, ids=str)
@pytest.mark.parametrize("first", NOTATIONS, ids=str)
def test_each_file_keeps_its_notation(first, second, tmp_path):
    rows, more = make_rows(0), make_rows(1)
    labeled(as_text(rows, *first)).to_csv(tmp_path / "table.csv", index=False, sep=";")
    as_text(more, *second).to_csv(tmp_path / "more.csv", index=False, sep=";")
    expected = prepare(labeled(rows), more).X
    prepared = prepare(tmp_path / "table.csv", tmp_path / "more.csv")
    pd.testing.assert_frame_equal(prepared.X, expected)
    assert prepared.notes == []


def test_the_file_that_tells_the_order_of_days_and_months_tells_it_for_both():
    rows = make_rows(0)
    more = make_rows(1)
    more["since"] = more["since"].where(more["since"].dt.day <= 12, pd.Timestamp("2023-03-04"))
    expected = prepare(labeled(rows), more).X
    got = prepare(labeled(as_text(rows, "%d/%m/%Y")), as_text(more, "%d/%m/%Y")).X
    pd.testing.assert_frame_equal(got, expected)


def test_cells_that_cannot_be_read_are_counted():
    table, more = labeled(as_text(make_rows(0), decimal=",")), as_text(make_rows(1))
    more.loc[3, "income"] = "many"
    prepared = prepare(table, more)
    assert prepared.notes == [
        "In `unlabeled`: Column 'income': 1 value is not a number and counts as missing (for example 'many')."
    ]
    assert prepared.X["income"].isna().sum() == 1
