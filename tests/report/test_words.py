"""The sentences of the page."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from tabcast.diagnostics import Diagnostics
from tabcast.guard import _interval, say_verdict
from tabcast.report import _figures, _page
from tabcast.report import _words as words
from tabcast.report._phrases import MINUS, quoted
from tests.report.sample import make_curve, make_summary

SUMMARY = make_summary()
DIAGNOSTICS = SUMMARY["diagnostics"]
SAYERS = {
    "gain": lambda: words.say_gain(SUMMARY["verdict"]),
    "quality": lambda: words.say_quality(DIAGNOSTICS["quality"]),
    "per_class": lambda: words.say_per_class({**DIAGNOSTICS["quality"], "supervised": False}),
    "thresholds": lambda: words.say_thresholds(make_summary(classes=("no", "yes"))["diagnostics"]["thresholds"]),
    "importance": lambda: words.say_importance(DIAGNOSTICS["importance"]),
    "curves": lambda: words.say_curves(DIAGNOSTICS["curves"]),
    "classes": lambda: words.say_classes(SUMMARY["table"], None),
    "class_prior": lambda: words.say_classes(SUMMARY["table"], DIAGNOSTICS["class_prior"]),
    "cluster_assumption": lambda: words.say_cluster_assumption(DIAGNOSTICS["cluster_assumption"]),
    "class_overlap": lambda: words.say_class_overlap(DIAGNOSTICS["class_overlap"]),
    "fisher_information": lambda: words.say_fisher_information(DIAGNOSTICS["fisher_information"]),
    "covariate_shift": lambda: words.say_covariate_shift(DIAGNOSTICS["covariate_shift"]),
    "selection_curve": lambda: words.say_selection_curve(DIAGNOSTICS["selection_curve"]),
    "selection_by_alpha": lambda: words.say_selection_by_alpha({**DIAGNOSTICS["selection_curve"], "alpha": 0.43}),
    "class_mix": lambda: words.say_class_mix(DIAGNOSTICS["class_mix"]),
    "flipped_labels": lambda: words.say_flipped_labels(DIAGNOSTICS["flipped_labels"]),
    "reliability": lambda: words.say_reliability(_figures.name_models(DIAGNOSTICS["reliability"], "self-trained")),
    "history": lambda: words.say_history(SUMMARY["training"]),
    "alpha": lambda: words.say_alpha(SUMMARY["training"]),
    "seconds": lambda: words.say_seconds(SUMMARY["training"]),
    "pool_curve": lambda: words.say_pool_curve(make_curve()),
    "map": lambda: words.say_map(100, 100, density=True),
}


@pytest.mark.parametrize("who", SAYERS)
def test_every_picture_has_a_sentence_on_how_to_read_it_and_one_on_what_it_shows(who):
    said = SAYERS[who]()
    assert len(said.title.split()) >= 1
    for sentence in (said.read, said.says):
        assert sentence.endswith(".")
        assert sentence[0].isupper() or sentence[0].isdigit() or sentence[0] == "“"
        assert "nan" not in sentence.split()
        assert "None" not in sentence
        assert "  " not in sentence


@pytest.mark.parametrize(("holds", "start"), [("yes", "Yes:"), ("unclear", "Unclear:"), ("no", "No:")])
def test_cluster_assumption_starts_with_its_answer(holds, start):
    data = {**DIAGNOSTICS["cluster_assumption"], "holds": holds, "correlation": None, "p_value": None}
    assert words.say_cluster_assumption(data).says.startswith(start)


def test_strong_shift_warns_about_the_scores():
    data = {**DIAGNOSTICS["covariate_shift"], "strength": "strong"}
    assert "may not hold for the unlabeled ones" in words.say_covariate_shift(data).says
    calm = {**DIAGNOSTICS["covariate_shift"], "strength": "none", "columns": []}
    assert "alike" in words.say_covariate_shift(calm).says


def test_without_a_threshold_the_page_says_so():
    data = {**DIAGNOSTICS["selection_curve"], "threshold": None, "never_n": 0}
    assert words.say_selection_curve(data).says.startswith("No threshold was used")


def test_a_class_that_takes_over_is_called_that():
    mix = {"classes": ["a", "b"], "labeled": [0.5, 0.5], "rounds": [{"round": 1, "n": 10, "shares": [0.9, 0.1]}]}
    assert "do not trust the pseudo-labels" in words.say_class_mix(mix).says
    mix["rounds"][0]["shares"] = [0.51, 0.49]
    assert "within 2 points" in words.say_class_mix(mix).says
    mix["rounds"] = [{"round": 1, "n": 0, "shares": [None, None]}]
    assert words.say_class_mix(mix).says == "No unlabeled row was used in any round."


def test_reliability_says_better_and_worse():
    data = json.loads(json.dumps(DIAGNOSTICS["reliability"]))
    said = words.say_reliability(_figures.name_models(data, "self-trained")).says
    assert "better calibrated than your model alone" in said
    assert "its log-loss is lower" in said
    data["supervised"], data["kept"] = data["kept"], data["supervised"]
    assert "worse calibrated" in words.say_reliability(_figures.name_models(data, "self-trained")).says
    assert "the self-trained model" in words.say_reliability(_figures.name_models(data, "supervised")).says


def test_soft_self_training_says_what_alignment_assumes():
    [said] = words.warn_of_class_prior(make_summary(method="soft"))
    assert "random sample" in said
    assert "class_prior=None" in said
    assert "--class-prior none" in said
    assert words.warn_of_class_prior(make_summary()) == []


def test_invisible_characters_are_pointed_out():
    summary = make_summary(classes=("yes", "yes\u200b", "no"))
    [said] = words.warn_of_invisible_names(summary["table"])
    assert "U+200B" in said


def test_names_inside_sentences_keep_their_direction_to_themselves():
    said = quoted("\u202eabc")
    assert said == "“\u2068\u202eabc\u2069”"


def test_information_is_compared_between_regions():
    def region(name, value, low, high):
        return {"region": name, "n": 9, "information": value, "low": low, "high": high}

    dense = {"regions": [region("sparse", 0.2, 0.1, 0.3), region("dense", 0.8, 0.7, 0.9)]}
    assert "giving dense regions more weight is justified" in words.say_fisher_information(dense).says
    unclear = {"regions": [region("sparse", 0.2, 0.1, 0.8), region("dense", 0.8, 0.7, 0.9)]}
    assert "overlap" in words.say_fisher_information(unclear).says
    assert "too few" in words.say_fisher_information({"regions": []}).says


# Every code that a run can contain has words; a code without words is an error.

TERMINATION_REASONS = (
    "schedule_finished", "no_improvement", "no_change", "all_labeled", "nothing_selected", "max_rounds",
    "no_unlabeled_rows",
)  # fmt: skip
VERDICTS = (_interval.HELPED, _interval.PROBABLY, _interval.NOTHING, _interval.HURT)


@pytest.mark.parametrize("reason", TERMINATION_REASONS)
def test_every_termination_reason_has_words(reason):
    said = words.say_history({**SUMMARY["training"], "termination_reason": reason}).says
    assert f"because {words.REASONS[reason]};" in said
    assert "_" not in said


@pytest.mark.parametrize("word", VERDICTS)
def test_every_verdict_has_words_and_a_color(word):
    assert say_verdict({**SUMMARY["verdict"], "word": word})[0].endswith(".")
    assert word in _page.VERDICT_COLORS


@pytest.mark.parametrize("name", ["soft", "cast-l", "cast-d", "naive", "supervised"])
def test_every_method_has_words(name):
    settings = dict(words.list_settings({**SUMMARY, "method": {**SUMMARY["method"], "name": name}}))
    assert len(settings["method"].split()) > 1


@pytest.mark.parametrize("strength", ["none", "some", "strong"])
def test_every_strength_of_a_shift_has_words(strength):
    assert "They " in words.say_covariate_shift({**DIAGNOSTICS["covariate_shift"], "strength": strength}).says


def test_every_diagnostic_has_a_picture_or_a_list():
    assert {one.name for one in fields(Diagnostics)} <= {*_figures.PICTURES, "rows_to_label"}


@pytest.mark.parametrize(
    ("say", "data"),
    [
        (words.say_history, {**SUMMARY["training"], "termination_reason": "out_of_memory"}),
        (words.say_covariate_shift, {**DIAGNOSTICS["covariate_shift"], "strength": "weird"}),
        (words.say_cluster_assumption, {**DIAGNOSTICS["cluster_assumption"], "holds": "perhaps"}),
        (words.list_settings, {**SUMMARY, "method": {**SUMMARY["method"], "name": "magic"}}),
        (words.say_headline, {"verdict": {**SUMMARY["verdict"], "word": "wonderful"}}),
    ],
)
def test_a_code_without_words_fails(say, data):
    with pytest.raises(KeyError, match=r"out_of_memory|weird|perhaps|magic|wonderful"):
        say(data)


# How many unlabeled rows


AFTER_ALL = "rows train the self-trained model, and all 999,500 are predicted."
CURVES = {
    "no gain": (
        make_curve(),
        "From 40,000 to 80,000 unlabeled rows the score changed by +0.1 points, within its standard error of 0.3 "
        f"points, so more rows were not tried: 80,000 {AFTER_ALL}",
    ),
    "worse": (
        make_curve("worse", n_rows=20_000, points=[{"n_rows": 20_000, "score": 0.9, "gain": None, "std_error": None},
                   {"n_rows": 40_000, "score": 0.88, "gain": -0.02, "std_error": 0.01}]),
        f"From 20,000 to 40,000 unlabeled rows the score changed by {MINUS}2.0 points, a loss of more than its "
        f"standard error of 1.0 point: 20,000 {AFTER_ALL}",
    ),
    "still gaining": (
        make_curve("still gaining", n_rows=999_500),
        "From 40,000 to 80,000 unlabeled rows the score changed by +0.1 points (standard error 0.3 points); it was "
        "still rising, so all 999,500 rows train the self-trained model.",
    ),
    "stopped": (
        make_curve("stopped"),
        "From 40,000 to 80,000 unlabeled rows the score changed by +0.1 points (standard error 0.3 points), and there "
        f"was no time to try more: 80,000 {AFTER_ALL}",
    ),
    "stopped at once": (
        make_curve("stopped", n_rows=20_000, points=make_curve()["points"][:1]),
        f"There was no time to try more than 20,000 unlabeled rows: 20,000 {AFTER_ALL}",
    ),
    "not known": (
        make_curve(points=[{**one, "score": None, "gain": None, "std_error": None} for one in make_curve()["points"]]),
        "From 40,000 to 80,000 unlabeled rows the change of the score is not known, because folds lack a class: 80,000 "
        f"{AFTER_ALL}",
    ),
    "another score": (
        make_curve(metric="neg_log_loss"),
        "From 40,000 to 80,000 unlabeled rows the score changed by +0.002, within its standard error of 0.003, so "
        f"more rows were not tried: 80,000 {AFTER_ALL}",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("curve", "sentence"), CURVES.values(), ids=CURVES.keys())
def test_the_curve_says_what_more_rows_gained_and_how_many_train(curve, sentence):
    assert words.say_pool_curve(curve).says == sentence
    assert "80,000" not in words.say_pool_curve(curve).read


def test_samples_are_said_where_they_are_used():
    pool = {"n_unlabeled": 999_500, "n_judged": 20_000, "n_trained": 40_000, "n_diagnosed": 20_000, "curve": None}
    summary = {**SUMMARY, "training": {**SUMMARY["training"], "pool": pool}}
    assert words.say_judged(summary) == (
        "At most 20,000 of the 999,500 unlabeled rows are looked at here, drawn at random."
    )
    listed = dict(words.list_settings(summary))
    assert listed["unlabeled rows compared with"] == "20,000 of 999,500, drawn at random"
    assert listed["unlabeled rows in training"] == "40,000 of 999,500, drawn at random"
    said = words.say_pseudo_labels(40_000, 40_000, 40_000, None, 999_500)
    assert "These 40,000 were drawn at random from 999,500 unlabeled ones" in said


def test_nothing_is_said_of_samples_where_all_rows_are_used():
    pool = {"n_unlabeled": 100, "n_judged": 100, "n_trained": 100, "n_diagnosed": 100, "curve": None}
    for training in ({**SUMMARY["training"], "pool": pool}, SUMMARY["training"]):  # an earlier version has no pool
        summary = {**SUMMARY, "training": training}
        assert words.say_judged(summary) == ""
        assert not [name for name, _ in words.list_settings(summary) if name.startswith("unlabeled rows")]
    assert "drawn" not in words.say_pseudo_labels(100, 100, 100, None, 100)
