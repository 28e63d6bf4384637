"""What each network learns from in pretraining, and the parts that only one of them has."""

from itertools import product

import numpy as np
import pytest
from sklearn.base import clone

pytest.importorskip("torch")

import torch

from tabcast.models.neural._cells import Cells, TableEncoder, TableShape, choose_cells, corrupt, find_changed
from tabcast.models.neural._layers import Reconstruction
from tabcast.models.neural._scarf import info_nce
from tabcast.models.neural._subtab import find_windows, nt_xent
from tabcast.models.neural._transformers import Attention
from tests.models.neural.nets import NETS, SELF_SUPERVISED, make_table
from tests.reference.reference_transformer import EveryToken


def make_cells(n_rows=200, n_columns=10):
    """Cells that say where they come from: the row in every cell, plus 1,000 per column."""
    place = torch.arange(n_rows)[:, None] + 1_000 * torch.arange(n_columns) + 1
    half = n_columns // 2
    return Cells(place[:, :half].float(), place[:, half:])


def pretext_of(name, table, **parameters):
    """The task of a network on a table, with the table's cells."""
    encoder = TableEncoder(table)
    net = clone(SELF_SUPERVISED[name]).set_params(**parameters)
    generator = torch.Generator().manual_seed(0)
    network = net._build_encoder(encoder.shape, generator)
    return net._build_pretext(network, encoder.shape, generator), encoder.encode(table)


class TestScarf:
    @pytest.mark.parametrize("rate", [0.0, 0.25, 0.6, 1.0])
    def test_corrupts_the_given_proportion_of_cells_within_their_column(self, rate):
        cells = make_cells()
        corrupted = corrupt(cells, rate, cells, torch.Generator().manual_seed(0))
        changed = find_changed(cells, corrupted)
        expected = rate * (1 - 1 / 200)  # a cell may be replaced by itself
        assert float(changed.float().mean()) == pytest.approx(expected, abs=0.03)
        for before, after in ((cells.numbers, corrupted.numbers), (cells.codes, corrupted.codes)):
            assert torch.equal((before - 1) // 1_000, (after - 1) // 1_000)

    def test_every_column_is_corrupted_as_often(self):
        chosen = choose_cells(4_000, 7, 0.5, torch.Generator().manual_seed(0))
        np.testing.assert_allclose(chosen.float().mean(dim=0), 0.5, atol=0.04)
        assert set(chosen.sum(dim=1).tolist()) == {3, 4}

    def test_contrastive_loss(self):
        """Against the formula, written out."""
        anchors, positives = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(0))
        cosine = torch.nn.functional.cosine_similarity(anchors[:, None], positives[None], dim=2)
        expected = -(cosine.diagonal() - cosine.exp().sum(dim=1).log()).mean()
        torch.testing.assert_close(info_nce(anchors, positives), expected)


class TestSubTab:
    def test_tau_changes_the_loss(self):
        losses = []
        for tau in (0.05, 0.1, 0.15):
            task, cells = pretext_of("subtab", make_table(30)[0], tau=tau)
            losses.append(float(task(cells, cells).detach()))
        assert len(set(losses)) == 3

    @pytest.mark.parametrize("switch", ["use_contrastive", "use_distance"])
    def test_parts_of_the_loss_can_be_left_out(self, switch):
        whole, without = (pretext_of("subtab", make_table(30)[0], **{switch: on}) for on in (True, False))
        more, less = (float(task(cells, cells).detach()) for task, cells in (whole, without))
        assert more > less

    @pytest.mark.parametrize("width", [1, 2, 5, 13])
    def test_no_feature_is_lost(self, width):
        for n_subsets, overlap in product(range(1, 8), (0.0, 0.3, 1.0)):
            windows = find_windows(width, n_subsets, overlap)
            assert len(windows) == min(n_subsets, width)
            assert len({len(window) for window in windows}) == 1
            assert {feature for window in windows for feature in window} == set(range(width))

    @pytest.mark.parametrize("cosine", [True, False])
    def test_contrastive_loss(self, cosine):
        """Against the formula, written out view by view."""
        pairs = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(0))
        losses = []
        for one, other in zip(*pairs, strict=True):
            views = torch.cat([one, other])
            views = views / views.norm(dim=1, keepdim=True) if cosine else views
            for at in range(8):
                similarity = {to: float(views[at] @ views[to]) for to in range(8) if to != at}
                losses.append(np.log(sum(map(np.exp, similarity.values()))) - similarity[(at + 4) % 8])
        assert float(nt_xent(*pairs, 1.0, cosine)) == pytest.approx(np.mean(losses), rel=1e-4)

    @pytest.mark.parametrize("noise", ["Swap", "Gaussian", "Zero_Out"])
    def test_noise(self, noise):
        """A proportion of the features of a subset changes, and nothing outside of it."""
        task, cells = pretext_of("subtab", make_table(300)[0][["size", "income"]], noise_type=noise, mask_ratio=0.3)
        views = task.encoder.cut(cells)
        changed = task.disturb(views) != views
        inside = task.encoder.inside.expand_as(changed)
        assert not changed[~inside].any()
        numbers = inside.clone()
        numbers[:, :, 2:] = False  # the indicator of missing numbers often stays the same
        assert float(changed[numbers].float().mean()) == pytest.approx(0.3, abs=0.08)


