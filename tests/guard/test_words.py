"""The sentences of a verdict."""

import pytest

from tabcast.guard import say_verdict


def make_verdict(**changes):
    score = {"repeat": 0, "fold": 0, "n_test": 8, "supervised": 0.8, "self_trained": 0.85}
    verdict = {
        "word": "probably helped",
        "chosen": "self-trained",
        "metric": "balanced_accuracy",
        "gain": 0.023,
        "low": -0.01,
        "high": 0.056,
        "level": 0.9,
        "supervised": 0.812,
        "self_trained": 0.835,
        "n_labeled": 40,
        "n_unlabeled": 300,
        "n_splits": 5,
        "n_repeats": 2,
        "more_labels": 43,
        "guard": True,
        "same_model": False,
        "time_limit": None,
        "stopped": False,
        "scores": [score] * 10,
    }
    return {**verdict, **changes}


def test_a_whole_verdict():
    assert say_verdict(make_verdict()) == [
        "The unlabeled rows probably helped.",
        "Cross-validated on 40 labeled rows (10 splits), balanced accuracy went from 0.812 (supervised) to 0.835 "
        "(self-trained): a change of +2.3 points (90% interval: -1.0 to +5.6 points).",
        "The interval is 6.6 points wide: if the change stays the same, about 43 more labeled rows would settle "
        "whether it is real.",
        "The self-trained model was kept, because its cross-validated score is better.",
    ]


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("helped", "The unlabeled rows helped."),
        ("probably helped", "The unlabeled rows probably helped."),
        ("no difference seen", "No difference was seen: the unlabeled rows may or may not help."),
        ("hurt", "The unlabeled rows hurt."),
    ],
)
def test_the_verdict_comes_first(word, sentence):
    assert say_verdict(make_verdict(word=word))[0] == sentence


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "The self-trained model was kept, because its cross-validated score is better."),
        (
            {"chosen": "supervised", "gain": -0.01},
            "The supervised model was kept, because its cross-validated score is better.",
        ),
        (
            {"chosen": "supervised", "gain": 0.0},
            "The supervised model was kept, because the cross-validated scores are equal.",
        ),
        (
            {"chosen": "supervised", "same_model": True},
            "The supervised model was kept: self-training on all rows ended with it as well.",
        ),
        ({"guard": False}, "The self-trained model was kept; the guard is off."),
        (
            {"guard": False, "gain": -0.01},
            "The self-trained model was kept although its cross-validated score is not better, because the guard is "
            "off.",
        ),
    ],
)
def test_what_was_chosen_and_why(changes, sentence):
    assert say_verdict(make_verdict(**changes))[-1] == sentence


def test_settled_means_nothing_more_to_say():
    assert len(say_verdict(make_verdict(word="helped", low=0.001, more_labels=0))) == 3


def test_no_realistic_number_of_labels():
    assert say_verdict(make_verdict(more_labels=None))[2] == (
        "The interval is 6.6 points wide, much wider than the change itself: no realistic number of further labels "
        "would settle whether it is real."
    )


def test_equal_everywhere():
    scores = [{"repeat": 0, "fold": 0, "n_test": 8, "supervised": 0.8, "self_trained": 0.8}]
    sentences = say_verdict(make_verdict(gain=0.0, more_labels=None, scores=scores))
    assert sentences[2] == "Both models scored the same in every split."


def test_a_time_limit_that_was_reached():
    verdict = make_verdict(stopped=True, time_limit=30.0, scores=make_verdict()["scores"][:6])
    assert say_verdict(verdict)[3] == (
        "The time limit of 30 s ended the comparison early: 6 of 5 x 2 splits were evaluated."
    )


def test_splits_without_a_score_do_not_count():
    scores = [{**make_verdict()["scores"][0], "supervised": None, "self_trained": None}, *make_verdict()["scores"][1:]]
    assert "(9 splits)" in say_verdict(make_verdict(scores=scores))[1]


def test_no_unlabeled_rows():
    assert say_verdict(make_verdict(n_unlabeled=0, chosen="supervised")) == [
        "There are no unlabeled rows, so there is nothing to compare: the model is the supervised one.",
        "Its cross-validated balanced accuracy is 0.812.",
    ]


def test_a_score_that_is_no_proportion_is_not_given_in_points():
    verdict = make_verdict(metric="neg_log_loss", supervised=-0.5, self_trained=-0.477)
    assert (
        "neg log loss went from -0.500 (supervised) to -0.477 (self-trained): a change of +0.023 (90% interval: "
        in (say_verdict(verdict)[1])
    )


def test_one_point():
    assert "a change of +1.0 point (" in say_verdict(make_verdict(gain=0.01))[1]
