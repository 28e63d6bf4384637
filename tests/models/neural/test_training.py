"""Batches, early stopping, and what a table is to a network."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

pytest.importorskip("torch")

import torch

from tabcast.models.neural._base import hold_out
from tabcast.models.neural._cells import TableEncoder
from tabcast.models.neural._layers import Dropout, TableInput
from tabcast.models.neural._training import PATIENCE, Schedule, batches, train
from tabcast.progress import Progress
from tests.models.neural.nets import NETS, make_table


class TestBatches:
    @pytest.mark.parametrize("n_rows", [2, 3, 31, 32, 33, 41, 64, 65, 129])
    @pytest.mark.parametrize("batch_size", [2, 32])
    def test_every_row_once_and_never_alone(self, n_rows, batch_size):
        found = list(batches(n_rows, batch_size, torch.Generator()))
        assert sorted(torch.cat(found).tolist()) == list(range(n_rows))
        assert min(map(len, found)) >= 2
        assert max(map(len, found)) <= max(batch_size, 3)

    def test_size_grows_with_the_table(self):
        net = NETS["mlp"]
        assert [net._rows_per_batch(n) for n in (2, 41, 2_000, 3_000, 9_000, 10**6)] == [32, 32, 32, 64, 256, 256]
        assert clone(net).set_params(batch_size=7)._rows_per_batch(10**6) == 7


class TestEarlyStopping:
    def test_hold_out_from_100_rows_on(self):
        generator = torch.Generator()
        assert [len(rows) for rows in hold_out(torch.zeros(99), generator)] == [99, 0]
        target = torch.tensor([0] * 90 + [1] * 29 + [2])
        training, held_out = hold_out(target, generator)
        assert sorted(torch.cat([training, held_out]).tolist()) == list(range(120))
        assert torch.bincount(target[held_out]).tolist() == [18, 5]

    def test_few_rows_are_trained_for_all_epochs(self):
        X, y = make_table(60)
        assert clone(NETS["mlp"]).set_params(epochs=7).fit(X, y).n_epochs_ == 7

    def test_random_labels_stop_early(self):
        X, _ = make_table(200)
        y = np.random.default_rng(0).integers(2, size=200)
        assert clone(NETS["mlp"]).set_params(epochs=200).fit(X, y).n_epochs_ < 50

    def test_the_best_weights_are_restored(self):
        """The weight moves by the learning rate in each epoch; the third epoch is the best."""
        network = torch.nn.Linear(1, 1, bias=False)
        torch.nn.init.zeros_(network.weight)
        seen = []

        def held_out_loss():
            seen.append(network.weight.item())
            return abs(seen[-1] + 0.3)

        schedule = Schedule(epochs=100, batch_size=2, learning_rate=0.1)
        n_epochs = train(
            network, lambda rows: network.weight.sum(), 2, schedule, torch.Generator(), Progress(), held_out_loss
        )
        assert n_epochs == 3
        assert len(seen) == 3 + PATIENCE
        assert network.weight.item() == pytest.approx(-0.3, abs=1e-4)

    def test_learning_rate_falls_in_steps(self):
        network = torch.nn.Linear(1, 1, bias=False)
        torch.nn.init.zeros_(network.weight)
        schedule = Schedule(epochs=4, batch_size=2, learning_rate=0.1, step_size=2, gamma=0.1)
        train(network, lambda rows: network.weight.sum(), 2, schedule, torch.Generator(), Progress())
        assert network.weight.item() == pytest.approx(-(0.1 + 0.1 + 0.01 + 0.01), abs=1e-4)

    def test_divergence_is_an_error(self, monkeypatch):
        X, y = make_table(30)
        model = clone(NETS["mlp"])
        monkeypatch.setattr("tabcast.models.neural._base.weighted_loss", lambda logits, *_: logits.sum() * float("nan"))
        with pytest.raises(ValueError, match=r"^Training of MLPClassifier diverged\. Lower its `learning_rate`\.$"):
            model.fit(X, y)


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
        """Scores, indicators of gaps, indicators of up to ten levels, embeddings of more."""
        X, _ = make_table(300)
        encoder = TableEncoder(X)
        layer = TableInput(encoder.shape, torch.Generator().manual_seed(0))
        features = layer(encoder.encode(X))
        assert layer.width == features.shape[1] == 2 + 1 + 3 + 8
        np.testing.assert_array_equal(features[:, 2].detach(), X["income"].isna())
        np.testing.assert_array_equal(features[:, 3:6].detach().sum(dim=1), 1)
        unknown = layer(encoder.encode(X.assign(city="?", code="?")))
        assert not unknown[:, 3:].any()

    def test_dropout(self):
        dropout = Dropout(0.25, torch.Generator().manual_seed(0))
        ones = torch.ones(1_000, 20)
        dropped = dropout(ones)
        assert float((dropped == 0).float().mean()) == pytest.approx(0.25, abs=0.02)
        assert float(dropped.mean()) == pytest.approx(1, abs=0.02)
        assert torch.equal(dropout.eval()(ones), ones)
