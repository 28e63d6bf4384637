"""Which predictions are filled in: by precision, by cost; and which rows to label next. No model is fitted."""

import numpy as np
import pandas as pd
import pytest

from tabcast.decisions import Costs, MostProbable
from tabcast.files import ArgumentError
from tabcast.runs._fill_costs import read_costs
from tabcast.runs._fill_rules import Guesses, HeldOut, choose_by_cost, choose_by_precision
from tabcast.runs._next_rows import choose_next_rows

CLASSES = ["no", "yes"]


def draw(n, seed, *, certain=3.0):
    """Calibrated predictions of two classes, and the true classes."""
    random = np.random.default_rng(seed)
    second = 1 / (1 + np.exp(-random.normal(0, certain, n)))
    proba = np.column_stack([1 - second, second])
    return Guesses(proba, proba.argmax(axis=1)), (random.random(n) < second).astype(int)


@pytest.fixture(scope="module")
def known():
    return HeldOut(*draw(400, 0))


@pytest.fixture(scope="module")
def pool():
    return draw(2000, 1)


class TestPrecision:
    def test_the_most_confident_rows_are_filled_and_right(self, known, pool):
        guesses, truth = pool
        choice = choose_by_precision(known, guesses, CLASSES, 0.9, 0.9, per_class=False)
        (bound,) = choice.facts["bounds"]
        assert 0.2 < choice.filled.mean() < 0.9
        assert guesses.confidence[choice.filled].min() >= bound["threshold"]
        assert (guesses.confidence[~choice.filled] < bound["threshold"]).all()
        assert (guesses.codes == truth)[choice.filled].mean() >= 0.9
        assert bound["bound"] >= 0.9
        assert bound["n_filled"] == choice.filled.sum()
        assert bound["n_right"] == known.right[known.guesses.confidence >= bound["threshold"]].sum()

    def test_each_class_by_itself(self, known, pool):
        """Where one class is often predicted wrongly, it is left out, and the other still filled."""
        guesses, _ = pool
        wrong = HeldOut(known.guesses, np.where(known.guesses.codes == 1, 0, known.truth))
        choice = choose_by_precision(wrong, guesses, CLASSES, 0.9, 0.9, per_class=True)
        no, yes = choice.facts["bounds"]
        assert (no["class"], yes["class"]) == ("no", "yes")
        assert no["n_filled"] > 0
        assert yes["n_filled"] == 0
        assert yes["best"] is None
        assert yes["more_labels"] is None
        assert not choice.filled[guesses.codes == 1].any()

    def test_a_class_that_was_never_held_out_is_not_filled(self, pool):
        guesses, _ = pool
        always = np.zeros(300, dtype=int)
        sure = HeldOut(Guesses(np.tile([0.99, 0.01], (300, 1)), always), always)
        choice = choose_by_precision(sure, guesses, CLASSES, 0.9, 0.9, per_class=False)
        assert choice.filled.any()
        assert not choice.filled[guesses.codes == 1].any()

    def test_too_few_labels(self, known, pool):
        few = HeldOut(Guesses(known.guesses.proba[:15], known.guesses.codes[:15]), known.guesses.codes[:15])
        choice = choose_by_precision(few, pool[0], CLASSES, 0.95, 0.9, per_class=False)
        (bound,) = choice.facts["bounds"]
        assert not choice.filled.any()
        assert (bound["n_held_out"], bound["fewest"]) == (15, 45)
        assert bound["best"] == pytest.approx(0.855)  # 0.858 ** 15 is 0.1
        assert bound["more_labels"] >= 30

    def test_nothing_held_out(self, pool):
        nothing = HeldOut.of(None, 2)
        assert not choose_by_precision(nothing, pool[0], CLASSES, 0.9, 0.9, per_class=False).filled.any()
        costs = read_costs({"review": 1, "error": 9})
        assert not choose_by_cost(nothing, pool[0], CLASSES, costs).filled.any()


