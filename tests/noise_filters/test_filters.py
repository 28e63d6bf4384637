"""Labels that contradict where the labeled rows of the classes lie are refused, whatever the covariance is like."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.covariance import LedoitWolf
from sklearn.ensemble import HistGradientBoostingClassifier

from tabcast.exceptions import SmallClassWarning
from tabcast.noise_filters._filters import MahalanobisFilter, estimate_covariance
from tests.conftest import read_dataset


def clouds(n_rows=(60, 40, 25), n_columns=4, seed=0):
    """Rows of Gaussian classes with covariances of their own, in different units."""
    random = np.random.default_rng(seed)
    units = 10.0 ** random.integers(-3, 4, n_columns)
    rows = [
        random.normal(size=(n, n_columns)) @ random.normal(size=(n_columns, n_columns)) + random.normal(0, 4, n_columns)
        for n in n_rows
    ]
    return np.concatenate(rows) * units, np.repeat(np.arange(len(n_rows)), n_rows)


def scipy_distances(X, y, points):
    """Mahalanobis distances to each class, from scipy and numpy's plain covariance."""
    result = []
    for one in np.unique(y):
        rows = X[y == one]
        inverse = np.linalg.inv(np.cov(rows, rowvar=False))
        result.append(cdist(points, rows.mean(axis=0, keepdims=True), "mahalanobis", VI=inverse)[:, 0])
    return np.column_stack(result)


@pytest.mark.parametrize("seed", range(2))
def test_equals_scipy_where_covariances_are_regular(seed):
    X, y = clouds(seed=seed)
    points = clouds(seed=seed)[0] + np.random.default_rng(seed).normal(size=X.shape) * X.std(axis=0)
    fitted = MahalanobisFilter().fit(X, y)
    expected = scipy_distances(X, y, points)
    np.testing.assert_allclose(fitted.distances(points), expected, rtol=1e-8)
    assert (fitted.shrinkage_ == 0).all()
    labels = np.random.default_rng(seed).integers(0, 3, len(points))
    np.testing.assert_array_equal(fitted.keep(points, labels), expected.argmin(axis=1) == labels)


def test_ratio_is_the_doubt_that_is_allowed():
    X = np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    point, labels = [[4.0]], np.array([0])  # 3 from class 0, 5 from class 1
    for ratio, expected in [(0.5, False), (0.6, True), (1.0, True)]:
        fitted = MahalanobisFilter(max_ratio=ratio, min_samples=2).fit(X, y)
        assert fitted.keep(point, labels).tolist() == [expected]
    wrong = np.array([1])
    assert not MahalanobisFilter(max_ratio=1.6, min_samples=2).fit(X, y).keep(point, wrong)[0]
    assert MahalanobisFilter(max_ratio=1.7, min_samples=2).fit(X, y).keep(point, wrong)[0]


def test_singular_covariance_is_shrunk_by_ledoit_wolf():
    random = np.random.default_rng(0)
    rows = random.normal(size=(12, 30))
    rows -= rows.mean(axis=0)
    covariance, share = estimate_covariance(rows, 1)
    oracle = LedoitWolf(assume_centered=True).fit(rows)
    np.testing.assert_allclose(covariance, oracle.covariance_)
    assert share == pytest.approx(oracle.shrinkage_)


def test_only_the_singular_class_is_shrunk():
    X, y = clouds(n_rows=(60, 40), n_columns=4)
    X[y == 1, 3] = X[y == 1, 2] * 2
    fitted = MahalanobisFilter().fit(X, y)
    assert fitted.shrinkage_[0] == 0
    assert fitted.shrinkage_[1] > 0


def test_rows_on_two_spots_still_have_distances():
    # Ledoit-Wolf finds nothing to shrink here, and without shrinking there is no inverse.
    X = np.array([[0.0, 0.0], [1.0, 1.0]] * 4 + [[5.0, 5.0], [6.0, 7.0], [7.0, 5.0], [5.0, 8.0], [6.0, 5.0]])
    y = np.repeat([0, 1], [8, 5])
    fitted = MahalanobisFilter().fit(X, y)
    assert np.isfinite(fitted.distances(X)).all()
    assert fitted.keep(X, y).all()


def test_small_class_borrows_the_covariance_of_all():
    X, y = clouds(n_rows=(40, 40, 2))
    with pytest.warns(SmallClassWarning, match=r"class number 2 \(2\): below 5 rows MahalanobisFilter takes the"):
        fitted = MahalanobisFilter().fit(X, y)
    means = np.array([X[y == one].mean(axis=0) for one in range(3)])
    pooled = (X - means[y]).T @ (X - means[y]) / (len(X) - 3)
    expected = cdist(X, means[[2]], "mahalanobis", VI=np.linalg.inv(pooled))[:, 0]
    np.testing.assert_allclose(fitted.distances(X)[:, 2], expected, rtol=1e-8)
    np.testing.assert_allclose(fitted.distances(X)[:, :2], scipy_distances(X[y < 2], y[y < 2], X), rtol=1e-8)


