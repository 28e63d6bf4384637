"""The search for alpha."""

from __future__ import annotations

import numpy as np
import pytest

from tabcast.self_training import Fitted, PseudoLabels, Split
from tabcast.self_training._candidates import Candidate, SplitRun, choose_candidate
from tabcast.self_training._cast import ALPHA_GRID, plan_search, thin_grid
from tabcast.self_training._method import count_fits
from tabcast.statistics import standard_error

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")


def candidate(alpha: float, *scores: float) -> Candidate:
    return Candidate(alpha, [], scores=[np.array(scores)])


def test_smallest_alpha_within_one_standard_error():
    # Paired differences to the best: 0.03 +- 0.015 and 0.01 +- 0.01.
    best = candidate(0.7, 0.90, 0.92, 0.94)
    near = candidate(0.4, 0.90, 0.92, 0.91)
    far = candidate(0.0, 0.87, 0.92, 0.88)
    assert standard_error(best.best_scores - near.best_scores) == pytest.approx(0.01)
    assert choose_candidate([far, near, best]) is near
    assert choose_candidate([best, near, far]) is near  # in any order
    assert choose_candidate([far, best]) is best


def test_differences_are_paired():
    """Splits differ much, alphas differ little but always: the better one wins however wide the splits spread."""
    best = candidate(0.5, 0.50, 0.70, 0.90)
    worse = candidate(0.0, 0.48, 0.69, 0.88)
    assert standard_error(best.best_scores) > 0.1
    assert choose_candidate([worse, best]) is best


def test_one_split_has_no_standard_error():
    assert standard_error(np.array([0.7])) == 0
    assert choose_candidate([candidate(0.0, 0.8), candidate(0.5, 0.81)]).alpha == 0.5
    assert choose_candidate([candidate(0.2, 0.8), candidate(0.5, 0.8), candidate(0.0, 0.7)]).alpha == 0.2


def test_best_round_of_each_candidate_counts():
    late = Candidate(0.5, [], scores=[np.array([0.5, 0.5]), np.array([0.9, 0.9])], best_round=1)
    early = Candidate(0.0, [], scores=[np.array([0.6, 0.6]), np.array([0.2, 0.2])], best_round=0)
    assert choose_candidate([early, late]) is late


def test_rounding_of_a_mean_makes_no_round_better():
    """The same scores on other splits are no improvement, whichever way they add up."""

    def loop():
        while True:
            yield PseudoLabels.none(1)

    one = Candidate(None, [SplitRun(Split(np.arange(1)), loop()) for _ in range(3)])
    nothing = np.empty((0, 2))
    for round_number, scores in enumerate([(0.3, 0.2, 0.1), (0.1, 0.2, 0.3)]):
        one.record(round_number, [Fitted(None, nothing, nothing, score) for score in scores])
    assert np.mean([0.1, 0.2, 0.3]) > np.mean([0.3, 0.2, 0.1])
    assert one.best_round == 0


def test_grid_is_the_papers_and_0():
    np.testing.assert_allclose(ALPHA_GRID, [0, *np.linspace(0.2, 0.75, 8)], atol=1e-6)


@pytest.mark.parametrize("count", range(2, 12))
def test_thin_grid(count):
    thin = thin_grid(ALPHA_GRID, count)
    assert thin == sorted(set(thin))
    assert len(thin) == min(count, len(ALPHA_GRID))
    assert set(thin) <= set(ALPHA_GRID)
    assert (thin[0], thin[-1]) == (0.0, 0.75)


@pytest.mark.parametrize("max_fits", [72, 100, 120, 200, 1000])
@pytest.mark.parametrize(("n_splits", "n_rounds", "refits"), [(6, 5, True), (1, 5, False), (3, 2, True)])
def test_plan_of_a_schedule_spends_what_it_may(max_fits, n_splits, n_rounds, refits):
    n_alphas, rounds = plan_search(max_fits, n_splits, n_rounds, True, refits)
    assert rounds == n_rounds
    assert count_fits(n_alphas, n_splits, rounds, refits) <= max_fits
    assert n_alphas == len(ALPHA_GRID) or count_fits(n_alphas + 1, n_splits, rounds, refits) > max_fits


def test_plan_without_a_schedule_gives_up_rounds_for_three_alphas():
    assert plan_search(120, 6, 10, False, True) == (3, 5)
    assert plan_search(1000, 6, 10, False, True) == (9, 10)


def test_plan_that_cannot_be_afforded():
    with pytest.raises(ValueError, match=r"`max_fits`=71 .* two alphas cost up to 72 fits"):
        plan_search(71, 6, 5, True, True)
