import numpy as np
import pytest
from scipy.stats import ttest_ind

from tabcast.teachers import compare_samples


def draw(n, shares, seed):
    """Probabilities of a teacher that is right most of the time."""
    random = np.random.default_rng(seed)
    truth = random.choice(len(shares), n, p=shares)
    noise = random.dirichlet(np.ones(len(shares)), n)
    return 0.6 * np.eye(len(shares))[truth] + 0.4 * noise


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.9, 0.1), (0.6, 0.3, 0.1)])
def test_random_samples_are_rarely_suspected(shares):
    p_values = [compare_samples(draw(60, shares, seed), draw(2000, shares, 1000 + seed)).p_value for seed in range(400)]
    assert np.mean(np.array(p_values) < 0.01) <= 0.03
    assert 0.4 < np.mean(p_values) < 0.6


def test_balanced_samples_are_noticed():
    results = [compare_samples(draw(60, (0.5, 0.5), seed), draw(2000, (0.9, 0.1), seed)) for seed in range(50)]
    assert not any(result.looks_random for result in results)


def test_two_classes_are_a_t_test():
    labeled, pool = draw(40, (0.7, 0.3), 0), draw(300, (0.8, 0.2), 1)
    expected = ttest_ind(labeled[:, 0], pool[:, 0]).pvalue
    assert compare_samples(labeled, pool).p_value == pytest.approx(expected, rel=1e-4)


def test_the_order_of_the_classes_does_not_matter():
    labeled, pool = draw(50, (0.5, 0.3, 0.2), 0), draw(500, (0.2, 0.3, 0.5), 1)
    one, other = (compare_samples(labeled[:, order], pool[:, order]).p_value for order in ([0, 1, 2], [2, 0, 1]))
    assert one == pytest.approx(other, rel=1e-3)


def test_too_few_rows_say_nothing():
    assert compare_samples(np.eye(3)[:1], draw(100, (0.5, 0.3, 0.2), 0)).p_value == 1
    assert compare_samples(np.eye(3)[:2], np.eye(3)[:1]).p_value == 1
