"""Small weights for tabular foundation models, drawn at random and written as the libraries read them."""

from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import pytest

MAX_CLASSES = 4  # of the small TabPFN


def write_tabpfn(path: Path) -> Path:
    """A TabPFN of the second generation with one narrow layer."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("tabpfn")
    from tabpfn.architectures import ARCHITECTURES

    architecture = ARCHITECTURES["tabpfn_v2"]
    config, _ = architecture.parse_config({"max_num_classes": MAX_CLASSES, "emsize": 24, "nlayers": 1, "nhead": 2})
    model = draw_parameters(torch, architecture.get_architecture(config))
    torch.save({"state_dict": model.state_dict(), "config": asdict(config), "architecture_name": "tabpfn_v2"}, path)
    return path


def write_tabicl(path: Path) -> Path:
    """A TabICL with one narrow block in each of its three parts."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("tabicl")
    from tabicl._model.tabicl import TabICL

    heads = {"col_nhead": 2, "row_nhead": 2, "icl_nhead": 2, "row_num_cls": 2}
    blocks = {"col_num_blocks": 1, "row_num_blocks": 1, "icl_num_blocks": 1}
    config = {"max_classes": 3, "embed_dim": 16, "col_num_inds": 8, **heads, **blocks}
    model = draw_parameters(torch, TabICL(**config))
    torch.save({"config": config, "state_dict": model.state_dict()}, path)
    return path


def draw_parameters(torch, model):
    """The same model with normal parameters: as initialized, some layers are zero and all rows look the same."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model


WRITE = {"tabpfn": write_tabpfn, "tabicl": write_tabicl}


def point_cache_to(path, monkeypatch):
    """Let both libraries look for weights in an empty folder."""
    if find_spec("tabpfn"):
        from tabpfn.settings import settings

        monkeypatch.setattr(settings.tabpfn, "model_cache_dir", path)
    if find_spec("tabicl"):
        from huggingface_hub import constants

        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(path))


def put_into_cache(library, weights, expected):
    """As a download leaves it; Hugging Face keeps a folder per revision."""
    if library == "tabicl":
        expected = expected.parent / "snapshots" / "abc" / expected.name
        (expected.parents[2] / "refs").mkdir(parents=True)
        (expected.parents[2] / "refs" / "main").write_text("abc")
    expected.parent.mkdir(parents=True, exist_ok=True)
    if expected.suffix == ".safetensors":
        from tabpfn.checkpoint import Checkpoint, save_as_safetensors

        save_as_safetensors(Checkpoint(weights).load(), expected)
    else:
        expected.write_bytes(weights.read_bytes())
