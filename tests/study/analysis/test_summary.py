"""Means, paired differences and wins against SciPy and sums by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tabcast.study.analysis.summary import (
    STAND_INS,
    WORDS,
    display_name,
    order_values,
    pair_trials,
    paired_differences,
    summarize,
)
from tabcast.study.catalog import load_catalog


def only(results, **values):
    for column, value in values.items():
        results = results[results[column] == value]
    return results


class TestSummarize:
    def test_error_is_over_the_means_of_seeds(self, results):
        table = summarize(results)
        assert len(table) == 2 * 2 * 7
        part = only(results, dataset="cmc", model="mlp", method="cast-l", strategy="curriculum")
        seeds = part.groupby("seed")["score"].mean()
        row = only(table, dataset="cmc", model="mlp", method="cast-l", strategy="curriculum").iloc[0]
        assert row["mean"] == pytest.approx(part["score"].mean(), abs=1e-12)
        assert row["standard_error"] == pytest.approx(stats.sem(seeds), abs=1e-12)
        assert row["standard_error"] != pytest.approx(stats.sem(part["score"]), rel=0.05)
        assert (row["se_over"], row["n"], row["n_seeds"]) == ("seeds", 6, 3)

    def test_one_seed_says_that_the_error_is_over_folds(self, results):
        part = only(results, seed=1)
        row = summarize(part).iloc[0]
        first = only(part, dataset="diabetes", model="xgboost", method="supervised")
        assert row["standard_error"] == pytest.approx(stats.sem(first["score"]), abs=1e-12)
        assert (row["se_over"], row["n"], row["n_seeds"]) == ("folds", 2, 1)

    def test_one_trial_has_no_error(self, results):
        row = summarize(only(results, seed=1, fold=0)).iloc[0]
        assert np.isnan(row["standard_error"])
        assert (row["se_over"], row["n"]) == ("none", 1)

    def test_seeds_weigh_the_same_when_a_fold_is_missing(self):
        results = pd.DataFrame({"method": "ts", "seed": [0, 0, 1], "fold": [0, 1, 0], "score": [0.2, 0.4, 0.7]})
        assert summarize(results, ["method"])["mean"].item() == pytest.approx((0.3 + 0.7) / 2)

    def test_only_done_trials_with_a_number_count(self, results):
        part = only(results, dataset="cmc", model="mlp", method="baseline", strategy="threshold").copy()
        part.iloc[0, part.columns.get_loc("status")] = "failed"
        part.iloc[1, part.columns.get_loc("score")] = np.nan
        row = summarize(part).iloc[0]
        assert row["n"] == 4
        assert row["mean"] == pytest.approx(part["score"].iloc[2:].mean(), abs=1e-12)

    def test_refuses_to_mix_what_nobody_asked_to_mix(self, results):
        with pytest.raises(
            ValueError,
            match=r"The results mix 'xgboost', 'mlp' of 'model' in dataset=diabetes, method=supervised.* with `where`",
        ):
            summarize(results, ["dataset", "method", "strategy"])

    def test_settings_that_are_missing_everywhere_are_no_mixture(self, results):
        assert len(summarize(results.assign(max_rows=np.nan))) == 28

    def test_a_trial_twice(self, results):
        with pytest.raises(
            ValueError,
            match=r"must hold each trial once; diabetes/xgboost/supervised/seed0-fold0 comes again\.",
        ):
            summarize(pd.concat([results, results.iloc[:1]]))

    def test_nothing_done_yet(self, results):
        empty = summarize(results.assign(status="missing").drop(columns="score"))
        assert len(empty) == 0
        assert "mean" in empty.columns


class TestPairedDifferences:
    def test_pairs_share_everything_but_the_method(self, results):
        shuffled = results.sample(frac=1, random_state=0)
        pairs = pair_trials(shuffled, "cast-l", "baseline")
        assert len(pairs) == 2 * 2 * 2 * 3 * 2
        keys = ["dataset", "model", "strategy", "seed", "fold"]
        ours = only(results, method="cast-l").set_index(keys)["score"]
        theirs = only(results, method="baseline").set_index(keys)["score"]
        expected = (ours - theirs).sort_index()
        np.testing.assert_allclose(pairs.set_index(keys)["difference"].sort_index(), expected, atol=1e-15)

    def test_supervised_is_paired_with_every_strategy(self, results):
        pairs = pair_trials(results, "cast-l", "supervised")
        assert len(pairs) == 48
        assert set(pairs["strategy"]) == {"threshold", "curriculum"}
        back = pair_trials(results, "supervised", "cast-l")
        assert back["difference"].sum() == pytest.approx(-pairs["difference"].sum())

    def test_supervised_is_paired_with_every_noise_filter(self, results):
        filtered = only(results, method="cast-l").assign(noise_filter="mahalanobis")
        assert len(pair_trials(pd.concat([results, filtered]), "cast-l", "supervised")) == 96

    def test_a_dataset_and_overall(self, results):
        table = paired_differences(results, "cast-l", "baseline", ["model", "strategy"])
        assert len(table) == 2 * 2 * 3
        part = pair_trials(only(results, model="mlp", strategy="curriculum"), "cast-l", "baseline")
        seeds = part[part["dataset"] == "cmc"].groupby("seed")["difference"].mean()
        row = only(table, model="mlp", strategy="curriculum", dataset="cmc").iloc[0]
        test = stats.ttest_1samp(seeds, 0)
        interval = test.confidence_interval(0.95)
        np.testing.assert_allclose(
            row[["mean", "standard_error", "low", "high"]].astype(float),
            [seeds.mean(), stats.sem(seeds), interval.low, interval.high],
            atol=1e-12,
        )
        assert (row["se_over"], row["n_units"], row["n_pairs"]) == ("seeds", 3, 6)
        overall = only(table, model="mlp", strategy="curriculum", dataset="overall").iloc[0]
        means = only(table, model="mlp", strategy="curriculum").iloc[:2]["mean"]
        interval = stats.ttest_1samp(means, 0).confidence_interval(0.95)
        np.testing.assert_allclose(
            overall[["mean", "standard_error", "low", "high"]].astype(float),
            [means.mean(), stats.sem(means), interval.low, interval.high],
            atol=1e-12,
        )
        assert (overall["se_over"], overall["n_units"], overall["n_pairs"]) == ("datasets", 2, 12)

    def test_pairing_takes_out_what_seeds_share(self):
        seeds = np.arange(10)
        luck = np.random.default_rng(0).normal(0, 1, 10)
        rows = [
            pd.DataFrame({"dataset": "a", "method": method, "seed": seeds, "score": luck + gain})
            for method, gain in (("baseline", 0.0), ("cast-l", 0.01))
        ]
        row = paired_differences(pd.concat(rows), "cast-l", "baseline").iloc[0]
        assert row["mean"] == pytest.approx(0.01)
        assert row["standard_error"] < 1e-12

    def test_trials_without_partner_are_left_out(self, results):
        gone = (results["method"] == "baseline") & (results["seed"] == 2)
        table = paired_differences(results[~gone], "cast-l", "baseline", ["model", "strategy"])
        assert set(table.loc[table["dataset"] != "overall", "n_pairs"]) == {4}

    def test_unknown_method(self, results):
        with pytest.raises(ValueError, match=r"Unknown method with finished trials: 'bse'\. Choices: supervised, "):
            paired_differences(results, "cast-l", "bse")


class TestNames:
    def test_readers_see_labels(self):
        labels = load_catalog().labels
        shown = [display_name("method", name, labels) for name in ("supervised", "ts", "cast-l", "soft-unaligned")]
        assert shown == ["w/o ST", "TS", "CAST-L", "Soft, not aligned"]
        assert display_name("model", "ft_transformer", labels) == "FT-Transformer"
        assert display_name("dataset", "ozone-level-8hr", labels) == "ozone"
        assert all(display_name("dataset", name, labels) == f"{name} (stand-in)" for name in STAND_INS)
        assert display_name("method", "mine", labels) == "mine"
        for names in (*WORDS.values(), *labels.values()):
            assert len(set(names.values())) == len(names)  # no two look the same

    def test_words_and_order(self):
        assert [display_name("strategy", name) for name in ("threshold", "curriculum", "all")] == [
            "FPL",
            "CPL",
            "Naive",
        ]
        assert [display_name(name, "none") for name in ("strategy", "noise_filter", "tuning")] == [
            *("", "no filter", "untuned")
        ]
        assert order_values("strategy", ["curriculum", "none", "threshold"]) == ["none", "threshold", "curriculum"]
        assert order_values("dataset", ["zebra", "cmc", "ape", "cmc"]) == ["zebra", "cmc", "ape"]
        assert order_values("seed", [10, 9]) == [9, 10]
