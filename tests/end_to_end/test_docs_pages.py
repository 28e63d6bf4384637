"""The Python blocks of the site's pages run, and print what the page shows."""

import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tabcast.cli.main import app
from tabcast.study.datasets import load_dataset
from tests.conftest import needs

mpl.use("Agg")

ROOT = Path(__file__).parents[2]
DOCS, README = ROOT / "docs", (ROOT / "README.md").read_text("utf-8")
PAGES = [*DOCS.glob("start/*.md"), *DOCS.glob("guide/*.md"), *DOCS.glob("extending.md"), *DOCS.glob("choosing.md")]
# A block, and what it prints where the page shows that.
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)


@pytest.mark.parametrize(
    "page",
    # What the page for table files runs is much like the README.
    [pytest.param(page, marks=pytest.mark.slow if page.stem == "csv" else ()) for page in sorted(PAGES)],
    ids=lambda page: page.stem,
)
@pytest.mark.filterwarnings("ignore::tabcast.exceptions.TabcastWarning")
def test_blocks_run_and_print_what_is_shown(page, capsys):
    for code, shown in BLOCK.findall(page.read_text("utf-8")):
        if code in README or code.startswith("# plugins/"):  # run by test_readme.py; a file of a study
            compile(code, str(page), "exec")
            continue
        exec(compile(code, str(page), "exec"), {})
        printed = capsys.readouterr().out
        assert not shown or printed == shown


SMALLER = {
    '["diabetes", "credit-g"]': '["rings"]',
    '["xgboost"]': '["small-tree"]',
    '["paper"]': '["sane"]',
    '"cast-l"': '"cast-few-bins"',
    "seeds = 3": "seeds = 1\nfolds = [0]",
    "n_tuning_trials = 20": "n_tuning_trials = 2",
}


@needs("optuna")
def test_plug_ins_of_studies_run(tmp_path):
    """The dataset, the methods and the model that pages show, with the configuration of the quickstart made smaller."""
    (tmp_path / "plugins").mkdir()
    for page in ("study.md", "start/research.md"):
        for code, _ in BLOCK.findall((DOCS / page).read_text("utf-8")):
            if name := re.match(r"# (?:my_)?plugins/(\w+\.py)", code):
                (tmp_path / "plugins" / name[1]).write_text(code, "utf-8")
    assert len(list((tmp_path / "plugins").iterdir())) == 4
    [study] = re.findall(r"```toml\n(.*?)```", (DOCS / "start" / "research.md").read_text("utf-8"), re.DOTALL)
    for shown, smaller in SMALLER.items():
        assert shown in study
        study = study.replace(shown, smaller)
    path = tmp_path / "my_study.toml"
    path.write_text(study, "utf-8")
    result = CliRunner().invoke(app, ["study", "run", str(path)])
    assert "My study: 4 done, 0 failed, 0 skipped, 0 missing" in result.output
    result = CliRunner().invoke(app, ["study", "table", str(path)])
    assert "Aligned" in result.output


def test_the_dataset_recipe_runs(tmp_path, monkeypatch):
    """On a table of the size that the page states."""
    monkeypatch.chdir(tmp_path)
    [code] = [code for code, _ in BLOCK.findall((DOCS / "datasets.md").read_text("utf-8")) if "WINE" in code]
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(1599, 11)), columns=[f"x{j}" for j in range(11)])
    frame.assign(quality=np.arange(1599) % 6).to_csv("wine.csv", index=False)
    names = {}
    exec(compile(code.replace("/data/wine.csv", "wine.csv"), "docs/datasets.md", "exec"), names)
    assert load_dataset(names["WINE"]).X.shape == (1599, 11)
