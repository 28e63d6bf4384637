"""The comparison table: what is in it, what is marked, and what it says about trials that are not there."""

import numpy as np
import pandas as pd
import pytest

from tabcast.study.analysis import comparison_table, summarize
from tabcast.study.analysis.tables import mark_best


def marked(table, mark):
    """Labels of rows and columns of the cells with a mark."""
    return {
        (row, column)
        for row, cells in zip(table.rows, table.cells, strict=True)
        for column, cell in zip(table.columns, cells, strict=True)
        if cell.mark == mark
    }


def cell(table, row, column):
    return table.cells[table.rows.index(row)][table.columns.index(column)]


def test_cells_are_means_with_errors(results):
    table = comparison_table(results)
    assert table.rows[0] == ("", "w/o ST")
    assert table.rows[1:] == tuple((s, m) for s in ("FPL", "CPL") for m in ("Baseline", "CAST-D", "CAST-L"))
    assert table.columns == (("diabetes", "XGB"), ("diabetes", "MLP"), ("cmc", "XGB"), ("cmc", "MLP"))
    expected = summarize(results).query(
        "dataset == 'cmc' and model == 'mlp' and method == 'cast-l' and strategy == 'cpl'"
    )
    got = cell(table, ("CPL", "CAST-L"), ("cmc", "MLP"))
    assert (got.value, got.standard_error, got.n) == (
        expected["mean"].item(),
        expected["standard_error"].item(),
        expected["n"].item(),
    )
    assert (got.se_over, table.notes) == ("seeds", ())


def test_order_of_rows_in_the_results_does_not_matter(results):
    shuffled = results.sample(frac=1, random_state=1)
    first, second = comparison_table(results), comparison_table(shuffled)
    assert (first.rows, set(first.columns)) == (second.rows, set(second.columns))
    assert second.columns == first.columns


def test_marks_are_those_of_the_paper(published):
    """Bold and underlined cells of two columns of the paper's table 1."""
    table = comparison_table(published("table_1"))
    best, second = marked(table, "best"), marked(table, "second")
    mortality, cmc = ("6M mortality", "XGB"), ("cmc", "FT")
    assert {row for row, column in best if column == mortality} == {("FPL", "CAST-L"), ("CPL", "CAST-L")}
    assert {row for row, column in second if column == mortality} == {("FPL", "SP"), ("CPL", "HB")}
    assert {row for row, column in best if column == cmc} == {("FPL", "CAST-L"), ("CPL", "CAST-D")}
    assert {row for row, column in second if column == cmc} == {("FPL", "SP"), ("CPL", "CAST-L")}
    assert not any(row == ("", "w/o ST") for row, _ in best | second)


def test_rows_without_strategy_do_not_compete(results):
    supervised = results[results["method"] == "supervised"]
    moved = supervised.assign(method="operating-point", score=supervised["score"] + 0.3)
    table = comparison_table(pd.concat([results, moved]), ranks=True)
    assert table.rows[:2] == (("", "w/o ST"), ("", "Operating point"))
    assert not any(cell.mark for row in table.cells[:2] for cell in row)
    assert table.cells[1][-1].value is None


@pytest.mark.parametrize(
    ("values", "options", "marks"),
    [
        ([1, 3, 2], {}, ["", "best", "second"]),
        ([1, 3, 2], {"higher_is_better": False}, ["best", "", "second"]),
        ([0.50004, 0.50001, 0.4], {}, ["best", "best", "second"]),
        ([0.50004, 0.50001, 0.4], {"digits": 5}, ["best", "second", ""]),
        ([1, None, 2], {}, ["second", "", "best"]),
        ([1, 1, 1], {}, ["", "", ""]),
        ([None, 1], {}, ["", ""]),
        ([], {}, []),
    ],
)
def test_mark_best(values, options, marks):
    assert mark_best(values, **options) == marks


def test_supervised_can_be_the_best_of_its_block(published):
    table = comparison_table(published("semi_self_supervised"), ["model", "method"], ["dataset"])
    best = marked(table, "best")
    assert {row[1] for row, _ in best} == {"CAST-L"}
    better = published("semi_self_supervised")
    better.loc[better["method"] == "supervised", "score"] = 0.99
    assert {row[1] for row, _ in marked(comparison_table(better, ["model", "method"], ["dataset"]), "best")} == {
        "w/o ST"
    }


