"""Batches, early stopping, what a table is to a network; torch, scikit-learn and self-training around it."""

import inspect
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.conftest import hide_labels, read_dataset

pytest.importorskip("torch")

import torch

from tabcast import CASTClassifier, SoftSelfTrainingClassifier
from tabcast.models.neural import MLPClassifier
from tabcast.models.neural._base import PATIENCE, batches, hold_out
from tabcast.models.neural._cells import TableEncoder
from tabcast.models.neural._layers import Dropout, TableInput
from tests.models.neural.nets import NETS, SELF_SUPERVISED, make_table

BATCHES = "a row of weight 2 counts in one batch of an epoch, a repeated row in two; pretraining does not use weights"
EXPECTED = {"check_sample_weight_equivalence_on_dense_data": BATCHES}
SMALL = {name: clone(net).set_params(epochs=8, random_state=None) for name, net in NETS.items()}


class TestTraining:
    @pytest.mark.parametrize("batch_size", [2, 32])
    def test_every_row_once_and_never_alone(self, batch_size):
        for n_rows in (2, 3, 31, 33, 41, 65, 129):
            found = list(batches(n_rows, batch_size, torch.Generator()))
            assert sorted(torch.cat(found).tolist()) == list(range(n_rows))
            assert min(map(len, found)) >= 2
            assert max(map(len, found)) <= max(batch_size, 3)

    def test_batches_grow_with_the_table(self):
        net = NETS["mlp"]
        assert [net._rows_per_batch(n) for n in (2, 41, 2_000, 3_000, 9_000, 10**6)] == [32, 32, 32, 64, 256, 256]

    def test_hold_out_from_100_rows_on(self):
        generator = torch.Generator()
        assert [len(rows) for rows in hold_out(torch.zeros(99), generator)] == [99, 0]
        target = torch.tensor([0] * 90 + [1] * 29 + [2])
        training, held_out = hold_out(target, generator)
        assert sorted(torch.cat([training, held_out]).tolist()) == list(range(120))
        assert torch.bincount(target[held_out]).tolist() == [18, 5]

    def test_epochs(self):
        """Few rows are trained for all of them; random labels stop early."""
        X, y = make_table(200)
        assert clone(NETS["mlp"]).set_params(epochs=7).fit(X[:60], y[:60]).n_epochs_ == 7
        y = np.random.default_rng(0).integers(2, size=200)
        assert clone(NETS["mlp"]).set_params(epochs=200).fit(X, y).n_epochs_ < 50

    def test_the_best_weights_are_restored(self):
        """The weight moves by the learning rate in each epoch; the third epoch is the best."""
        network, seen = torch.nn.Linear(1, 1, bias=False), []
        torch.nn.init.zeros_(network.weight)

        def held_out_loss():
            seen.append(network.weight.item())
            return abs(seen[-1] + 0.3)

        net = MLPClassifier(learning_rate=0.1)
        loss = lambda rows: network.weight.sum()  # noqa: E731
        assert net._train(network, loss, 2, 100, torch.Generator(), "", held_out_loss) == 3
        assert len(seen) == 3 + PATIENCE
        assert network.weight.item() == pytest.approx(-0.3, abs=1e-4)

    def test_learning_rate_falls_in_steps(self):
        net = MLPClassifier(learning_rate=0.1, scheduler_step_size=2, scheduler_gamma=0.1)
        assert [net._rate(epoch) for epoch in range(5)] == pytest.approx([0.1, 0.1, 0.01, 0.01, 0.001])
        assert SELF_SUPERVISED["switchtab"]._rate(99) == 0.01

    def test_divergence_is_an_error(self, monkeypatch):
        X, y = make_table(30)
        monkeypatch.setattr("tabcast.models.neural._base.weighted_loss", lambda logits, *_: logits.sum() * float("nan"))
        with pytest.raises(ValueError, match=r"^Training of MLPClassifier diverged\. Lower its `learning_rate`\.$"):
            clone(NETS["mlp"]).fit(X, y)


class TestTable:
    def test_levels(self):
        train_rows = pd.DataFrame({"city": ["Ulm", None, "Bonn"], "plan": ["a", "b", "a"]})
        encoder = TableEncoder(train_rows)
        assert encoder.shape.n_levels == (3, 2)  # missing is a level where training rows have it
        new = pd.DataFrame({"city": ["Bonn", "Ulm", None, "Kiel"], "plan": ["b", None, "c", "a"]})
        assert encoder.encode(new).codes.tolist() == [[1, 2], [2, 0], [3, 0], [0, 1]]

    def test_numbers(self):
        encoder = TableEncoder(pd.DataFrame({"a": [1.0, 2.0, 1e9], "b": [np.nan] * 3, "c": [1.0, np.nan, 2.0]}))
        assert encoder.shape.n_numbers == 3
        assert encoder.shape.gaps == (1, 2)
        scores = encoder.encode(pd.DataFrame({"a": [2.0, -5.0, np.nan], "b": [np.nan, 1, 2], "c": [1.0, 1.5, np.nan]}))
        np.testing.assert_allclose(scores.numbers, [[0, np.nan, -3], [-3, 0, 0], [np.nan, 0, np.nan]], atol=1e-6)

    def test_features(self):
        """Scores, indicators of gaps, an embedding of each categorical column; that of an unknown level is 0."""
        X, _ = make_table(300)
        encoder = TableEncoder(X)
        layer = TableInput(encoder.shape, torch.Generator().manual_seed(0))
        features = layer(encoder.encode(X))
        assert layer.width == features.shape[1] == 2 + 1 + 2 + 8
        np.testing.assert_array_equal(features[:, 2].detach(), X["income"].isna())
        for city in ("Ulm", "Bonn"):  # a level has one vector
            assert len(np.unique(features[(X["city"] == city).to_numpy(), 3:5].detach(), axis=0)) == 1
        unknown = layer(encoder.encode(X.assign(city="?", code="?")))
        assert not unknown[:, 3:].any()

    def test_dropout(self):
        dropout = Dropout(0.25, torch.Generator().manual_seed(0))
        ones = torch.ones(1_000, 20)
        dropped = dropout(ones)
        assert float((dropped == 0).float().mean()) == pytest.approx(0.25, abs=0.02)
        assert float(dropped.mean()) == pytest.approx(1, abs=0.02)
        assert torch.equal(dropout.eval()(ones), ones)


