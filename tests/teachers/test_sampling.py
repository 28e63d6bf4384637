import numpy as np
import pytest
from scipy.stats import ttest_ind
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier

from tabcast.teachers._committee import make_folds
from tabcast.teachers._teachers import compare_samples


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


def predict_out_of_fold(seed, n_labeled, n_classes, n_pool=800):
    """What a real teacher predicts for a random sample of labeled rows, out of fold, and for the others."""
    shares = 0.75 ** np.arange(n_classes)
    X, truth = make_classification(
        n_labeled + n_pool, 20, n_informative=12, n_classes=n_classes, n_clusters_per_class=1, class_sep=1.5,
        weights=(shares / shares.sum()).tolist(), random_state=seed,
    )  # fmt: skip
    X, X_pool, y = X[:n_labeled], X[n_labeled:], np.unique(truth[:n_labeled], return_inverse=True)[1]
    out_of_fold, held_out = np.zeros((n_labeled, y.max() + 1)), []
    for train, rows in make_folds(y, 5, seed):
        out_of_fold[rows] = ExtraTreesClassifier(20, random_state=seed).fit(X[train], y[train]).predict_proba(X[rows])
        held_out.extend(rows)
    pool = ExtraTreesClassifier(20, random_state=seed).fit(X, y).predict_proba(X_pool)
    return out_of_fold[np.sort(held_out)], pool


def test_random_samples_of_many_classes_are_rarely_suspected():
    """Predictions out of fold differ a little from others; with 14 classes that must not look like a biased sample."""
    p_values = [compare_samples(*predict_out_of_fold(seed, 80, 14)).p_value for seed in range(20)]
    assert np.sum(np.array(p_values) < 0.01) <= 1


def test_balanced_samples_of_several_classes_are_noticed():
    equal, skewed = (0.25, 0.25, 0.25, 0.25), (0.7, 0.1, 0.1, 0.1)
    results = [compare_samples(draw(60, equal, seed), draw(2000, skewed, seed)) for seed in range(50)]
    assert not any(result.looks_random for result in results)