def test_labels_of_a_class_without_rows_are_refused():
    X, y = clouds(n_rows=(30, 30))
    fitted = MahalanobisFilter().fit(X, np.where(y == 1, 2, 0))
    assert fitted.classes_.tolist() == [0, 2]
    nearest = fitted.classes_[fitted.distances(X).argmin(axis=1)]
    assert fitted.keep(X, nearest).all()
    assert not fitted.keep(X, np.full(len(X), 1)).any()
    assert not fitted.keep(X, np.full(len(X), 3)).any()


def test_missing_number_counts_as_the_mean_of_the_class():
    X, y = clouds(n_rows=(60, 40))
    fitted = MahalanobisFilter().fit(X, y)
    for one in (0, 1):
        gap, filled = X[:5].copy(), X[:5].copy()
        gap[:, 2], filled[:, 2] = np.nan, X[y == one, 2].mean()
        np.testing.assert_allclose(fitted.distances(gap)[:, one], fitted.distances(filled)[:, one])


def test_missing_in_labeled_rows_does_not_spread():
    X, y = clouds(n_rows=(60, 40))
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    X[y == 1, 0] = np.nan  # nothing known of this column in class 1
    fitted = MahalanobisFilter().fit(X, y)
    assert np.isfinite(fitted.distances(X)).all()
    assert fitted.keep(X, y).mean() > 0.9
    assert fitted.keep(X, 1 - y).mean() < 0.1


def test_categories_count():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    city = np.where(random.random(100) < 0.9, np.array(["Ulm", "Bonn"])[y], "Kiel")
    frame = pd.DataFrame({"noise": random.normal(size=100), "city": city})
    assert MahalanobisFilter().fit(frame, y).keep(frame, y).mean() > 0.9
    only_text = frame[["city"]]
    fitted = MahalanobisFilter().fit(only_text, y)
    asked = pd.DataFrame({"city": ["Ulm", "Ulm", "Bonn", "Bonn"]})
    assert fitted.keep(asked, np.array([0, 1, 0, 1])).tolist() == [True, False, False, True]


def test_unseen_and_missing_levels_and_identifiers_are_no_trouble():
    y = np.repeat([0, 1], 20)
    frame = pd.DataFrame({"id": [f"row {i}" for i in range(40)], "size": np.arange(40.0), "flag": [True, False] * 20})
    fitted = MahalanobisFilter().fit(frame, y)
    assert fitted.means_.shape == (2, 3)  # size, flag is true, flag is false; identifiers repeat nowhere
    asked = pd.DataFrame({"id": ["new", None], "size": [3.0, 35.0], "flag": [None, True]})
    assert fitted.keep(asked, np.array([0, 0])).tolist() == [True, False]


def test_every_kind_of_column(mixed_table):
    X, truth = mixed_table
    y = (truth == "stays").astype(int)
    fitted = MahalanobisFilter().fit(X, y)
    assert np.isfinite(fitted.distances(X)).all()
    assert fitted.keep(X, y).mean() > fitted.keep(X, 1 - y).mean() + 0.4


def test_constant_columns_are_left_out():
    X, y = clouds()
    wide = np.column_stack([X, np.full(len(X), 0.1), np.full(len(X), np.nan)])
    changed = wide.copy()
    changed[:, 4:] = 77
    np.testing.assert_allclose(
        MahalanobisFilter().fit(wide, y).distances(changed), MahalanobisFilter().fit(X, y).distances(X)
    )


@pytest.mark.parametrize("name", ["kc2", "vehicle"])
def test_kept_labels_of_a_real_table_are_right_more_often(name):
    # A tenth of the rows of kc2 has a singular covariance.
    X, y = read_dataset(name)
    y = pd.factorize(y, sort=True)[0]
    before, after = [], []
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(len(X))
        labeled, pool = order[: len(X) // 10], order[len(X) // 10 :]
        model = HistGradientBoostingClassifier(max_iter=30, min_samples_leaf=5, random_state=0)
        model.fit(X.iloc[labeled], y[labeled])
        labels = model.predict(X.iloc[pool])
        right = labels == y[pool]
        kept = MahalanobisFilter().fit(X.iloc[labeled], y[labeled]).keep(X.iloc[pool], labels)
        assert kept.mean() > 0.2
        before.append(right.mean())
        after.append(right[kept].mean())
    assert np.mean(after) > np.mean(before) + 0.01


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_ratio": 0}, r"`max_ratio` of MahalanobisFilter must be a positive number; got 0\."),
        ({"min_samples": 0}, r"`min_samples` of MahalanobisFilter must be an integer of at least 1; got 0\."),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    X, y = clouds()
    with pytest.raises(ValueError, match=message):
        MahalanobisFilter(**parameters).fit(X, y)
