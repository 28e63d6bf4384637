"""Nobody's own folders take part in these tests."""

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """The user's cache, empty and temporary; no TABCAST_DATA_DIR."""
    home = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(home))
    monkeypatch.delenv("TABCAST_DATA_DIR", raising=False)
    return home / "tabcast" / "datasets"