class TestRanks:
    def test_ranks_of_the_seventeen_datasets(self, published):
        table = comparison_table(published("seventeen_datasets"), columns=["dataset"], ranks=True)
        last = table.columns[-1]
        assert last == ("Avg rank (sd)",)
        ranks = {row: round(cell(table, row, last).value, 2) for row in table.rows[1:]}
        assert ranks[("FPL", "CAST-L")] == 1.59
        assert ranks[("CPL", "HB")] == 4.03
        assert cell(table, ("", "w/o ST"), last).value is None
        assert {row for row, column in marked(table, "best") if column == last} == {
            ("FPL", "CAST-L"),
            ("CPL", "CAST-L"),
        }
        assert {row for row, column in marked(table, "second") if column == last} == {
            ("FPL", "CAST-D"),
            ("CPL", "CAST-D"),
        }

    def test_lower_scores_rank_first_if_asked(self, results):
        up = comparison_table(results, ranks=True)
        down = comparison_table(results, ranks=True, higher_is_better=False)
        row, column = ("FPL", "CAST-L"), up.columns[-1]
        assert cell(down, row, column).value == pytest.approx(4 - cell(up, row, column).value)

    def test_supervised_is_not_ranked_inside_a_block_either(self, published):
        table = comparison_table(published("semi_self_supervised"), ["model", "method"], ["dataset"], ranks=True)
        ranks = {row: cell(table, row, table.columns[-1]).value for row in table.rows}
        assert ranks[("VIME", "w/o ST")] is None
        assert (ranks[("VIME", "CAST-L")], ranks[("VIME", "Baseline")]) == (1.0, 2.0)

    def test_a_missing_score_leaves_its_block_unranked(self, published):
        scores = published("seventeen_datasets")
        gone = (scores["dataset"] == "car") & (scores["method"] == "gp") & (scores["strategy"] == "cpl")
        table = comparison_table(scores[~gone], columns=["dataset"], ranks=True)
        last = table.columns[-1]
        assert cell(table, ("CPL", "CAST-L"), last).value is None
        assert round(cell(table, ("FPL", "CAST-L"), last).value, 2) == 1.59
        assert cell(table, ("CPL", "GP"), ("car",)).value is None
        assert table.notes == ("Average ranks need a score in every column of a block; 1 cells are missing.",)


class TestBesideThePaper:
    def test_each_column_is_followed_by_the_papers(self, results, published):
        table = comparison_table(results, published=published("table_1"), ranks=True)
        assert table.column_names == ("dataset", "model", "source")
        assert table.columns[:2] == (("diabetes", "XGB", "ours"), ("diabetes", "XGB", "paper"))
        assert cell(table, ("CPL", "CAST-L"), ("cmc", "MLP", "paper")).value == 0.4595
        own = comparison_table(results, ranks=True)
        assert [row[-1] for row in table.cells] == [row[-1] for row in own.cells]
        assert all(not cells[1].mark for cells in table.cells)

    def test_a_stand_in_stands_beside_the_private_set_and_says_so(self, results, published):
        ours = results.assign(dataset=results["dataset"].replace("diabetes", "gusto"))
        table = comparison_table(ours, published=published("table_1"))
        assert cell(table, ("FPL", "CAST-L"), ("gusto (stand-in)", "MLP", "paper")).value == 0.3873
        assert table.notes == ("gusto (stand-in) holds other rows than the paper's 6M mortality.",)

    def test_what_the_paper_lacks_is_empty(self, results, published):
        table = comparison_table(results.replace({"model": {"mlp": "mine"}}), published=published("table_1"))
        assert cell(table, ("FPL", "CAST-L"), ("cmc", "mine", "paper")).value is None

    def test_several_published_numbers_for_a_cell(self, results, published):
        part = results[results["strategy"] != "cpl"]
        with pytest.raises(
            ValueError, match=r"`published` of comparison_table must have one row for each of 'method', "
        ):
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
            "2 of 168 trials failed, for example diabetes/xgboost/baseline/fpl/seed2-fold0: ValueError: no rows.",
            "24 of 168 trials are skipped: needs more rows (24).",
        )

    def test_a_cell_without_trials_is_empty_but_there(self, results):
        gone = results["method"].eq("cast-d") & results["dataset"].eq("cmc")
        table = comparison_table(results.assign(status=np.where(gone, "missing", "done")))
        assert cell(table, ("FPL", "CAST-D"), ("cmc", "MLP")).value is None
        assert table.notes[0].startswith("24 of 168 trials are missing, for example cmc/xgboost/cast-d/fpl/seed0-fold0")

    def test_a_done_trial_without_the_value(self, results):
        results.loc[0, "auc"] = np.nan
        notes = comparison_table(results, value="auc").notes
        assert notes == ("1 of 168 trials is done without auc, for example diabetes/xgboost/supervised/seed0-fold0.",)

    def test_nothing_done_yet(self, results):
        columns = ["score", "auc", "log_loss"]
        table = comparison_table(results.assign(status="missing").drop(columns=columns), ranks=True)
        assert {one.value for row in table.cells for one in row} == {None}
        assert table.notes[0].startswith("168 of 168 trials are missing")


def test_refuses_to_mix_tunings(results):
    mixed = pd.concat([results, results.assign(tuning="sane")])
    with pytest.raises(ValueError, match="mixes 'paper', 'sane' of 'tuning'"):
        comparison_table(mixed)
    assert len(comparison_table(mixed, ["tuning", "strategy", "method"]).rows) == 14
