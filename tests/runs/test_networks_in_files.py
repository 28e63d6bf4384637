"""A network in a file is as large as its weights, whatever the file claims."""

import numpy as np
import pytest
from sklearn.base import clone

pytest.importorskip("torch")

from tabcast.runs import ModelFileError, load_model, save_model
from tabcast.runs._serialization import pack, unpack
from tests.models.neural.nets import NETS, make_table

HUGE = 10_000_000  # a square matrix of that width is 400 terabytes
TOO_LARGE = "^a network claims more weights than there are$"
OTHER = "^the weights of a network are not those of the layers that it claims: .* fit it again$"


@pytest.fixture(scope="module")
def fitted():
    X, y = make_table(20)
    nets = {name: clone(net).set_params(epochs=1) for name, net in NETS.items()}
    for net in nets.values():
        if "pretrain_epochs" in net.get_params():
            net.set_params(pretrain_epochs=1)
        net.fit(X, y)
    return nets


@pytest.mark.parametrize(
    ("name", "parameter", "value", "reason"),
    [
        ("mlp", "layers", f"16-{HUGE}", TOO_LARGE),
        ("mlp", "layers", "16-8-8", OTHER),
        ("mlp", "layers", "8-8", OTHER),
        ("ft_transformer", "input_embed_dim", HUGE, TOO_LARGE),
        ("ft_transformer", "num_attn_blocks", 10**12, TOO_LARGE),
        ("vime", "predictor_hidden_dim", HUGE, TOO_LARGE),
        ("vime", "predictor_hidden_dim", 8, OTHER),
        ("subtab", "emb_dim", HUGE, TOO_LARGE),
        ("scarf", "emb_dim", HUGE, TOO_LARGE),
        ("scarf", "encoder_depth", 10**9, TOO_LARGE),
        ("switchtab", "encoder_head_dim", 2_000, TOO_LARGE),
        ("switchtab", "ffn_factor", HUGE, TOO_LARGE),
        ("switchtab", "n_head", -1, "^`n_head` of SwitchTabClassifier must be an integer of at least 1; got -1"),
    ],
)
def test_other_layers_are_refused_before_they_are_made(fitted, name, parameter, value, reason):
    packed = pack(fitted[name])
    claimed = packed["state"]["attributes"]["architecture_"]
    packed["state"]["attributes"]["architecture_"] = {**claimed, parameter: value}
    with pytest.raises(ValueError, match=reason):
        unpack(packed)


@pytest.mark.parametrize("name", NETS)
def test_the_claimed_layers_are_made(fitted, name):
    X, _ = make_table(20)
    again = unpack(pack(fitted[name]))
    np.testing.assert_array_equal(again.predict_proba(X), fitted[name].predict_proba(X))


def test_a_file_says_so_in_one_sentence(fitted, tmp_path, monkeypatch):
    net = fitted["scarf"]
    monkeypatch.setattr(net, "architecture_", {**net.architecture_, "emb_dim": HUGE})
    with monkeypatch.context() as patched:
        patched.setattr("tabcast.runs._model_file.try_out", lambda classifier: None)
        save_model(tmp_path / "model.skops", net, {})
    with pytest.raises(ModelFileError, match=r"is damaged or was changed by hand \(a network claims more weights than"):
        load_model(tmp_path / "model.skops")
