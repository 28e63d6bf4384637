"""What members of a committee see: numbers, normal scores, indicators; missing, rare and unseen levels."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer

from tabcast.table._encoders import MAX_LEVELS, NormalScores, TableCodes


def draw(n_rows=300, seed=0):
    random = np.random.default_rng(seed)
    return np.column_stack([random.lognormal(size=n_rows), random.integers(0, 6, n_rows), random.normal(size=n_rows)])


def test_numbers_are_normal_quantiles_of_their_ranks():
    X, new = draw(), draw(seed=1)
    new[0] = [1e9, -5.0, 0.0]  # outside what was seen
    theirs = QuantileTransformer(n_quantiles=300, output_distribution="normal").fit(X)
    ours = NormalScores().fit(X)
    for table in (X, new):
        np.testing.assert_allclose(ours.transform(table), theirs.transform(table).clip(-3, 3), atol=1e-12)

    X = draw()
    scores, order = NormalScores().fit_transform(X), np.random.default_rng(0).permutation(300)
    np.testing.assert_allclose(NormalScores().fit_transform(X[order]), scores[order], atol=1e-12)
    np.testing.assert_allclose(NormalScores().fit_transform(X * [8.0, 2.0, 16.0]), scores, atol=1e-12)


def test_levels_are_one_hot():
    frame = pd.DataFrame({"city": ["Ulm", "Bonn", "Kiel", "Ulm"], "plan": pd.Categorical(["b", "a", "b", "b"])})
    theirs = OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(frame)
    ours = NormalScores().fit(frame)
    new = pd.DataFrame({"city": ["Kiel", "Rom"], "plan": pd.Categorical(["c", "a"])})  # two that were never seen
    np.testing.assert_array_equal(ours.transform(frame), theirs.transform(frame))
    np.testing.assert_array_equal(ours.transform(new), theirs.transform(new))


def test_missing_numbers_are_the_middle_with_an_indicator():
    X = draw()
    X[::7, 0] = np.nan
    scores = NormalScores().fit_transform(X)
    assert scores.shape == (300, 4)  # an indicator for the column that has missing values, none for the others
    np.testing.assert_array_equal(scores[:, 3], np.isnan(X[:, 0]))
    assert (scores[::7, 0] == 0).all()
    theirs = QuantileTransformer(n_quantiles=300, output_distribution="normal").fit_transform(X).clip(-3, 3)
    seen = ~np.isnan(X[:, 0])
    np.testing.assert_allclose(scores[seen, 0], theirs[seen, 0], atol=1e-12)


def test_missing_levels_have_an_indicator_of_their_own():
    frame = pd.DataFrame({"note": pd.Series(["x", None, "y", "x"], dtype=object)})
    np.testing.assert_array_equal(NormalScores().fit_transform(frame), [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]])


def test_rare_levels_have_no_indicator():
    levels = [f"{number:03}" for number in range(80)]
    often = levels[:MAX_LEVELS]
    frame = pd.DataFrame({"zip": levels + often + often})
    scores = NormalScores().fit_transform(frame)
    assert scores.shape == (len(frame), MAX_LEVELS)
    rare = ~frame["zip"].isin(often).to_numpy()
    assert (scores[rare] == 0).all()
    assert (scores[~rare].sum(axis=1) == 1).all()


@pytest.mark.parametrize("encoding", [NormalScores, TableCodes])
def test_columns_without_a_value(encoding):
    """Nothing is known about such a column, and nobody is warned twice about it; later it may have values."""
    X = draw()
    X[:, 1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = encoding().fit(X)
        assert np.isfinite(fitted.transform(X)).all()
        assert np.isfinite(fitted.transform(draw(5))).all()
    assert np.ptp(fitted.transform(X)[:, 1]) == 0


def test_huge_numbers_fit_into_single_precision():
    X = np.column_stack([np.append(np.arange(9.0), 1e300), np.append(np.arange(9.0), -1e300)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(TableCodes().fit_transform(X).astype(np.float32)).all()
        assert np.isfinite(NormalScores().fit_transform(X)).all()


def test_codes_are_numbers_and_positions():
    frame = pd.DataFrame(
        {"age": [30.0, np.nan, 50.0], "city": ["Ulm", "Kiel", None], "truth": [True, False, True]},
    )
    encoding = TableCodes().fit(frame)
    np.testing.assert_array_equal(encoding.transform(frame), [[30, 1, 1], [10, 0, 0], [50, -1, 1]])
    new = pd.DataFrame({"age": [-10.0], "city": ["Rom"], "truth": [False]})
    np.testing.assert_array_equal(encoding.transform(new), [[-10, -2, 0]])


def test_numbers_declared_categorical():
    X = draw()
    assert NormalScores([1]).fit_transform(X).shape == (300, 2 + 6)
    mask = np.array([False, True, False])
    np.testing.assert_array_equal(NormalScores(mask).fit_transform(X), NormalScores([1]).fit_transform(X))
    np.testing.assert_array_equal(TableCodes(mask).fit_transform(X)[:, 2], X[:, 1])  # levels come last


def test_every_kind_of_column(mixed_table):
    frame, _ = mixed_table
    codes = TableCodes().fit_transform(frame)
    assert codes.shape == (160, 8)
    assert np.isfinite(codes).all()
    scores = NormalScores().fit_transform(frame)
    # three numbers, two of them with missing; three cities, two plans in use, active, member and note with missing
    assert scores.shape == (160, 3 + 2 + 3 + 2 + 2 + 3 + 3)
    assert np.abs(scores).max() <= 3
    np.testing.assert_array_equal(scores[:, 3], frame["income"].isna())
    np.testing.assert_array_equal(scores[:, 5], frame["city"] == "Bonn")


def test_levels_that_are_equally_frequent_are_kept_by_their_order_and_not_by_that_of_rows():
    levels = [f"w{number:03}" for number in range(MAX_LEVELS + 30)]
    X = pd.DataFrame({"word": [*levels, *levels, levels[-1]]})
    again = X.sample(frac=1, random_state=3)
    ours, theirs = NormalScores().fit(X), NormalScores().fit(again)
    np.testing.assert_array_equal(ours.levels_[0], [*range(MAX_LEVELS - 1), len(levels) - 1])
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))
