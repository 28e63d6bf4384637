"""Fit and predict see the same types of columns, whatever the further tables come with."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from tabcast import GuardedClassifier, SelfTrainingClassifier
from tabcast.exceptions import UnseenLevelsWarning
from tabcast.models._catalog import default_classifier

RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "size": RANDOM.normal(size=120).round(3),
        "member": RANDOM.random(120) < 0.5,
        "grade": RANDOM.integers(0, 4, 120).astype(str),
    }
)
TRUTH = ((FRAME["size"] > 0) ^ FRAME["member"]).astype(int).to_numpy()
Y = np.where(np.arange(120) % 3 == 0, TRUTH, -1)
CHANGED = {
    "numbers as text": FRAME.assign(size=FRAME["size"].astype(str)),
    "numbers as objects": FRAME.assign(size=FRAME["size"].astype(object)),
    "numbers as levels": FRAME.assign(size=pd.Categorical(FRAME["size"])),
    "booleans as numbers": FRAME.assign(member=FRAME["member"].astype(int)),
    "booleans as text": FRAME.assign(member=FRAME["member"].astype(str)),
    "text as numbers": FRAME.assign(grade=FRAME["grade"].astype(float)),
    "text as levels": FRAME.assign(grade=pd.Categorical(FRAME["grade"])),
    "all": FRAME.assign(size=FRAME["size"].astype(str), member=FRAME["member"] * 1, grade=FRAME["grade"].astype(int)),
}


def make(estimator=None):
    return SelfTrainingClassifier(estimator, validation=None, max_rounds=2, random_state=0)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("case", CHANGED)
def test_other_types_give_the_same_predictions(case, library):
    if library == "polars" and case in ("numbers as objects", "numbers as levels"):
        pytest.skip("polars has no such column")
    if library == "polars" and case == "text as levels":
        pytest.importorskip("pyarrow")  # which pl.from_pandas needs for levels
    as_library = pl.from_pandas if library == "polars" else lambda frame: frame
    model = make().fit(as_library(FRAME), Y)
    expected = model.predict_proba(as_library(FRAME))
    changed = as_library(CHANGED[case])
    np.testing.assert_array_equal(model.predict_proba(changed), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(changed), expected)
    assert model.score(changed, TRUTH) == model.score(as_library(FRAME), TRUTH)
    together = make().fit(as_library(FRAME), Y, X_unlabeled=as_library(FRAME)).predict_proba(as_library(FRAME))
    again = make().fit(as_library(FRAME), Y, X_unlabeled=changed).predict_proba(as_library(FRAME))
    np.testing.assert_array_equal(again, together)


def test_boosting_libraries_do_not_see_codes():
    xgboost = pytest.importorskip("xgboost")
    model = make(xgboost.XGBClassifier(n_estimators=5)).fit(FRAME[["size"]], Y)
    levels = pd.DataFrame({"size": pd.Categorical(FRAME["size"])})
    np.testing.assert_array_equal(model.predict_proba(levels), model.predict_proba(FRAME[["size"]]))


def test_validation_data_and_the_guard():
    model = clone(make()).set_params(validation="cv")
    changed = CHANGED["all"].iloc[:30]
    expected = clone(model).fit(FRAME, Y, validation_data=(FRAME.iloc[:30], TRUTH[:30])).predict_proba(FRAME)
    given = clone(model).fit(FRAME, Y, validation_data=(changed, TRUTH[:30])).predict_proba(FRAME)
    np.testing.assert_array_equal(given, expected)
    guarded = GuardedClassifier(make(default_classifier()), n_splits=2, n_repeats=1, random_state=0).fit(FRAME, Y)
    np.testing.assert_array_equal(guarded.predict_proba(CHANGED["all"]), guarded.predict_proba(FRAME))


def test_what_cannot_be_converted_is_named():
    model = make().fit(FRAME, Y)
    bad = FRAME.assign(size=np.where(TRUTH == 1, "large", "small"))
    for call in (model.predict, model.predict_proba, lambda X: model.score(X, TRUTH)):
        with pytest.raises(ValueError, match=r"Column 'size' has numbers in fit but text in X, and '\w+' cannot"):
            call(bad)
    with pytest.raises(ValueError, match="Column 'size' has numbers in X but text in X_unlabeled"):
        make().fit(FRAME, Y, X_unlabeled=bad)
    with pytest.raises(ValueError, match="Column 'size' has numbers in fit but text in validation_data"):
        make().fit(FRAME, Y, validation_data=(bad, TRUTH))


def test_unseen_levels_warn_and_known_ones_do_not():
    model = make().fit(FRAME, Y)
    with pytest.warns(UnseenLevelsWarning, match="column 'grade' in X"):
        model.predict(FRAME.assign(grade="grade " + FRAME["grade"]))
    with pytest.warns(UnseenLevelsWarning, match=r"column 'grade' in X_unlabeled .* of X\."):
        make().fit(FRAME, Y, X_unlabeled=FRAME.assign(grade="grade " + FRAME["grade"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnseenLevelsWarning)
        model.predict(FRAME)
        make().fit(FRAME, Y, X_unlabeled=FRAME)


def test_integers_that_no_other_library_has_are_refused_by_name():
    X = pl.DataFrame({"a": [0.5] * 20, "account": pl.Series(range(20)).cast(pl.Int128)})
    with pytest.raises(ValueError, match=r"Column 'account' of X is of type Int128, .*cast it to Int64"):
        SelfTrainingClassifier().fit(X, [0, 1] + [-1] * 18)


def test_a_name_at_which_polars_panics_is_refused():
    with pytest.raises(ValueError, match=r"A column name of X has a NUL character, 'nul\\x00': rename"):
        SelfTrainingClassifier().fit(pl.DataFrame({"nul\x00": [0.5] * 20}), [0, 1] + [-1] * 18)


def test_pandas_beside_polars_is_the_same_table():
    more = FRAME.iloc[:30]
    expected = make().fit(FRAME, Y, X_unlabeled=more).predict_proba(FRAME)
    model = make().fit(FRAME, Y, X_unlabeled=pl.from_pandas(more))
    np.testing.assert_array_equal(model.predict_proba(pl.from_pandas(FRAME)), expected)


def test_columns_with_numbers_as_names_in_another_order_are_refused():
    """scikit-learn compares names that are text; others were taken by position without a word."""
    frame = FRAME[["size"]].assign(other=RANDOM.normal(size=120)).set_axis([0, 1], axis=1)
    model = make().fit(frame, Y)
    expected = model.predict_proba(frame)
    with pytest.raises(
        ValueError, match=r"in the same order; fit had \[0, 1\], X has \[1, 0\]\. Select .*: X\[\[0, 1\]\]"
    ):
        model.predict(frame[[1, 0]])
    np.testing.assert_array_equal(model.predict_proba(frame[[1, 0]][[0, 1]]), expected)
    np.testing.assert_array_equal(model.predict_proba(frame.to_numpy()), expected)
