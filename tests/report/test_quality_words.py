"""Sentences that compare numbers are true for both signs, for ties and for small counts."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from tabcast.decisions import DecisionRule
from tabcast.diagnostics import class_prior, cluster_assumption, curves, quality, thresholds
from tabcast.guard import say_verdict
from tabcast.report import _words as words
from tabcast.report._phrases import MINUS, percent, signed
from tabcast.report._predictions import count_differences, count_reaching, make_preview
from tests.report.sample import make_pseudo_labels, make_summary, make_verdict

SEEDS = range(40)


def draw(seed, k=None):
    """True classes, predicted and supervised ones of a few or many rows, in any quality."""
    rng = np.random.default_rng(seed)
    k = k or int(rng.integers(2, 5))
    n = int(rng.choice([1, 2, 3, 8, 40, 200]))
    codes, names = rng.integers(k, size=n), [f"class {place}" for place in range(k)]
    right = rng.choice([0.0, 0.3, 0.9, 1.0], 2)
    labels, before = (np.where(rng.random(n) < share, codes, rng.integers(k, size=n)) for share in right)
    return codes, labels, before, names


def check_sentence(said):
    assert said.endswith(".")
    assert not re.search(r"nan|None|inf\b|  |\.\.|\b1 rows|\b1 classes", said), said


# The result


@pytest.mark.parametrize("seed", SEEDS)
def test_the_headline_has_the_accuracy_and_its_interval(seed):
    found = quality(*draw(seed)).to_dict()
    summary = make_summary()
    summary["diagnostics"] = {"quality": found, "covariate_shift": None}
    head, sentences = words.say_result(summary)
    for one in (head, *sentences):
        check_sentence(one)
    assert f"3,588 rows predicted; {'about ' if found['accuracy'] < 1 else ''}" in head
    assert (f"about {percent(found['accuracy'])} " in head) == (found["accuracy"] < 1)
    assert (f"{percent(found['accuracy_low'])} or more" in head) == (found["accuracy"] == 1)
    assert f"{percent(found['accuracy_low'])} to {percent(found['accuracy_high'])}" in sentences[0]


def test_the_headline_knows_shift_no_rows_and_no_measurement():
    summary = make_summary()
    summary["diagnostics"]["covariate_shift"]["strength"] = "strong"
    assert "may not hold for the unlabeled ones" in words.say_result(summary)[1][1]
    summary["table"]["n_unlabeled"] = 0
    head, sentences = words.say_result(summary)
    assert head.startswith("A model for new rows, about ")
    assert len(sentences) == 1
    assert words.say_result({"table": {"n_unlabeled": 5}})[0] == "5 rows predicted."
    assert words.say_result({"table": {"n_unlabeled": 0}})[0] == "A model for new rows."


@pytest.mark.parametrize("seed", SEEDS)
def test_recalls_are_counted_as_they_changed(seed):
    found = quality(*draw(seed)).to_dict()
    said = words.say_recalls(found, "self-trained")
    check_sentence(said)
    known = [one for one in found["per_class"] if one["recall"] is not None]
    changes = np.array([one["recall"] - one["supervised_recall"] for one in known])
    for number, word in (((changes > 0.005).sum(), "more often"), ((changes < -0.005).sum(), "less often")):
        assert (word in said) == bool(number)
        assert not number or re.search(rf"\b{number} (class is found |classes are found )?{word}", said)
    assert "your model alone, trained" in words.say_recalls(found, "supervised")


# Confusion, classes, thresholds


@pytest.mark.parametrize("seed", SEEDS)
def test_the_confusion_matrix_is_put_into_words(seed):
    codes, labels, before, names = draw(seed)
    found = quality(codes, labels, before, names).to_dict()
    said = words.say_quality(found).says
    check_sentence(said)
    right = int((codes == labels).sum())
    if right == len(codes):
        assert said.startswith("All ")
        assert percent(1 - found["accuracy_low"]) in said
    else:
        assert said.startswith(f"{right} of ")
        errors = pd.Series(list(zip(codes[codes != labels], labels[codes != labels], strict=True))).value_counts()
        assert re.search(rf"\({errors.iloc[0]} rows?\)", said)
    for supervised in (False, True):
        per_class = words.say_per_class({**found, "supervised": supervised}).says
        check_sentence(per_class)
        assert ("by your model alone" in per_class) <= (not supervised)
        missing = [one["class"] for one in found["per_class"] if one["n"] == 0]
        assert ("never held out" in per_class) == bool(missing)
        least = min(one["recall"] for one in found["per_class"] if one["recall"] is not None)
        assert percent(least) in per_class


@pytest.mark.parametrize("seed", SEEDS)
def test_the_threshold_in_use_is_put_into_words(seed):
    codes, _, _, names = draw(seed, k=2)
    p = np.random.default_rng(seed).random(len(codes))
    payoffs = np.diag(np.random.default_rng(seed).uniform(0.1, 5, 2))
    found = thresholds(codes, np.column_stack([1 - p, p]), names, DecisionRule("any", payoffs)).to_dict()
    said = words.say_thresholds(found).says
    check_sentence(said)
    used = [one for one in words.choose_thresholds(found) if one["used"]]
    assert len(used) == 1
    assert abs(used[0]["threshold"] - found["in_use"]) <= 0.0101
    assert f"{used[0]['true_positives']} of" in said
    steps = [one["threshold"] for one in words.choose_thresholds(found)]
    assert steps == sorted(set(steps))


@pytest.mark.parametrize("seed", SEEDS)
def test_curves_and_priors_are_put_into_words(seed):
    codes, _, _, names = draw(seed)
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(len(names)), len(codes)) + rng.choice([0, 5]) * np.eye(len(names))[codes]
    found = curves(codes, proba / proba.sum(axis=1, keepdims=True), names)
    if found is not None:
        check_sentence(words.say_curves(found.to_dict()).says)
    prior = class_prior(codes, names).to_dict()
    table = {"classes": [{"name": one["class"], "n_labeled": one["n"]} for one in prior["classes"]]}
    said = words.say_classes(table, prior).says
    check_sentence(said)
    rarest = min(prior["classes"], key=lambda one: one["proportion"])
    assert f"{percent(rarest['low'])} to {percent(rarest['high'])} of all rows" in said


@pytest.mark.parametrize(("values", "start"), [
    ([(0.05, 0.01, 0.09), (0.04, 0.02, 0.06), (0.0, -0.1, 0.1)], "“\u2068column 0\u2069” matters most"),
    ([(0.05, -0.01, 0.11), (0.0, 0.0, 0.0)], "No column stands out: every interval includes zero."),
    ([(-0.05, -0.1, -0.01)], "No column stands out"),
    ([(0.03, -0.01, 0.07), (0.02, 0.01, 0.03)], "“\u2068column 1\u2069” matters most for certain"),
])  # fmt: skip
def test_importance_says_what_its_intervals_allow(values, start):
    columns = [
        {"name": f"column {k}", "importance": value, "low": low, "high": high, "leak": k == 1}
        for k, (value, low, high) in enumerate(values)
    ]
    data = {"columns": columns, "n_rows": 40, "n_columns": len(columns) + 3}
    said = words.say_importance(data).says
    check_sentence(said)
    assert said.startswith(start)
    assert f"{len(columns)} of {len(columns) + 3} columns were looked at" in said
    assert ("may leak" in said) == (len(columns) > 1)


# Calibration


@pytest.mark.parametrize("ours", [(0.05, 0.4), (0.05, 6.14), (0.2, 0.4), (0.2, 6.14), (0.105, 3.12), (0.1, 3.121)])
def test_calibration_error_and_log_loss_may_disagree(ours):
    """Before, 'more reliable' stood beside a log-loss that doubled."""
    data = {
        "model": {"ece": ours[0], "log_loss": ours[1]}, "other": {"ece": 0.1, "log_loss": 3.12},
        "model_name": "the model", "other_name": "your model alone",
    }  # fmt: skip
    said = words.say_reliability(data).says
    check_sentence(said)
    change = ours[0] - 0.1
    assert ("better calibrated than" in said) == (change <= -0.01)
    assert ("worse calibrated than" in said) == (change >= 0.01)
    assert ("is lower (" in said) == (ours[1] < 3.11)
    assert ("is higher (" in said) == (ours[1] > 3.13)
    assert ("of both is 3.12" in said) == (round(ours[1], 2) == 3.12)
    disagree = (change <= -0.01 and ours[1] > 3.13) or (change >= 0.01 and ours[1] < 3.11)
    assert ("; but its log-loss" in said) == disagree


# Density


@pytest.mark.parametrize("seed", SEEDS)
def test_the_density_groups_are_as_many_as_said_and_few_errors_prove_nothing(seed):
    rng = np.random.default_rng(seed)
    n, wrong = int(rng.choice([3, 12, 41, 400])), rng.choice([0.0, 0.05, 0.3, 1.0])
    density = rng.random(n)
    right = rng.random(n) >= wrong * (1.6 * (1 - density) if rng.random() < 0.5 else 1)
    found = cluster_assumption(density, right).to_dict()
    said = words.say_cluster_assumption(found)
    check_sentence(said.says)
    groups = len(found["deciles"])
    assert ("one group" if groups == 1 else f"into {groups} groups") in said.read
    assert len(found["deciles"]) == groups
    fewer = min(int(right.sum()), n - int(right.sum()))
    if found["holds"] == "unclear" and fewer < 5:
        assert "p =" not in said.says
        assert "correlation" not in said.says
        assert (f"only {fewer} of" in said.says) == (fewer > 0)
    elif found["holds"] == "unclear":
        assert found["p_value"] >= 0.05
        assert "chance may explain" in said.says


def test_four_dots_are_four_groups_and_three_errors_are_too_few():
    """The sentences that were wrong on real tables."""
    density, right = np.linspace(0, 1, 41), np.arange(41) >= 3
    found = cluster_assumption(density, right).to_dict()
    assert found["holds"] == "unclear"
    assert found["p_value"] < 0.05  # what made "does not rise clearly (rank correlation 1.00, p = 0.003)"
    said = words.say_cluster_assumption(found)
    assert "into 4 groups" in said.read
    assert said.says == "Unclear: only 3 of 41 rows are predicted wrong, too few to tell."


# The verdict


@pytest.mark.parametrize("gain", [-0.045, -0.004, 0.0, 0.0002, 0.03])
def test_a_change_that_chance_may_explain_is_still_called_by_its_sign(gain):
    verdict = make_verdict(np.random.default_rng(0), gain=gain, word="no difference seen")
    verdict.update(gain=gain, low=gain - 0.1, high=gain + 0.1)
    verdict["total"] = {"word": "no difference seen", "gain": gain, "low": gain - 0.1, "high": gain + 0.1}
    head = say_verdict(verdict)[0]
    shown = signed(gain, points=True)
    assert ("score is lower" in head) == shown.startswith(MINUS)
    assert ("score is higher" in head) == (shown.startswith("+") and not shown.startswith("+0.0"))
    assert ("No difference was seen" in head) == (shown[1:4] == "0.0")
    assert ("chance" in head) == (shown[1:4] != "0.0")


# Predictions


def test_predictions_are_counted_by_class():
    counts = {"a": 3, "b": 1, "c": 0}
    said = words.say_predictions(counts)
    check_sentence(said)
    assert "for 3 rows (75%)" in said
    assert "for 1 row (25%)" in said
    assert "c" not in re.findall("“\u2068(.*?)\u2069”", said)
    many = {f"class {k}": 10 - k for k in range(8)}
    assert said != words.say_predictions(many)
    assert "4 other classes for the rest" in words.say_predictions(many)
    assert words.say_predictions({}) == "There are no unlabeled rows to predict."


def test_a_preview_of_numeric_labels_and_no_identifiers():
    table = pd.DataFrame(
        {"row": [3, 8], "prediction": [1, 0], "probability_0": [0.25, 0.9], "probability_1": [0.75, 0.1]}
    )
    preview = make_preview(table, ["0", "1"])
    assert (preview.heads, preview.rows) == (["row"], [["3"], ["8"]])
    assert (preview.codes, preview.probabilities, preview.counts) == ([1, 0], [0.75, 0.9], {"0": 1, "1": 1})
    assert count_reaching(table, [0.0, 0.1, 0.5, 0.76]) == [2, 2, 1, 0]
    labels = make_pseudo_labels(n_unlabeled=2).assign(row=[3, 8], label=[0, 0])
    assert count_differences(table, labels, 2) == 1
    assert make_preview(table.iloc[:0], ["0", "1"]).n == 0
    assert make_preview(None, ["0", "1"]).n == 0
