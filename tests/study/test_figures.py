"""The numbers behind the figures, and that each figure shows them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tabcast.statistics import wilson_interval
from tabcast.study.figures import make_figure
from tabcast.study.figures.comparisons import arrange_gains, ratio_of_means, relative_improvements
from tabcast.study.figures.density import density_quality, ratio_interval

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


SAME = {
    "dataset": "diabetes",
    "model": "xgboost",
    "tuning": "paper",
    "label_fraction": 0.1,
    "corruption": 0.0,
    "preprocessing": "paper",
    "noise_filter": "none",
    "status": "done",
}


def trial(method, seed, score, *, fold=0, strategy="threshold", **changes):
    strategy = "none" if method == "supervised" else strategy
    return SAME | {"method": method, "strategy": strategy, "seed": seed, "fold": fold, "score": score} | changes


def make_results(datasets, *, methods=("baseline", "cast-l"), strategies=("threshold", "curriculum"), n_seeds=3):
    """Method number k scores 2 k percent more than the supervised model, everywhere."""
    rng = np.random.default_rng(0)
    rows = []
    for dataset in datasets:
        for fraction in (0.05, 0.1, 0.3):
            for seed in range(n_seeds):
                where, base = {"dataset": dataset, "label_fraction": fraction}, rng.uniform(0.5, 0.7)
                rows.append(trial("supervised", seed, base, **where))
                for strategy in strategies:
                    for number, method in enumerate(methods):
                        rows.append(trial(method, seed, base * (1 + 0.02 * number), strategy=strategy, **where))
    return pd.DataFrame(rows)


class TestRatioOfMeans:
    def test_by_hand(self):
        # 0.765 / 0.75 = 1.02; the residuals are 0.006 and -0.006, their deviation 0.006 sqrt(2)
        improvement, error = ratio_of_means(np.array([0.72, 0.81]), np.array([0.70, 0.80]))
        assert improvement == pytest.approx(2.0)
        assert error == pytest.approx(100 * 0.006 / 0.75)

    def test_error_is_that_of_the_jackknife(self):
        rng = np.random.default_rng(1)
        reference = rng.uniform(0.3, 0.5, size=200)
        scores = 1.1 * reference + rng.normal(0, 0.05, size=200)
        left_out = [ratio_of_means(np.delete(scores, i), np.delete(reference, i))[0] for i in range(200)]
        jackknife = np.sqrt(199 * np.var(left_out))
        assert ratio_of_means(scores, reference)[1] == pytest.approx(jackknife, rel=0.02)

    def test_what_has_no_answer_is_nan(self):
        nothing, one = np.array([]), np.array([0.5])
        assert np.isnan(ratio_of_means(nothing, nothing)).all()
        assert np.isnan(ratio_of_means(one, np.array([0.0]))).all()
        improvement, error = ratio_of_means(one, np.array([0.4]))
        assert improvement == pytest.approx(25.0)
        assert np.isnan(error)


class TestRelativeImprovements:
    def test_folds_are_averaged_within_their_seed(self):
        # Seed 0 has two folds and seed 1 one, and both count the same: (0.6 + 0.9) / (0.5 + 0.7) = 1.25.
        rows = [
            trial("supervised", 0, 0.4, fold=0),
            trial("supervised", 0, 0.6, fold=1),
            trial("supervised", 1, 0.7, fold=0),
            trial("cast-l", 0, 0.5, fold=0),
            trial("cast-l", 0, 0.7, fold=1),
            trial("cast-l", 1, 0.9, fold=0),
        ]
        (row,) = relative_improvements(pd.DataFrame(rows)).to_dict("records")
        assert row["improvement"] == pytest.approx(25.0)
        residuals = np.array([0.6 - 1.25 * 0.5, 0.9 - 1.25 * 0.7])
        assert row["standard_error"] == pytest.approx(100 * residuals.std(ddof=1) / np.sqrt(2) / 0.6)
        assert (row["n_seeds"], row["n_pairs"], row["n_trials"]) == (2, 3, 3)

    def test_only_the_same_rows_are_compared(self):
        # Seed 1 of the method failed, seed 2 of the supervised model is missing: seed 0 alone counts.
        rows = [
            trial("supervised", 0, 0.5),
            trial("supervised", 1, 0.1),
            trial("supervised", 2, None, status="missing"),
            trial("cast-l", 0, 0.6),
            trial("cast-l", 1, None, status="failed"),
            trial("cast-l", 2, 0.9),
        ]
        (row,) = relative_improvements(pd.DataFrame(rows)).to_dict("records")
        assert row["improvement"] == pytest.approx(20.0)
        assert np.isnan(row["standard_error"])
        assert (row["n_seeds"], row["n_pairs"], row["n_trials"]) == (1, 1, 3)

    def test_a_method_without_any_result_stays_visible(self):
        rows = [trial("supervised", 0, 0.5), trial("cast-l", 0, 0.6), trial("gp", 0, None, status="skipped")]
        table = relative_improvements(pd.DataFrame(rows)).set_index("method")
        assert np.isnan(table.loc["gp", "improvement"])
        assert table.loc["gp", "n_pairs"] == 0
        assert table.loc["cast-l", "improvement"] == pytest.approx(20.0)

    def test_a_seed_where_the_supervised_model_finds_nothing(self):
        rows = [trial("supervised", seed, score) for seed, score in enumerate((0.0, 0.2))]
        rows += [trial("cast-l", seed, score) for seed, score in enumerate((0.1, 0.2))]
        assert relative_improvements(pd.DataFrame(rows))["improvement"].item() == pytest.approx(50.0)

    def test_each_setting_has_its_own_reference(self):
        rows = [
            trial(method, 0, score, **setting)
            for setting, supervised, other in (
                ({}, 0.5, 0.6),
                ({"corruption": 0.2}, 0.4, 0.4),
                ({"model": "mlp"}, 0.5, 0.45),
                ({"label_fraction": 0.2}, 0.8, 0.88),
            )
            for method, score in (("supervised", supervised), ("cast-l", other))
        ]
        table = relative_improvements(pd.DataFrame(rows))
        np.testing.assert_allclose(table["improvement"], [20.0, 0.0, -10.0, 10.0], atol=1e-9)

    def test_a_filtered_method_is_compared_with_the_same_supervised_model(self):
        rows = [trial("supervised", 0, 0.5), trial("cast-l", 0, 0.6, noise_filter="mahalanobis")]
        table = relative_improvements(pd.DataFrame(rows))
        assert table[["noise_filter", "improvement"]].values.tolist() == [["mahalanobis", pytest.approx(20.0)]]

    def test_needs_the_supervised_model(self):
        with pytest.raises(ValueError, match="There is no finished trial of method 'supervised'"):
            relative_improvements(pd.DataFrame([trial("cast-l", 0, 0.6)]))


def draw(kind, results=None, details=(), labels=None, **options):
    results = pd.DataFrame() if results is None else results
    return make_figure({"name": "x", "kind": kind, **options}, results, details, labels)


def test_label_fractions_are_drawn():
    results = make_results(["diabetes", "cmc"])
    results.loc[results["method"].eq("cast-l") & results["seed"].eq(2), "status"] = "failed"
    figure = draw("label_fractions", results, labels={"dataset": {"cmc": "Contraception"}})
    panels = np.array(figure.axes).reshape(2, 2)
    assert [ax.get_title() for ax in panels[0]] == ["diabetes", "Contraception"]
    heights = [line.get_ydata().tolist() for line in panels[0, 0].lines if line.get_marker() != "None"]
    assert any(np.allclose(one, 2.0) for one in heights if one)  # cast-l scores 2% more everywhere
    assert panels[0, 0].get_ylim() == panels[1, 0].get_ylim()
    assert "some trials missing" in [text.get_text() for text in figure.legends[0].get_texts()]
    with pytest.raises(ValueError, match="shows one model; got xgboost, mlp"):
        draw("label_fractions", pd.concat([results, results.assign(model="mlp")]))


def make_trial(correct, n=(10, 10), *, dataset="diabetes", seed=0, fold=0, metric="accuracy", score=None):
    edges = np.linspace(0, 1, len(n) + 1)
    score = [None] * len(n) if score is None else score
    cells = zip(edges[:-1], edges[1:], n, correct, score, strict=True)
    bins = [{"low": low, "high": high, "n": m, "correct": c, "score": s} for low, high, m, c, s in cells]
    return {"dataset": dataset, "seed": seed, "fold": fold, "metric": metric, "bins": bins}


class TestDensityQuality:
    def test_accuracy_is_that_of_all_rows(self):
        quality = density_quality([make_trial([2, 9], (10, 10)), make_trial([15, 28], (20, 30), seed=1)])
        assert quality[["low", "high", "n", "correct", "n_seeds"]].values.tolist() == [
            [0.0, 0.5, 30, 17, 2],
            [0.5, 1.0, 40, 37, 2],
        ]
        np.testing.assert_allclose(quality["accuracy"], [17 / 30, 37 / 40])

    def test_interval_of_equal_seeds_is_that_of_their_mean(self):
        values = [0.5, 0.7, 0.6, 0.9]
        quality = density_quality([make_trial([10 * v], (10,), seed=seed) for seed, v in enumerate(values)])
        low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
        assert quality["accuracy_low"].item() == pytest.approx(low)
        assert quality["accuracy_high"].item() == pytest.approx(min(high, 1.0))

    def test_interval_of_unequal_seeds_by_hand(self):
        # 9 of 10 and 12 of 30 are 21 of 40; residuals 9 - 0.525 * 10 = 3.75 and -3.75
        low, high = ratio_interval(np.array([9.0, 12.0]), np.array([10.0, 30.0]))
        half = stats.t.ppf(0.975, 1) * 3.75 * np.sqrt(2) * np.sqrt(2) / 40
        assert (low, high) == pytest.approx((0.525 - half, 0.525 + half))

    def test_repeating_the_folds_of_a_seed_does_not_narrow_the_interval(self):
        once = [make_trial([c], (10,), seed=seed) for seed, c in enumerate((4, 6, 7))]
        thrice = [make_trial([c], (10,), seed=seed, fold=fold) for seed, c in enumerate((4, 6, 7)) for fold in range(3)]
        columns = ["accuracy", "accuracy_low", "accuracy_high"]
        np.testing.assert_allclose(density_quality(once)[columns], density_quality(thrice)[columns])

    def test_a_single_seed_has_the_interval_of_a_share(self):
        quality = density_quality([make_trial([7], (10,)), make_trial([8], (10,), fold=1)])
        low, high = wilson_interval(np.array([0.75]), np.array([20]))
        assert quality[["accuracy_low", "accuracy_high"]].values.tolist() == [pytest.approx([low[0], high[0]])]
        assert quality[["score_low", "score_high"]].isna().all(axis=None)

    def test_score_is_the_mean_over_seeds_where_there_is_one(self):
        trials = [
            make_trial([5, 5], score=[0.2, None], metric="f1"),
            make_trial([5, 5], score=[0.4, None], metric="f1", fold=1),
            make_trial([5, 5], score=[0.5, None], metric="f1", seed=1),
        ]
        quality = density_quality(trials)
        assert quality["score"][0] == pytest.approx(0.4)  # of 0.3 and 0.5
        low, high = stats.t.interval(0.95, 1, 0.4, stats.sem([0.3, 0.5]))
        assert quality["score_low"][0] == max(low, 0.0)
        assert quality["score_high"][0] == min(high, 1.0)
        assert np.isnan(quality["score"][1])
        assert quality["metric"].tolist() == ["f1", "f1"]

    def test_datasets_keep_their_order_and_bins_rise(self):
        trials = [make_trial([1, 2], dataset=name) for name in ("ozone", "cmc")]
        trials[0]["bins"].reverse()
        quality = density_quality(trials)
        assert quality[["dataset", "low"]].values.tolist() == [
            ["ozone", 0.0],
            ["ozone", 0.5],
            ["cmc", 0.0],
            ["cmc", 0.5],
        ]

    def test_is_drawn_with_the_metric_below_where_it_is_another_one(self):
        trials = [make_trial([5, 9]), make_trial([5, 9], dataset="ozone", metric="f1", score=[0.2, 0.4])]
        panels = draw("density_quality", details=trials).axes
        assert [ax.axison for ax in panels] == [True, True, False, True]
        shown = next(line for line in panels[3].lines if line.get_marker() == "o").get_xydata()
        np.testing.assert_allclose(shown, [[25, 0.2], [75, 0.4]])


def test_confidence_map_has_one_scale():
    raw, cast = [[0.9, 0.6, 0.9], [0.9, 0.7, 0.9]], [[0.7, 0.4, 0.5], [0.8, 0.5, 0.6]]
    data = {"x": [0, 1, 2], "y": [0, 1], "raw": raw, "cast": cast, "labeled": [[0.1, 0.5, "a"], [1.9, 0.5, "b"]]}
    for ax, values in zip(draw("confidence_map", details=[data]).axes[:2], (raw, cast), strict=True):
        mesh = ax.collections[0]
        np.testing.assert_allclose(np.asarray(mesh.get_array()).ravel(), np.ravel(values))
        assert mesh.get_clim() == pytest.approx((0.4, 0.9))
        assert [len(one.get_offsets()) for one in ax.collections[1:]] == [1, 1]


def test_gains_are_arranged_and_drawn():
    differences = pd.DataFrame(
        {
            "dataset": ["overall", "cmc", "diabetes", "overall", "cmc"],
            "mean": [0.01, -0.01, 0.03, -0.02, -0.02],
            "tuning": ["sane", "sane", "sane", "paper", "paper"],
        }
    )
    gains = arrange_gains(differences, "tuning")
    assert gains["dataset"].tolist() == ["diabetes", "cmc", "overall", "cmc", "overall"]
    assert gains["line"].tolist() == [1, 2, 3, 5, 6]
    results = make_results(["diabetes", "cmc"], strategies=("threshold",))
    results = results[results["label_fraction"] == 0.1]
    [ax] = draw("gains", results, method="cast-l", labels={"tuning": {"paper": "as in the paper"}}).axes
    words = [text.get_text() for text in ax.texts]
    assert sum(word.startswith("+0.0") for word in words) == 3
    assert "as in the paper" in words
    with pytest.raises(ValueError, match="no finished trial of both 'mine' and 'baseline'"):
        draw("gains", results, method="mine")


def test_winning_alphas_are_drawn():
    alphas = np.repeat(np.linspace(0.2, 0.75, 8), [12, 8, 6, 5, 4, 3, 3, 1])
    trials = pd.DataFrame({"method": "cast-l", "alpha": alphas, "seed": range(len(alphas)), "best_round": 1})
    [ax] = draw("winning_alphas", trials).axes
    heights = [bar.get_height() for bar in ax.containers[0]]
    np.testing.assert_allclose(heights, 100 * np.array([12, 8, 6, 5, 4, 3, 3, 1]) / 42)
    assert ax.get_title("right") == "shaded: 90% of the winners, 0.20 to 0.67"


def test_critical_difference_has_a_bar_over_each_group():
    pytest.importorskip("scikit_posthocs")
    levels = {"baseline": (0.1, 0.2), "ts": (0.2, 0.1), "cast-d": (0.8, 0.9), "cast-l": (0.9, 0.8)}
    rows = [
        trial(method, 0, level[setting % 2] + setting / 100, dataset=f"d{setting}")
        for setting in range(12)
        for method, level in levels.items()
    ]
    [ax] = draw("critical_difference", pd.DataFrame(rows), strategy="threshold").axes
    bars = [line.get_xdata() for line in ax.lines if line.get_marker() == "o"]
    assert sorted(len(bar) for bar in bars) == [2, 2]
    assert {text.get_text().strip().strip(" 0123456789.") for text in ax.texts} == set(levels)
    with pytest.raises(ValueError, match="threshold has 1 settings and 4 methods"):
        draw("critical_difference", pd.DataFrame(rows[:4]), strategy="threshold")


def test_an_unknown_kind_and_nothing_to_draw():
    with pytest.raises(ValueError, match="Unknown kind of figure 'x': 'pie'"):
        draw("pie")
    with pytest.raises(ValueError, match="no finished trial with a confidence map"):
        draw("confidence_map")
    with pytest.raises(ValueError, match="no finished trial of method 'density-quality'"):
        draw("density_quality")
