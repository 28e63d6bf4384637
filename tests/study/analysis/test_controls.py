"""A gain beside its controls."""

import numpy as np
import pandas as pd
import pytest

from tabcast.study.analysis.findings import control_report
from tabcast.study.analysis.summary import paired_differences


@pytest.fixture(scope="module")
def controlled(all_results):
    """The results with controls: the same budget gains 0.02 over the baseline, shuffled densities nothing."""
    baseline = all_results[all_results["method"] == "baseline"]
    supervised = all_results[all_results["method"] == "supervised"]
    return pd.concat(
        [
            all_results,
            baseline.assign(method="same-budget", score=baseline["score"] + 0.02),
            baseline.assign(method="cast-l-permuted"),
            supervised.assign(method="operating-point", score=supervised["score"] + 0.03),
        ],
        ignore_index=True,
    )


@pytest.fixture(scope="module")
def report(controlled):
    return control_report(controlled)


def overall(report, **values):
    for column, value in {"dataset": "overall", **values}.items():
        report = report[report[column] == value]
    return report


def test_controls_stand_side_by_side(controlled):
    report = control_report(controlled)
    part = overall(report, gain="cast-l", metric="score", reference="baseline", strategy="threshold")
    assert part["role"].tolist() == ["gain", "same budget", "permuted gamma", "operating point"]
    assert part["method"].tolist() == ["cast-l", "same-budget", "cast-l-permuted", "operating-point"]
    means = part.set_index("role")["mean"]
    assert means["same budget"] == pytest.approx(0.02)
    assert means["permuted gamma"] == 0.0


def test_numbers_are_those_of_paired_differences(controlled, report):
    for metric, reference in (("score", "supervised"), ("log_loss", "baseline"), ("auc", "supervised")):
        expected = paired_differences(controlled, "cast-d", reference, ["strategy"], value=metric)
        part = report[
            (report["method"] == "cast-d") & (report["metric"] == metric) & (report["reference"] == reference)
        ]
        columns = ["strategy", "dataset", "mean", "low", "high", "se_over", "n_pairs"]
        pd.testing.assert_frame_equal(
            part[columns].reset_index(drop=True), expected[columns], check_dtype=False, check_exact=False
        )


def test_operating_point_against_supervised_has_no_strategy(report):
    part = overall(report, role="operating point", reference="supervised", metric="score")
    assert set(part["strategy"]) == {"none"}
    np.testing.assert_allclose(part["mean"], 0.03)


def test_says_in_which_direction_is_better(report):
    assert report.groupby("metric")["higher_is_better"].first().to_dict() == {
        "auc": True,
        "log_loss": False,
        "score": True,
    }


def test_a_control_that_was_not_run_is_shown_without_numbers(report):
    part = overall(report, gain="cast-d", role="permuted gamma", metric="score")
    assert part["n_pairs"].tolist() == [0, 0]
    assert part["mean"].isna().all()
    assert part["method"].tolist() == ["cast-d-permuted"] * 2


def test_a_gain_that_was_not_run_is_left_out(controlled):
    report = control_report(controlled[controlled["method"] != "cast-d"])
    assert set(report["gain"]) == {"cast-l"}
    with pytest.raises(
        ValueError,
        match=r"`results` of control_report must hold finished trials of 'cast-l' or 'cast-d'; it has none\.",
    ):
        control_report(controlled[controlled["method"] == "baseline"])


def test_without_auc(controlled):
    with pytest.raises(ValueError, match=r"`results` of control_report lacks the column 'auc'"):
        control_report(controlled.drop(columns="auc"))
