"""The user's table: labels as it has them, and a second one of unlabeled rows, in its own notation."""

import numpy as np
import pandas as pd
import pytest

from tabcast import CASTClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier, fit_table, load_run
from tabcast.exceptions import TabcastWarning
from tabcast.files import TableFileError
from tabcast.models import make_model
from tabcast.runs._table import prepare_table
from tabcast.wording import ArgumentError

N_ROWS = 60


def quick():
    return SelfTrainingClassifier(make_model("logistic_regression"), strategy="all", validation=None, max_rounds=1)


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


def prepare(table, unlabeled, **columns):
    return prepare_table(table, "y", unlabeled=unlabeled, **columns)


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
        run = fit_table(table, "y", unlabeled=more, estimator=quick())
    said = " ".join(str(one.message) for one in caught)
    assert "`unlabeled` lacks column 'age' of table: missing in all of its 60 rows." in said
    assert "`unlabeled` has column 'size' that table lacks: not used." in said
    assert sum("lacks column 'age'" in sentence for sentence in run.summary["warnings"]) == 1
    assert sum("Column 'age' has values in labeled rows" in sentence for sentence in run.summary["warnings"]) == 1
    assert "age" not in " ".join(prepare(table, more, ignore=["age"]).differences)


def test_labels_of_the_unlabeled_table_are_not_used_and_it_is_said():
    prepared = prepare(labeled(make_rows(0)), labeled(make_rows(1)))
    assert len(prepared.unlabeled) == N_ROWS
    assert prepared.differences == [
        "The labels of `unlabeled` in 'y' are not used: all of its rows count as unlabeled."
    ]


NOTATIONS = [("%Y-%m-%d", "."), ("%d/%m/%Y", ","), ("%m/%d/%Y", "."), ("%d.%m.%Y", ",")]


@pytest.mark.parametrize(
    ("first", "second"), list(zip(NOTATIONS, [*NOTATIONS[1:], NOTATIONS[0]], strict=True)), ids=str
)
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
        "In `unlabeled`: Column 'income': 1 value counted as missing: not a number (for example 'many')."
    ]
    assert prepared.X["income"].isna().sum() == 1


def make_table(labels, n=90, n_labeled=45):
    """A table whose classes are apart, with some labels hidden."""
    random = np.random.default_rng(0)
    classes = np.arange(n) % len(labels)
    table = pd.DataFrame({"a": classes + random.normal(0, 0.3, n), "b": random.normal(0, 1, n)}).round(4)
    table["y"] = [str(labels[one]) if row < n_labeled else None for row, one in enumerate(classes)]
    return table


LINEAR = make_model("logistic_regression")


@pytest.mark.parametrize("labels", [[-1, 0, 1], [-1, 1]], ids=str)
@pytest.mark.parametrize(
    "estimator",
    [SoftSelfTrainingClassifier(LINEAR), CASTClassifier(LINEAR, alpha=0.5, validation=None), quick()],
    ids=["soft", "cast", "hard"],
)
def test_minus_one_is_a_class_where_the_table_says_so(estimator, labels, tmp_path):
    run = fit_table(make_table(labels), "y", estimator=estimator)
    assert run.model.classes_.tolist() == labels == run.understanding.classes
    assert set(run.predictions["prediction"]) == set(labels)
    run.save(tmp_path / "out")
    assert load_run(tmp_path / "out").predictions["prediction"].tolist() == run.predictions["prediction"].tolist()


def test_minus_one_is_no_class_where_the_user_says_so():
    table = make_table(["0", "1"]).fillna({"y": "-1"})
    prepared = prepare_table(table, "y", missing_label=-1)
    assert (len(prepared.unlabeled), prepared.understanding.classes) == (45, [0, 1])


@pytest.mark.parametrize("rest", ["?", None], ids=["all filled", "half empty"])
def test_a_marker_among_the_labels_is_not_silent(rest):
    table = make_table(["yes", "no"]).fillna({"y": "?"})
    if rest is None:
        table.loc[70:, "y"] = None
        assert any("'?'" in sentence for sentence in prepare_table(table, "y").alarms)
        return
    with pytest.raises(TableFileError, match=r"'\?' looks like a marker .* use `missing_label='\?'`"):
        prepare_table(table, "y")


@pytest.mark.parametrize("marker", ["?", "unknown", -1])
def test_nothing_but_a_marker_is_no_class(marker):
    table = make_table(["yes", "no"]).assign(y=marker)
    with pytest.raises(TableFileError, match="No row has a label"):
        prepare_table(table, "y")


def test_what_is_no_table_to_learn_from():
    table = make_table(["yes", "no"])
    with pytest.raises(TableFileError, match="holds decimal numbers"):
        prepare_table(make_table([0.5, 1.5]), "y")
    with pytest.raises(TableFileError, match=r"Every row has a label in 'y', so there is nothing .*`unlabeled`"):
        prepare_table(table.dropna(), "y")
    with pytest.raises(TypeError, match="`table` must be a path or a DataFrame; got list"):
        prepare_table([1, 2], "y")
    with pytest.raises(TypeError, match="`unlabeled` must be a path or a DataFrame; got int"):
        prepare_table(table, "y", unlabeled=3)
    with pytest.raises(ArgumentError, match="`ignore` must be a list of column names; got 'a'"):
        prepare_table(table, "y", ignore="a")
    with pytest.raises(ArgumentError, match="`table` is an empty path"):
        prepare_table("", "y")


def test_polars(tmp_path):
    polars = pytest.importorskip("polars")
    table = make_table(["yes", "no"])
    prepared = prepare_table(polars.from_pandas(table), "y")
    pd.testing.assert_frame_equal(prepared.X, prepare_table(table, "y").X)
