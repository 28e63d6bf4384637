"""Ours beside the paper's."""

import numpy as np
import pandas as pd
import pytest

from tabcast.study.analysis.published import beside_published, gain_agreement
from tabcast.study.analysis.summary import summarize


@pytest.fixture
def paper(published):
    table = published("table_1")
    return table[table["model"] != "ft_transformer"]


def test_every_cell_that_both_have(results, paper):
    beside = beside_published(results, paper)
    assert len(beside) == 2 * 2 * 7
    means = summarize(results).set_index(["dataset", "model", "method", "strategy"])
    row = beside.set_index(["dataset", "model", "method", "strategy"]).loc[("cmc", "mlp", "cast-l", "curriculum")]
    ours = means.loc[("cmc", "mlp", "cast-l", "curriculum")]
    assert row["ours"] == ours["mean"]
    assert row["ours_se"] == ours["standard_error"]
    assert row["paper"] == 0.4595
    assert row["difference"] == pytest.approx(ours["mean"] - 0.4595)
    assert row["gain"] == pytest.approx(ours["mean"] - means.loc[("cmc", "mlp", "baseline", "curriculum"), "mean"])
    assert row["paper_gain"] == pytest.approx(0.4595 - 0.4456)
    assert row["agrees"] == (row["gain"] > 0)


def test_the_baseline_and_supervised_have_no_gain(results, paper):
    beside = beside_published(results, paper)
    without = beside["method"].isin(["baseline", "supervised"])
    assert beside.loc[without, ["gain", "paper_gain", "agrees"]].isna().all(axis=None)
    assert beside.loc[~without, "agrees"].notna().all()


def test_a_stand_in_is_compared_by_its_gains_only(results, paper):
    ours = results.assign(dataset=results["dataset"].replace("diabetes", "gusto"))
    beside = beside_published(ours, paper)
    gusto = beside[beside["dataset"] == "gusto"]
    assert set(gusto["stand_in_for"]) == {"6m-mortality"}
    assert gusto["difference"].isna().all()
    assert gusto.set_index(["model", "method", "strategy"]).loc[("mlp", "cast-l", "threshold"), "paper"] == 0.3873
    assert gusto["agrees"].notna().sum() == 8
    assert beside.loc[beside["dataset"] == "cmc", "difference"].notna().all()


def test_agreement_counts_signs_and_ties(published):
    cells = published("table_1").query(
        "model == 'xgboost' and dataset in ['diabetes', 'cmc'] and strategy == 'threshold'"
    )
    scores = cells.assign(seed=0)
    change = {("diabetes", "ts"): 0.00001, ("cmc", "ts"): 0.001, ("diabetes", "cast-l"): -0.5}
    scores["score"] += [change.get(key, 0.0) for key in zip(scores["dataset"], scores["method"], strict=True)]
    table = gain_agreement(beside_published(scores, cells)).set_index("method")
    assert table["n"].unique().tolist() == [2]
    assert (
        table.loc["ts", "agree"] == 1
    )  # a tie with the baseline in the paper; ours ties to four digits on diabetes only
    assert table.loc["cast-l", "agree"] == 1
    assert table.loc["cast-d", "agree"] == 2


def test_cells_of_the_paper_alone_are_left_out(results, paper):
    part = results[results["dataset"] == "cmc"]
    assert set(beside_published(part, paper)["dataset"]) == {"cmc"}


def test_times(published):
    cost = published("cost")
    ours = cost.assign(seed=0, seconds=cost["seconds"] / 2)
    beside = beside_published(ours, cost, value="seconds")
    np.testing.assert_allclose(beside["difference"].dropna(), -beside.dropna(subset="difference")["paper"] / 2)
    assert len(beside) == 36


def test_lacking_columns(results, paper):
    with pytest.raises(ValueError, match=r"`published`\) lacks the column 'model'"):
        beside_published(results, paper.drop(columns="model"))
    assert isinstance(paper, pd.DataFrame)
