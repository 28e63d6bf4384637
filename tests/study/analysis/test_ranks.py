"""Ranks and tests: the paper's tables give the paper's numbers, other software agrees."""

from __future__ import annotations

import sys
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tabcast.study.analysis.ranks import (
    average_ranks,
    conover_posthoc,
    friedman_test,
    holm_adjust,
    score_matrix,
    signed_rank_p,
    wilcoxon_holm,
)

from .conftest import METHODS

# average ranks of the published seventeen datasets, recomputed from scores rounded to four digits
SEVENTEEN = {
    "threshold": [4.29, 4.97, 4.65, 4.79, 5.56, 2.15, 1.59],
    "curriculum": [5.06, 5.12, 4.03, 5.26, 4.65, 2.06, 1.82],
}


@pytest.fixture
def scores():
    """Ten settings, four methods, some ties."""
    rng = np.random.default_rng(1)
    return pd.DataFrame(rng.normal([0, 0.3, 0.8, 1.5], 1, (10, 4)).round(1), columns=list("abcd"))


def one_strategy(table, strategy):
    return score_matrix(table[table["strategy"] == strategy])


class TestThePaper:
    @pytest.mark.parametrize(("strategy", "statistic"), [("threshold", 37.860), ("curriculum", 45.361)])
    def test_friedman_of_table_1(self, published, strategy, statistic):
        matrix = one_strategy(published("table_1"), strategy)
        assert (matrix.shape, tuple(matrix.columns)) == ((12, 7), METHODS)
        found, p_value = friedman_test(matrix)
        assert round(found, 3) == statistic
        assert p_value < 2e-6

    @pytest.mark.parametrize("strategy", ["threshold", "curriculum"])
    def test_wilcoxon_with_holm_of_table_1(self, published, strategy):
        p = wilcoxon_holm(one_strategy(published("table_1"), strategy))
        assert round(p.loc["cast-l", "baseline"], 4) == 0.0103
        statistics = published("table_1_statistics")
        printed = statistics.query("test == 'holm' and strategy == @strategy").set_index("method")["p_value"]
        assert printed["cast-l"] == 0.0103
        for calibrated in ("ts", "hb", "sp"):
            assert p.loc[calibrated, "baseline"] == printed[calibrated] == 1.0

    @pytest.mark.parametrize("strategy", ["threshold", "curriculum"])
    def test_ranks_of_the_seventeen_datasets(self, published, strategy):
        ranks = average_ranks(one_strategy(published("seventeen_datasets"), strategy))
        assert ranks["rank"].round(2).tolist() == SEVENTEEN[strategy]
        assert set(ranks["n"]) == {17}
        printed = published("seventeen_datasets_ranks").query("strategy == @strategy").set_index("method")
        assert tuple(printed.index) == METHODS
        assert (ranks["rank"] - printed["rank"]).abs().max() < 0.15

    def test_spread_of_ranks_is_the_printed_one(self, published):
        """Where the rounded scores give the printed rank they give the printed deviation too: n in the variance."""
        ranks = average_ranks(one_strategy(published("seventeen_datasets"), "curriculum"))
        printed = published("seventeen_datasets_ranks").query("strategy == 'curriculum'").set_index("method")
        for method in ("baseline", "ts", "gp"):
            assert round(ranks.loc[method, "rank_sd"], 2) == printed.loc[method, "rank_sd"]

    @pytest.mark.parametrize("strategy", ["threshold", "curriculum"])
    def test_conover_splits_cast_from_the_others(self, published, strategy):
        pytest.importorskip("scikit_posthocs")
        matrix = one_strategy(published("table_1"), strategy)
        p = conover_posthoc(matrix)
        ours, others = ["cast-l", "cast-d"], ["baseline", "ts", "hb", "sp", "gp"]
        assert (p.loc[ours, ours] >= 0.05).all(axis=None)
        assert (p.loc[others, others] >= 0.05).all(axis=None)
        assert (p.loc[ours, others] < 0.05).all(axis=None)


