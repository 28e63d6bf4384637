"""Findings as text."""

import pandas as pd
import pytest

from tabcast.study.analysis.listing import Listing, listing_to_csv, listing_to_latex, listing_to_markdown

FRAME = pd.DataFrame({"method": ["cast-l", "a|b_c"], "mean": [0.12345, None], "p Holm": [0.00123, 0.5], "n": [3, 10]})


def test_markdown_has_readable_names_aligned_numbers_and_escapes():
    text = listing_to_markdown(Listing("Ranks", FRAME, 3, ("A note with a_b.",)), {"method": {"cast-l": "CAST-L"}})
    assert text == (
        "**Ranks**\n\n"
        "| method  |  mean | p Holm |   n |\n"
        "|---------|------:|-------:|----:|\n"
        "| CAST-L  | 0.123 | 0.0012 |   3 |\n"
        "| a\\|b\\_c |     — |    0.5 |  10 |\n"
        "\nA note with a\\_b.\n"
    )


def test_a_listing_without_lines_says_so():
    text = listing_to_markdown(Listing("Ranks", pd.DataFrame(), notes=("threshold: too few.",)))
    assert "No finished trials." in text
    assert "threshold: too few." in text


def test_csv_keeps_names_and_digits():
    assert listing_to_csv(Listing("Ranks", FRAME)).splitlines()[1] == "cast-l,0.12345,0.00123,3"


@pytest.mark.parametrize("expected", [r"\toprule", r"a|b\_c & --- & 0.5 & 10 \\", "lrrr"])
def test_latex(expected):
    assert expected in listing_to_latex(Listing("Ranks", FRAME, 3))
