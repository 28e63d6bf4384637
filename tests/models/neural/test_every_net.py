"""What holds for each of the six networks."""

import os
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from tests.conftest import needs

pytest.importorskip("torch")

import torch

from tests.models.neural.nets import NETS, make_table

pytestmark = pytest.mark.parametrize("net", NETS.values(), ids=NETS)


def is_finite(proba, n_rows, n_classes):
    assert proba.shape == (n_rows, n_classes)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    return np.isfinite(proba).all()


class TestTables:
    @pytest.mark.parametrize("n_rows", [2, 41, 129])
    def test_any_number_of_rows(self, net, n_rows):
        """129 rows, 103 of which train, leave a last batch of few rows; 2 are a single batch."""
        X, y = make_table(n_rows)
        model = clone(net).set_params(batch_size=2 if n_rows == 41 else "auto", epochs=1).fit(X, y)
        assert is_finite(model.predict_proba(X), n_rows, 2)
        assert set(model.predict(X)) <= {"yes", "no"}
        with pytest.raises(ValueError, match="must be in the same order"):
            model.predict_proba(X[X.columns[::-1]])

    def test_one_class_one_row_one_column(self, net):
        X, y = make_table(30)
        assert clone(net).set_params(epochs=1).fit(X, ["a"] * 30).predict_proba(X).tolist() == [[1.0]] * 30
        assert clone(net).set_params(epochs=1).fit(X[:1], ["a"]).predict(X).tolist() == ["a"] * 30
        for name in X.columns[:3]:
            assert is_finite(clone(net).set_params(epochs=1).fit(X[[name]], y).predict_proba(X[[name]]), 30, 2)

    def test_hard_cells(self, net):
        """An unseen level, missing cells where there were none, an empty column, an outlier, an extreme number."""
        X, y = make_table(40)
        X["nothing"] = np.nan
        y[5] = "one"
        X.loc[7, "size"] = 1e30
        model = clone(net).fit(X, y)
        new = X.copy()
        new.loc[0, ["size", "code"]] = np.nan
        new.loc[1, ["city", "code"]] = "elsewhere"
        new.loc[2, "size"] = -1e300
        new.loc[3, "nothing"] = 5.0
        assert is_finite(model.predict_proba(new), 40, 3)
        assert model.classes_.tolist() == ["no", "one", "yes"]

    @needs("polars")
    def test_other_kinds_of_tables(self, net):
        """polars, and an array that names its categorical columns, give what pandas gives."""
        import polars as pl

        X, y = make_table(30)
        expected = clone(net).fit(X, y).predict_proba(X)
        frame = pl.DataFrame(X.to_dict(orient="list")).with_columns(pl.col("income").fill_nan(None))
        np.testing.assert_array_equal(clone(net).fit(frame, y).predict_proba(frame), expected)
        codes = X.assign(city=X["city"].astype("category").cat.codes.replace(-1, np.nan))
        codes["code"] = X["code"].str[1:].astype(int)
        array = codes.to_numpy(dtype=float)
        model = clone(net).set_params(categorical_features=[2, 3]).fit(array, y)
        assert model.encoder_.shape == clone(net).fit(X, y).encoder_.shape
        assert is_finite(model.predict_proba(array), 30, 2)


