"""Examples in docstrings that need an optional package are skipped where it is not installed."""

from importlib.util import find_spec

import pandas as pd
import pytest
from tests.conftest import needs

collect_ignore_glob = [] if find_spec("torch") else ["src/tabcast/models/neural/*", "tests/reference/*transformer.py"]
NEEDED_BY_EXAMPLES = {
    "tabcast.feature_selection._selections": "xgboost",
    "tabcast.files._read": "pyarrow",
    "tabcast.study.models._model": "optuna",
}


def pytest_configure():
    """Show tables in examples as on a terminal of 80 columns, whatever the terminal."""
    pd.set_option("display.max_columns", 20, "display.width", 80)


def pytest_collection_modifyitems(items):
    """Skip examples whose package is missing."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            for module, package in NEEDED_BY_EXAMPLES.items():
                if item.name.startswith(f"{module}."):
                    item.add_marker(needs(package))