class TestTorch:
    def test_tabcast_does_not_load_it(self):
        code = "import sys, tabcast.models, tabcast.study.models\nassert 'torch' not in sys.modules"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_without_it(self, monkeypatch):
        for name in [name for name in sys.modules if name.startswith("tabcast.models.neural")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "torch", None)
        with pytest.raises(ImportError) as caught:
            import tabcast.models.neural  # noqa: F401
        assert str(caught.value) == "Neural models need PyTorch. Install it with: pip install 'tabcast[nn]'."


class TestScikitLearn:
    @parametrize_with_checks([SMALL["mlp"]], expected_failed_checks=lambda estimator: EXPECTED)
    def test_checks(self, estimator, check):
        check(estimator)

    @pytest.mark.slow
    @parametrize_with_checks(
        [net for name, net in SMALL.items() if name != "mlp"], expected_failed_checks=lambda estimator: EXPECTED
    )
    def test_checks_of_the_others(self, estimator, check):
        check(estimator)

    @pytest.mark.parametrize("net", NETS.values(), ids=NETS)
    def test_shared_parameters_are_parameters(self, net):
        """Each constructor and docstring has those of its base classes, too."""
        names = list(inspect.signature(type(net)).parameters)
        assert {*names} == {*net.get_params()} > {"learning_rate", "epochs", *net.ARCHITECTURE}
        assert all(f"\n{name} : " in type(net).__doc__ for name in [*names, "classes_"])
        copy = clone(net).set_params(class_weight="balanced", epochs=2)
        assert copy.get_params() == {**net.get_params(), "class_weight": "balanced", "epochs": 2}
        assert "class_weight='balanced', " in repr(copy).replace("\n", " ")
        with pytest.raises(TypeError, match="unexpected keyword argument 'width'"):
            type(net)(width=3)


class Recorded(MLPClassifier):
    """Remembers the columns that it was given."""

    def fit(self, X, y, sample_weight=None):
        self.dtypes_ = X.dtypes
        return super().fit(X, y, sample_weight)


def few_rows(name):
    """120 rows of a table, 40 of them labeled."""
    X, y = read_dataset(name)
    rows = np.random.default_rng(0).permutation(len(X))[:120]
    return X.iloc[rows].reset_index(drop=True), hide_labels(np.asarray(y, dtype=object)[rows], 40, 0, marker=None)


class TestRealTables:
    def test_cast_runs_on_a_network_unchanged(self):
        """The DataFrame, with its categories, reaches the network as it is."""
        X, y = few_rows("credit-g")
        net = Recorded(layers="16", epochs=3, learning_rate=0.01)
        model = CASTClassifier(net, alpha=0.5, feature_selection=None, validation=None, max_rounds=2, random_state=0)
        proba = model.fit(X, y).predict_proba(X)
        assert model.estimator_.dtypes_.equals(X.dtypes)
        assert len(model.estimator_.encoder_.columns_.categorical) == (X.dtypes == "category").sum() > 5
        assert np.isfinite(proba).all()
        np.testing.assert_array_equal(clone(model).fit(X, y).predict_proba(X), proba)

    def test_soft_self_training_from_a_pretrained_network(self):
        """Pretrained once on all rows, which every fit of the run starts from."""
        X, y = few_rows("car")
        net = clone(SELF_SUPERVISED["scarf"]).pretrain(X)
        model = SoftSelfTrainingClassifier(net, teacher="self", random_state=0).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        assert model.estimator_.pretrained is net.pretrained

    @pytest.mark.slow
    def test_41_labels_of_diabetes(self):
        """Ten seeds: at least three points above the larger class, which has 65%."""
        X, y = read_dataset("diabetes")
        scores = []
        for seed in range(10):
            train, test = train_test_split(np.arange(len(y)), train_size=41, stratify=y, random_state=seed)
            model = MLPClassifier(random_state=seed).fit(X.iloc[train], y.iloc[train])
            scores.append(model.score(X.iloc[test], y.iloc[test]))
        assert np.mean(scores) >= y.value_counts(normalize=True).max() + 0.03

    @pytest.mark.slow
    def test_rare_class_of_ozone(self):
        """One row in sixteen is positive; balanced class weights find some of them."""
        X, y = read_dataset("ozone-level-8hr")
        positive = (y == y.value_counts().idxmin()).to_numpy()
        scores = []
        for seed in range(3):
            train, test = train_test_split(np.arange(len(y)), train_size=0.1, stratify=y, random_state=seed)
            model = MLPClassifier(class_weight="balanced", random_state=seed).fit(X.iloc[train], positive[train])
            scores.append(f1_score(positive[test], model.predict(X.iloc[test])))
        assert np.mean(scores) > 0.2
