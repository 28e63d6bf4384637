"""The sentences of a verdict."""

import pytest

from tabcast.guard._verdict import say_verdict


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
        "without": "supervised",
        "supervised": 0.812,
        "committee": None,
        "self_trained": 0.835,
        "n_labeled": 40,
        "n_unlabeled": 300,
        "n_splits": 5,
        "n_repeats": 2,
        "more_labels": 43,
        "same_model": False,
        "unscored": [],
        "scores": [score] * 10,
    }
    verdict |= changes
    own = {name: verdict[name] for name in ("word", "gain", "low", "high")}
    return {"total": own, **verdict}


def with_committee(**changes):
    """The self-trained model gains 4 points over the supervised one; the committee 3.5 of them."""
    total = {"word": "helped", "gain": 0.04, "low": 0.01, "high": 0.07}
    verdict = {"committee": 0.847, "self_trained": 0.852, "without": "committee", "total": total}
    gain = {"word": "no difference seen", "gain": 0.005, "low": -0.02, "high": 0.03, "more_labels": None}
    return make_verdict(**{**verdict, **gain, **changes})


def test_a_whole_verdict():
    assert say_verdict(make_verdict()) == [
        "The unlabeled rows probably helped.",
        "Cross-validated on 40 labeled rows (10 splits), balanced accuracy went from 81.2% without the unlabeled rows "
        "to 83.5% with them: a change of +2.3 points (90% interval: -1.0 to +5.6 points).",
        "The interval is 6.6 points wide: if the change stays the same, about 43 more labeled rows would settle "
        "whether it is real.",
        "The model with the unlabeled rows was kept, because its cross-validated score is better.",
    ]


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("helped", "The unlabeled rows helped."),
        ("probably helped", "The unlabeled rows probably helped."),
        (
            "no difference seen",
            "With the unlabeled rows the score is better than without them, but chance cannot be ruled out.",
        ),
        ("hurt", "The unlabeled rows hurt."),
    ],
)
def test_the_verdict_comes_first(word, sentence):
    assert say_verdict(make_verdict(word=word))[0] == sentence


@pytest.mark.parametrize(
    ("gain", "sentence"),
    [
        (-0.045, "With the unlabeled rows the score is worse than without them, but chance cannot be ruled out."),
        (0.0004, "No difference was seen: the unlabeled rows may or may not help."),
        (-0.0004, "No difference was seen: the unlabeled rows may or may not help."),
    ],
)
def test_a_score_that_fell_is_not_called_no_difference(gain, sentence):
    assert say_verdict(make_verdict(word="no difference seen", gain=gain))[0] == sentence


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "The model with the unlabeled rows was kept, because its cross-validated score is better."),
        (
            {"chosen": "supervised", "gain": -0.01},
            "The model without the unlabeled rows was kept, because its cross-validated score is better.",
        ),
        (
            {"gain": -0.01, "word": "no difference seen"},
            "The model with the unlabeled rows was kept: they help an ensemble more often than not, and it is not even "
            "probable that they hurt here.",
        ),
        (
            {"metric": "neg_log_loss", "gain": 0.01},
            "The model with the unlabeled rows was kept, because its cross-validated score is better.",
        ),
        (
            {"metric": "neg_log_loss", "gain": -0.01, "word": "no difference seen"},
            "The model with the unlabeled rows was kept: they help an ensemble more often than not, and it is not even "
            "probable that they hurt here.",
        ),
        (
            {"chosen": "supervised", "gain": 0.0},
            "The model without the unlabeled rows was kept, because the cross-validated scores are equal.",
        ),
        (
            {"chosen": "supervised", "same_model": True},
            "The model without the unlabeled rows was kept: self-training on all rows ended with it as well.",
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


def test_what_a_committee_brings_is_not_credited_to_unlabeled_rows():
    assert say_verdict(with_committee()) == [
        "Better than your model alone, but what the unlabeled rows changed may be chance.",
        "Cross-validated on 40 labeled rows (10 splits), balanced accuracy went from 81.2% without the unlabeled rows "
        "to 85.2% with them: a change of +4.0 points (90% interval: +1.0 to +7.0 points).",
        "A committee of several kinds of models, trained on the labeled rows alone, has 84.7%: the part that the "
        "unlabeled rows add is +0.5 points (90% interval: -2.0 to +3.0 points).",
        "The interval is 5.0 points wide, much wider than the part itself: no realistic number of further labels would "
        "settle whether it is real.",
        "The model with the unlabeled rows was kept, because its cross-validated score is better.",
    ]


@pytest.mark.parametrize(
    ("total", "word", "start"),
    [
        ("helped", "hurt", "Better than your model alone, but the unlabeled rows hurt."),
        (
            "probably helped",
            "no difference seen",
            "Probably better than your model alone, but what the unlabeled",
        ),
        ("helped", "probably helped", "The unlabeled rows probably helped."),
        (
            "no difference seen",
            "no difference seen",
            "No difference was seen",  # a fifth of half the interval
        ),
        ("no difference seen", "hurt", "The unlabeled rows hurt."),
        ("hurt", "hurt", "The unlabeled rows hurt."),
    ],
)
def test_both_answers_are_in_the_headline(total, word, start):
    gain = {"word": total, "gain": 0.0, "low": -1.0, "high": 1.0}
    assert say_verdict(with_committee(word=word, total=gain))[0].startswith(start)


def test_a_change_worth_a_headline():
    gain = {"word": "no difference seen", "gain": 0.0, "low": -1.0, "high": 1.0}
    verdict = with_committee(word="no difference seen", total=gain, gain=0.02, low=-0.01, high=0.05)
    assert say_verdict(verdict)[0].startswith(
        "With the unlabeled rows the score is better than the committee's, but chance"
    )


def test_a_committee_that_is_no_better_takes_no_credit():
    sentences = say_verdict(make_verdict(committee=0.81))
    assert sentences[0] == "The unlabeled rows probably helped."
    assert sentences[2] == (
        "A committee of several kinds of models, trained on the labeled rows alone, has 81.0%, no more than your "
        "model, so the whole change is credited to the unlabeled rows."
    )


def test_classes_that_no_score_tells_about_are_named():
    assert (
        "Classes 'a', 'b' have too few labeled rows to hold one out: the scores say nothing about them."
        in say_verdict(make_verdict(unscored=["a", "b"]))
    )


def test_no_unlabeled_rows():
    assert say_verdict(make_verdict(n_unlabeled=0, chosen="supervised")) == [
        "There are no unlabeled rows, so there is nothing to compare: the model is the supervised one.",
        "Its cross-validated balanced accuracy is 81.2%.",
    ]


def test_a_score_that_is_no_proportion_is_not_given_in_points():
    verdict = make_verdict(metric="neg_log_loss", supervised=-0.5, self_trained=-0.477)
    assert (
        "log-loss (lower is better) went from 0.500 without the unlabeled rows to 0.477 with them: a change of "
        f"-{verdict['total']['gain']:.3f} (90% interval: {-verdict['total']['high']:+.3f} to "
        f"{-verdict['total']['low']:+.3f})." in say_verdict(verdict)[1]
    )
    assert say_verdict({**verdict, "word": "no difference seen", "gain": 0.01})[0].startswith(
        "With the unlabeled rows the score is better than"
    )


def test_one_point():
    assert "a change of +1.0 point (" in say_verdict(make_verdict(gain=0.01))[1]
