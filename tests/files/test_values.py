"""Notations of numbers and dates, against slow and obvious readings."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabcast.files._values import (
    DATE_FORMATS,
    TIME_FORMATS,
    find_date_format,
    find_number_format,
    find_texts,
    read_dates,
    read_numbers,
)

NUMBERS = {  # text: plain, thousands comma, decimal comma (None: no number in that notation)
    "1": (1, 1, 1),
    "-1.5": (-1.5, -1.5, None),
    "1,5": (None, None, 1.5),
    "1,234": (None, 1234, 1.234),
    "1.234": (1.234, 1.234, 1234),
    "1,234,567": (None, 1234567, None),
    "1.234.567": (None, None, 1234567),
    "1.234,5": (None, None, 1234.5),
    "1,234.5": (None, 1234.5, None),
    "0,125": (None, None, 0.125),
    "0.125": (0.125, 0.125, None),
    "1234,5": (None, None, 1234.5),
    "12,34": (None, None, 12.34),
    "1,2345": (None, None, 1.2345),
    ",5": (None, None, 0.5),
    ".5": (0.5, 0.5, None),
    "1,5e3": (None, None, 1500),
    "1 234": (1234, 1234, 1234),
    "1 234,5": (None, None, 1234.5),
    "1 234.5": (1234.5, 1234.5, None),
    "1'000'000": (1e6, 1e6, 1e6),
    "12 34": (None, None, None),
    "1,,2": (None, None, None),
    "1,23,456": (None, None, None),
    "1_000": (None, None, None),
    "0x1F": (None, None, None),
    "12abc": (None, None, None),
    "1/2": (None, None, None),
    "5%": (None, None, None),
}


@pytest.mark.parametrize("text", NUMBERS)
def test_notations(text):
    got = [
        read_numbers(np.array([text], dtype=object), name)[0] for name in ("plain", "thousands_comma", "decimal_comma")
    ]
    expected = [np.nan if value is None else value for value in NUMBERS[text]]
    np.testing.assert_array_equal(got, expected)


@settings(max_examples=60, deadline=None)
@given(st.floats(allow_nan=False))
def test_plain_numbers_are_exact(number):
    assert read_numbers(np.array([repr(number)], dtype=object), "plain")[0] == number


@pytest.mark.parametrize(
    ("texts", "preferred", "expected"),
    [
        (["1", "2.5"], None, "plain"),
        (["1,234", "2.5"], None, "thousands_comma"),
        (["1,234", "2,5"], None, "decimal_comma"),
        (["1,234", "5"], None, None),
        (["1,234", "5"], "decimal_comma", "decimal_comma"),
        (["1,234", "5"], "thousands_comma", "thousands_comma"),
        (["1.5", "5"], "decimal_comma", "plain"),
        (["1", "5"], None, "plain"),
    ],
)
def test_the_notation_that_reads_most_wins(texts, preferred, expected):
    assert find_number_format(find_texts(pd.Series(texts)), preferred)[0] == expected


@pytest.mark.parametrize(
    ("day", "time"),
    [(day, TIME_FORMATS[number % len(TIME_FORMATS)]) for number, day in enumerate(DATE_FORMATS[1:])]
    + [("%d.%m.%Y", time) for time in TIME_FORMATS],
)
def test_every_notation_of_dates_is_found(day, time):
    random = np.random.default_rng(0)
    start = datetime.datetime(1990, 1, 1)
    moments = [start + datetime.timedelta(minutes=int(minutes)) for minutes in random.integers(0, 15_000_000, 60)]
    texts = find_texts(pd.Series([moment.strftime(day + time) for moment in moments]))
    found = find_date_format(texts)
    assert found is not None
    days = {moment.strftime("%Y-%m-%d" + time.replace("%I", "%H").replace(" %p", "")) for moment in moments}
    got = read_dates(texts.levels, found)
    assert {pd.Timestamp(moment) for moment in got} == {pd.Timestamp(text) for text in days}


@pytest.mark.parametrize("texts", [["1.2.3", "4.5.6"], ["10.0.0.1", "10.0.0.2"], ["12:30", "13:45"], ["a-b", "c-d"]])
def test_what_looks_a_little_like_a_date_is_none(texts):
    assert find_date_format(find_texts(pd.Series(texts * 10))) is None


def test_texts_are_the_column():
    column = pd.Series([" b", "a", None, "NA", "b ", "n/a", "none"])
    texts = find_texts(column)
    assert texts.levels.tolist() == ["a", "b", "none"]
    assert texts.codes.tolist() == [1, 0, -1, -1, 1, -1, 2]
    assert texts.counts.tolist() == [1, 2, 1]
    assert texts.without(frozenset({"a"})).codes.tolist() == [0, -1, -1, -1, 0, -1, 1]
