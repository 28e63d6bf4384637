"""`predict_file`: how a file writes numbers and dates is settled once, from all of its rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from tabcast.decisions import MostProbable
from tabcast.exceptions import TabcastWarning
from tabcast.files import TableFileError, understand
from tabcast.models import AdaptedClassifier
from tabcast.runs import Run, SavedModel, predict_file

N_ROWS = 120
ROUNDING = 1e-12  # on some processors a linear model rounds the product with one row otherwise than with many


def make_table():
    random = np.random.default_rng(0)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(np.sort(random.integers(0, 700, N_ROWS)), unit="D")
    table = pd.DataFrame({"since": days, "income": random.normal(0, 900, N_ROWS).round(3)})
    table["y"] = np.where((table["since"] > "2023-12-15") ^ (table["income"] > 300), "a", "b")
    return table


def as_text(table, date="%Y-%m-%d", decimal="."):
    """The table as a file has it."""
    text = table.assign(since=table["since"].dt.strftime(date))
    return text.assign(income=table["income"].map(lambda number: f"{number:.3f}".replace(".", decimal)))


@pytest.fixture(scope="module")
def saved():
    """A model trained on dates in ISO notation and numbers with a point."""
    text = as_text(make_table())
    understanding = understand(text, "y")
    X = understanding.features(text).fillna(0)
    classifier = AdaptedClassifier(LogisticRegression(max_iter=1000)).fit(X / [100, 1000], text["y"].to_numpy())
    rule = MostProbable().fit(classifier.classes_, np.full(2, 0.5))
    return SavedModel(classifier, understanding, rule)


def predict(saved, text, folder, **options):
    text.drop(columns="y", errors="ignore").to_csv(folder / "table.csv", index=False, sep=";")
    found = predict_file(saved, folder / "table.csv", folder / "out.csv", **options)
    return pd.read_csv(folder / "out.csv")["probability_a"].to_numpy(), found.notes


@pytest.fixture(scope="module")
def expected(saved, tmp_path_factory):
    """What the model predicts for the table in the notation of training."""
    return predict(saved, as_text(make_table()), tmp_path_factory.mktemp("expected"))[0]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    batch_rows=st.integers(1, N_ROWS + 5),
    date=st.sampled_from(["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%d.%m.%Y"]),
    decimal=st.sampled_from([".", ","]),
)
def test_the_result_depends_neither_on_batches_nor_on_notation(saved, expected, tmp_path, batch_rows, date, decimal):
    got, notes = predict(saved, as_text(make_table(), date, decimal), tmp_path, batch_rows=batch_rows)
    np.testing.assert_allclose(got, expected, rtol=ROUNDING)
    assert notes == ()


@pytest.mark.parametrize("n_last", [1, 3])
def test_a_few_dates_at_the_end_say_what_the_others_mean(saved, tmp_path, n_last):
    table = make_table()
    early = table[table["since"].dt.day <= 12]
    late = table[table["since"].dt.day > 12].tail(n_last)
    table = pd.concat([early, late])
    expected, _ = predict(saved, as_text(table), tmp_path)
    for batch_rows in (1, 7, 1000):
        got, notes = predict(saved, as_text(table, "%d/%m/%Y"), tmp_path, batch_rows=batch_rows)
        np.testing.assert_allclose(got, expected, rtol=ROUNDING)
        assert notes == ()


def test_day_or_month_that_nothing_settles_is_said(saved, tmp_path):
    table = make_table()
    table = table[table["since"].dt.day <= 12]
    _, notes = predict(saved, as_text(table, "%d/%m/%Y"), tmp_path, batch_rows=5)
    (sentence,) = notes
    assert sentence.startswith("Column 'since': no date tells whether day or month comes first")
    assert "read as month/day" in sentence
    understanding = understand(as_text(make_table()), "y")
    run = Run(saved.classifier, understanding, pd.DataFrame(), pd.DataFrame(), {}, saved.decision)
    with pytest.warns(TabcastWarning, match="whether day or month comes first"):
        run.predict(as_text(table, "%d/%m/%Y"))


@pytest.mark.parametrize("trained", ["%d/%m/%Y", "%m/%d/%Y"])
def test_the_order_of_training_settles_what_the_file_does_not(trained):
    understanding = understand(as_text(make_table(), trained), "y")
    later = make_table()
    later = later[later["since"].dt.day <= 12]
    expected = understanding.features(later)["since"]
    for date in (trained, trained + " %H:%M", trained.replace("/", "-")):
        converted = understanding.convert(as_text(later, date))
        pd.testing.assert_series_equal(converted.features["since"], expected)
        assert converted.notes == ()


def test_thousands_are_told_from_decimals_by_the_whole_file(saved, tmp_path):
    table = make_table()
    table["income"] = np.arange(N_ROWS) * 1000 + 1234.0
    text = as_text(table).assign(income=[f"{number:,.0f}" for number in table["income"]])
    text.loc[text.index[-1], "income"] = "1,234,567"  # only here nothing else can be meant
    table.loc[table.index[-1], "income"] = 1_234_567.0
    expected, _ = predict(saved, as_text(table), tmp_path)
    for batch_rows in (1, 10, 1000):
        got, _ = predict(saved, text, tmp_path, batch_rows=batch_rows)
        np.testing.assert_allclose(got, expected, rtol=ROUNDING)


class TestACommaThatMayMeanTwoThings:
    COLUMNS = {"income": ["1,234", "5,678", "912"] * 4, "age": ["3", "4", "5"] * 4}

    def read(self, trained, given):
        table = pd.DataFrame({"income": trained * 10, "age": ["31", "42.5", "53", "64"] * 10, "y": ["a", "b"] * 20})
        understanding = understand(table, "y", use=["income"])
        return understanding.convert(pd.DataFrame(given)).features["income"].head(3).tolist()

    def test_it_means_what_it_means_in_the_training_table(self):
        assert self.read(["1,234,567", "1,000", "2,000", "7"], self.COLUMNS) == [1234, 5678, 912]
        assert self.read(["1,5", "1,25", "2,375", "7"], self.COLUMNS) == [1.234, 5.678, 912]

    def test_it_separates_thousands_beside_a_decimal_point(self):
        columns = {**self.COLUMNS, "age": ["3.25", "4.5", "5"] * 4}
        assert self.read(["1.5", "1.25", "2.5", "7"], columns) == [1234, 5678, 912]

    @pytest.mark.parametrize("trained", [["1234", "1000", "2000", "7"], ["1.5", "1.25", "2.5", "7"]])
    def test_it_is_refused_where_nothing_tells(self, trained):
        sentence = r"^Column 'income': '1,234' may mean thousands or a decimal comma, and neither .* write the numbers"
        with pytest.raises(TableFileError, match=sentence):
            self.read(trained, self.COLUMNS)

    def test_nothing_is_written_then(self, saved, tmp_path):
        text = as_text(make_table()).assign(income="1,234")
        with pytest.raises(TableFileError, match="may mean thousands or a decimal comma"):
            predict(saved, text, tmp_path)
        assert not (tmp_path / "out.csv").exists()