@pytest.mark.parametrize("name", ["ft_transformer", "switchtab"])
def test_attention_sees_how_large_a_number_is(name):
    """The first block does not normalize tokens, which would leave of a number little more than its sign."""
    cells = Cells(torch.tensor([[0.5], [1.0], [2.0]]), torch.zeros(3, 0, dtype=torch.long))
    encoder = NETS[name]._build_encoder(TableShape(1, (), ()), torch.Generator().manual_seed(0)).eval()
    encoder.tokens.bias.data.zero_()
    seen = []
    encoder.blocks[0].attention.register_forward_pre_hook(lambda module, given: seen.append(given[0]))
    encoder(cells)
    token = seen[0][:, 1]
    torch.testing.assert_close(token, token[1] * cells.numbers)


@pytest.mark.parametrize("name", ["ft_transformer", "switchtab"])
def test_summaries_are_normalized(name):
    """Blocks add up their outputs: without a norm, pretraining makes summaries larger until sigmoids are saturated."""
    encoder = NETS[name]._build_encoder(TableShape(2, (), ()), torch.Generator().manual_seed(0)).eval()
    encoder.blocks[-1].join.weight.data *= 100
    numbers = torch.randn(5, 2, generator=torch.Generator().manual_seed(1))
    summary = encoder(Cells(numbers, torch.zeros(5, 0, dtype=torch.long)))
    torch.testing.assert_close(summary.mean(1), torch.zeros(5), rtol=0, atol=1e-4)
    torch.testing.assert_close(summary.std(1, correction=0), torch.ones(5), rtol=0, atol=1e-2)


