"""Improvement is measured on the same rows, seed by seed, and the figure shows what is missing."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from tabcast.study.figures._panels import wrap_name
from tabcast.study.figures.label_fractions import draw_label_fractions, ratio_of_means, relative_improvements

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

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


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def markers(ax):
    """The points drawn, as (height, hollow), without those of empty lines."""
    return [
        (float(height), line.get_markerfacecolor() == "white")
        for line in ax.lines
        if line.get_marker() not in ("None", "")
        for height in line.get_ydata()
        if not np.isnan(height)
    ]


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

    @pytest.mark.parametrize(
        ("results", "message"),
        [
            (pd.DataFrame([trial("cast-l", 0, 0.6)]).drop(columns=["seed", "fold"]), "lacks the columns seed, fold"),
            (pd.DataFrame([trial("cast-l", 0, 0.6)]).head(0), "`results` of relative_improvements has no rows"),
            (pd.DataFrame([trial("cast-l", 0, 0.6)]), "no row of method 'supervised' with status 'done'"),
            (pd.DataFrame([trial("supervised", 0, 0.6)]), "only rows of method 'supervised'"),
            (
                pd.DataFrame([trial("supervised", 0, 0.5), trial("cast-l", 0, 0.6), trial("cast-l", 0, 0.7)]),
                "several rows for the same trial, for example dataset diabetes, method cast-l, strategy threshold",
            ),
        ],
    )
    def test_says_what_is_missing(self, results, message):
        with pytest.raises(ValueError, match=message):
            relative_improvements(results)


class TestDraw:
    def test_strategies_are_rows_and_datasets_columns(self):
        improvements = relative_improvements(make_results(["diabetes", "cmc", "gusto"]))
        panels = draw_label_fractions(improvements, labels={"dataset": {"gusto": "gusto (stand-in)"}})
        assert panels.shape == (2, 3)
        assert [ax.get_title() for ax in panels[0]] == ["diabetes", "cmc", "gusto (stand-in)"]
        assert [ax.get_ylabel() for ax in panels[:, 0]] == ["FPL\nimprovement (%)", "CPL\nimprovement (%)"]
        assert [tick.get_text() for tick in panels[1, 2].get_xticklabels()] == ["5", "10", "30"]
        heights = sorted(height for height, _ in markers(panels[1, 2]))
        np.testing.assert_allclose(heights, [0, 0, 0, 2, 2, 2], atol=1e-9)
        panels[0, 0].figure.canvas.draw()

    def test_panels_of_a_dataset_have_the_same_vertical_axis(self):
        results = make_results(["diabetes", "cmc"])
        results.loc[(results["dataset"] == "cmc") & (results["strategy"] == "curriculum"), "score"] *= 1.5
        panels = draw_label_fractions(relative_improvements(results))
        assert panels[0, 1].get_ylim() == panels[1, 1].get_ylim()
        assert panels[0, 0].get_ylim() != panels[0, 1].get_ylim()

    def test_many_datasets_go_below_each_other(self):
        panels = draw_label_fractions(relative_improvements(make_results([f"table-{i}" for i in range(17)])))
        assert panels.shape == (6, 6)
        assert panels[4, 4].get_title() == "table-16"
        assert [ax.axison for ax in panels[4]] == [True] * 5 + [False]
        width, height = panels[0, 0].figure.get_size_inches()
        assert width < 12
        assert height < 12

    def test_missing_results_are_marked(self):
        results = make_results(["diabetes", "cmc"])
        no_curriculum = (results["dataset"] == "cmc") & (results["strategy"] == "curriculum")
        one_seed = (results["dataset"] == "diabetes") & (results["seed"] == 0) & (results["label_fraction"] == 0.1)
        middle = (results["dataset"] == "cmc") & (results["method"] == "cast-l") & (results["label_fraction"] == 0.1)
        results.loc[no_curriculum | (one_seed & (results["method"] == "cast-l")) | middle, "status"] = "missing"
        labels = {"method": {"supervised": "w/o ST", "cast-l": "CAST-L"}}
        panels = draw_label_fractions(relative_improvements(results), labels=labels)
        assert [text.get_text() for text in panels[1, 1].texts] == ["no results"]
        assert [hollow for height, hollow in markers(panels[0, 0]) if height > 1] == [False, False, True]
        curves = [line.get_ydata() for line in panels[0, 1].lines if line.get_marker() == "None"]
        assert any(np.isnan(curve[1]) and not np.isnan(curve[[0, 2]]).any() for curve in curves if len(curve) == 3)
        legend = [text.get_text() for text in panels[0, 0].figure.legends[0].get_texts()]
        assert legend == ["w/o ST", "baseline", "CAST-L", "some trials missing"]

    def test_a_method_without_a_strategy_is_drawn_for_each(self):
        results = make_results(["diabetes"])
        more = results[results["method"] == "supervised"].assign(method="operating-point")
        more["score"] *= 1.1
        panels = draw_label_fractions(relative_improvements(pd.concat([results, more])))
        assert panels.shape == (2, 1)
        for ax in panels.flat:
            assert max(height for height, _ in markers(ax)) == pytest.approx(10.0)

    def test_unknown_methods_look_different_from_each_other(self):
        methods = ["baseline", "mine", "yours", "cast-l-permuted"]
        panels = draw_label_fractions(relative_improvements(make_results(["diabetes"], methods=methods)))
        entries = panels[0, 0].figure.legends[0].legend_handles
        assert len({(entry.get_color(), entry.get_marker()) for entry in entries}) == len(entries) == 5

    def test_draws_on_given_axes(self):
        figure, axes = plt.subplots(2, 2)
        panels = draw_label_fractions(relative_improvements(make_results(["diabetes", "cmc"])), axes)
        assert panels[1, 0] is axes[1, 0]
        assert plt.get_fignums() == [figure.number]
        assert axes[0, 0].get_legend() is not None

    def test_refuses_what_it_cannot_draw(self):
        results = make_results(["diabetes"])
        table = relative_improvements(results)
        two = pd.concat([table, table.assign(model="mlp")])
        with pytest.raises(
            ValueError, match=r"must be of one model; got xgboost, mlp\. Choose, for instance improvements"
        ):
            draw_label_fractions(two)
        with pytest.raises(ValueError, match=r"`axes` of draw_label_fractions must be 2 x 1 Axes; got 3"):
            draw_label_fractions(table, plt.subplots(3)[1])
        with pytest.raises(ValueError, match=r"`n_columns` of draw_label_fractions must be at least 1; got 0"):
            draw_label_fractions(table, n_columns=0)
        with pytest.raises(ValueError, match=r"`improvements` of draw_label_fractions has no rows"):
            draw_label_fractions(table.head(0))

    def test_without_matplotlib(self, monkeypatch):
        table = relative_improvements(make_results(["diabetes"]))
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(ImportError, match=r"draw_label_fractions needs matplotlib\. Install it with: pip install"):
            draw_label_fractions(table)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("cmc", ["cmc"]),
        ("blood-transfusion-service-center", ["blood-transfusion-", "service-center"]),
        ("heart failure registry", ["heart failure registry"]),
        ("clinical_support2_death180", ["clinical_support2_", "death180"]),
        ("x" * 30, ["x" * 22, "x" * 8]),
    ],
)
def test_long_names_are_broken_and_nothing_is_lost(name, lines):
    assert wrap_name(name).split("\n") == lines
