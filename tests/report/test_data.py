"""What the page carries, and how it stays small."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from tabcast.report import _data, render_report
from tabcast.report._data import embed, encode_column, to_json
from tests.report.conftest import HOSTILE
from tests.report.sample import CLASSES, make_pseudo_labels, make_summary, make_table


@pytest.mark.parametrize("text", HOSTILE)
def test_json_cannot_leave_its_script(text):
    written = to_json({text: [text]})
    assert not set(written) & set("<>&\u2028\u2029")
    assert json.loads(written) == {text: [text]}


def test_rows_come_back_as_they_were():
    labels = make_pseudo_labels(n_unlabeled=50)
    data = embed(labels, None, CLASSES).json
    assert data["row"] == labels["row"].tolist()
    assert [data["labels"][code] for code in data["label"]] == labels["label"].tolist()
    assert [data["labels"][code] for code in data["rawLabel"]] == labels["raw_label"].tolist()
    assert np.allclose(np.array(data["confidence"]) / 10_000, labels["confidence"], atol=6e-5)
    assert [one == "1" for one in data["used"]] == labels["selected"].tolist()
    assert data["values"] is None


def test_numbers_as_labels_have_the_names_of_the_classes():
    labels = make_pseudo_labels(n_unlabeled=30)
    codes = pd.factorize(labels["label"])[0]
    labels["label"] = labels["raw_label"] = codes.astype(float)
    assert embed(labels, None, ["0", "1", "2"]).json["labels"] == ["0", "1", "2"]
    assert embed(labels, None, [0, 1, 2]).json["labels"] == ["0", "1", "2"]


def test_a_whole_table_is_read_by_position():
    labels, table = make_pseudo_labels(n_unlabeled=40), make_table(n_unlabeled=40)
    labelled = make_table(n_unlabeled=412)
    both = pd.concat([labelled, table], ignore_index=True)
    assert embed(labels, table, CLASSES).json["values"] == embed(labels, both, CLASSES).json["values"]


def test_tables_that_do_not_belong_together_are_refused():
    labels = make_pseudo_labels(n_unlabeled=40)
    with pytest.raises(ValueError, match="one row for each of 40 pseudo-labels, or for each row up to 451; it has 39"):
        render_report(make_summary(), labels, make_table(n_unlabeled=39))
    with pytest.raises(ValueError, match="not found: raw_label, density"):
        render_report(make_summary(), labels.drop(columns=["raw_label", "density"]), None)


def test_long_tables_are_thinned_but_rows_spoken_of_stay(monkeypatch):
    monkeypatch.setattr(_data, "MAX_ROWS", 100)
    monkeypatch.setattr(_data, "MAX_DRAWN", 20)
    monkeypatch.setattr(_data, "VALUE_BYTES", 2_000)
    labels, table = make_pseudo_labels(n_unlabeled=1_000), make_table(n_unlabeled=1_000)
    wanted = [413, 700, 1_400]
    page = embed(labels, table, CLASSES, wanted)
    assert page.n_rows == 1_000
    assert len(page.json["row"]) == 100
    assert set(wanted) <= set(page.json["row"])
    values = page.json["values"]
    assert len(to_json(values["columns"])) <= 2_000
    with_values = {page.json["row"][one] for one in values["of"]}
    assert set(wanted) <= with_values
    assert {page.json["row"][one] for one in page.drawn} <= with_values
    assert embed(labels, table, CLASSES, wanted).json == page.json


def test_every_kind_of_column_is_encoded():
    missing = [None, pd.NA, np.nan]
    assert encode_column(pd.Series([1, 2, pd.NA], dtype="Int64")) == {"values": [1, 2, None]}
    assert encode_column(pd.Series([True, False])) == {"levels": ["True", "False"], "codes": [0, 1]}
    assert encode_column(pd.Series(pd.to_datetime(["2026-01-02", None]))) == {
        "levels": ["2026-01-02"],
        "codes": [0, -1],
    }
    assert encode_column(pd.Series(pd.Categorical(["b", None, "b"]))) == {"levels": ["b"], "codes": [0, -1, 0]}
    assert encode_column(pd.Series(missing, dtype=object))["codes"] == [-1, -1, -1]
    assert encode_column(pd.Series([np.inf, -np.inf, 1e300])) == {"values": ["∞", "-∞", 1e300]}
    assert encode_column(pd.Series(["x" * 1_000]))["levels"][0][-1] == "x"
    assert len(encode_column(pd.Series(["x" * 1_000]))["levels"][0]) == _data.MAX_TEXT


@pytest.mark.parametrize("n_columns", [20, 400])
def test_page_is_under_six_megabytes_for_fifty_thousand_rows(n_columns):
    n, rng = 50_000, np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(n, n_columns)), columns=[f"x{k}" for k in range(n_columns)])
    wide["words"] = [f"{k} words that are nowhere twice, with some length to them" for k in range(n)]
    page = render_report(make_summary(n_unlabeled=n), make_pseudo_labels(n_unlabeled=n), wide)
    assert len(page.encode()) < 6_000_000


def test_a_million_rows_make_no_larger_page():
    n = 1_000_000
    page = render_report(make_summary(n_unlabeled=n), make_pseudo_labels(n_unlabeled=n), None)
    assert len(page.encode()) < 6_000_000
    assert "60,000 of them" in page