class TestRanks:
    def test_ties_share_the_mean_rank(self, scores):
        expected = stats.rankdata(-scores.to_numpy(), axis=1)
        ranks = average_ranks(scores)
        np.testing.assert_allclose(ranks["rank"], expected.mean(axis=0))
        np.testing.assert_allclose(ranks["rank_sd"], expected.std(axis=0))
        assert (scores.nunique(axis=1) < 4).any()

    def test_lower_is_better(self, scores):
        np.testing.assert_allclose(
            average_ranks(scores, higher_is_better=False)["rank"], 5 - average_ranks(scores)["rank"]
        )

    def test_sums_in_another_order_are_a_tie(self):
        assert average_ranks(pd.DataFrame({"a": [0.1 + 0.2], "b": [0.3]}))["rank"].tolist() == [1.5, 1.5]

    def test_matrix_of_results(self, results):
        matrix = score_matrix(results[results["strategy"] == "curriculum"])
        assert list(matrix.columns) == ["baseline", "cast-d", "cast-l"]
        assert matrix.index.tolist() == [(d, m) for d in ("diabetes", "cmc") for m in ("xgboost", "mlp")]
        part = results.query("dataset == 'cmc' and model == 'mlp' and method == 'cast-d' and strategy == 'curriculum'")
        assert matrix.loc[("cmc", "mlp"), "cast-d"] == pytest.approx(part["score"].mean())
        chosen = score_matrix(results[results["strategy"] == "curriculum"], methods=["cast-l", "ts"])
        assert chosen["ts"].isna().all()


class TestTests:
    def test_friedman_against_scipy(self, scores):
        expected = stats.friedmanchisquare(*scores.to_numpy().T)
        result = friedman_test(scores)
        assert result == pytest.approx((expected.statistic, expected.pvalue))

    def test_friedman_where_all_tie(self):
        assert friedman_test(pd.DataFrame(np.ones((5, 3)))) == (0.0, 1.0)

    def test_holm_against_statsmodels(self):
        multitest = pytest.importorskip("statsmodels.stats.multitest")
        p = np.random.default_rng(0).random(21) ** 3
        p[3] = p[7]
        np.testing.assert_allclose(holm_adjust(p), multitest.multipletests(p, method="holm")[1])

    @pytest.mark.parametrize("differences", [[1, 2, -3, 4, 5, 6], [1, 1, -1, 2, 2, 3], [0, 1, -1, 2, 4, -4, 4]])
    def test_signed_rank_against_all_signs(self, differences):
        kept = np.array([one for one in differences if one], dtype=float)
        ranks = stats.rankdata(np.abs(kept))
        sums = np.array([ranks @ np.array(signs) for signs in product([0, 1], repeat=len(kept))])
        observed = ranks[kept > 0].sum()
        expected = min(1.0, 2 * min((sums <= observed).mean(), (sums >= observed).mean()))
        assert signed_rank_p(np.array(differences, dtype=float)) == pytest.approx(expected)

    @pytest.mark.parametrize("n", [12, 50, 60])
    def test_signed_rank_of_many_against_scipy(self, n):
        differences = np.random.default_rng(n).normal(0.3, 1, n)
        assert signed_rank_p(differences) == pytest.approx(stats.wilcoxon(differences).pvalue)

    def test_wilcoxon_is_the_signed_rank_test_of_each_pair(self, scores):
        pairs = list(combinations("abcd", 2))
        plain = [signed_rank_p((scores[i] - scores[j]).round(6).to_numpy()) for i, j in pairs]
        p = wilcoxon_holm(scores)
        np.testing.assert_allclose([p.loc[i, j] for i, j in pairs], holm_adjust(np.array(plain)))
        pd.testing.assert_frame_equal(p, p.T)
        assert np.diag(p).tolist() == [1.0] * 4

    def test_conover_against_scikit_posthocs(self, scores):
        posthocs = pytest.importorskip("scikit_posthocs")
        expected = posthocs.posthoc_conover_friedman(scores.to_numpy(), p_adjust="holm").to_numpy()
        np.testing.assert_allclose(conover_posthoc(scores), expected)

    def test_conover_where_every_setting_agrees(self):
        pytest.importorskip("scikit_posthocs")
        p = conover_posthoc(pd.DataFrame({"a": [1, 1, 1], "b": [2, 2, 2], "c": [3, 3, 3]}))
        np.testing.assert_allclose(p, np.eye(3), atol=1e-6)

    def test_without_scikit_posthocs(self, scores, monkeypatch):
        monkeypatch.setitem(sys.modules, "scikit_posthocs", None)
        with pytest.raises(
            ImportError,
            match=r"conover_posthoc needs scikit-posthocs\. Install it with: pip install 'tabcast\[study\]'\.",
        ):
            conover_posthoc(scores)
