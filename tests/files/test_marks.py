"""Amounts and percentages: numbers beside a currency or percent sign, in training, in later and in unlabeled files."""

import numpy as np
import pandas as pd
import pytest

from tabcast.files import Understanding, describe, understand
from tabcast.runs._table import unite

N = 60
AMOUNTS = np.random.default_rng(1).integers(800, 99_000, N)
LABELS = (["yes", "no", None] * N)[:N]


def learn(column, **options):
    return understand(pd.DataFrame({"column": column, "plain": AMOUNTS % 7, "target": LABELS}), "target", **options)


def read(column, later=None, **options):
    understanding = Understanding.from_dict(learn(column, **options).to_dict())
    return understanding.convert(pd.DataFrame({"column": column if later is None else later, "plain": 1.0}))


WAYS = {
    "dollars": [f"${n:,}" for n in AMOUNTS],
    "dollars and cents": [f"$ {n:,}.00" for n in AMOUNTS],
    "US dollars": [f"US${n:,}" for n in AMOUNTS],
    "euros": [f"€ {n:,},00".replace(",", ".", 1) if n > 999 else f"€ {n},00" for n in AMOUNTS],
    "euros behind": [f"{n} €" for n in AMOUNTS],
    "pounds on some": [f"£{n}" if n % 2 else str(n) for n in AMOUNTS],
    "spaces": [f"{n:,} ₽".replace(",", " ") for n in AMOUNTS],
    "percent": [f"{n}%" for n in AMOUNTS],
    "percent behind a space": [f"{n}.0 %" for n in AMOUNTS],
}


@pytest.mark.parametrize("way", WAYS)
def test_marked_numbers_are_numbers(way):
    understanding = learn(WAYS[way])
    assert understanding.columns[0].kind == "number"
    np.testing.assert_array_equal(read(WAYS[way]).features["column"], AMOUNTS)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("-$5.50", -5.5), ("$-5.50", -5.5), ("($1,200)", -1200), ("+$3", 3), ("7.5%", 7.5), ("$7,5 0", None)),
        *(("$$5", None), ("$5%", None), ("€5", None), ("$", None), ("($5", None), ("$5.50 a day", None)),
    ],
)
def test_single_values(text, number):
    percent = [f"{n / 10}%" for n in AMOUNTS]
    found = read(percent if "%" in text and "$" not in text else WAYS["dollars and cents"], [text])
    assert found.features["column"].tolist() == pytest.approx([np.nan if number is None else number], nan_ok=True)
    assert bool(found.problems) == (number is None)


def test_the_user_is_told_and_overrules():
    lines = " ".join(describe(learn(WAYS["dollars"])))
    assert "written with '$'" in lines
    assert "thousands commas" in lines
    assert "7.5% is 7.5" in " ".join(describe(learn(WAYS["percent"])))
    assert learn(WAYS["dollars"], categories=["column"]).columns[0].kind == "category"


def test_two_currencies_are_not_added_up():
    both = [f"${n:,}" if n % 2 else f"€{n:,}" for n in AMOUNTS]
    assert learn(both).columns[0].kind != "number"


def test_few_levels_with_words_stay_levels():
    levels = (["5%", "10%", "more"] * N)[:N]
    assert learn(levels).columns[0].kind == "category"


def test_amounts_in_a_row_are_no_row_numbers():
    assert learn([f"${n}" for n in range(N)]).columns[0].kind == "number"


def test_later_files_in_other_notations():
    later = read(WAYS["dollars"], ["1234.5", "$1,234.5", "$1,000"])
    assert later.features["column"].tolist() == [1234.5, 1234.5, 1000]
    assert not later.problems
    assert read(WAYS["euros"], ["€ 1.000,50", "12"]).features["column"].tolist() == [1000.5, 12]
    plain = read([str(n) for n in AMOUNTS], ["$1,200.50"])
    assert plain.features["column"].tolist() == [1200.5]
    other = read(WAYS["dollars"], ["€5", "$5"])
    assert [problem.what for problem in other.problems] == ["not a number"]


@pytest.mark.parametrize(
    ("training", "later", "noted"),
    [("7.5%", "7.5", True), ("7.5%", 7.5, True), ("7.5", "7.5%", True), ("7.5%", "8%", False), ("7.5", "8", False)],
)
def test_percent_in_one_file_only_is_noted(training, later, noted):
    column = [training if n % 2 else training.replace("7", "6") for n in AMOUNTS]
    found = read(column, [later, later])
    assert [("'column'" in note and "Check" in note) for note in found.notes] == [True] * noted
    assert found.features["column"].tolist() == [float(str(later).rstrip("%"))] * 2


