"""Notations of numbers and dates, against slow and obvious readings."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabcast.files._values import Tally, find_texts, read_levels

NUMBERS = {  # text: with thousands commas, with a decimal comma (None: no number in that notation)
    "1": (1, 1),
    "-1.5": (-1.5, None),
    "1,5": (None, 1.5),
    "1,234": (1234, 1.234),
    "1.234": (1.234, 1234),
    "1,234,567": (1234567, None),
    "1.234,5": (None, 1234.5),
    "1,234.5": (1234.5, None),
    "0,125": (None, 0.125),
    "1,2345": (None, 1.2345),
    ",5": (None, 0.5),
    ".5": (0.5, None),
    "1,5e3": (None, 1500),
    "1 234": (1234, 1234),
    "1 234,5": (None, 1234.5),
    "1'000'000": (1e6, 1e6),
    **dict.fromkeys(["12 34", "1,,2", "1,23,456", "1,234 567", "1_000", "0x1F", "12abc", "1/2"], (None, None)),
}


@pytest.mark.parametrize("text", NUMBERS)
def test_notations(text):
    got = [read_levels([text], "number", name)[0] for name in ("thousands_comma", "decimal_comma")]
    np.testing.assert_array_equal(got, [np.nan if value is None else value for value in NUMBERS[text]])


@settings(max_examples=60, deadline=None)
@given(st.floats(allow_nan=False))
def test_plain_numbers_are_exact(number):
    assert read_levels([repr(number)], "number", "plain")[0] == number


@pytest.mark.parametrize(
    ("kind", "texts", "preferred", "expected"),
    [
        ("number", ["1", "2.5"], None, "thousands_comma"),
        ("number", ["1,234", "2,5"], None, "decimal_comma"),
        ("number", ["1,234", "5"], None, None),
        ("number", ["1,234", "5"], "decimal_comma", "decimal_comma"),
        ("number", ["1.5", "5"], "decimal_comma", "thousands_comma"),
        ("number", ["1.234", "5"], None, "plain"),
        ("number", ["1.234", "5"], "decimal_comma", "decimal_comma"),
        ("number", ["1", "5"], "decimal_comma", "plain"),
        ("date", ["2020-01-02", "03.02.2020", "5 Feb 2020"], "day_first", "plain"),
        ("date", ["01/02/2020", "13/02/2020"], "month_first", "day_first"),
        ("date", ["01/02/2020", "2020-01-02"], None, None),
    ],
)
def test_the_notation_that_reads_more_wins(kind, texts, preferred, expected):
    tally = Tally(kind)
    tally.add(find_texts(pd.Series(texts)))
    assert tally.choose(preferred) == expected


DAYS = ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%y"]
DAYS += ["%m/%d/%y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y"]
TIMES = ["", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p"]


@pytest.mark.parametrize(
    "notation", [day + TIMES[number % len(TIMES)] for number, day in enumerate(DAYS)] + [DAYS[3] + one for one in TIMES]
)
def test_every_notation_of_dates_is_read(notation):
    start = datetime.datetime(1990, 1, 1)
    minutes = np.random.default_rng(0).integers(0, 15_000_000, 60)
    step = 1 if ":" in notation else 1440
    moments = [start + datetime.timedelta(minutes=int(one) // step * step) for one in minutes]
    texts = find_texts(pd.Series([moment.strftime(notation) for moment in moments]))
    tally = Tally("date")
    tally.add(texts)
    days = texts.spread(read_levels(texts.levels, "date", tally.choose(None)))
    expected = [(moment - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1) for moment in moments]
    np.testing.assert_allclose(days, expected, rtol=1e-12)


@pytest.mark.parametrize("text", ["1.2.3", "10.0.0.1", "12:30", "a-b", "12.13.2020", "5 of 2020", "2020-13"])
def test_what_looks_a_little_like_a_date_is_none(text):
    assert np.isnan([read_levels([text], "date", one)[0] for one in ("month_first", "day_first")]).all()


def test_texts_are_the_column():
    texts = find_texts(pd.Series([" b", "a", None, "NA", "b ", "n/a", "none"]))
    assert texts.levels.tolist() == ["b", "a", "none"]
    assert texts.codes.tolist() == [0, 1, -1, -1, 0, -1, 2]
    assert texts.counts.tolist() == [2, 1, 1]
    assert texts.without(frozenset({"a"})).codes.tolist() == [0, -1, -1, -1, 0, -1, 1]
