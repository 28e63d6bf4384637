"""The comparison table: what is in it, what is marked, and what it says about trials that are not there."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from tabcast.study.analysis.summary import summarize
from tabcast.study.analysis.table import comparison_table, mark_best


def keys(table, names):
    return list(dict.fromkeys(table.frame[list(names)].itertuples(index=False, name=None)))


def marked(table, mark):
    """Labels of rows and columns of the cells with a mark."""
    found = table.frame[table.frame["mark"] == mark]
    rows, columns = (found[list(names)].itertuples(index=False, name=None) for names in (table.rows, table.columns))
    return set(zip(rows, columns, strict=True))


def cell(table, row, column):
    wanted = dict(zip((*table.rows, *table.columns), (*row, *column), strict=True))
    [place] = np.flatnonzero((table.frame[list(wanted)] == pd.Series(wanted)).all(axis=1))
    return table.frame.iloc[place]


def test_cells_are_means_with_errors(results):
    table = comparison_table(results)
    assert keys(table, table.rows)[0] == ("none", "supervised")
    methods = product(("threshold", "curriculum"), ("baseline", "cast-d", "cast-l"))
    assert keys(table, table.rows)[1:] == list(methods)
    assert keys(table, table.columns) == list(product(("diabetes", "cmc"), ("xgboost", "mlp")))
    expected = summarize(results).query(
        "dataset == 'cmc' and model == 'mlp' and method == 'cast-l' and strategy == 'curriculum'"
    )
    got = cell(table, ("curriculum", "cast-l"), ("cmc", "mlp"))
    assert (got.value, got.standard_error, got.n) == (
        expected["mean"].item(),
        expected["standard_error"].item(),
        expected["n"].item(),
    )
    assert (got.se_over, table.notes) == ("seeds", ())


def test_the_results_decide_the_order_and_nothing_else(results):
    first, second = comparison_table(results), comparison_table(results[::-1])
    assert keys(second, second.columns) == keys(first, first.columns)[::-1]
    assert keys(second, second.rows)[1:4] == [("threshold", name) for name in ("cast-l", "cast-d", "baseline")]
    for row in keys(first, first.rows):
        for column in keys(first, first.columns):
            assert cell(second, row, column).value == pytest.approx(cell(first, row, column).value)


def test_marks_are_those_of_the_paper(published):
    """Bold and underlined cells of two columns of the paper's table 1."""
    table = comparison_table(published("table_1"))
    best, second = marked(table, "best"), marked(table, "second")
    mortality, cmc = ("6m-mortality", "xgboost"), ("cmc", "ft_transformer")
    assert {row for row, column in best if column == mortality} == {("threshold", "cast-l"), ("curriculum", "cast-l")}
    assert {row for row, column in second if column == mortality} == {("threshold", "sp"), ("curriculum", "hb")}
    assert {row for row, column in best if column == cmc} == {("threshold", "cast-l"), ("curriculum", "cast-d")}
    assert {row for row, column in second if column == cmc} == {("threshold", "sp"), ("curriculum", "cast-l")}
    assert not any(row == ("none", "supervised") for row, _ in best | second)


def test_rows_without_strategy_do_not_compete(results):
    supervised = results[results["method"] == "supervised"]
    moved = supervised.assign(method="operating-point", score=supervised["score"] + 0.3)
    table = comparison_table(pd.concat([results, moved]))
    alone = table.frame[table.frame["strategy"] == "none"]
    assert set(alone["method"]) == {"supervised", "operating-point"}
    assert set(alone["mark"]) == {""}


@pytest.mark.parametrize(
    ("values", "options", "marks"),
    [
        ([1, 3, 2], {}, ["", "best", "second"]),
        ([1, 3, 2], {"higher_is_better": False}, ["best", "", "second"]),
        ([0.50004, 0.50001, 0.4], {}, ["best", "best", "second"]),
        ([0.50004, 0.50001, 0.4], {"digits": 5}, ["best", "second", ""]),
        ([1, np.nan, 2], {}, ["second", "", "best"]),
        ([1, 1, 1], {}, ["", "", ""]),
        ([np.nan, 1], {}, ["", ""]),
        ([], {}, []),
    ],
)
def test_mark_best(values, options, marks):
    assert mark_best(values, **options) == marks


class TestBesideThePaper:
    def test_each_column_is_followed_by_the_papers(self, results, published):
        table = comparison_table(results, published=published("table_1"))
        assert table.columns == ("dataset", "model", "source")
        assert tuple(keys(table, table.columns)[:2]) == (
            ("diabetes", "xgboost", "ours"),
            ("diabetes", "xgboost", "paper"),
        )
        assert cell(table, ("curriculum", "cast-l"), ("cmc", "mlp", "paper")).value == 0.4595
        assert set(table.frame.loc[table.frame["source"] == "paper", "mark"]) == {""}

    def test_a_stand_in_stands_beside_the_private_set_and_says_so(self, results, published):
        ours = results.assign(dataset=results["dataset"].replace("diabetes", "gusto"))
        table = comparison_table(ours, published=published("table_1"))
        assert cell(table, ("threshold", "cast-l"), ("gusto", "mlp", "paper")).value == 0.3873
        assert table.notes == ("gusto holds other rows than the paper's 6m-mortality.",)

    def test_several_published_numbers_for_a_cell(self, results, published):
        part = results[results["strategy"] != "curriculum"]
        with pytest.raises(ValueError, match=r"The published table must have one row for each of 'method', "):
            comparison_table(part, ["method"], published=published("table_1"))


class TestNotes:
    def test_missing_failed_and_skipped_trials(self, results):
        table = results.astype({"reason": object}).copy()
        status, reason = table.columns.get_loc("status"), table.columns.get_loc("reason")
        table.iloc[:3, status] = "missing"
        table.iloc[10:12, status] = "failed"
        table.iloc[10:12, reason] = "Traceback\n  somewhere\nValueError: no rows."
        last = table["method"].eq("cast-l") & table["model"].eq("mlp")
        table.loc[last, "status"] = "skipped"
        table.loc[last, "reason"] = "needs more rows"
        table.loc[table["status"] != "done", "score"] = np.nan
        notes = comparison_table(table).notes
        assert notes == (
            "3 of 168 trials are missing, for example diabetes/xgboost/supervised/seed0-fold0.",
            "2 of 168 trials failed, for example diabetes/xgboost/baseline/threshold/seed2-fold0: ValueError: no rows.",
            "24 of 168 trials are skipped: needs more rows (24).",
        )

    def test_a_done_trial_without_the_value(self, results):
        results.loc[0, "auc"] = np.nan
        notes = comparison_table(results, value="auc").notes
        assert notes == ("1 of 168 trials is done without auc, for example diabetes/xgboost/supervised/seed0-fold0.",)

    def test_nothing_chosen(self, results):
        assert "No finished trials." in comparison_table(results[:0]).render()

    def test_nothing_done_yet(self, results):
        columns = ["score", "auc", "log_loss"]
        table = comparison_table(results.assign(status="missing").drop(columns=columns))
        assert table.frame["value"].isna().all()
        assert table.notes[0].startswith("168 of 168 trials are missing")


def test_refuses_to_mix_tunings(results):
    mixed = pd.concat([results, results.assign(tuning="sane")])
    with pytest.raises(ValueError, match="mix 'paper', 'sane' of 'tuning'"):
        comparison_table(mixed)
    table = comparison_table(mixed, ["tuning", "strategy", "method"])
    assert len(keys(table, table.rows)) == 14