def test_an_unlabeled_file_in_another_notation():
    one = pd.DataFrame({"column": WAYS["euros"], "target": LABELS})
    other = pd.DataFrame({"column": [f"€{n:,}.25" for n in AMOUNTS]})
    united, _ = unite(one, other, "target", ("one.csv", "other.csv"))
    features = understand(united, "target").features(united)["column"]
    np.testing.assert_array_equal(features, np.concatenate([AMOUNTS, AMOUNTS + 0.25]))


def test_an_amount_with_thousands_beside_decimal_commas():
    frame = pd.DataFrame(
        {
            "price": [f"${n:,}" for n in AMOUNTS * 10],
            "size": [f"{n / 7:.2f}".replace(".", ",") for n in AMOUNTS],
            "count": [str(n) for n in AMOUNTS % 50],
            "target": LABELS,
        }
    )
    understanding = understand(frame, "target")
    np.testing.assert_array_equal(understanding.features(frame)["price"], AMOUNTS * 10)
    np.testing.assert_allclose(understanding.features(frame)["size"], AMOUNTS / 7, atol=0.006)
    price, size, count = understanding.columns
    assert "thousands commas" in price.why
    assert "decimal comma" in size.why
    assert count.why == f"numbers from {(AMOUNTS % 50).min()} to {(AMOUNTS % 50).max()}"


@pytest.mark.parametrize("unit", ["", " sq ft"])
def test_thousands_of_some_values_beside_decimal_commas(unit):
    """629 and 1,147: a decimal comma would not have three digits behind it or none at all."""
    numbers = AMOUNTS // 10
    size = [f"{n / 7:.2f}".replace(".", ",") for n in AMOUNTS]
    frame = pd.DataFrame({"area": [f"{n:,}{unit}" for n in numbers], "size": size, "target": LABELS})
    understanding = understand(frame, "target")
    np.testing.assert_array_equal(understanding.features(frame)["area"], numbers)
    later = frame.iloc[:1].assign(area=f"1,147{unit}")
    assert understanding.features(later)["area"].tolist() == [1147]
    american = later.assign(size="1,200.50", area=f"2,147{unit}")
    assert understanding.features(american)["area"].tolist() == [2147]
    german = understand(frame[["size", "target"]].assign(area=f"2,5{unit}"), "target", use=["area"])
    assert german.features(later)["area"].tolist() == [1.147]


UNITS = {
    "square feet": ([f"{n:,} sq ft" for n in AMOUNTS], AMOUNTS, "sq ft"),
    "kilograms": ([f"{n} kg" for n in AMOUNTS], AMOUNTS, "kg"),
    "without a space": ([f"{n / 10}kg" for n in AMOUNTS], AMOUNTS / 10, "kg"),
    "square meters": ([f"{n / 10} m²" for n in AMOUNTS], AMOUNTS / 10, "m²"),
    "square kilometers": ([f"{n}km2" for n in AMOUNTS], AMOUNTS, "km2"),
    "on most": ([f"{n} km/h" if n % 9 else str(n) for n in AMOUNTS], AMOUNTS, "km/h"),
}


@pytest.mark.parametrize("case", UNITS)
def test_numbers_with_a_unit_are_numbers(case):
    column, numbers, unit = UNITS[case]
    found = learn(column).columns[0]
    assert (found.kind, found.used) == ("number", True)
    assert f"written with {unit!r}" in found.why
    np.testing.assert_allclose(read(column).features["column"], numbers)


@pytest.mark.parametrize(
    "levels", [["1", "2", "3", "4 or more"], ["12A", "13A", "14B", "15C"], ["9 AM", "10 AM", "11 PM", "2 PM"]]
)
def test_words_behind_numbers_that_are_no_units(levels):
    assert learn((levels * N)[:N]).columns[0].kind == "category"


@pytest.mark.parametrize("notation", ["%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M%p"])
def test_times_of_day_are_minutes(notation):
    minutes = AMOUNTS % 1440
    texts = [pd.Timestamp(60 * minute, unit="s").strftime(notation).lstrip("0") for minute in minutes]
    texts = [f"0{text}" if text.startswith(":") else text for text in texts]
    found = learn(texts).columns[0]
    assert (found.kind, found.used) == ("number", True)
    assert "times of day in minutes since midnight" in found.why
    np.testing.assert_array_equal(read(texts).features["column"], minutes)
    assert read(texts, ["2:05 PM", "25:00"]).features["column"].tolist() == pytest.approx([845, np.nan], nan_ok=True)
