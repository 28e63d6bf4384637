"""The information of Theorem 1, against the theorem's own integral."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from tabcast.diagnostics import fisher_information
from tabcast.diagnostics._fisher_information import row_information


def sample(share, distance, n, seed=0):
    """Rows of two normal classes, the true probability of each, and the density of the predicted class."""
    random = np.random.default_rng(seed)
    first = random.random(n) < share
    x = random.normal(size=n) + distance * ~first
    densities = np.column_stack([norm.pdf(x), norm.pdf(x, distance)])
    joint = densities * [share, 1 - share]
    proba = joint / joint.sum(axis=1, keepdims=True)
    return proba, densities[np.arange(n), proba.argmax(axis=1)]


@pytest.mark.parametrize(("share", "distance"), [(0.5, 1.0), (0.5, 3.0), (0.2, 2.0)])
def test_the_mean_over_all_rows_is_the_integral_of_the_theorem(share, distance):
    def integrand(x):
        one, other = norm.pdf(x), norm.pdf(x, distance)
        return (one - other) ** 2 / (share * one + (1 - share) * other)

    theorem = quad(integrand, -8, 8 + distance, limit=200)[0]
    proba, density = sample(share, distance, 20_000)
    regions = fisher_information(proba, np.array([share, 1 - share]), density)
    mean = np.average(regions["information"], weights=regions["n"])
    assert mean / (share * (1 - share)) == pytest.approx(theorem, rel=0.05)


def test_the_corollary_dense_rows_tell_more_where_classes_lie_apart():
    proba, density = sample(0.5, 2.5, 2_000)
    regions = fisher_information(proba, np.array([0.5, 0.5]), density).set_index("region")
    assert regions.index.tolist() == ["sparse", "middle", "dense"]
    assert regions.loc["dense", "low"] > regions.loc["sparse", "high"]


def test_a_known_label_is_worth_one_and_the_class_shares_nothing():
    shares = np.array([0.6, 0.3, 0.1])
    certain = row_information(np.eye(3), shares)
    assert certain @ shares == pytest.approx(1.0)  # on average over rows drawn from the classes
    assert row_information(shares[None], shares) == pytest.approx([0.0])


def test_more_classes_are_the_weighted_mean_of_one_against_the_rest():
    random = np.random.default_rng(0)
    shares = np.array([0.5, 0.3, 0.2])
    proba = random.dirichlet([1, 1, 1], 20)
    against_rest = [
        row_information(np.column_stack([proba[:, k], 1 - proba[:, k]]), np.array([p, 1 - p]))
        for k, p in enumerate(shares)
    ]
    assert row_information(proba, shares) == pytest.approx(np.average(against_rest, axis=0, weights=1 - shares))


def test_few_rows_make_few_regions():
    proba, density = sample(0.5, 1.0, 20)
    shares = np.array([0.5, 0.5])
    two = fisher_information(proba, shares, density)
    assert two["region"].tolist() == ["sparse", "dense"]
    assert (two["low"] < two["information"]).all()
    assert (two["information"] < two["high"]).all()
    assert fisher_information(proba[:3], shares, density[:3])["region"].tolist() == ["all"]
    assert fisher_information(proba, shares, np.ones(20))["n"].tolist() == [20]
