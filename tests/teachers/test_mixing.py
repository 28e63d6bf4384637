"""The weights of a committee are those of a generic optimizer, and behave as weights should."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax

from tabcast.teachers._committee import mixture_weights, with_prior


def draw(seed, n_rows=60, n_members=3):
    return np.random.default_rng(seed).beta(2, 2, size=(n_rows, n_members)) * 0.95 + 0.01


def objective(weights, likelihood, strength, row_weight):
    counts = np.ones(len(likelihood)) if row_weight is None else row_weight
    return counts @ np.log(likelihood @ weights) + strength * np.log(weights).sum()


def optimize(likelihood, strength, row_weight):
    """The same maximum by L-BFGS over logits, which knows nothing of EM."""
    n_members = likelihood.shape[1]
    counts = np.ones(len(likelihood)) if row_weight is None else row_weight

    def loss(free):
        weights = softmax(np.append(0.0, free))
        share = likelihood * weights / (likelihood @ weights)[:, None]
        slope = counts @ share + strength - weights * (counts.sum() + strength * n_members)
        return -objective(weights, likelihood, strength, row_weight), -slope[1:]

    options = {"ftol": 0.0, "gtol": 1e-9, "maxiter": 10_000}
    found = minimize(loss, np.zeros(n_members - 1), jac=True, method="L-BFGS-B", options=options)
    return softmax(np.append(0.0, found.x))


@pytest.mark.parametrize("strength", [0.5, 2.0, 10.0])
@pytest.mark.parametrize("n_members", [2, 3, 6])
@pytest.mark.parametrize("weighted", [False, True])
def test_weights_are_those_of_a_generic_optimizer(strength, n_members, weighted):
    for seed in range(5):
        likelihood = draw(seed, n_members=n_members)
        row_weight = np.random.default_rng(seed).gamma(1.0, 2.0, len(likelihood)) if weighted else None
        weights = mixture_weights(likelihood, strength=strength, row_weight=row_weight)
        expected = optimize(likelihood, strength, row_weight)
        np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-6)


def test_no_other_weights_are_better():
    likelihood = draw(0)
    weights = mixture_weights(likelihood)
    best = objective(weights, likelihood, 2.0, None)
    random = np.random.default_rng(1)
    for other in [*random.dirichlet(np.ones(3), 200), *(weights + 1e-3 * random.normal(size=(50, 3)))]:
        if (other > 0).all():
            assert objective(other / other.sum(), likelihood, 2.0, None) <= best


def test_weights_are_positive_and_sum_to_one():
    for seed in range(5):
        weights = mixture_weights(draw(seed, n_rows=200), strength=0.1)
        assert (weights > 0).all()
        assert weights.sum() == pytest.approx(1, abs=1e-12)


def test_order_of_members_and_rows_does_not_matter():
    likelihood, order = draw(3), [2, 0, 1]
    weights = mixture_weights(likelihood)
    np.testing.assert_allclose(mixture_weights(likelihood[:, order]), weights[order], rtol=0, atol=1e-9)
    np.testing.assert_allclose(mixture_weights(likelihood[::-1]), weights, rtol=0, atol=1e-9)


def test_equal_members_count_the_same():
    likelihood = draw(4)[:, [0, 0, 1]]
    weights = mixture_weights(likelihood)
    assert weights[0] == pytest.approx(weights[1], abs=1e-12)
    np.testing.assert_allclose(mixture_weights(draw(4)[:, [0, 0, 0]]), 1 / 3, rtol=0, atol=1e-12)


def test_a_row_that_counts_twice_is_two_rows():
    likelihood, counts = draw(5), np.random.default_rng(0).integers(0, 4, 60)
    repeated = mixture_weights(np.repeat(likelihood, counts, axis=0))
    np.testing.assert_allclose(mixture_weights(likelihood, row_weight=counts.astype(float)), repeated, atol=1e-9)


def test_strength_pulls_toward_equal_weights():
    likelihood = np.column_stack([np.full(50, 0.8), np.full(50, 0.4)])
    spreads = [np.ptp(mixture_weights(likelihood, strength=strength)) for strength in (0.1, 2.0, 100.0)]
    assert spreads[0] > spreads[1] > spreads[2] > 0
    assert spreads[0] > 0.98


def test_without_rows_everybody_counts_the_same():
    np.testing.assert_array_equal(mixture_weights(np.empty((0, 4))), np.full(4, 0.25))


def test_the_better_member_gets_more():
    likelihood = draw(6)
    likelihood[:, 1] = np.minimum(likelihood[:, 0] + 0.1, 1.0)
    weights = mixture_weights(likelihood)
    assert weights[1] > weights[0]


def test_prior_is_mixed_in():
    shares = np.array([0.75, 0.25])
    np.testing.assert_allclose(with_prior(np.array([[0.0, 1.0]]), shares, 0.05), [[0.0375, 0.9625]])
