"""The densities give the numbers of statsmodels and scikit-learn wherever those are valid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import gaussian_kde
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import KBinsDiscretizer

from tabcast.density import ClassConditional, EmpiricalLikelihood, KernelDensity
from tabcast.table._columns import learn_columns

kernel_density = pytest.importorskip("statsmodels.nonparametric.kernel_density", exc_type=ImportError)

# statsmodels announces a new random generator, which densities do not use.
pytestmark = pytest.mark.filterwarnings("ignore:After 0.17 or January 2028:FutureWarning")

SAME_DENSITY = 1e-10  # relative; the promise of KernelDensity
SMALLEST = 1e-280  # below this a product of kernels loses digits in statsmodels, which multiplies them as they are


@dataclass
class Table:
    """Fitted rows, queries and statsmodels' letters for the columns: c(ontinuous) or u(nordered)."""

    X: NDArray[np.float64]
    queries: NDArray[np.float64]
    letters: str

    @property
    def categorical(self) -> NDArray[np.bool_]:
        return np.array([letter == "u" for letter in self.letters])

    def widest(self) -> NDArray[np.float64]:
        """The largest valid bandwidth of each categorical column, no limit for the others."""
        n_levels = np.array([len(np.unique(column)) for column in self.X.T])
        return np.where(self.categorical, (n_levels - 1) / n_levels, np.inf)

    def statsmodels(self, bandwidth: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Density of the queries, and the bandwidths used."""
        peer = kernel_density.KDEMultivariate(self.X, var_type=self.letters, bw=bandwidth)
        return np.atleast_1d(peer.pdf(self.queries)), np.asarray(peer.bw)

    def tabcast(self, bandwidth: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        ours = KernelDensity(bandwidth).fit(self.X, categorical_features=self.categorical)
        return np.exp(ours.score_samples(self.queries)), ours.bandwidth_


def make_table(seed: int, letters: str, n_rows: int, levels: Any, tail: str = "normal", rarer: float = 0.05) -> Table:
    """Columns that depend on each other; each level is rarer than the one before, as statsmodels' rule needs."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=n_rows + 30)
    columns = []
    for letter in letters:
        if letter == "u":
            share = rarer ** np.arange(len(levels))
            column = rng.choice(levels, size=n_rows + 30, p=share / share.sum())
            column[: len(levels)] = levels  # every level is there
        else:
            noise = rng.standard_cauchy(n_rows + 30) if tail == "heavy" else rng.normal(size=n_rows + 30)
            column = rng.uniform(0.1, 100) * (hidden + noise) + rng.normal() * 50
        columns.append(column)
    values = np.column_stack(columns).astype(float)
    # Queries: rows never seen, rows seen, and rows seen in one column only.
    queries = np.vstack([values[n_rows:], values[:10], np.column_stack([rng.permutation(c[:20]) for c in values.T])])
    return Table(values[:n_rows], queries, letters)


def assert_same_density(table: Table, ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> None:
    valid = theirs > SMALLEST
    assert valid.sum() >= 10
    np.testing.assert_allclose(ours[valid], theirs[valid], rtol=SAME_DENSITY)


class TestKernelDensity:
    """statsmodels' KDEMultivariate."""

    @pytest.mark.parametrize("tail", ["normal", "heavy"])
    @pytest.mark.parametrize("n_rows", [20, 500])
    @pytest.mark.parametrize("letters", ["c", "u", "cc", "cu", "cucu", "ccccc", "uuccuc"])
    @pytest.mark.parametrize("levels", [(0, 1), (0, 1.7, 0.4)])
    def test_normal_reference(self, letters, n_rows, levels, tail):
        for seed in range(2):
            table = make_table(seed, letters, n_rows, levels, tail)
            theirs, bandwidth = table.statsmodels("normal_reference")
            assert np.all(bandwidth <= table.widest())  # else it is not a density: see the next test
            ours, own_bandwidth = table.tabcast("normal_reference")
            np.testing.assert_allclose(own_bandwidth, bandwidth, rtol=1e-13)
            assert_same_density(table, ours, theirs)

    @pytest.mark.parametrize("n_rows", [20, 200, 500])
    @pytest.mark.parametrize("letters", ["u", "uc", "ccu", "uucc"])
    @pytest.mark.parametrize("levels", [(0, 100, 7), tuple(range(12)), (-5, 40, 1000, 3)])
    def test_normal_reference_is_cut_where_statsmodels_is_not_valid(self, letters, n_rows, levels):
        for seed in range(3):
            table = make_table(seed, letters, n_rows, levels, rarer=1.0)
            _, bandwidth = table.statsmodels("normal_reference")
            theirs, cut = table.statsmodels(np.minimum(bandwidth, table.widest()))
            assert np.any(cut < bandwidth)
            ours, own_bandwidth = table.tabcast("normal_reference")
            np.testing.assert_allclose(own_bandwidth, cut, rtol=1e-13)
            assert_same_density(table, ours, theirs)

    @pytest.mark.parametrize("levels", [(0, 100, 7), tuple(range(120)), tuple(range(0, 450, 3))])
    @pytest.mark.parametrize("letters", ["u", "uc", "cuu"])
    def test_given_bandwidths(self, letters, levels):
        for seed in range(4):
            rng = np.random.default_rng(seed)
            table = make_table(seed, letters, 500, (0, 1))
            for j in np.flatnonzero(table.categorical):
                table.X[:, j] = rng.permutation(np.resize(levels, 500))
                table.queries[:, j] = rng.choice(levels, size=len(table.queries))
            spread = table.X.std(axis=0)
            bandwidth = np.where(table.categorical, rng.uniform(0.01, 0.6), rng.uniform(0.05, 0.5) * spread)
            theirs, _ = table.statsmodels(bandwidth)
            ours, _ = table.tabcast(bandwidth)
            assert_same_density(table, ours, theirs)

    @pytest.mark.parametrize("letters", ["c", "cc", "cuc"])
    def test_outliers_a_thousand_bandwidths_out(self, letters):
        # The rows in the tail are compared by differences, not by expanded squares.
        for seed in range(5):
            table = make_table(seed, letters, 200, (0, 1), tail="heavy")
            bandwidth = np.where(table.categorical, 0.2, table.X.std(axis=0) / 1000)
            extreme = table.X[np.argsort(-np.abs(table.X[:, 0]))[:10]]
            table.queries = np.vstack([table.queries, extreme, extreme + ~table.categorical * bandwidth / 3])
            in_bandwidths = (table.queries - table.X.mean(axis=0)) / bandwidth
            assert (in_bandwidths**2).sum(axis=1).max() > 1e6
            theirs, _ = table.statsmodels(bandwidth)
            ours, _ = table.tabcast(bandwidth)
            assert_same_density(table, ours, theirs)

    @pytest.mark.parametrize("distance", [1e1, 1e3, 1e4])
    def test_class_far_from_the_rest_of_the_table(self, distance):
        # One class of a table, fitted as ClassConditional does: its own bandwidths, the center of the whole.
        near, far = make_table(0, "cuc", 100, (0, 1)), make_table(1, "cuc", 100, (0, 1))
        shift = np.where(far.categorical, 0.0, distance * far.X.std(axis=0))
        one_class = Table(far.X + shift, far.queries + shift, "cuc")
        whole = np.vstack([near.X, one_class.X])
        encoded = learn_columns(whole, one_class.categorical).encode(whole)
        ours = KernelDensity("normal_reference").fit(encoded.take(np.arange(100, 200)))
        theirs, bandwidth = one_class.statsmodels("normal_reference")
        np.testing.assert_allclose(ours.bandwidth_, bandwidth, rtol=1e-10)
        assert_same_density(one_class, np.exp(ours.score_samples(one_class.queries)), theirs)

    def test_scipy_gaussian_kde(self):
        rng = np.random.default_rng(0)
        X, queries = rng.normal(size=200), rng.normal(size=50) * 3
        density = KernelDensity().fit(X[:, None])
        peer = gaussian_kde(X, bw_method=density.bandwidth_[0] / X.std(ddof=1))
        np.testing.assert_allclose(density.score_samples(queries[:, None]), peer.logpdf(queries), rtol=1e-10)


class TestEmpiricalLikelihood:
    """scikit-learn's KBinsDiscretizer and CategoricalNB."""

    @pytest.mark.parametrize("smoothing", [0.1, 1.0, 3.0])
    @pytest.mark.parametrize("n_bins", [2, 7, 10])
    @pytest.mark.parametrize("values", ["normal", "round", "skewed"])
    def test_numbers(self, values, n_bins, smoothing):
        rng = np.random.default_rng(0)
        X = {
            "normal": rng.normal(size=(300, 4)),
            "round": rng.integers(-20, 20, size=(300, 4)) / 10,  # on the edges of the bins
            "skewed": np.exp(3 * rng.normal(size=(300, 4))),
        }[values]
        y = rng.choice(["a", "b", "c"], size=300, p=[0.6, 0.3, 0.1])
        queries = X[:100] if values == "round" else rng.uniform(X.min(axis=0), X.max(axis=0), size=(100, 4))
        bins = KBinsDiscretizer(n_bins, strategy="uniform", encode="ordinal").fit(X)
        peer = CategoricalNB(alpha=smoothing, min_categories=n_bins).fit(bins.transform(X).astype(int), y)
        ours = ClassConditional(EmpiricalLikelihood(n_bins, smoothing=smoothing), min_samples=1).fit(X, y)
        expected = log_likelihood(peer, bins.transform(queries).astype(int))
        np.testing.assert_allclose(ours.score_samples(queries), expected, rtol=1e-12)

    def test_numbers_and_levels(self):
        rng = np.random.default_rng(1)
        X = np.column_stack([rng.normal(size=200), rng.integers(0, 4, size=200), rng.uniform(size=200)])
        y = rng.integers(0, 2, size=200)
        binned = X.astype(int)
        bins = KBinsDiscretizer(10, strategy="uniform", encode="ordinal")
        binned[:, [0, 2]] = bins.fit_transform(X[:, [0, 2]])
        peer = CategoricalNB(alpha=0.5, min_categories=[10, 4, 10]).fit(binned, y)
        ours = ClassConditional(EmpiricalLikelihood(smoothing=0.5), min_samples=1)
        ours.fit(X, y, categorical_features=[1])
        np.testing.assert_allclose(ours.score_samples(X), log_likelihood(peer, binned), rtol=1e-12)


def log_likelihood(model: CategoricalNB, X: Any) -> NDArray[np.float64]:
    """log P(x | class), what naive Bayes adds to the log prior."""
    return model.predict_joint_log_proba(X) - model.class_log_prior_
