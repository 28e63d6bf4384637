"""Quality by density: counts are pooled, intervals come from the seeds, gaps stay gaps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tabcast.statistics import wilson_interval
from tabcast.study.figures.density_quality import density_quality, draw_density_quality, ratio_interval

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402


def make_trial(correct, n=(10, 10), *, dataset="diabetes", seed=0, fold=0, metric="accuracy", score=None):
    edges = np.linspace(0, 1, len(n) + 1)
    score = [None] * len(n) if score is None else score
    cells = zip(edges[:-1], edges[1:], n, correct, score, strict=True)
    bins = [{"low": low, "high": high, "n": m, "correct": c, "score": s} for low, high, m, c, s in cells]
    return {"dataset": dataset, "seed": seed, "fold": fold, "metric": metric, "bins": bins}


def random_trials(datasets, n_seeds=3):
    rng = np.random.default_rng(0)
    for number, dataset in enumerate(datasets):
        for seed in range(n_seeds):
            n, metric = rng.integers(20, 40, size=10), ("accuracy", "f1")[number % 2]
            score = rng.uniform(0.3, 0.9, size=10).tolist()
            yield make_trial(rng.binomial(n, 0.7), n, dataset=dataset, seed=seed, metric=metric, score=score)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def points(ax):
    return next(line for line in ax.lines if line.get_marker() == "o").get_xydata()


def test_accuracy_is_that_of_all_rows():
    quality = density_quality([make_trial([2, 9], (10, 10)), make_trial([15, 28], (20, 30), seed=1)])
    assert quality[["low", "high", "n", "correct", "n_seeds"]].values.tolist() == [
        [0.0, 0.5, 30, 17, 2],
        [0.5, 1.0, 40, 37, 2],
    ]
    np.testing.assert_allclose(quality["accuracy"], [17 / 30, 37 / 40])


def test_interval_of_equal_seeds_is_that_of_their_mean():
    values = [0.5, 0.7, 0.6, 0.9]
    quality = density_quality([make_trial([10 * v], (10,), seed=seed) for seed, v in enumerate(values)])
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    assert quality["accuracy_low"].item() == pytest.approx(low)
    assert quality["accuracy_high"].item() == pytest.approx(min(high, 1.0))


def test_interval_of_unequal_seeds_by_hand():
    # 9 of 10 and 12 of 30 are 21 of 40; residuals 9 - 0.525 * 10 = 3.75 and -3.75, t of one degree of freedom 12.706
    low, high = ratio_interval(np.array([9.0, 12.0]), np.array([10.0, 30.0]))
    half = stats.t.ppf(0.975, 1) * 3.75 * np.sqrt(2) * np.sqrt(2) / 40
    assert (low, high) == pytest.approx((0.525 - half, 0.525 + half))


def test_repeating_the_folds_of_a_seed_does_not_narrow_the_interval():
    once = [make_trial([c], (10,), seed=seed) for seed, c in enumerate((4, 6, 7))]
    thrice = [make_trial([c], (10,), seed=seed, fold=fold) for seed, c in enumerate((4, 6, 7)) for fold in range(3)]
    columns = ["accuracy", "accuracy_low", "accuracy_high"]
    np.testing.assert_allclose(density_quality(once)[columns], density_quality(thrice)[columns])


def test_a_single_seed_has_the_interval_of_a_share():
    quality = density_quality([make_trial([7], (10,)), make_trial([8], (10,), fold=1)])
    low, high = wilson_interval(np.array([0.75]), np.array([20]))
    assert quality[["accuracy_low", "accuracy_high"]].values.tolist() == [pytest.approx([low[0], high[0]])]
    assert quality[["score_low", "score_high"]].isna().all(axis=None)


def test_score_is_the_mean_over_seeds_where_there_is_one():
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


def test_datasets_keep_their_order_and_bins_rise():
    trials = [make_trial([1, 2], dataset=name) for name in ("ozone", "cmc")]
    trials[0]["bins"].reverse()
    quality = density_quality(trials)
    assert quality[["dataset", "low"]].values.tolist() == [["ozone", 0.0], ["ozone", 0.5], ["cmc", 0.0], ["cmc", 0.5]]


@pytest.mark.parametrize(
    ("trials", "message"),
    [
        ([], "`trials` of density_quality is empty"),
        ([{"dataset": "cmc", "bins": []}], "Trial 0 in `trials` of density_quality lacks seed, fold, metric"),
        ([make_trial([1, 2]), make_trial([1, 2], seed=1) | {"bins": []}], "Trial 1 .* lacks bins"),
        ([make_trial([1, 2]) | {"bins": [{"low": 0, "high": 1, "n": 3}]}], "lacks bins: correct, bins: score"),
        ([make_trial([11, 2])], "`correct` of a bin .* between 0 and its n = 10; got 11 in trial 0"),
        ([make_trial([1, 2]), make_trial([1, 2])], "holds the same trial twice: dataset diabetes, seed 0, fold 0"),
        ([make_trial([1, 2]), make_trial([1, 2], seed=1, metric="f1")], "several metrics for diabetes: accuracy, f1"),
    ],
)
def test_says_what_is_missing(trials, message):
    with pytest.raises(ValueError, match=message):
        density_quality(trials)


def test_draws_a_panel_for_each_dataset():
    quality = density_quality(list(random_trials([f"table-{i}" for i in range(17)])))
    panels = draw_density_quality(quality)
    assert panels.shape == (5, 4)
    assert [ax.axison for ax in panels[4]] == [True, False, False, False]
    rows = quality[quality["dataset"] == "table-16"]
    np.testing.assert_allclose(points(panels[4, 0])[:, 0], np.arange(5, 100, 10))
    np.testing.assert_allclose(points(panels[4, 0])[:, 1], rows["accuracy"])
    overall = next(line for line in panels[4, 0].lines if line.get_linestyle() == "--")
    assert overall.get_ydata()[0] == pytest.approx(rows["correct"].sum() / rows["n"].sum())
    panels[0, 0].figure.canvas.draw()


def test_draws_the_datasets_own_metric():
    quality = density_quality(list(random_trials(["diabetes", "ozone-level-8hr"])))
    panels = draw_density_quality(quality, measure="score")
    assert [ax.get_ylabel() for ax in panels[0]] == ["accuracy", "F1"]
    np.testing.assert_allclose(points(panels[0, 1])[:, 1], quality["score"][10:])


def test_draws_accuracy_and_below_it_the_metric_where_it_is_another_one():
    quality = density_quality(list(random_trials(["diabetes", "ozone-level-8hr", "cmc"])))
    panels = draw_density_quality(quality, measure="both", n_columns=2)
    assert [[ax.axison for ax in row] for row in panels] == [[True, True], [False, True], [True, False], [False, False]]
    np.testing.assert_allclose(points(panels[0, 1])[:, 1], quality["accuracy"][10:20])
    np.testing.assert_allclose(points(panels[1, 1])[:, 1], quality["score"][10:20])
    assert [panels[0, 0].get_ylabel(), panels[0, 1].get_ylabel(), panels[1, 1].get_ylabel()] == ["accuracy", "", "F1"]
    assert [ax.get_xlabel() != "" for ax in (panels[0, 1], panels[1, 1], panels[2, 0])] == [False, True, True]


def test_an_empty_bin_is_a_gap():
    quality = density_quality([make_trial([5, 0, 9], (10, 0, 10), seed=seed) for seed in range(3)])
    assert np.isnan(quality.loc[1, ["accuracy", "accuracy_low", "accuracy_high"]].astype(float)).all()
    ax = draw_density_quality(quality)[0, 0]
    np.testing.assert_array_equal(np.isnan(points(ax)[:, 1]), [False, True, False])
    nothing = draw_density_quality(quality, measure="score")[0, 0]
    assert [text.get_text() for text in nothing.texts] == ["no results"]


def test_draws_on_given_axes():
    figure, axes = plt.subplots(1, 2)
    panels = draw_density_quality(density_quality(list(random_trials(["diabetes", "cmc"]))), axes)
    assert panels[0, 1] is axes[1]
    assert plt.get_fignums() == [figure.number]


def test_refuses_what_it_cannot_draw():
    quality = density_quality([make_trial([5, 7])])
    with pytest.raises(ValueError, match=r"`measure` .* must be one of \('accuracy', 'score', 'both'\); got 'f1'"):
        draw_density_quality(quality, measure="f1")
    with pytest.raises(ValueError, match=r"`n_columns` of draw_density_quality must be at least 1; got 0"):
        draw_density_quality(quality, n_columns=0)
    with pytest.raises(ValueError, match=r"`quality` of draw_density_quality has no rows"):
        draw_density_quality(quality.head(0))
