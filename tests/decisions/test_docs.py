"""The snippets of docs/decisions.md run, and show what the page says."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "decisions.md").read_text()


def test_snippets_run(capsys):
    first, second = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(compile(first, "docs/decisions.md", "exec"), {})
    printed, scores = capsys.readouterr().out, {}
    for line in printed.splitlines():
        name, *numbers = re.match(r"(.*?) +accuracy ([\d.]+), balanced accuracy ([\d.]+), F1 ([\d.]+)$", line).groups()
        scores[name] = [float(number) for number in numbers]
    assert len(scores) == 5
    assert max(scores, key=lambda name: scores[name][0]) == "accuracy"
    assert scores["balanced"][1] > scores["accuracy"][1] + 0.02
    assert scores["f1"][2] > scores["accuracy"][2]
    exec(compile(second, "docs/decisions.md", "exec"), {})
    assert capsys.readouterr().out.startswith("[0 1]\n")
