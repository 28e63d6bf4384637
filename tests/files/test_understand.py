"""Understanding: what each column is taken for, the labels, and the same features from every later file."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabcast.files import TableFileError, Understanding, describe, read_table_file, understand, write_table_file
from tabcast.wording import Wording
from tests.conftest import DATASETS, SMALL_TABLES, hide_labels, needs, read_dataset, read_meta

N = 100
RANDOM = np.random.default_rng(0)
NUMBERS = RANDOM.normal(size=N).round(4)
LABELS = np.where(np.arange(N) % 2, "yes", "no").astype(object)


def table(column, name="column", labels=LABELS):
    """A table of one interesting column, a plain one, and a target."""
    return pd.DataFrame({name: column, "plain": NUMBERS[: len(column)], "target": labels[: len(column)]})


def note(column, name="column", **options):
    """What is said about the interesting column."""
    understanding = understand(table(column, name), "target", **options)
    return {entry.name: entry for entry in understanding.columns}[name]


def feature(column, later=None, name="column", **options):
    """The interesting column as a feature, perhaps of a later table."""
    understanding = understand(table(column, name), "target", **options)
    return understanding.features(table(column if later is None else later, name))[name]


WORDS = ["red", "green", "blue", "black"]
KINDS = {
    "floats": (NUMBERS, "number", True, "numbers from"),
    "floats as text": ([str(value) for value in NUMBERS], "number", True, "numbers from"),
    "integers": (np.arange(N) % 30, "number", True, "numbers from 0 to 29"),
    "nullable integers": (pd.array([1, None, 3, 4] * 25, dtype="Int64"), "number", True, "numbers from 1 to 4"),
    "NA spellings": ([*["1.5", "NA", "-", "?", "n/a", "None", "7"] * 14, "2", "3"], "number", True, "1.5 to 7"),
    "decimal commas": ([f"{value:.2f}".replace(".", ",") for value in NUMBERS], "number", True, "decimal comma"),
    "german thousands": (["1.234,5", "12,25", "1.000.000,0", "7"] * 25, "number", True, "decimal comma"),
    "american thousands": (["1,234.5", "12.25", "1,000,000", "7"] * 25, "number", True, "thousands commas"),
    "spaces as thousands": (["1 234", "12", "1 000 000", "1'000"] * 25, "number", True, "numbers from 12 to 1,000,000"),
    "two meanings": (["1,234", "5,678", "9,123", "4,567"] * 25, "mixed", False, "thousands or a decimal comma"),
    "words": (WORDS * 25, "category", True, "4 levels: 'black', 'blue', 'green', ..."),
    "a category by type": (pd.Categorical([5, 1, 2, 5] * 25), "category", True, "3 levels: '1', '2', '5'"),
    "yes or empty": (["x", None] * 50, "category", True, "1 level: 'x'"),
    "booleans": ([True, False] * 50, "category", True, "2 levels: 'false', 'true'"),
    "booleans and missing": ([True, False, None, True] * 25, "category", True, "2 levels: 'false', 'true'"),
    "booleans as text": (["TRUE", "False"] * 50, "category", True, "2 levels: 'false', 'true'"),
    "zip codes": (["02139", "10115", "02140", "99999"] * 25, "category", True, "leading zeros"),
    "none is a level": (["none", "some", "?", "-"] * 25, "category", True, "4 levels: '-', '?', 'none', ..."),
    "numbers and a word as levels": (["2", "3", "4", "5more"] * 25, "category", True, "4 levels"),
    "stray words": ([*[str(value) for value in NUMBERS[:95]], *["abc"] * 5], "number", True, "5 other values .* 'abc'"),
    "half words": ([f"{value}" if value > 0 else f"w{value}" for value in NUMBERS], "identifier", False, "different"),
    "iso dates": (
        pd.date_range("2020-01-01", periods=N).strftime("%Y-%m-%d"),
        "date",
        True,
        "2020-01-01 to 2020-04-09",
    ),
    "iso times": (pd.date_range("2020-01-01", periods=N).strftime("%Y-%m-%dT%H:%M:%SZ"), "date", True, "as days"),
    "german dates": (
        pd.date_range("2020-01-01", periods=N).strftime("%d.%m.%Y"),
        "date",
        True,
        "2020-01-01 to 2020-04",
    ),
    "american dates": (
        pd.date_range("2020-01-01", periods=N).strftime("%m/%d/%Y"),
        "date",
        True,
        "2020-01-01 to 2020-04",
    ),
    "british dates": (
        pd.date_range("2020-01-01", periods=N).strftime("%d/%m/%Y"),
        "date",
        True,
        "2020-01-01 to 2020-04",
    ),
    "unclear dates": (["01/02/2020", "03/04/2020"] * 50, "date", True, "read as month/day"),
    "named months": (
        pd.date_range("2020-01-01", periods=N).strftime("%d %b %Y"),
        "date",
        True,
        "2020-01-01 to 2020-04",
    ),
    "date and time": (pd.date_range("2020-01-01", periods=N).strftime("%d.%m.%Y %H:%M"), "date", True, "as days"),
    "typed dates": (pd.date_range("2020-01-01", periods=N), "date", True, "2020-01-01 to 2020-04-09"),
    "zoned dates": (pd.date_range("2020-01-01", periods=N, tz="US/Eastern"), "date", True, "2020-01-01 to 2020-04-09"),
    "durations": (pd.to_timedelta(NUMBERS, unit="h"), "number", True, "durations in seconds"),
    "free text": (
        [f"this is sentence number {i} of many" for i in range(N)],
        "text",
        False,
        "free text, 100 different",
    ),
    "unique words": ([f"w{i}x" for i in range(N)], "identifier", False, "a different value in every row"),
    "nearly unique words": ([f"w{max(i, 3)}x" for i in range(N)], "identifier", False, "97% of the rows"),
    "row numbers": (np.arange(1, N + 1), "identifier", False, "like row numbers"),
    "shuffled row numbers": (RANDOM.permutation(N) + 1000, "identifier", False, "like row numbers"),
    "row numbers as text": ([str(i) for i in range(N)], "identifier", False, "like row numbers"),
    "padded row numbers": ([f"{i:05d}" for i in range(N)], "identifier", False, "leading zeros"),
    "long keys": (RANDOM.integers(10**17, 10**18, N), "identifier", False, "too long for a measurement"),
    "long keys as text": ([str(10**25 + 7 * i) for i in range(N)], "identifier", False, "too long for a measurement"),
    "huge numbers": ([*NUMBERS[:98], 1e300, -1e300], "number", True, "2 cut to 1e38"),
    "infinite numbers": ([*NUMBERS[:98], np.inf, -np.inf], "number", True, "2 infinite as missing"),
    "infinite as text": (
        [*[str(x) for x in NUMBERS[:98]], "inf", "-Infinity"],
        "number",
        True,
        "2 infinite as missing",
    ),
    "only infinite": ([np.inf] * N, "empty", False, "only infinite"),
    "constant number": ([7.0] * N, "constant", False, "the same value in every row, 7"),
    "constant word": (["here"] * N, "constant", False, "'here'"),
    "constant date": (["2020-01-01"] * N, "constant", False, "the same value in every row, 2020-01-01"),
    "empty": ([None] * N, "empty", False, "no value in any row"),
    "NA only": (["NA", "nan"] * 50, "empty", False, "no value in any row"),
    "lists": ([[1, 2]] * N, "mixed", False, "type list"),
    "several types": ([1, "1", 2.5, "3"] * 25, "number", True, "numbers from 1 to 3"),
}


@pytest.mark.parametrize("case", KINDS)
def test_kinds(case):
    column, kind, used, why = KINDS[case]
    found = note(column)
    assert (found.kind, found.used) == (kind, used), found.why
    assert why in found.why or re.search(why, found.why), found.why
    assert "\n" not in found.why


def test_ten_thousand_levels_are_capped():
    random = np.random.default_rng(1)
    levels = np.minimum(random.zipf(1.3, 60_000), 10_000)
    frame = pd.DataFrame({"city": [f"city {level}" for level in levels], "target": ["a", "b"] * 30_000})
    understanding = understand(frame, "target")
    (found,) = understanding.columns
    assert found.kind == "category"
    assert "the 199 most frequent kept" in found.why
    feature = understanding.features(frame)["city"]
    assert len(feature.cat.categories) == 200
    assert (feature == "(other)").mean() == pytest.approx(
        1 - pd.Series(levels).value_counts().iloc[:199].sum() / 60_000
    )
    assert feature[levels == 1].unique().tolist() == ["city 1"]
    new = understanding.features(pd.DataFrame({"city": ["city 1", "nowhere", None]}))["city"]
    assert new.astype(object).where(new.notna(), None).tolist() == ["city 1", "(other)", None]


@pytest.mark.parametrize(
    "name", ["id", "customer_id", "customerId", "ID", "Row Nr", "key", "PassengerId", "Unnamed: 0"]
)
def test_names_of_keys_count(name):
    keys = np.cumsum(np.random.default_rng(0).integers(1, 9, N))
    assert note(keys, name).kind == "identifier"
    assert note(keys, "income").kind == "number"
    assert note(np.arange(N) % 7, name).kind == "number"  # named like a key, but with seven values


def test_words_like_names_or_keys_are_said():
    names = [f"customer {RANDOM.integers(80)}" for _ in range(N)]
    understanding = understand(table(names), "target")
    assert understanding.columns[0].used
    assert "perhaps names or keys" in " ".join(describe(understanding))
    towns = [f"town {number % 25}" for number in range(N)]
    assert "names or keys" not in " ".join(describe(understand(table(towns), "target")))


@pytest.mark.parametrize(
    ("index", "name"),
    [
        (range(N), "Unnamed: 0"),
        ([*range(50), *range(50)], "Unnamed: 0.1"),
        (RANDOM.permutation(N) + 7, "Unnamed: 0"),
        (range(4), "Unnamed: 0"),
    ],
)
def test_the_index_of_a_frame_is_left_out(index, name):
    found = note([str(number) for number in index], name)
    assert (found.kind, found.used) == ("identifier", False)
    assert "like an index that pandas writes" in found.why
    assert note([str(number) for number in index], name, use=[name]).used


def test_small_tables_keep_their_integers():
    assert note(np.arange(12)).kind == "number"


VALUES = {
    "decimal commas": (["1,5", "-2,25", "3", "1.234,5"] * 25, [1.5, -2.25, 3, 1234.5]),
    "thousands": (["1,234.5", "12", "-1,000,000", "0.5"] * 25, [1234.5, 12, -1000000, 0.5]),
    "spaces": (["1 234", "2\u00a0500,5", "12,5", "0"] * 25, [1234, 2500.5, 12.5, 0]),
    "exponents": (["1e3", "-2E-2", "+5", ".5"] * 25, [1000, -0.02, 5, 0.5]),
    "spaces around": ([" 1 ", "2 ", "\t3", "4"] * 25, [1, 2, 3, 4]),
    "missing": (["1", "NA", "?", "2.5"] * 25, [1, np.nan, np.nan, 2.5]),
    "huge": ([1e300, -1e300, 5.0, np.inf] * 25, [1e38, -1e38, 5, np.nan]),
    "dates": (["2020-01-01", "2020-01-02", "2019-12-31", None] * 25, [1, 2, 0, np.nan]),
    "dates and times": (
        ["2020-01-01 12:00", "2020-01-02 00:00", "NA", "2020-01-01 06:00"] * 25,
        [0.5, 1, np.nan, 0.25],
    ),
    "durations": (pd.to_timedelta(["1h", "2s", None, "1s"] * 25), [3600, 2, np.nan, 1]),
}


@pytest.mark.parametrize("case", VALUES)
def test_values_of_features(case):
    column, expected = VALUES[case]
    got = feature(column)
    assert got.dtype == float
    np.testing.assert_array_equal(got[:4], expected)


def test_two_meanings_are_settled_by_the_other_columns():
    unclear = ["1,234", "5,678", "9,123", "4,567"] * 25
    german = pd.DataFrame({"u": unclear, "x": [f"{v:.2f}".replace(".", ",") for v in NUMBERS], "target": LABELS})
    american = german.assign(x=[f"{1e6 * v:,.2f}" for v in NUMBERS])
    assert understand(german, "target").features(german)["u"][0] == 1.234
    assert understand(american, "target").features(american)["u"][0] == 1234
    dotted = german.assign(u=["1.234", "5.678", "9.123", "4.567"] * 25)
    assert understand(dotted, "target").features(dotted)["u"][0] == 1234
    alone = table(["1.234", "5.678", "9.123", "4.567"] * 25)
    assert understand(alone, "target").features(alone)["column"][0] == 1.234
    forced = understand(table(unclear), "target", use=["column"])
    assert forced.features(table(unclear))["column"][0] == 1234


def test_a_later_file_may_be_written_another_way():
    """The notation is the file's, not the model's."""
    point = table([f"{1000 * value:.3f}" for value in NUMBERS])
    comma = point.apply(lambda column: column.map(lambda value: str(value).replace(".", ",")))
    typed = point.assign(column=point["column"].astype(float))
    for first in (point, comma, typed):
        understanding = understand(first, "target")
        for later in (point, comma, typed):
            got = understanding.convert(later)
            np.testing.assert_array_equal(got.features, typed[["column", "plain"]])
            assert got.problems == []


def test_what_cannot_be_used_is_counted():
    dates = pd.date_range("2020-01-01", periods=N).strftime("%Y-%m-%d")
    frame = pd.DataFrame({"x": NUMBERS, "c": WORDS * 25, "d": dates, "target": LABELS})
    understanding = understand(frame, "target")
    later = pd.DataFrame({"d": ["soon", "2020-01-03"], "c": ["pink", "red"], "x": ["much", "inf"], "more": [1, 2]})
    converted = understanding.convert(later)
    assert list(converted.features.columns) == ["x", "c", "d"]
    assert converted.features.isna().to_numpy().tolist() == [[True, True, True], [True, False, False]]
    assert [(problem.column, problem.what, problem.n, problem.example) for problem in converted.problems] == [
        ("x", "not a number", 1, "'much'"),
        ("x", "infinite", 1, "'inf'"),
        ("c", "unseen level", 1, "'pink'"),
        ("d", "not a date", 1, "'soon'"),
    ]
    assert converted.problems[0].say() == ("Column 'x': 1 value counted as missing: not a number (for example 'much').")
    with pytest.raises(TableFileError, match="lacks columns 'c', 'd' of the training table"):
        understanding.features(later[["x"]])
    with pytest.raises(TableFileError, match=r"lacks column 'c' of the training table; did you mean 'C'?"):
        understanding.features(later.rename(columns={"c": "C"}))


def test_the_user_overrules():
    frame = pd.DataFrame(
        {
            "id": np.arange(N),
            "code": [f"w{i}" for i in range(N)],
            "note": [f"this is sentence number {i} of many" for i in range(N)],
            "same": ["here"] * N,
            "none": [None] * N,
            "x": NUMBERS,
            "target": LABELS,
        }
    )
    assert understand(frame, "target").feature_names == ["x"]
    understanding = understand(frame, "target", use=["id", "code", "note", "same"], ignore=["x"])
    assert understanding.feature_names == ["id", "code", "note", "same"]
    kinds = {column.name: column.kind for column in understanding.columns}
    assert kinds == {
        **{"id": "number", "code": "category", "note": "category", "same": "category"},
        **{"none": "empty", "x": "number"},
    }
    assert understanding.columns[-1].why == "left out on request"
    assert "used as numbers on request; consecutive integers" in understanding.columns[0].why
    assert understanding.features(frame)["id"].tolist() == list(range(N))
    by_id = understand(frame.assign(y=NUMBERS), "target", id_columns=["x"])
    assert by_id.feature_names == ["y"]
    with pytest.raises(TableFileError, match=r"'none', named by `use`, cannot be used: no value in any row"):
        understand(frame, "target", use=["none"])


REGIONS = [1, 2, 3, 2]
WAYS_TO_WRITE_THEM = {
    "integers": lambda: pd.Series(REGIONS * (N // 4)),
    "floats with a gap": lambda: pd.Series([*REGIONS * (N // 4 - 1), 1.0, 2.0, None, 2.0]),
    "text": lambda: pd.Series([str(one) for one in REGIONS] * (N // 4)),
    "text of floats": lambda: pd.Series([f"{one}.0" for one in REGIONS] * (N // 4)),
    "text of both": lambda: pd.Series(["1", "2.0", "3", "2"] * (N // 4)),
}


@pytest.mark.parametrize("way", WAYS_TO_WRITE_THEM)
def test_numbers_that_stand_for_categories(way):
    frame = pd.DataFrame({"region": WAYS_TO_WRITE_THEM[way](), "x": NUMBERS, "target": LABELS})
    assert understand(frame, "target").columns[0].kind == "number"
    understanding = understand(frame, "target", categories=["region"])
    assert understanding.columns[0].kind == "category"
    assert understanding.columns[0].why == "3 levels: '1', '2', '3', as requested"
    got = understanding.features(frame)["region"]
    assert got.dtype == pd.CategoricalDtype(["1", "2", "3"])
    assert got.tolist()[:4] == ["1", "2", "3", "2"]
    assert got.isna().sum() == frame["region"].isna().sum()
    for other in WAYS_TO_WRITE_THEM.values():  # a later file may write them in another way
        later = Understanding.from_dict(understanding.to_dict()).convert(frame.assign(region=other()))
        assert not later.problems
        assert later.features["region"].tolist()[:4] == ["1", "2", "3", "2"]


def test_codes_with_leading_zeros_are_kept_apart():
    frame = pd.DataFrame({"code": ["01", "1", "10", "2"] * (N // 4), "x": NUMBERS, "target": LABELS})
    got = understand(frame, "target", categories=["code"]).features(frame)["code"]
    assert got.tolist()[:4] == ["01", "1", "10", "2"]


def test_what_a_user_calls_categories_is_used_whatever_it_looks_like():
    frame = pd.DataFrame({"key": np.arange(N), "same": 7, "none": None, "x": NUMBERS, "target": LABELS})
    understanding = understand(frame, "target", categories=["key", "same"], use=["key"])
    assert understanding.feature_names == ["key", "same", "x"]
    assert [column.kind for column in understanding.columns] == ["category", "category", "empty", "number"]
    with pytest.raises(TableFileError, match=r"'none', named by `categories`, cannot be used: no value in any row"):
        understand(frame, "target", categories=["none"])


NAMED_WRONGLY = {
    "target": ({"target": "targetx"}, "no column 'targetx'; did you mean 'target'"),
    "target's case": ({"target": "TARGET"}, "did you mean 'target'"),
    "target unlike all": ({"target": "zzz"}, r"no column 'zzz'; its columns are 'column', 'plain', 'target'\."),
    "ignore": ({"ignore": ["Plain"]}, "no column 'Plain', which `ignore` names; did you mean 'plain'"),
    "use": ({"use": ["zzz"]}, "no column 'zzz', which `use` names"),
    "ignore the target": ({"ignore": ["target"]}, "`ignore` names 'target', which is the target"),
    "category": ({"categories": ["zzz"]}, "no column 'zzz', which `categories` names"),
    "nothing left": ({"ignore": ["plain", "column"]}, "No column is left to predict 'target' from"),
}


@pytest.mark.parametrize("case", NAMED_WRONGLY)
def test_names_that_are_wrong(case):
    options, sentence = NAMED_WRONGLY[case]
    with pytest.raises(TableFileError, match=sentence):
        understand(table(WORDS * 25), **({"target": "target"} | options))


def test_missing_names_are_explained():
    with pytest.raises(TableFileError, match="only one column was found: columns are separated by comma"):
        understand(pd.DataFrame({"a b c": ["1 2 3"]}), "c3")
    with pytest.raises(TableFileError, match="first line seems to hold values, not names"):
        understand(pd.DataFrame({"1.5": ["2"], "3": ["4"]}), "target")


LABEL_TYPES = {
    "words": (["no", " yes", None, "no "], ["no", "yes", None, "no"]),
    "integers": ([1, 0, 1, 0], [1, 0, 1, 0]),
    "integers with a gap": ([1.0, np.nan, 0.0, 1.0, 0.0], [1, None, 0, 1, 0]),
    "integers as text": (["1", "", "0", "1", "0"], [1, None, 0, 1, 0]),
    "integers as floats as text": (["1.0", None, "0.0", "1", "0"], [1, None, 0, 1, 0]),
    "halves": (["0.5", "1.0", "0.50", "1"], [0.5, 1.0, 0.5, 1.0]),
    "truth": ([True, False, None, True, False], [True, False, None, True, False]),
    "truth as text": (["TRUE", "false", None, "True", "False"], [True, False, None, True, False]),
    "codes": (["01", "02", "NA", "01", "02"], ["01", "02", None, "01", "02"]),
    "categories": (pd.Categorical(["b", "a", None, "b", "a"]), ["b", "a", None, "b", "a"]),
    "none is a class": (["none", "some", "NaN", "none", "some"], ["none", "some", None, "none", "some"]),
    "nullable": (pd.array([1, None, 0, 1, 0], dtype="Int64"), [1, None, 0, 1, 0]),
}


@pytest.mark.parametrize("case", LABEL_TYPES)
def test_labels(case):
    column, expected = LABEL_TYPES[case]
    frame = pd.DataFrame({"x": NUMBERS[: len(column)], "target": column})
    understanding = understand(frame, "target")
    labels = understanding.labels(frame)
    assert labels.tolist() == expected
    assert [type(label) for label in labels] == [type(label) for label in expected]
    assert understanding.classes == sorted({label for label in expected if label is not None})
    assert understanding.n_labeled == sum(label is not None for label in expected)
    assert understanding.n_labeled + understanding.n_unlabeled == len(expected)
    assert understanding.class_counts == {label: expected.count(label) for label in understanding.classes}


@pytest.mark.parametrize(
    ("column", "marker"),
    [
        (["-1", "0", "1", "0", "1"], "-1"),
        ([-1, 0, 1, 0, 1], "-1"),
        ([-1.0, 0, 1, 0, 1], -1),
        (["unknown", "a", "b", "a", "b"], "unknown"),
        ([" unknown ", "a", "b", "a", "b"], "unknown "),
        (["?", "a", "b", "a", "b"], "?"),
    ],
)
def test_missing_label(column, marker):
    frame = pd.DataFrame({"x": NUMBERS[:5], "target": column})
    understanding = understand(frame, "target", missing_label=marker)
    assert understanding.labels(frame)[0] is None
    assert (understanding.n_labeled, len(understanding.classes)) == (4, 2)
    assert len(understand(frame, "target").classes) == 3


def target(values):
    return pd.DataFrame({"x": np.resize(NUMBERS, len(values)), "target": values})


BAD_TARGETS = {
    "none labeled": ([None] * 9, "No row has a label: column 'target' is empty"),
    "NA only": (["NA"] * 9, "No row has a label"),
    "one class": (["yes", None] * 9, "only one class among its 9 labeled rows, 'yes'"),
    "a quantity": (NUMBERS, "100 different numbers in 100 labeled rows, so it looks like a quantity"),
    "a quantity, often repeated": (np.tile(NUMBERS, 50), "looks like a quantity"),
    "many integers": (np.tile(np.arange(150), 10), "looks like a quantity; cut it into ranges"),
    "names": ([f"name {i}" for i in range(N)], "100 different labels in 100 labeled rows"),
    "nearly all different": ([f"name {i % 60}" for i in range(N)], "60 different labels in 100 labeled rows"),
    "two rows, two classes": (["a", "b", None], "2 different labels in 2 labeled rows"),
}


@pytest.mark.parametrize("case", BAD_TARGETS)
def test_targets_that_are_none(case):
    values, sentence = BAD_TARGETS[case]
    with pytest.raises(TableFileError, match=sentence):
        understand(target(values), "target")


def test_words_on_targets():
    def notes(values, **options):
        return " ".join(describe(understand(target(values), "target", **options)))

    assert "Caution: Label -1 is treated as a class (9 rows of 'target'); if it marks unlabeled rows, " in (
        notes([-1, 0, 1, None] * 9)
    )
    assert "Only one labeled row of class 'c'" in notes(["a", "b"] * 9 + ["c"])
    assert "No row of 'target' holds the missing label '?'" in notes(["a", "b", None] * 9, missing_label="?")


@pytest.mark.parametrize(
    ("marker", "empty"),
    [("?", True), ("unknown", False), ("Unlabeled", True), ("none", False), (-1, True), (-1, False)],
)
def test_labels_that_look_like_markers_raise_a_caution(marker, empty):
    values = [marker, "a", "b", None if empty else "a"] * 9 if marker != -1 else [-1, 0, 1, None if empty else 0] * 9
    line = describe(understand(target(values), "target"))[-1]
    assert line.startswith(f"Caution: Label {marker!r} is treated as a class (9 rows")
    assert line.endswith(f"use `missing_label={marker!r}`.")
    lines = describe(understand(target(values), "target", missing_label=marker))
    assert not any("Caution" in line for line in lines)


def test_ordinary_labels_raise_no_caution():
    assert not any("Caution" in line for line in describe(understand(target(["a", "b", None] * 9), "target")))


def test_a_label_that_was_not_there_is_refused():
    understanding = understand(target(["a", "b"] * 9), "target")
    with pytest.raises(
        TableFileError, match="holds 'c', which is no class of the training table; classes are 'a', 'b'"
    ):
        understanding.labels(target(["a", "c"]))


def test_labels_say_nothing_about_columns():
    frame = table(WORDS * 25).assign(n=np.arange(N) % 9, d=pd.date_range("2020", periods=N).astype(str))
    shuffled = frame.assign(target=np.roll(LABELS, 1))
    shuffled.loc[:30, "target"] = None
    one, other = understand(frame, "target"), understand(shuffled, "target")
    assert one.columns == other.columns
    assert one.rules == other.rules


REAL = ["car", "credit-g", "kc2"]


@needs("pyarrow")
@pytest.mark.parametrize("name", REAL)
def test_real_tables_give_the_same_features_from_every_kind_of_file(tmp_path, name):
    X, y = read_dataset(name)
    frame = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    frame["label"] = hide_labels(y.astype(object), 60, 0, marker=None)
    for column in frame.columns:  # what a CSV cannot know is left to the CSV's reading
        if isinstance(frame[column].dtype, pd.CategoricalDtype):
            numbers = pd.to_numeric(frame[column].astype(object), errors="coerce")
            is_number = numbers.notna().sum() == frame[column].notna().sum()
            frame[column] = numbers if is_number else frame[column].astype(object)
    frame["label"] = frame["label"].map(str, na_action="ignore")
    frames = {}
    for ending in (".csv", ".parquet", ".feather", ".tsv.gz"):
        write_table_file(frame, tmp_path / f"t{ending}")
        frames[ending] = read_table_file(tmp_path / f"t{ending}")
    by_csv, by_parquet = (understand(frames[ending], "label") for ending in (".csv", ".parquet"))
    assert [(one.kind, one.why) for one in by_csv.columns] == [(one.kind, one.why) for one in by_parquet.columns]
    assert by_csv.n_labeled == 60
    expected = by_csv.features(frames[".csv"])
    for understanding in (by_csv, by_parquet):
        for one in frames.values():
            pd.testing.assert_frame_equal(understanding.features(one), expected)
            assert understanding.labels(one).tolist() == by_csv.labels(frames[".csv"]).tolist()
    for column in expected.columns:
        ours, theirs = expected[column], frame[column]
        if ours.dtype == float:
            np.testing.assert_array_equal(ours, theirs.astype(float))
        else:
            assert ours.dropna().tolist() == [str(value).strip() for value in theirs.dropna()]


@pytest.mark.parametrize("folder", [SMALL_TABLES, DATASETS], ids=["small", "large"])
def test_every_real_table_is_understood(folder):
    if not folder.exists():
        pytest.skip(f"needs the real tables in {folder}")
    left_out = {}
    elsewhere = read_meta(SMALL_TABLES) if folder == DATASETS else ()
    for entry in read_meta(folder).values():
        if entry["name"] in ("Bioresponse", "clinical_gusto", "clinical_support2_death180", "adult", *elsewhere):
            continue  # large, or tested elsewhere
        frame = read_table_file(folder / f"{entry['name']}.csv.gz")
        understanding = understand(frame, entry["target"])
        for column in understanding.columns:
            if not column.used:
                left_out[entry["name"], column.name] = column.kind
        kinds = {column.name: column.kind for column in understanding.columns if column.used}
        names = [name for name in entry["categories"] if name != entry["target"]]
        words = [name for name in names if frame[name].dropna().str.contains("[a-zA-Z]{2}").all()]
        assert {kinds[name] for name in words} <= {"category"}
    identifiers = {("churn", "phone_number"): "identifier", ("splice", "Instance_name"): "identifier"}
    assert left_out == (identifiers if folder == DATASETS else {})


columns_of_anything = st.one_of(
    st.lists(st.floats(), min_size=30, max_size=30),
    st.lists(st.integers(-(10**20), 10**20), min_size=30, max_size=30),
    st.lists(st.text(max_size=8) | st.none(), min_size=30, max_size=30),
    st.lists(st.sampled_from(["a", "b", "NA", "1", "2,5", "1.234", "2020-01-01", "", "inf"]), min_size=30, max_size=30),
    st.lists(st.datetimes().map(str) | st.sampled_from(["-", ""]), min_size=30, max_size=30),
    st.lists(st.booleans() | st.none() | st.floats() | st.text(max_size=3), min_size=30, max_size=30),
    st.lists(st.decimals(allow_nan=False, allow_infinity=False) | st.none(), min_size=30, max_size=30),
    st.lists(st.dates() | st.none(), min_size=30, max_size=30),
)


@settings(max_examples=40, deadline=None)
@given(first=columns_of_anything, later=columns_of_anything)
def test_anything_in_a_column_is_understood(first, later):
    frame = table(pd.Series(first, dtype=object))
    understanding = understand(frame, "target")
    plain = json.loads(json.dumps(understanding.to_dict()))
    again = Understanding.from_dict(plain)
    assert again == understanding
    assert again.to_dict() == understanding.to_dict()
    one = understanding.features(frame)
    other = again.features(table(pd.Series(later, dtype=object)))
    assert one.dtypes.to_dict() == other.dtypes.to_dict()
    assert list(one.columns) == list(other.columns) == understanding.feature_names
    numbers = one.select_dtypes(float).to_numpy()
    assert (np.isnan(numbers) | (np.abs(numbers) <= 1e38)).all()
    pd.testing.assert_frame_equal(again.features(frame), one)


@settings(max_examples=40, deadline=None)
@given(
    numbers=st.lists(st.floats(-1e9, 1e9).map(lambda value: round(value, 3)), min_size=30, max_size=30, unique=True),
    notation=st.sampled_from(["plain", "german", "american"]),
)
def test_numbers_are_read_back_in_every_notation(numbers, notation):
    text = [f"{value:,.3f}" if notation != "plain" else repr(value) for value in numbers]
    if notation == "german":
        text = [value.replace(",", " ").replace(".", ",").replace(" ", ".") for value in text]
    frame = table(text)
    got = understand(frame, "target", use=["column"]).features(frame)["column"]
    np.testing.assert_array_equal(got, numbers)


def test_tables_that_are_none():
    with pytest.raises(TableFileError, match="no rows"):
        understand(pd.DataFrame({"x": [], "target": []}), "target")
    with pytest.raises(TableFileError, match="more than one column named 'x'"):
        understand(pd.DataFrame([[1, 2]], columns=["x", "x"]), "x")
    with pytest.raises(TableFileError, match="names must be text; got '0'"):
        understand(pd.DataFrame([[1, 2]]), "x")
    with pytest.raises(TableFileError, match="the table has only this one"):
        understand(pd.DataFrame({"target": ["a", "b"] * 9}), "target")
    with pytest.raises(TableFileError, match=r"No column is left .*'id': .*name one with `use`"):
        understand(pd.DataFrame({"id": range(30), "target": ["a", "b"] * 15}), "target")


def test_lines():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "customer_id": np.arange(1, 201),
            "age": random.integers(18, 80, 200),
            "income": [f"{value:.2f}".replace(".", ",") for value in random.normal(3000, 500, 200)],
            "city": random.choice(["Bonn", "Ulm", "Jena"], 200),
            "since": pd.date_range("2019-01-01", periods=200).strftime("%d.%m.%Y"),
            "country": "DE",
            "churned": [*["no", "yes"] * 20, *[None] * 160],
        }
    )
    assert describe(understand(frame, "churned", ignore=["city"])) == [
        "200 rows: 40 labeled, 160 unlabeled.",
        "Classes of 'churned': 'no' 20, 'yes' 20.",
        "3 columns used: 2 numbers ('age', 'income'), 1 date ('since'). Leave columns out with `ignore=['NAME']`, "
        "treat a numeric column as categorical with `categories=['NAME']`.",
        "3 columns left out, to be used with `use=['NAME']`:",
        "  'customer_id' (identifier): consecutive integers, a different one in every row, like row numbers.",
        "  'city' (category): left out on request.",
        "  'country' (constant): the same value in every row, 'DE'.",
        "Column 'income': numbers from 1447 to 4533, written with a decimal comma.",
    ]


def test_many_classes_and_columns_stay_short():
    frame = pd.DataFrame({f"x{number}": np.arange(300) % 7 + number for number in range(40)})
    frame = frame.assign(**{f"same{number}": 1 for number in range(30)}, target=np.arange(300) % 25)
    lines = describe(understand(frame, "target"))
    assert lines[1].endswith("9 12 and 15 more.")
    assert lines[2].startswith("40 columns used: 40 numbers ('x0', 'x1', 'x2', 'x3', 'x4' and 35 more).")
    assert lines[14] == "  and 20 more: " + ", ".join(f"'same{number}'" for number in range(10, 20)) + " and 10 more."
    assert all(len(line) < 250 and "\n" not in line for line in lines)


def test_names_and_values_of_users_stay_on_their_line():
    frame = pd.DataFrame({"a\nb": ["x\ny", "z"] * 20, "c\t": ["one\ntwo"] * 40, "t": ["<b>\n", "q"] * 20})
    lines = describe(understand(frame, "t"))
    assert all("\n" not in line and "\t" not in line for line in lines)


def test_only_columns_whose_values_are_altered_get_a_line():
    """A level may be called anything; what decides is the code of a fact, not the words around it."""
    frame = pd.DataFrame(
        {
            "advice": ["count as missing", "cut to size", "comma", "grouped"] * 30,
            "mixed": ["?", *[str(number / 7) for number in range(118)], "much"],
            "target": ["a", "b"] * 60,
        }
    )
    lines = [line for line in describe(understand(frame, "target")) if line.startswith("Column")]
    assert lines == ["Column 'mixed': numbers from 0 to 16.71; 1 other value as missing, for example 'much'."]
    assert [column.is_altered for column in understand(frame, "target").columns] == [False, True]


class Shouting(Wording):
    def name(self, argument):
        return argument.name.upper()


def test_every_audience_reads_its_own_name_for_an_argument():
    frame = pd.DataFrame({"x": np.arange(40) % 7, "same": 1, "target": ["a", "b"] * 20})
    described = " ".join(describe(understand(frame, "target"), Shouting()))
    assert "Leave columns out with IGNORE, treat a numeric column as categorical with CATEGORIES." in described
    assert "to be used with USE:" in described
    with pytest.raises(TableFileError) as caught:
        understand(frame, "target", id_columns=["nothing like it"])
    assert ", which `id_columns` names; " in str(caught.value)
    assert ", which ID_COLUMNS names; " in caught.value.say(Shouting())