class TestRepeatable:
    def test_only_the_seed_decides(self, net):
        X, y = make_table(50)
        expected = clone(net).fit(X, y).predict_proba(X)
        same = [clone(net).set_params(random_state=np.random.RandomState(3)).fit(X, y) for _ in range(2)]
        np.testing.assert_array_equal(clone(net).fit(X, y).predict_proba(X), expected)
        np.testing.assert_array_equal(*(model.predict_proba(X) for model in same))
        for seed in (1, None):
            assert not np.allclose(clone(net).set_params(random_state=seed).fit(X, y).predict_proba(X), expected)

    def test_what_a_fitted_network_predicts(self, net):
        """Every column counts; neighbors, pickling and parameters set later do not."""
        X, y = make_table(60)
        model = clone(net).fit(X, y)
        expected = model.predict_proba(X)
        for name in X.columns:
            changed = X.assign(**{name: X[name].to_numpy()[np.random.default_rng(1).permutation(60)]})
            assert np.abs(model.predict_proba(changed) - expected).max() > 1e-6, name
        np.testing.assert_allclose(model.predict_proba(X[:1]), expected[:1], rtol=1e-12)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), expected)
        model.set_params(**{name: 3 for name in model.ARCHITECTURE if isinstance(getattr(model, name), int)})
        np.testing.assert_array_equal(model.predict_proba(X), expected)

    def test_nothing_outside_changes(self, net, tmp_path, monkeypatch, capfd):
        monkeypatch.chdir(tmp_path)
        X, y = make_table(30)
        before = X.copy()
        numbers, states = np.random.mtrand._rand.get_state()[1].copy(), torch.get_rng_state()
        threads = torch.get_num_threads()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for seed in (0, None):
                clone(net).set_params(random_state=seed).fit(X, y).predict_proba(X)
        np.testing.assert_array_equal(np.random.mtrand._rand.get_state()[1], numbers)
        assert torch.equal(torch.get_rng_state(), states)
        assert torch.get_num_threads() == threads
        assert torch.is_grad_enabled()
        assert torch.get_default_dtype() == torch.float32
        pd.testing.assert_frame_equal(X, before)
        assert capfd.readouterr() == ("", "")
        assert os.listdir(tmp_path) == []
        clone(net).set_params(verbose=1, epochs=1).fit(X, y)
        assert f"Training {type(net).__name__}" in capfd.readouterr().out

    def test_the_number_of_threads_changes_nothing(self, net):
        X, y = make_table(300)
        before, found = torch.get_num_threads(), []
        try:
            for threads in (1, 2):
                torch.set_num_threads(threads)
                model = clone(net)
                if hasattr(model, "pretrain"):
                    model.pretrain(X)
                found.append(model.fit(X, y).predict_proba(X))
                assert torch.get_num_threads() == threads
        finally:
            torch.set_num_threads(before)
        np.testing.assert_array_equal(*found)


class TestWeights:
    @pytest.mark.parametrize("weight", [-1.0, np.nan, "heavy"])
    def test_bad_weights_of_classes(self, net, weight):
        X, y = make_table(30)
        model = clone(net).set_params(class_weight={**dict.fromkeys(y, 1.0), y[0]: weight})
        with pytest.raises(ValueError, match=re.escape(f"`class_weight of {y[0]!r}` of {type(net).__name__} must be")):
            model.fit(X, y)

    def test_a_row_of_weight_0_does_not_train(self, net):
        """The wrong labels of the last half change nothing; encoding and pretraining see the rows all the same."""
        X, y = make_table(40)
        wrong = y.copy()
        wrong[20:] = np.where(y[20:] == "yes", "no", "yes")
        weight = np.repeat([1.0, 0.0], 20)
        one, other = (clone(net).fit(X, labels, sample_weight=weight).predict_proba(X) for labels in (y, wrong))
        np.testing.assert_array_equal(one, other)
        with pytest.raises(ValueError, match=r"Every row has weight 0|at least one non-zero"):
            clone(net).fit(X, y, sample_weight=np.zeros(40))

    def test_weights_and_class_weights_count(self, net):
        X, y = make_table(60)
        weight = np.where(y == "yes", 20.0, 1.0)
        plain, weighted = clone(net).fit(X, y), clone(net).fit(X, y, sample_weight=weight)
        balanced = clone(net).set_params(class_weight={"yes": 40.0, "no": 2.0}).fit(X, y)  # the ratio counts
        assert weighted.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.02
        np.testing.assert_array_equal(balanced.predict_proba(X), weighted.predict_proba(X))


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("epochs", 0, "`epochs` of {} must be an integer of at least 1; got 0."),
        ("batch_size", 1, "`batch_size` of {} must be an integer of at least 2 or 'auto'; got 1."),
        ("learning_rate", 0, "`learning_rate` of {} must be a positive number; got 0."),
        ("device", "abacus", "`device` of {} is 'abacus', which torch cannot use here."),
    ],
)
def test_bad_parameters(net, parameter, value, message):
    X, y = make_table(10)
    with pytest.raises(ValueError, match=r"must|cannot") as caught:
        clone(net).set_params(**{parameter: value}).fit(X, y)
    assert str(caught.value) == message.format(type(net).__name__)
