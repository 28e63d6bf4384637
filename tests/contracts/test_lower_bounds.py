"""The lower bounds of the package are those that `make test-oldest` runs with."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_lower_bound_is_tested():
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    promised = dict(dependency.split(">=") for dependency in dependencies)
    tested = dict(re.findall(r"^([\w-]+)==([\d.]+)$", (ROOT / "constraints-oldest.txt").read_text(), re.MULTILINE))
    for name, bound in promised.items():
        assert re.sub(r"(\.0)+$", "", tested[name]) == re.sub(r"(\.0)+$", "", bound), name
