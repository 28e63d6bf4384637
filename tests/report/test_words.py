"""What the page says."""

from __future__ import annotations

import json

import pytest

from tabcast.report import _words as words
from tabcast.report._phrases import quoted
from tests.report.sample import make_summary

SUMMARY = make_summary()
DIAGNOSTICS = SUMMARY["diagnostics"]
SAYERS = {
    "gain": lambda: words.say_gain(SUMMARY["verdict"]),
    "classes": lambda: words.say_classes(SUMMARY["table"]),
    "cluster_assumption": lambda: words.say_cluster_assumption(DIAGNOSTICS["cluster_assumption"]),
    "class_overlap": lambda: words.say_class_overlap(DIAGNOSTICS["class_overlap"]),
    "fisher_information": lambda: words.say_fisher_information(DIAGNOSTICS["fisher_information"]),
    "covariate_shift": lambda: words.say_covariate_shift(DIAGNOSTICS["covariate_shift"]),
    "selection_curve": lambda: words.say_selection_curve(DIAGNOSTICS["selection_curve"]),
    "selection_by_alpha": lambda: words.say_selection_by_alpha({**DIAGNOSTICS["selection_curve"], "alpha": 0.43}),
    "class_mix": lambda: words.say_class_mix(DIAGNOSTICS["class_mix"]),
    "flipped_labels": lambda: words.say_flipped_labels(DIAGNOSTICS["flipped_labels"]),
    "reliability": lambda: words.say_reliability(DIAGNOSTICS["reliability"]),
    "history": lambda: words.say_history(SUMMARY["training"]),
    "alpha": lambda: words.say_alpha(SUMMARY["training"]),
    "seconds": lambda: words.say_seconds(SUMMARY["training"]),
    "map": lambda: words.say_map(100, 100, density=True),
}


@pytest.mark.parametrize("who", SAYERS)
def test_every_picture_has_a_sentence_to_read_it_and_one_that_it_says(who):
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


def test_no_threshold_is_said():
    data = {**DIAGNOSTICS["selection_curve"], "threshold": None, "never_n": 0}
    assert words.say_selection_curve(data).says.startswith("No threshold decided")


def test_a_class_that_takes_over_is_called_that():
    mix = {"classes": ["a", "b"], "labeled": [0.5, 0.5], "rounds": [{"round": 1, "n": 10, "shares": [0.9, 0.1]}]}
    assert "mistrust" in words.say_class_mix(mix).says
    mix["rounds"][0]["shares"] = [0.51, 0.49]
    assert "within 2 points" in words.say_class_mix(mix).says
    mix["rounds"] = [{"round": 1, "n": 0, "shares": [None, None]}]
    assert words.say_class_mix(mix).says == "No unlabeled row was used in any round."


def test_reliability_says_better_and_worse():
    data = json.loads(json.dumps(DIAGNOSTICS["reliability"]))
    assert "more reliable" in words.say_reliability(data).says
    data["supervised"], data["self_trained"] = data["self_trained"], data["supervised"]
    assert "less reliable" in words.say_reliability(data).says


def test_soft_self_training_says_what_alignment_assumes():
    said = words.class_prior_warning(make_summary(method="soft"))
    assert "random sample" in said
    assert "class_prior=None" in said
    assert words.class_prior_warning(make_summary()) is None


def test_invisible_characters_are_pointed_out():
    summary = make_summary(classes=("yes", "yes\u200b", "no"))
    [said] = words.invisible_warnings(summary)
    assert "U+200B" in said


def test_names_inside_sentences_keep_their_direction_to_themselves():
    said = quoted("\u202eabc")
    assert said == "“\u2068\u202eabc\u2069”"


def test_information_is_compared_between_regions():
    def region(name, value, low, high):
        return {"region": name, "n": 9, "information": value, "low": low, "high": high}

    dense = {"regions": [region("sparse", 0.2, 0.1, 0.3), region("dense", 0.8, 0.7, 0.9)]}
    assert "trusting dense regions more is right" in words.say_fisher_information(dense).says
    unclear = {"regions": [region("sparse", 0.2, 0.1, 0.8), region("dense", 0.8, 0.7, 0.9)]}
    assert "overlap" in words.say_fisher_information(unclear).says
    assert "too few" in words.say_fisher_information({"regions": []}).says
