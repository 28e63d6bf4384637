"""The few lines that `tabcast fit` prints about a table."""

import numpy as np
import pandas as pd

from tabcast.files import describe, understand


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
        "3 columns used: 2 numbers ('age', 'income'), 1 date ('since'). Leave columns out with --ignore NAME, call "
        "numbers categories with --category NAME.",
        "3 columns left out, use one with --use NAME:",
        "  'customer_id' (identifier): integers without a gap, a different one in every row, like row numbers.",
        "  'city' (category): left out as you asked (--ignore).",
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
