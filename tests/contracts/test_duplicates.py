"""No block of six lines stands twice in the source; constructors, which scikit-learn wants spelled out, aside."""

import ast
import re
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "tabcast"
N_LINES = 6
PASSED_OVER = re.compile(r"^(#.*|from .* import .*|import .*|[\W_]*)$")


def constructor_lines(tree):
    """Numbers of the lines of `__init__` functions."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    return {number for node in found for number in range(node.lineno, node.end_lineno + 1)}


def import_lines(tree):
    """Numbers of the lines of imports and of `__all__`."""
    found = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom | ast.Assign)]
    found = [node for node in found if not isinstance(node, ast.Assign) or ast.unparse(node.targets[0]) == "__all__"]
    return {number for node in found for number in range(node.lineno, node.end_lineno + 1)}


def blocks(path):
    """Every run of six lines that say something: the number of the first, and the lines."""
    text = path.read_text()
    tree = ast.parse(text)
    skipped = constructor_lines(tree) | import_lines(tree)
    numbered = enumerate(map(str.strip, text.splitlines()), start=1)
    lines = [(number, line) for number, line in numbered if number not in skipped and not PASSED_OVER.match(line)]
    for first in range(len(lines) - N_LINES + 1):
        run = lines[first : first + N_LINES]
        yield run[0][0], tuple(line for _, line in run)


def test_no_block_of_six_lines_stands_twice():
    places = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for number, block in blocks(path):
            places[block].append(f"{path.relative_to(SOURCE)}:{number}")
    twice = [" = ".join(found) for found in places.values() if len(found) > 1]
    assert not twice, "\n".join(twice)
