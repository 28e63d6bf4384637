"""A density per class, small classes mixed with all rows; and the density that knows nothing."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from tabcast.density import ClassConditional, EmpiricalLikelihood, KernelDensity, Uniform
from tabcast.exceptions import SmallClassWarning, TabcastWarning
from tabcast.table._columns import learn_columns

SAME = {"rtol": 1e-10, "atol": 1e-10}
DENSITIES = [EmpiricalLikelihood(n_bins=4), KernelDensity(), KernelDensity("normal_reference"), Uniform()]
each_density = pytest.mark.parametrize("density", DENSITIES, ids=str)
small_is_fine = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")


@pytest.fixture
def table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes", "rare"], [30, 20, 2])
    X = pd.DataFrame(
        {
            "x": rng.normal(loc=np.repeat([0, 3, 9], [30, 20, 2])),
            "c": rng.choice(np.array(["a", "b", None], dtype=object), size=52),
        }
    )
    X.loc[::9, "x"] = np.nan
    return X, y


class TestClasses:
    @each_density
    def test_a_class_is_scored_by_a_density_of_its_rows(self, table, density):
        X, y = table
        both = ClassConditional(density, min_samples=2).fit(X, y)
        assert both.classes_.tolist() == ["no", "rare", "yes"]
        encoded = learn_columns(X).encode(X)
        for j, one in enumerate(both.classes_):
            expected = clone(density).fit(encoded.take(y == one)).score_samples(X)
            np.testing.assert_allclose(both.score_samples(X)[:, j], expected, **SAME)

    def test_bins_span_the_rows_of_all_classes(self):
        X, y = [[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1]
        density = ClassConditional(EmpiricalLikelihood(n_bins=2), min_samples=1).fit(X, y)
        # 4 was never seen, but lies in the lower half: where class 0 is.
        np.testing.assert_allclose(np.exp(density.score_samples([[4.0]])), [[3 / 4, 1 / 4]], **SAME)

    def test_levels_and_missing_of_all_classes_are_cells(self):
        X = pd.DataFrame({"c": pd.Series(["a", "a", "b", None], dtype=object)})
        density = ClassConditional(EmpiricalLikelihood(), min_samples=1).fit(X, [0, 0, 1, 1])
        np.testing.assert_allclose(
            np.exp(density.score_samples(X)), [[3 / 5, 1 / 5], [3 / 5, 1 / 5], [1 / 5, 2 / 5], [1 / 5, 2 / 5]], **SAME
        )

    @pytest.mark.parametrize("kind", [list, pd.Categorical], ids=lambda kind: kind.__name__)
    def test_kinds_of_y(self, table, kind):
        X, y = table
        got = ClassConditional(EmpiricalLikelihood(), min_samples=1).fit(X, kind(y.tolist()))
        expected = ClassConditional(EmpiricalLikelihood(), min_samples=1).fit(X, y)
        np.testing.assert_array_equal(got.classes_, expected.classes_)
        np.testing.assert_array_equal(got.score_samples(X), expected.score_samples(X))

    def test_the_density_passed_in_is_left_unfitted(self, table):
        density = EmpiricalLikelihood()
        ClassConditional(density, min_samples=1).fit(*table)
        assert not hasattr(density, "columns_")


class TestSmallClasses:
    @small_is_fine
    @each_density
    @pytest.mark.parametrize("min_samples", [5, 40])
    def test_mixing_rule(self, table, density, min_samples):
        X, y = table
        fitted = ClassConditional(density, min_samples=min_samples).fit(X, y)
        encoded = learn_columns(X).encode(X)
        pooled = np.exp(clone(density).fit(encoded).score_samples(X))
        for j, one in enumerate(fitted.classes_):
            share = min(1.0, (y == one).sum() / min_samples)
            own = np.exp(clone(density).fit(encoded.take(y == one)).score_samples(X))
            expected = np.log(share * own + (1 - share) * pooled)
            np.testing.assert_allclose(fitted.score_samples(X)[:, j], expected, **SAME)

    def test_warning(self, table):
        X, y = table
        message = (
            "Few labeled rows for a density of their own in class 'rare' (2): it is mixed with the density of all "
            "labeled rows below 5 rows."
        )
        with pytest.warns(SmallClassWarning, match=f"^{re.escape(message)}$") as caught:
            ClassConditional(EmpiricalLikelihood()).fit(X, y)
        assert len(caught) == 1
        assert issubclass(caught[0].category, TabcastWarning)
        assert caught[0].filename == __file__  # points at the caller's line

    def test_enough_rows_are_not_mixed_and_not_warned_about(self, table):
        X, y = table
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            density = ClassConditional(EmpiricalLikelihood(), min_samples=2).fit(X, y)
        assert density.pooled_ is None

    @small_is_fine
    @each_density
    def test_absent_class_gets_the_density_of_all_rows(self, table, density):
        X, y = table
        fitted = ClassConditional(density, min_samples=2).fit(X, y, classes=["yes", "other", "no", "rare"])
        assert fitted.classes_.tolist() == ["yes", "other", "no", "rare"]
        assert fitted.densities_[1] is None
        pooled = clone(density).fit(X).score_samples(X)
        scores = fitted.score_samples(X)
        np.testing.assert_allclose(scores[:, 1], pooled, **SAME)
        without = ClassConditional(density, min_samples=2).fit(X, y).score_samples(X)
        np.testing.assert_allclose(scores[:, [2, 3, 0]], without, **SAME)


@small_is_fine
class TestAlwaysFinite:
    @settings(derandomize=True, deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data(), st.sampled_from(DENSITIES), st.integers(1, 6))
    def test_any_table(self, data, density, min_samples):
        n_rows = data.draw(st.integers(1, 12))
        numbers = st.sampled_from([0.0, 1.0, 1e-300, -1e50, 1e50, np.nan])
        X = pd.DataFrame(
            {
                "x": data.draw(st.lists(numbers, min_size=n_rows, max_size=n_rows)),
                "empty": np.full(n_rows, np.nan),
                "constant": 3.0,
                "c": pd.Series(
                    data.draw(st.lists(st.sampled_from(["a", "b", None]), min_size=n_rows, max_size=n_rows)),
                    dtype=object,
                ),
            }
        )
        y = data.draw(st.lists(st.sampled_from([0, 1, 2]), min_size=n_rows, max_size=n_rows))
        queries = pd.DataFrame(
            {
                "x": [np.nan, 1e300, -1e300, np.inf, 0.5],
                "empty": [np.nan, 1.0, -1e300, 1e300, 0.0],
                "constant": [np.nan, 3.0, 1e300, -np.inf, 2.9],
                "c": pd.Series([None, "a", "new", "", "b"], dtype=object),
            }
        )
        fitted = ClassConditional(density, min_samples=min_samples).fit(X, y, classes=[0, 1, 2, 3])
        assert np.isfinite(fitted.score_samples(pd.concat([X, queries], ignore_index=True))).all()


class TestErrors:
    @pytest.mark.parametrize("min_samples", [0, 2.5])
    def test_min_samples(self, min_samples):
        message = f"`min_samples` of ClassConditional must be an integer of at least 1; got {min_samples!r}."
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            ClassConditional(Uniform(), min_samples=min_samples).fit(np.eye(2), [0, 1])

    def test_labels_that_classes_does_not_name(self):
        with pytest.raises(ValueError, match=r"`y` of ClassConditional holds 2, which `classes` does not name\."):
            ClassConditional(Uniform()).fit(np.eye(3), [0, 1, 2], classes=[0, 1])

    def test_lengths(self):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            ClassConditional(Uniform()).fit(np.eye(2), [0, 1, 1])


@small_is_fine
def test_uniform_is_the_same_everywhere(table):
    X, y = table
    queries = pd.DataFrame({"x": [5.0, np.nan, -np.inf], "c": ["never seen", None, "a"]})
    np.testing.assert_array_equal(Uniform().fit(X).score_samples(queries), np.zeros(3))
    scores = ClassConditional(Uniform()).fit(X, y, classes=["no", "yes", "rare", "none"]).score_samples(queries)
    np.testing.assert_allclose(scores, np.zeros((3, 4)), atol=1e-15)