class TestCost:
    def test_a_row_is_filled_where_an_error_is_unlikely_enough(self, known, pool):
        """The held-out rows are calibrated, so that a temperature changes little."""
        guesses, truth = pool
        choice = choose_by_cost(known, guesses, CLASSES, read_costs({"review": 1, "error": 10}))
        facts = choice.facts["cost"]
        assert 1 <= facts["temperature"] < 1.2
        assert guesses.confidence[choice.filled].min() == pytest.approx(0.9, abs=0.03)
        paid = np.where(choice.filled, 10.0 * (guesses.codes != truth), 1.0).mean()
        assert paid < 1  # less than reviewing every row
        assert facts["paid"] == pytest.approx(paid, rel=0.35)

    def test_overconfident_models_are_softened(self, known, pool):
        sharp = known.guesses.proba**3
        proud = HeldOut(Guesses(sharp / sharp.sum(axis=1, keepdims=True), known.guesses.codes), known.truth)
        choice = choose_by_cost(proud, pool[0], CLASSES, read_costs({"review": 1, "error": 10}))
        assert choice.facts["cost"]["temperature"] == pytest.approx(3, rel=0.3)

    def test_luck_with_few_labels_does_not_sharpen(self, known, pool):
        lucky = HeldOut(known.guesses, known.guesses.codes)
        assert choose_by_cost(lucky, pool[0], CLASSES, read_costs({"review": 1, "error": 10})).facts["cost"][
            "temperature"
        ] == pytest.approx(1)

    def test_errors_of_their_own_cost(self, known, pool):
        """To fill in "no" where "yes" is true is expensive: only "yes" is filled below near certainty."""
        guesses, _ = pool
        costs = read_costs({"review": 1, "error": 5, ("yes", "no"): 500})
        filled = choose_by_cost(known, guesses, CLASSES, costs).filled
        assert guesses.confidence[filled & (guesses.codes == 0)].min() > 0.99
        assert guesses.confidence[filled & (guesses.codes == 1)].min() < 0.85

    def test_the_decision_that_goes_with_costs(self):
        assert isinstance(read_costs({"review": 1, "error": 5}).decision(CLASSES), MostProbable)
        decision = read_costs({"review": 1, "error": 5, (1, 0): 50}).decision([0, 1])  # classes by their names
        assert isinstance(decision, Costs)
        assert np.asarray(decision.costs).tolist() == [[0, 5], [50, 0]]

    @pytest.mark.parametrize(
        ("given", "sentence"),
        [
            (7, "`cost` must map 'review' and 'error' to numbers; got 7."),
            ({"error": 2}, "`cost` lacks 'review': it needs what a review costs and what an error costs."),
            ({"review": 1}, "`cost` lacks 'error'"),
            ({"review": 1, "error": -2}, "`cost` of 'error' must be a positive number; got -2."),
            ({"review": 1, "error": 2, "mistake": 3}, "`cost` has 'mistake'; it takes 'review', 'error' and pairs"),
            ({"review": 1, "error": 2, ("a", "a"): 3}, "pairs of different classes"),
            ({"review": 1, "error": 1}, "then no row is worth a review"),
        ],
    )
    def test_bad_costs(self, given, sentence):
        with pytest.raises(ArgumentError) as error:
            read_costs(given)
        assert sentence in str(error.value)

    def test_an_unknown_class(self):
        with pytest.raises(ArgumentError, match="names the class 'yess', which the table does not have; did you mean"):
            read_costs({"review": 1, "error": 2, ("yess", "no"): 3}).matrix(CLASSES)


class TestNextRows:
    def test_close_to_being_filled_and_diverse(self, pool):
        guesses, _ = pool
        X = pd.DataFrame(np.random.default_rng(0).normal(size=(2000, 3)), columns=list("abc"))
        X.iloc[1000:] = X.iloc[0].to_numpy()  # a thousand rows that are all alike
        edge = np.full(2000, 0.8)
        chosen = choose_next_rows(X, guesses.proba, guesses.confidence, edge, seed=0)
        assert len(chosen) == len(set(chosen.tolist())) == 20
        assert (chosen >= 1000).sum() <= 1
        assert np.abs(guesses.confidence[chosen] - 0.8).mean() < 0.1
        again = choose_next_rows(X, guesses.proba, guesses.confidence, edge, seed=0)
        assert chosen.tolist() == again.tolist()

    def test_the_least_certain_where_nothing_can_be_filled(self, pool):
        guesses, _ = pool
        X = pd.DataFrame(np.random.default_rng(0).normal(size=(2000, 2)), columns=list("ab"))
        chosen = choose_next_rows(X, guesses.proba, guesses.confidence, np.full(2000, np.nan), seed=0)
        assert guesses.confidence[chosen].max() < 0.8

    def test_few_rows(self, pool):
        guesses, _ = pool
        X = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
        for n in (0, 1, 3):
            few = (X.iloc[:n], guesses.proba[:n], guesses.confidence[:n], np.full(n, np.nan))
            assert sorted(choose_next_rows(*few, seed=0).tolist()) == list(range(n))
