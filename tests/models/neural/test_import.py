"""torch is loaded by networks alone, and missed in one sentence."""

import subprocess
import sys

import pytest


def test_tabcast_does_not_load_torch():
    code = (
        "import sys, tabcast, tabcast.models, tabcast.study.models\n"
        "from tabcast.models import MODEL_NAMES\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_torch(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("tabcast.models.neural")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError) as caught:
        import tabcast.models.neural  # noqa: F401
    assert str(caught.value) == "Neural models need PyTorch. Install it with: pip install 'tabcast[nn]'."
