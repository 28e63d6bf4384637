"""The code and the commands of the site's pages run, and print what the pages show."""

import re
import shlex
import shutil
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from typer.testing import CliRunner

import tabcast
from tabcast.cli.main import app
from tabcast.study.datasets import load_dataset
from tests.conftest import SMALL_TABLES, needs

mpl.use("Agg")

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    page for page in DOCS.rglob("*.md") if not {"generated", "auto_examples"} & set(page.relative_to(DOCS).parts)
)
# A block, and what it prints where the page shows that.
BLOCK = re.compile(r"```(python|sh)\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
NUMBER = re.compile(r"\d+\.\d+")
# Files of a study and a table that the reader has, which other tests run; the networks' page shows fragments.
ELSEWHERE = ("# plugins/", "# my_plugins/", "import pandas as pd\n\nfrom tabcast.study.datasets")
FRAGMENTS = ("neural_models",)
# Hours of work; a download; what the build of the site runs.
ONLY_PARSED = ("tabcast study", "tabcast datasets download", "tabcast demo", "tabcast fit census.csv")
SLOW = ("csv", "filled_table", "scaling")  # a dozen seconds each; the build of the site runs the commands of two


def run_command(line):
    """Run a command of a page, or only look whether it has these options."""
    if not line.startswith("tabcast "):
        assert line.startswith(("python -m pip install .", "python -m tests.", "make "))
        return
    # Unknown options are found before the help is shown.
    arguments = [*shlex.split(line)[1:], *(["--help"] if line.startswith(ONLY_PARSED) else [])]
    if arguments[0] == "fit" and "--help" not in arguments:
        arguments += ["--estimator", "logistic_regression"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files that pages name."""
    folder = tmp_path_factory.mktemp("files")
    X, y = make_classification(240, 5, class_sep=2, random_state=0)
    table = pd.DataFrame(X, columns=list("abcde")).assign(churned=np.where(np.arange(240) < 60, y, None))
    table["churned"] = table["churned"].map({0: "no", 1: "yes"})
    table[:60].to_csv(folder / "labeled.csv", index=False)
    (folder / "big").mkdir()
    for number in range(2):
        table[number::2].to_parquet(folder / "big" / f"part-{number}.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert CliRunner().invoke(app, ["demo", "--write", "census.csv"]).exit_code == 0
        tabcast.fit_table("census.csv", "income", estimator="logistic_regression").save("census-tabcast")
    return folder


def check_printed(printed, shown):
    """The same words; numbers may differ a little between versions of libraries."""
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", shown).split()
    pairs = zip(NUMBER.findall(printed), NUMBER.findall(shown), strict=True)
    assert all(abs(float(one) - float(other)) <= 0.03 for one, other in pairs), printed


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow if page.stem in SLOW else ()) for page in PAGES],
    ids=lambda page: page.stem,
)
@pytest.mark.usefixtures("small_committee")
@pytest.mark.filterwarnings("ignore::tabcast.exceptions.TabcastWarning")
@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")  # Dask's, with the newest pandas
def test_blocks_run_and_print_what_is_shown(page, files, tmp_path, monkeypatch, capsys):
    """In order and in one session, as a reader would."""
    blocks = BLOCK.findall(page.read_text("utf-8"))
    if not blocks or page.stem in FRAGMENTS:
        return
    if page.stem == "scaling":
        pytest.importorskip("dask")
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TABCAST_DATA_DIR", str(SMALL_TABLES))
    names = {}
    for language, code, shown in blocks:
        capsys.readouterr()
        if language == "sh":
            for line in code.splitlines():
                run_command(line)
            continue
        assert max(map(len, code.splitlines())) <= 80
        if code.startswith(ELSEWHERE):
            compile(code, str(page), "exec")
        else:
            exec(compile(code, str(page), "exec"), names)
            if shown:
                check_printed(capsys.readouterr().out, shown)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_that_pages_name_exist(page):
    places = r"(?:benchmarks|research|paper|tests|examples|tools|docs|src)/[\w./*-]*[\w/]"
    for code in re.findall(r"`([^`\n]+)`", page.read_text("utf-8")):
        for path in re.findall(rf"(?:^|\s){places}", code):
            assert list(ROOT.glob(path.strip())), path


SMALLER = {
    '["diabetes", "credit-g"]': '["rings"]',
    '["xgboost"]': '["small-tree"]',
    '["paper"]': '["sane"]',
    '"cast-l", ': "",
    "seeds = 3": "seeds = 1\nfolds = [0]",
    "n_tuning_trials = 20": "n_tuning_trials = 2",
}


@needs("optuna")
def test_plug_ins_of_studies_run(tmp_path):
    """The dataset, the method and the model that pages show, with the configuration of a page made smaller."""
    (tmp_path / "plugins").mkdir()
    for page in ("study.md", "start/research.md"):
        for _, code, _ in BLOCK.findall((DOCS / page).read_text("utf-8")):
            if name := re.match(r"# (?:my_)?plugins/(\w+\.py)", code):
                (tmp_path / "plugins" / name[1]).write_text(code, "utf-8")
    assert len(list((tmp_path / "plugins").iterdir())) == 3
    [study] = re.findall(r"```toml\n(.*?)```", (DOCS / "start" / "research.md").read_text("utf-8"), re.DOTALL)
    for shown, smaller in SMALLER.items():
        assert shown in study
        study = study.replace(shown, smaller)
    path = tmp_path / "my_study.toml"
    path.write_text(study, "utf-8")
    result = CliRunner().invoke(app, ["study", "run", str(path)])
    assert "My study: 3 done, 0 failed, 0 skipped, 0 missing" in result.output
    result = CliRunner().invoke(app, ["study", "table", str(path)])
    assert "Aligned" in result.output


def test_the_dataset_recipe_runs(tmp_path, monkeypatch):
    """On a table of the size that the page states."""
    monkeypatch.chdir(tmp_path)
    [code] = [code for _, code, _ in BLOCK.findall((DOCS / "datasets.md").read_text("utf-8")) if "WINE" in code]
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(1599, 11)), columns=[f"x{j}" for j in range(11)])
    frame.assign(quality=np.arange(1599) % 6).to_csv("wine.csv", index=False)
    names = {}
    exec(compile(code.replace("/data/wine.csv", "wine.csv"), "docs/datasets.md", "exec"), names)
    assert load_dataset(names["WINE"]).X.shape == (1599, 11)
