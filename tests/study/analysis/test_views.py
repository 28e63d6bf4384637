"""Tables as configurations ask for them."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from tabcast.study.analysis.ranks import average_ranks, friedman_test, score_matrix, signed_rank_p, wilcoxon_holm
from tabcast.study.analysis.summary import paired_differences
from tabcast.study.analysis.views import RANKED, alpha_winners, make_table, read_printed, select
from tests.conftest import needs

METHODS = (*RANKED, "same-budget", "cast-l-permuted", "cast-d-permuted")
WAYS = tuple(product(("threshold", "curriculum"), METHODS))


@pytest.fixture(scope="module")
def results():
    """Every method on four datasets, two seeds, two folds; scores random, cast-l better by one point."""
    random = np.random.default_rng(0)
    rows = []
    for dataset, seed, fold in product("abcd", range(2), range(2)):
        for strategy, method in [
            ("none", "supervised"),
            ("none", "operating-point"),
            *product(("threshold", "curriculum"), METHODS),
        ]:
            score = random.normal(0.7, 0.01) + 0.1 * (dataset == "a") + 0.01 * (method == "cast-l")
            rows.append(
                {
                    "dataset": dataset,
                    "model": "xgboost",
                    "tuning": "paper",
                    "method": method,
                    "strategy": strategy,
                    "noise_filter": "none",
                    "seed": seed,
                    "fold": fold,
                    "status": "done",
                    "score": score,
                    "auc": score,
                    "log_loss": 1 - score,
                    "alpha": 0.2 if method.startswith("cast") else None,
                    "best_round": seed,
                    "fit_seconds": 2.0,
                    "density_seconds": 0.5,
                    "selection_seconds": 1.0,
                }
            )
    return pd.DataFrame(rows)


def test_select_takes_values_and_lists(results):
    chosen = select(results, {"method": ["cast-l", "baseline"], "strategy": "threshold"})
    assert set(chosen["method"]) == {"cast-l", "baseline"}
    assert set(chosen["strategy"]) == {"threshold"}


def test_an_unknown_column_is_named(results):
    with pytest.raises(ValueError, match=r"Unknown column in `where`.*'metod'.*Did you mean 'method'"):
        select(results, {"metod": "cast-l"})


@pytest.mark.parametrize(("option", "columns"), [("by", ["modl"]), ("rows", ["modl"]), ("value", "modl")])
def test_columns_that_the_results_do_not_have(results, option, columns):
    with pytest.raises(ValueError, match=rf"Unknown column in `{option}` of 'x': 'modl'.*Did you mean 'model'"):
        make_table({"name": "x", option: columns}, results)


def test_an_unknown_kind_is_named(results):
    with pytest.raises(ValueError, match=r"kind of table 'x': 'comparison'\. Choices: compare"):
        make_table({"name": "x", "kind": "comparison"}, results)


def test_compare_is_a_table_of_the_chosen_trials(results):
    table = make_table({"name": "x", "columns": ["dataset"], "where": {"method": ["baseline", "cast-l"]}}, results)
    assert table.frame["method"].tolist()[::4] == ["baseline", "cast-l", "baseline", "cast-l"]


@needs("scikit_posthocs")
def test_of_a_loss_the_smallest_is_the_best(results):
    # The fixture's log-loss is 1 - score: whatever is best by one is best by the other.
    by_score, by_loss = (make_table({"name": "x", "value": value}, results) for value in ("score", "log_loss"))
    assert by_loss.frame["mark"].tolist() == by_score.frame["mark"].tolist()
    assert (by_loss.frame["mark"] == "best").any()
    counts = ["strategy", "method", "rank", "wins", "ties", "losses"]
    by_score, by_loss = (
        make_table({"kind": "rank", "settings": ["dataset"], "value": value}, results)
        for value in ("score", "log_loss")
    )
    pd.testing.assert_frame_equal(by_score.frame[counts], by_loss.frame[counts])


def test_published_numbers_stand_beside_ours_where_the_same_trials_are_chosen(results):
    published = pd.DataFrame(
        {
            "dataset": "a",
            "model": ["xgboost", "mlp"],
            "method": "baseline",
            "strategy": "threshold",
            "score": [0.5, 0.9],
        }
    )
    spec = {"columns": ["dataset"], "beside": True, "where": {"model": "xgboost", "method": "baseline", "dataset": "a"}}
    text = make_table(spec, results, published).render("csv")
    assert ",paper,0.5," in text
    assert ",0.9," not in text


@needs("scikit_posthocs")
def test_ranks_agree_with_the_functions_they_stand_on(results):
    listing = make_table({"kind": "rank", "settings": ["dataset"]}, results)
    threshold = listing.frame[listing.frame["strategy"] == "threshold"].set_index("method")
    scores = score_matrix(results[results["strategy"] == "threshold"], ["dataset"], methods=list(RANKED))
    assert threshold["rank"].to_dict() == average_ranks(scores)["rank"].to_dict()
    assert threshold["p Wilcoxon, Holm"]["cast-l"] == wilcoxon_holm(scores).loc["cast-l", "baseline"]
    assert f"{friedman_test(scores)[0]:.3f}" in listing.notes[0]
    assert (threshold.drop("baseline")[["wins", "ties", "losses"]].sum(axis=1) == 4).all()
    gains = scores["cast-l"].round(4) - scores["baseline"].round(4)  # equal to four digits is a tie
    expected = [(gains > 0).sum(), (gains == 0).sum(), (gains < 0).sum()]
    assert threshold.loc["cast-l", ["wins", "ties", "losses"]].tolist() == expected
    losses = make_table(
        {"kind": "rank", "settings": ["dataset"], "value": "log_loss"}, results.assign(log_loss=results["score"])
    )
    swapped = losses.frame[losses.frame["strategy"] == "threshold"].set_index("method")
    assert swapped.loc["cast-l", ["losses", "ties", "wins"]].tolist() == expected


@needs("scikit_posthocs")
def test_ranks_stand_beside_those_that_the_paper_prints(results, tmp_path):
    keys = {"strategy": ["threshold"] * 2, "method": ["baseline", "cast-l"]}
    pd.DataFrame({**keys, "rank": [4.26, 1.71], "rank_sd": [1.14, 0.82]}).to_csv(tmp_path / "table_ranks.csv")
    holm = {"test": "holm", "strategy": "threshold", "method": "cast-l", "statistic": None, "p_value": 0.0103}
    friedman = {"test": "friedman", "strategy": "threshold", "method": None, "statistic": 40.1455, "p_value": 4.26e-07}
    pd.DataFrame([holm, friedman]).to_csv(tmp_path / "table_statistics.csv")
    published = results[results["seed"].eq(0) & results["fold"].eq(0)]
    spec = {"kind": "rank", "settings": ["dataset"], "beside": True}
    listing = make_table(spec, results, published, read_printed(tmp_path / "table.csv"))
    rows = listing.frame.set_index(["strategy", "method"])
    assert rows.loc[("threshold", "cast-l"), ["paper_rank", "paper_sd", "p paper, Holm"]].tolist() == [
        *(1.71, 0.82, 0.0103)
    ]
    assert rows.loc[("threshold", "baseline"), "paper_rank"] == 4.26
    assert rows.loc[("curriculum", "cast-l"), ["paper_rank", "p paper, Holm"]].isna().all()
    assert "FPL, as the paper prints it: Friedman 40.145, p = 4.3e-07." in listing.notes
    scores = score_matrix(published[published["strategy"] == "threshold"], ["dataset"], methods=list(RANKED))
    expected = f"from the paper's scores of these 4 settings: Friedman {friedman_test(scores)[0]:.3f}"
    assert any(expected in note for note in listing.notes)
    alone = make_table({**spec, "beside": False}, results, published, read_printed(tmp_path / "table.csv"))
    assert not any("paper" in text for text in [*alone.frame.columns, *alone.notes])


def test_a_table_without_printed_ranks_has_none(tmp_path):
    assert read_printed(tmp_path / "table.csv") == {}


@needs("scikit_posthocs")
def test_settings_with_missing_trials_are_not_ranked(results):
    holes = results.copy()
    holes.loc[(holes["dataset"] == "b") & (holes["method"] == "gp"), "status"] = "failed"
    listing = make_table({"kind": "rank", "settings": ["dataset"]}, holes)
    assert "over 3 settings" in listing.notes[0]


def test_differences_of_every_pair_and_value(results):
    spec = {"kind": "differ", "pairs": [["cast-l", "baseline"]], "values": ["score"], "by": ["strategy"]}
    frame = make_table(spec, results).frame
    expected = paired_differences(results, "cast-l", "baseline", ["strategy"])
    assert frame["difference"].tolist() == expected["mean"].tolist()
    overall = make_table({**spec, "overall": True}, results).frame
    assert set(overall["dataset"]) == {"overall"}


def test_a_pair_that_did_not_run_is_left_out(results):
    spec = {"kind": "differ", "pairs": [["mine", "baseline"]], "values": ["score"], "by": ["strategy"]}
    assert make_table(spec, results).frame.empty


def test_controls_stand_beside_the_gain(results):
    table = make_table({"kind": "control", "by": ["strategy"]}, results)
    assert (table.rows, table.columns) == (("strategy", "method"), ("metric", "role"))
    assert set(table.frame["role"]) == {"gain", "same budget", "permuted gamma", "operating point"}
    assert set(table.frame["metric"]) == {"score", "auc", "log-loss"}
    assert len(table.frame) == 4 * 3 * 4
    assert table.frame["value"].notna().all()
    differences = make_table({"kind": "differ", "by": ["strategy"], "overall": True}, results).frame
    gain = table.frame.iloc[0][["value", "standard_error"]]
    assert tuple(gain) == pytest.approx(tuple(differences.iloc[0][["difference", "se"]]))


def test_a_control_that_did_not_run_is_left_out(results):
    frame = make_table({"kind": "control", "by": ["strategy"]}, results[results["method"] != "cast-d-permuted"]).frame
    assert set(frame.loc[frame["method"] == "cast-d", "role"]) == {"gain", "same budget", "operating point"}
    nothing = make_table({"kind": "control", "by": ["strategy"]}, results[results["method"] == "baseline"])
    assert "No finished trials." in nothing.render()


class TestWinningAlphas:
    grid = np.linspace(0.2, 0.75, 8)

    @pytest.fixture
    def trials(self):
        alphas = np.repeat(self.grid, [30, 20, 10, 10, 10, 10, 6, 4])
        rows = {"method": ["cast-l", "cast-d"] * 50, "seed": range(100), "status": "done", "alpha": alphas}
        return pd.DataFrame({**rows, "best_round": 1}).sample(frac=1, random_state=0)

    def test_shares_and_interval(self, trials):
        winners = alpha_winners(trials)
        np.testing.assert_allclose(winners.shares["alpha"], self.grid.round(4))
        np.testing.assert_allclose(winners.shares["share"], [0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.06, 0.04])
        assert winners.shares["n"].sum() == winners.n == 100
        # 96% chose the seventh or less, 90% the one below
        assert (winners.low, winners.high, winners.n_tied) == (pytest.approx(0.2), pytest.approx(self.grid[6]), 0)

    def test_only_finished_trials_of_cast_that_won_count(self, trials):
        others = trials.assign(method="cast-l-permuted", alpha=0.75)
        failed = trials.assign(status="failed", seed=trials["seed"] + 100, alpha=0.75)
        tied = trials.assign(best_round=0, seed=trials["seed"] + 200, alpha=0.75)
        winners = alpha_winners(pd.concat([trials, others, failed, tied]))
        pd.testing.assert_frame_equal(winners.shares, alpha_winners(trials).shares)
        assert winners.n_tied == 100
        with pytest.raises(ValueError, match="no finished trial of 'cast-d' or 'cast-l' in which a round"):
            alpha_winners(trials.assign(alpha=np.nan))

    def test_another_alpha_is_shown_too(self, trials):
        shares = alpha_winners(trials[trials["alpha"] > 0.3].replace({"alpha": {0.75: 0.9}})).shares
        assert shares["n"].tolist() == [0, 0, 10, 10, 10, 10, 6, 0, 4]

    def test_table_names_the_interval(self, results):
        listing = make_table({"kind": "winners"}, results)
        assert listing.notes[0].startswith("100.0% of 32 winners are at most 0.7")
        assert "the middle 90% lie in [0.200, 0.200]" in listing.notes[0]
        assert listing.notes[1].startswith("64 trials are left out")
        assert listing.frame["share"].tolist() == [1.0, *[0.0] * 7]


def test_cost_is_relative_to_training(results):
    published = pd.DataFrame(
        {"dataset": "a", "model": "xgboost", "method": "cast-l", "overhead_percent": 76.0, "score": None}, index=[0]
    )
    where = {"strategy": "curriculum", "method": ["baseline", "cast-l"]}
    frame = make_table({"kind": "spend", "where": where}, results, published).frame.set_index("dataset")
    assert frame["overhead_percent"]["a"] == 25.0
    assert frame["paper_percent"]["a"] == 76.0
    assert np.isnan(frame["paper_percent"]["b"])


class TestAgreement:
    def test_needs_published_numbers(self, results):
        with pytest.raises(ValueError, match="needs `published`"):
            make_table({"kind": "agree"}, results)

    def test_counts_signs_and_ties(self, published):
        cells = published("table_1").query(
            "model == 'xgboost' and dataset in ['diabetes', 'cmc'] and strategy == 'threshold'"
        )
        scores = cells.assign(seed=0)
        change = {("diabetes", "ts"): 0.00001, ("cmc", "ts"): 0.001, ("diabetes", "cast-l"): -0.5}
        scores["score"] += [change.get(key, 0.0) for key in zip(scores["dataset"], scores["method"], strict=True)]
        table = make_table({"kind": "agree"}, scores, cells).frame.set_index("method")
        assert "baseline" not in table.index
        assert table["of"].unique().tolist() == [2]
        # "ts" ties with the baseline in the paper; ours ties to four digits on diabetes only
        assert table["same_sign"][["ts", "cast-l", "cast-d"]].tolist() == [1, 1, 2]
        np.testing.assert_allclose(
            (table["our_gain"] - table["paper_gain"])[["cast-l", "cast-d"]], [-0.25, 0], atol=1e-9
        )

    def test_a_stand_in_is_compared_with_the_private_set(self, published):
        cells = published("table_1").query("model == 'xgboost' and dataset == '6m-mortality'")
        table = make_table({"kind": "agree"}, cells.assign(seed=0, dataset="gusto"), cells).frame
        assert (table["same_sign"] == table["of"]).all()
        assert len(table) == 12
        assert make_table({"kind": "agree"}, cells.assign(seed=0, dataset="mine"), cells).frame.empty


def test_better_counts_datasets_and_corrects_for_many_looks():
    random = np.random.default_rng(0)
    rows = []
    for dataset in range(12):
        for seed in range(2):
            level = random.uniform(0.5, 0.8)
            for method, gain in (("soft", 0.05 if dataset else -0.01), ("supervised", 0.0)):
                scores = {"auc": level + gain, "log_loss": 1 - level - gain}
                rows.append({"dataset": f"d{dataset}", "model": "m", "method": method, "seed": seed, **scores})
    spec = {"kind": "better", "pairs": [["soft", "supervised"]], "values": ["auc", "log_loss"]}
    found = make_table(spec, pd.DataFrame(rows)).frame
    assert found["better"].tolist() == [11, 11]  # lower log-loss is better
    assert found["of"].tolist() == [12, 12]
    np.testing.assert_allclose(found["mean_difference"], [0.045, -0.045])
    # The loss is the smallest difference: of 2 ** 12 signs, none and that one alone are as extreme, on either side.
    np.testing.assert_allclose(found["p Wilcoxon"], 2 * 2 / 2**12)
    np.testing.assert_allclose(found["p Holm"], 2 * found["p Wilcoxon"])
    assert found["ties"].tolist() == [0, 0]


def test_a_difference_that_the_table_shows_as_zero_is_a_tie():
    """0.1 + 0.2 is not 0.3 in floats; neither that nor 0.00004 may be counted as a win."""
    scores = {"a": (0.6, 0.5), "b": ((0.1 + 0.2) / 0.3, 1.0), "c": (0.50004, 0.5), "d": (0.4, 0.5)}
    rows = [
        {"dataset": dataset, "model": "m", "method": method, "seed": 0, "auc": score}
        for dataset, pair in scores.items()
        for method, score in zip(("soft", "supervised"), pair, strict=True)
    ]
    [line] = make_table(
        {"kind": "better", "pairs": [["soft", "supervised"]], "values": ["auc"]}, pd.DataFrame(rows)
    ).frame.to_dict("records")
    assert (0.1 + 0.2) / 0.3 > 1.0
    assert (line["better"], line["ties"], line["of"]) == (1, 2, 4)
    assert line["p Wilcoxon"] == signed_rank_p(np.array([0.1, 0.0, 0.00004, -0.1]))


def test_models_against_a_reference_on_the_same_rows():
    """By dataset and seed: the gain of a net over a linear model, whose own level varies far more."""
    gains = {"a": (0.02, 0.04), "b": (-0.01, 0.004), "c": (-0.03, -0.02), "d": (0.0, 0.0)}
    rows = [
        {"dataset": dataset, "model": model, "method": "supervised", "caps": caps, "seed": seed, "fold": fold}
        | {"score": level + gain, "log_loss": 1 - level - gain}
        for dataset, of_seeds in gains.items()
        for seed, gain_of_net in enumerate(of_seeds)
        for fold, level in enumerate((0.5, 0.8))
        for model, caps, gain in (("net", "epochs=2", gain_of_net), ("line", None, 0.0))
    ]
    spec = {"kind": "models", "reference": "line", "values": ["score", "log_loss"]}
    found = make_table(spec, pd.DataFrame(rows)).frame
    assert found["model"].tolist() == ["net", "net"]
    # b: -0.003 with an error of 0.007; c: -0.025 with one of 0.005; d is equal.
    assert found[["as_good", "within", "below", "of"]].to_numpy().tolist() == [[2, 1, 1, 4]] * 2
    means = np.array([0.03, -0.003, -0.025, 0.0])
    np.testing.assert_allclose(found["mean_difference"], [means.mean(), -means.mean()])
    np.testing.assert_allclose(found["se"], means.std(ddof=1) / 2)
    assert found["p Wilcoxon"].tolist() == [signed_rank_p(means)] * 2


def test_models_without_finished_trials_of_the_reference():
    results = pd.DataFrame({"dataset": ["a"], "model": ["net"], "method": ["supervised"], "seed": [0], "score": [0.5]})
    text = make_table({"kind": "models", "reference": "line"}, results).render()
    assert "No finished trials." in text
