"""The few lines that describe a table, for readers of Python and of the command line."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tabcast.files
from tabcast.files import TableFileError, describe, understand
from tabcast.files._words import NOTES, REASONS
from tabcast.wording import Wording


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
        "3 columns left out, use one with `use=['NAME']`:",
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
    assert lines == [
        "Column 'mixed': numbers from 0 to 16.71; 1 value that is not one counts as missing, for example 'much'."
    ]
    assert [column.is_altered for column in understand(frame, "target").columns] == [False, True]


class Shouting(Wording):
    def name(self, argument):
        return argument.name.upper()


def test_every_audience_reads_its_own_name_for_an_argument():
    frame = pd.DataFrame({"x": np.arange(40) % 7, "same": 1, "target": ["a", "b"] * 20})
    described = " ".join(describe(understand(frame, "target"), Shouting()))
    assert "Leave columns out with IGNORE, treat a numeric column as categorical with CATEGORIES." in described
    assert "use it with USE:" in described
    with pytest.raises(TableFileError) as caught:
        understand(frame, "target", id_columns=["nothing like it"])
    assert ", which `id_columns` names; " in str(caught.value)
    assert ", which ID_COLUMNS names; " in caught.value.say(Shouting())


def test_every_fact_has_words():
    """What `decide` and `find_target` can notice is what `_words` has a wording for."""
    folder = Path(tabcast.files.__file__).parent
    made = set(re.findall(r'note\(\s*"(\w+)"', "".join(path.read_text() for path in folder.glob("*.py"))))
    made |= {"decimal_comma", "thousands_comma", "infinite", "too_large"}
    assert made == set(REASONS) | set(NOTES)