@pytest.mark.parametrize("name", ["ft_transformer", "switchtab"])
def test_summary_is_that_of_blocks_that_compute_every_token(name):
    """The last block of ours computes the summary alone."""
    net = clone(NETS[name]).set_params(**{"num_attn_blocks" if name == "ft_transformer" else "encoder_depth": 3})
    encoder = net._build_encoder(TableShape(4, (1,), (3,)), torch.Generator().manual_seed(0)).double().eval()
    numbers = torch.randn(6, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    numbers[2, 1] = torch.nan
    cells = Cells(numbers, torch.tensor([[0], [1], [2], [3], [1], [2]]))
    twin = EveryToken(encoder.tokens, list(encoder.blocks), encoder.norm, 0.0, torch.Generator()).eval()
    torch.testing.assert_close(encoder(cells), twin(cells))


def test_attention_against_torch():
    attention = Attention(8, 2, torch.Generator().manual_seed(0))
    peer = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    names = {"in_proj_weight": "project.weight", "in_proj_bias": "project.bias"}
    names |= {"out_proj.weight": "join.weight", "out_proj.bias": "join.bias"}
    peer.load_state_dict({of_peer: attention.state_dict()[ours] for of_peer, ours in names.items()})
    tokens = torch.randn(5, 7, 8, generator=torch.Generator().manual_seed(1))
    for n_first in (1, 7):
        torch.testing.assert_close(attention(tokens, n_first), peer(tokens[:, :n_first], tokens, tokens)[0])


class TestSwitchTab:
    def test_targets_are_aligned(self, monkeypatch):
        """What is reconstructed is the row of the salient part, whichever row the mutual part comes from."""
        task, cells = pretext_of("switchtab", make_table(12)[0])
        parts = torch.arange(12.0)[:, None].expand(12, 16)
        for name in ("mutual", "salient"):
            monkeypatch.setattr(getattr(task, name), "forward", lambda encoded: parts)
        seen = []
        monkeypatch.setattr(
            task.reconstruction, "forward", lambda given, target: seen.append((given, target)) or given.sum()
        )
        task(cells, cells)
        (own, target), (switched, same_target) = seen
        assert target is cells
        assert same_target is cells
        assert own[:, 0].tolist() == own[:, -1].tolist() == list(range(12))
        assert switched[:, -1].tolist() == list(range(12))
        assert sorted(switched[:, 0].tolist()) == list(range(12))
        assert (switched[:, 0] != switched[:, -1]).all()

    def test_loss_and_gradients_are_the_papers(self, monkeypatch):
        """|x1 - d(m1, s1)|^2 + |x2 - d(m2, s2)|^2 + |x1 - d(m2, s1)|^2 + |x2 - d(m1, s2)|^2, of a pair of rows."""
        monkeypatch.setattr("tabcast.models.neural._transformers.CORRUPTION", 0.0)
        task, cells = pretext_of("switchtab", make_table(2)[0][["size"]])
        task.eval()  # no dropout
        one, two = task.encoder(cells)
        parts = {name: [torch.sigmoid(getattr(task, name)[0](z)) for z in (one, two)] for name in ("mutual", "salient")}
        expected = 0.0
        for mutual, salient, row in ((0, 0, 0), (1, 1, 1), (1, 0, 0), (0, 1, 1)):
            restored = task.reconstruction.layer(torch.cat([parts["mutual"][mutual], parts["salient"][salient]]))
            expected = expected + (cells.numbers[row] - restored).square().sum() / 2  # a mean over the rows
        weights = list(task.parameters())
        for given in zip(*(torch.autograd.grad(one, weights) for one in (task(cells, cells), expected)), strict=True):
            torch.testing.assert_close(*given)
        torch.testing.assert_close(task(cells, cells), expected)

    def test_it_learns_to_reconstruct(self):
        task, cells = pretext_of("switchtab", make_table(60)[0])
        optimizer = torch.optim.Adam(task.parameters(), lr=0.01)
        losses = []
        for _ in range(60):
            optimizer.zero_grad()
            loss = task(cells, cells)
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
        assert np.mean(losses[-5:]) < 0.8 * losses[0]


class TestVime:
    def test_losses(self):
        """Levels and numbers are added to the mask."""
        table = make_table(50)[0]
        parts = [{"alpha_1": 0.0, "alpha_2": 0.0}, {"alpha_1": 1.0, "alpha_2": 0.0}, {"alpha_1": 0.0, "alpha_2": 1.0}]
        mask, with_levels, with_numbers = (
            float(task(cells, cells).detach()) for task, cells in (pretext_of("vime", table, **part) for part in parts)
        )
        assert with_levels > mask > 0
        assert with_numbers > mask

    def test_reconstruction_against_loops(self):
        table = make_table(20)[0]
        encoder = TableEncoder(table)
        cells = encoder.encode(table)
        head = Reconstruction(3, encoder.shape, torch.Generator().manual_seed(0))
        representation = torch.randn(20, 3, generator=torch.Generator().manual_seed(1))
        output = head.layer(representation).detach()
        errors = [
            (float(output[i, j]) - float(cells.numbers[i, j])) ** 2
            for i in range(20)
            for j in range(2)
            if not cells.numbers[i, j].isnan()
        ]
        first, entropies = 2, []
        for j, n_levels in enumerate(encoder.shape.n_levels):
            logits = output[:, first : first + n_levels].log_softmax(dim=1)
            entropies += [-float(logits[i, cells.codes[i, j] - 1]) for i in range(20)]
            first += n_levels
        of_numbers, of_levels = head.losses(representation, cells)
        assert float(of_numbers.detach()) == pytest.approx(np.mean(errors), rel=1e-5)
        assert float(of_levels.detach()) == pytest.approx(np.mean(entropies), rel=1e-5)

    def test_the_encoder_is_fixed_in_the_second_phase(self):
        X, y = make_table(30)
        model = clone(SELF_SUPERVISED["vime"]).pretrain(X)
        model.fit(X, y)
        for name, values in model.pretrained.weights.items():
            np.testing.assert_array_equal(model.weights_[f"encoder.{name}"], values)

    def test_unlabeled_rows_count_in_the_second_phase(self):
        """With the same pretrained encoder, the weight of the consistency loss changes the predictor."""
        X, y = make_table(60)
        pretrained = clone(SELF_SUPERVISED["vime"]).set_params(p_m=0.9).pretrain(X)
        spread = {
            beta: clone(pretrained).set_params(beta=beta, epochs=20).fit(X[:20], y[:20]).predict_proba(X).std()
            for beta in (0.0, 100.0)
        }
        assert spread[100.0] < 0.7 * spread[0.0]


class TestFTTransformer:
    def test_activations_and_switches_change_the_result(self):
        X, y = make_table(30)
        options = [{name: True} for name in ("share_embedding", "use_batch_norm", "batch_norm_continuous_input")]
        options += [{"transformer_activation": name} for name in ("GEGLU", "ReGLU", "SwiGLU")]
        nets = [clone(NETS["ft_transformer"]).set_params(**option).fit(X, y) for option in options]
        assert len({net.predict_proba(X).tobytes() for net in nets}) == len(options)

    def test_heads_divide_the_token(self):
        X, y = make_table(10)
        with pytest.raises(ValueError, match=r"^`num_heads` of .* must divide `input_embed_dim`; got 3 and 8\.$"):
            clone(NETS["ft_transformer"]).set_params(num_heads=3).fit(X, y)


class TestMLP:
    @pytest.mark.parametrize("layers", ["", "12-", "a-b", 128, "0-4"])
    def test_layers(self, layers):
        X, y = make_table(10)
        with pytest.raises(
            ValueError, match=r'^`layers` of MLPClassifier must be widths joined by "-", as in "128-64-32";'
        ):
            clone(NETS["mlp"]).set_params(layers=layers).fit(X, y)

    def test_activation(self):
        X, y = make_table(30)
        one, other = (
            clone(NETS["mlp"]).set_params(activation=name).fit(X, y).predict_proba(X) for name in ("ReLU", "LeakyReLU")
        )
        assert not np.allclose(one, other)
        with pytest.raises(ValueError, match=r"^Unknown activation of MLPClassifier: 'relu'\."):
            clone(NETS["mlp"]).set_params(activation="relu").fit(X, y)
