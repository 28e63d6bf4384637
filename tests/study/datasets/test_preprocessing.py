"""Learned from training rows, valid for all."""

import numpy as np
import pandas as pd
import pytest
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer
from sklearn.preprocessing import LabelEncoder

from tabcast.exceptions import EmptyColumnWarning
from tabcast.study.datasets import load_dataset
from tabcast.study.protocol import PREPROCESSINGS, PaperPreprocessing
from tests.conftest import SMALL_TABLES


def make_table(n=200, seed=0, holes=0.1):
    """Two related numbers, two related categories and a constant; holes in one number and one category."""
    random = np.random.default_rng(seed)
    size = random.normal(50, 10, n)
    grade = np.clip((size - 20) // 12, 0, 4).astype(int)
    frame = pd.DataFrame(
        {
            "size": size,
            "price": 3 * size + random.normal(0, 1, n),
            "grade": pd.Categorical(grade.astype(str), categories=list("43210")),
            "city": pd.Categorical(random.choice(["Ulm", "Bonn", "Kiel"], n)),
            "constant": 7.0,
        },
    )
    frame.loc[random.random(n) < holes, "price"] = np.nan
    frame.loc[random.random(n) < holes, "grade"] = np.nan
    return frame


@pytest.fixture
def parts():
    frame = make_table()
    return frame.iloc[:120], frame.iloc[120:]


@pytest.mark.parametrize("member", PREPROCESSINGS.values(), ids=PREPROCESSINGS)
class TestContract:
    def test_rows_and_columns_stay(self, parts, member):
        train, test = parts
        result = member().fit(train).transform(test)
        assert result.columns.tolist() == train.columns.tolist()
        assert result.index.tolist() == test.index.tolist()

    def test_inputs_are_not_changed(self, parts, member):
        train, test = (part.copy() for part in parts)
        member().fit(train).transform(test)
        pd.testing.assert_frame_equal(train, parts[0])
        pd.testing.assert_frame_equal(test, parts[1])

    def test_a_row_does_not_depend_on_the_rows_beside_it(self, parts, member):
        train, test = parts
        fitted = member().fit(train)
        together = fitted.transform(test)
        one_by_one = pd.concat([fitted.transform(test.iloc[[row]]) for row in range(len(test))])
        pd.testing.assert_frame_equal(one_by_one, together)

    def test_transform_teaches_nothing(self, parts, member):
        train, test = parts
        fitted = member().fit(train)
        before = fitted.transform(train)
        fitted.transform(test.assign(size=1e6, city=pd.Categorical(["Rome"] * len(test))))
        pd.testing.assert_frame_equal(fitted.transform(train), before)


class TestPaper:
    def test_values_that_were_there_stay(self, parts):
        train, test = parts
        result = PaperPreprocessing().fit(train).transform(test)
        for name in ("size", "price", "constant"):
            known = test[name].notna()
            np.testing.assert_array_equal(result.loc[known, name], test.loc[known, name])
        known = test["grade"].notna()
        np.testing.assert_array_equal(result.loc[known, "grade"], test.loc[known, "grade"].astype(float))

    def test_codes_are_those_of_a_label_encoder(self, parts):
        train, test = parts
        result = PaperPreprocessing().fit(train).transform(test)
        expected = LabelEncoder().fit(train["city"].astype(object)).transform(test["city"].astype(object))
        np.testing.assert_array_equal(result["city"], expected)

    def test_imputed_cells_are_those_of_scikit_learn_on_label_encoded_columns(self, parts):
        encoded = [
            part.assign(
                grade=part["grade"].astype(float),  # its levels are 0 to 4
                city=LabelEncoder().fit(parts[0]["city"].astype(object)).transform(part["city"].astype(object)),
            )
            for part in parts
        ]
        assert set(parts[0]["grade"].dropna()) == set("01234")
        expected = IterativeImputer(random_state=0).fit(encoded[0]).transform(encoded[1])
        expected[:, 2] = np.clip(np.rint(expected[:, 2]), 0, 4)
        result = PaperPreprocessing().fit(parts[0]).transform(parts[1])
        np.testing.assert_allclose(result, expected, rtol=1e-10)

    def test_imputed_numbers_follow_the_other_columns(self, parts):
        train, test = parts
        result = PaperPreprocessing().fit(train).transform(test)
        hidden = test["price"].isna()
        assert hidden.sum() > 3
        np.testing.assert_allclose(result.loc[hidden, "price"], 3 * test.loc[hidden, "size"], atol=5)

    def test_imputed_codes_are_valid_and_near(self, parts):
        train, test = parts
        fitted = PaperPreprocessing().fit(train)
        result = fitted.transform(test)
        hidden = test["grade"].isna()
        assert hidden.sum() > 3
        truth = np.clip((test["size"] - 20) // 12, 0, 4)
        assert set(result["grade"]) <= set(range(len(fitted.levels_["grade"])))
        assert np.abs(result["grade"] - truth)[hidden].max() <= 1

    @pytest.mark.parametrize(("size", "code"), [(500.0, 4), (-500.0, 0)])
    def test_imputed_codes_stay_within_the_levels(self, size, code):
        fitted = PaperPreprocessing().fit(make_table(400))
        assert fitted.levels_["grade"] == list("01234")
        far = pd.DataFrame({"size": [size], "price": [3 * size], "grade": [None], "city": ["Ulm"], "constant": [7.0]})
        assert fitted.transform(far)["grade"].tolist() == [code]

    def test_unseen_level_is_imputed_like_a_missing_one(self, parts):
        train, test = parts
        fitted = PaperPreprocessing().fit(train)
        unseen = test.assign(grade=pd.Categorical(["9"] * len(test)))
        missing = test.assign(grade=pd.Categorical([None] * len(test), categories=list("01234")))
        pd.testing.assert_frame_equal(fitted.transform(unseen), fitted.transform(missing))

    def test_holes_where_training_had_none(self):
        train, test = make_table(holes=0), make_table(seed=1, holes=0.3)
        fitted = PaperPreprocessing().fit(train)
        assert fitted.imputer_ is None
        result = fitted.transform(test)
        np.testing.assert_allclose(result.loc[test["price"].isna(), "price"], train["price"].mean())
        most_frequent = float(train["grade"].mode()[0])
        assert set(result.loc[test["grade"].isna(), "grade"]) == {most_frequent}

    def test_column_without_holes_in_training_beside_one_with(self, parts):
        train, test = parts
        fitted = PaperPreprocessing().fit(train)
        assert fitted.imputed_.tolist() == [False, True, True, False, False]
        blank = fitted.transform(test.assign(size=np.nan))
        assert set(blank["size"]) == {train["size"].mean()}

    def test_empty_column_becomes_zero_with_a_warning(self, parts):
        train, test = parts
        with pytest.warns(EmptyColumnWarning, match="Column 'price' has no value in any row"):
            fitted = PaperPreprocessing().fit(train.assign(price=np.nan))
        assert set(fitted.transform(test.assign(price=np.nan))["price"]) == {0.0}

    @pytest.mark.parametrize("name", ["car", "credit-g"])
    def test_real_tables(self, name):
        X, random = load_dataset(name, data_dir=SMALL_TABLES).X, np.random.default_rng(0)
        X = X.mask(random.random(X.shape) < 0.1).sample(frac=1, random_state=0)
        train, test = X.iloc[:500], X.iloc[500:]
        fitted = PaperPreprocessing().fit(train)
        result = fitted.transform(test)
        assert np.isfinite(result.to_numpy()).all()
        for column in result.columns[fitted.categorical_]:
            codes = result[column].to_numpy()
            assert set(codes) <= set(range(len(fitted.levels_[column])))
            seen = test[column].isin(fitted.levels_[column]).to_numpy()
            back = np.array(fitted.levels_[column], dtype=object)[codes.astype(int)]
            np.testing.assert_array_equal(back[seen], test[column].to_numpy(dtype=object)[seen])
