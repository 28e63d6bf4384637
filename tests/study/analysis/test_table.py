"""A table as Markdown, LaTeX and CSV."""

import numpy as np
import pandas as pd
import pytest

from tabcast.study.analysis.table import Table, comparison_table

pytest.importorskip("tabulate")

CELLS = pd.DataFrame(
    {
        "strategy": ["threshold"] * 4,
        "method": ["baseline", "baseline", "cast_l", "cast_l"],
        "dataset": ["cmc", "a|b", "cmc", "a|b"],
        "value": [0.5, 0.25, 0.53, np.nan],
        "standard_error": [np.nan, 0.01, 0.02, np.nan],
        "se_over": ["", "seeds", "folds", ""],
        "n": [1, 3, 3, 0],
        "mark": ["second", "", "best", ""],
    }
)
GRID = Table("50% of_them", CELLS, 2, ("A note.",), ("strategy", "method"), ("dataset",))
LABELS = {"method": {"baseline": "Baseline", "cast_l": "CAST-L"}}


def cells(text):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").replace(r"\|", "/").split("|")] for line in lines]


def test_grid_in_markdown():
    text = GRID.render(labels=LABELS)
    assert text.startswith("**50% of\\_them**\n\n| strategy")
    head, rule, *body = cells(text)
    assert head == ["strategy", "method", "cmc", "a/b"]
    assert all(one.endswith(":") for one in rule[2:])
    assert body == [["FPL", "Baseline", "<u>0.50</u>", "0.25 ± 0.01"], ["", "CAST-L", "**0.53 ± 0.02**", "—"]]
    assert "standard errors over seeds or folds (one seed; its folds share rows, so these are too small)" in text
    assert text.endswith("\n\nA note.\n")


def test_grid_in_latex():
    pytest.importorskip("jinja2")
    text = GRID.render("latex", LABELS)
    for part in (r"\caption{50\% of\_them}", r"\begin{tabular}{llrr}", r"\toprule", r"\textbf{0.53 ± 0.02}"):
        assert part in text
    assert r"FPL & Baseline & \underline{0.50} & 0.25 ± 0.01 \\" in text
    assert r"{\footnotesize A note.}" in text


def test_grid_in_csv():
    pd.testing.assert_frame_equal(
        pd.read_csv(
            pd.io.common.StringIO(GRID.render("csv")),
            keep_default_na=False,
            na_values={"value": [""], "standard_error": [""]},
        ),
        CELLS,
    )


def test_list():
    frame = pd.DataFrame(
        {"method": ["cast-l", "x_y"], "mean_difference": [0.12345, np.nan], "p Holm": [0.01234, None], "of": [4, 4]}
    )
    table = Table("Gains", frame)
    assert cells(table.render())[::2] == [
        ["method", "mean difference", "p Holm", "of"],
        ["cast-l", "0.1235", "0.012", "4"],
    ]
    assert cells(table.render())[3] == [r"x\_y", "—", "—", "4"]
    assert table.render("csv").splitlines()[1] == "cast-l,0.12345,0.01234,4"
    assert r"x\_y & — & — & 4 \\" in table.render("latex")
    assert "No finished trials." in Table("Gains", pd.DataFrame()).render()


def test_several_levels_of_columns(results):
    table = comparison_table(results)
    head = cells(table.render())[0]
    assert head[2:] == ["diabetes / xgboost", "diabetes / mlp", "cmc / xgboost", "cmc / mlp"]
    assert r"\multicolumn{2}{c}{diabetes}" in table.render("latex")


def test_an_unknown_format():
    with pytest.raises(ValueError, match="Unknown format of a table: 'html'"):
        GRID.render("html")
