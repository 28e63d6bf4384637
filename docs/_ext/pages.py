"""What is not written by hand: the API reference, pages from elsewhere, output of commands, a recorded session.

Everything is written below docs/generated, which is made anew in every build and not part of the repository.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from sphinx.ext.autodoc.mock import mock

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
GENERATED = DOCS / "generated"
sys.path.insert(0, str(ROOT / "tools"))

from list_public import list_public  # noqa: E402
from recording import make_page, record  # noqa: E402

from tabcast.cli.demo import TARGET, hide_labels, read_census  # noqa: E402

KINDS = {"Classes": "class", "Functions": "function", "Exceptions and warnings": "exception"}
# What most people need, in this order.
FIRST = [
    "tabcast.fit_table",
    "tabcast.runs.Run",
    "tabcast.load_run",
    "tabcast.SoftSelfTrainingClassifier",
    "tabcast.CASTClassifier",
    "tabcast.SelfTrainingClassifier",
    "tabcast.GuardedClassifier",
    "tabcast.guard.Verdict",
    "tabcast.diagnostics.diagnose",
    "tabcast.validation.SemiSupervisedSplit",
]
# In the order in which data passes through them. A name that several list is documented in the first.
PACKAGES = {
    "tabcast": "The classifiers, and from a table to predictions in one call",
    "tabcast.feature_selection": "Which columns the density uses",
    "tabcast.density": "How dense labeled rows of a class are around a row",
    "tabcast.confidence": "From probabilities to confidence",
    "tabcast.pseudo_labels": "Which rows are used in a round, and their weight",
    "tabcast.noise_filters": "Which of the selected rows are rejected",
    "tabcast.validation": "Held-out rows, splitters and scorers for partially labeled tables",
    "tabcast.models": "The default classifier, and encoding for classifiers that need it",
    "tabcast.models.neural": "The paper's six networks",
    "tabcast.teachers": "What gives soft labels",
    "tabcast.decisions": "From probabilities to predicted classes",
    "tabcast.guard": "Did the unlabeled rows help?",
    "tabcast.diagnostics": "Quality of the model, and properties of a partially labeled table",
    "tabcast.files": "Reading and writing table files, and interpreting their columns",
    "tabcast.labeling": "Which rows to label next",
    "tabcast.report": "The report of a run",
    "tabcast.runs": "Runs, run folders and model files",
    "tabcast.plots": "Figures of a run or a fitted model",
    "tabcast.study.datasets": "Studies: the datasets",
    "tabcast.study.methods": "Studies: the methods that are compared",
    "tabcast.study.models": "Studies: the base classifiers and their search spaces",
    "tabcast.testing": "Checks of the contract of each family, for your own parts",
    "tabcast.statistics": "Means, intervals, tests, calibration errors",
    "tabcast.table": "Types of the arrays",
    "tabcast.checks": "Checks of parameters",
    "tabcast.exceptions": "Warnings and errors",
}
# Tables of the paper's results have a column per dataset: they need the place of the page's contents.
WIDE = "---\nhtml_theme.sidebar_secondary.remove: true\n---\n"
# Commands whose output pages include, in the order in which they are run.
COMMANDS = {
    "write": "tabcast demo --write census.csv",
    "fit": "tabcast fit census.csv --target income",
    "filled": "tabcast fit census.csv --target income --precision 0.8 --out filled-census",
}
N_ANSWERS = 40  # of the recorded session


def write_api() -> None:
    """A page per package with its public names, and an index; autosummary writes a page for each name."""
    folder = GENERATED / "api"
    folder.mkdir(parents=True)
    with mock(["torch"]):  # as autodoc_mock_imports of conf.py
        listed = {package: names for package, names in list_public().items() if names}
    packages = [*(one for one in PACKAGES if one in listed), *(one for one in listed if one not in PACKAGES)]
    for package in packages:
        about = PACKAGES.get(package, "")
        lines = [package, "=" * len(package), "", about if about.endswith("?") else f"{about}.", ""]
        lines += [f".. currentmodule:: {package}", ""]
        for title, kind in KINDS.items():
            names = [one.name for one in listed[package] if one.kind == kind and not one.name.startswith("_")]
            if names:
                lines += [title, "-" * len(title), "", ".. autosummary::", f"   :toctree: {package}", ""]
                lines += [*(f"   {name}" for name in names), ""]
        own = {one.name for one in listed[package]}
        if shared := [name for name in import_module(package).__all__ if name not in own]:
            lines += ["Documented elsewhere: " + ", ".join(f"`{name}`" for name in shared) + "."]
        (folder / f"{package}.rst").write_text("\n".join(lines) + "\n", "utf-8")
    lines = ["API reference", "=============", "", "Start with these:", "", ".. autosummary::", ""]
    lines += [*(f"   ~{name}" for name in FIRST), "", "Every public name, by module:", "", ".. list-table::", ""]
    for package in packages:
        lines += [f"   * - :doc:`{package}`", f"     - {PACKAGES.get(package, '')}"]
    lines += ["", ".. toctree::", "   :hidden:", "   :maxdepth: 1", "", *(f"   {package}" for package in packages)]
    (folder / "index.rst").write_text("\n".join(lines) + "\n", "utf-8")


def run_commands() -> None:
    """Run the commands of the pages on the demo's table; keep what they print, and the report."""
    output, reports = GENERATED / "output", GENERATED / "site" / "reports"
    output.mkdir(parents=True)
    reports.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as place:
        for name, command in COMMANDS.items():
            done = subprocess.run(
                [sys.executable, "-m", *shlex.split(command)],
                cwd=place,
                env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
                stdout=subprocess.PIPE,
                encoding="utf-8",
                check=True,
            )
            (output / f"{name}.txt").write_text(done.stdout, "utf-8")
        shutil.copy(Path(place, "census-tabcast", "report.html"), reports / "census.html")
    # The paragraph of each output that a page is about.
    paragraphs = (output / "fit.txt").read_text("utf-8").split("\n\n")
    (output / "verdict.txt").write_text(next(one for one in paragraphs if "Cross-validated" in one) + "\n", "utf-8")
    filled = (output / "filled.txt").read_text("utf-8").split("\n\n")
    start = next(number for number, one in enumerate(filled) if one.startswith("The filled table"))
    (output / "filled.txt").write_text("\n\n".join(filled[start:-1]) + "\n", "utf-8")


def write_session() -> None:
    """The page of `tabcast label` on the demo's table, labeled with its truth."""
    table, page = read_census(), GENERATED / "site" / "sessions" / "census.html"
    page.parent.mkdir(parents=True)
    page.write_text(make_page(record(hide_labels(table, 100, 0), TARGET, table[TARGET], N_ANSWERS)), "utf-8")


def copy_pages() -> None:
    """The reading of the paper's results with its tables and figures, the changelog, how to contribute."""
    shutil.copytree(
        ROOT / "paper", GENERATED / "paper", ignore=lambda folder, names: [n for n in names if not is_page(folder, n)]
    )
    for page in (GENERATED / "paper").rglob("*.md"):
        page.write_text(WIDE + adapt(page.read_text("utf-8")), "utf-8")
    add_navigation(GENERATED / "paper" / "README.md", (GENERATED / "paper").glob("results/**/*.md"))
    for name in ("CHANGELOG", "CONTRIBUTING"):
        (GENERATED / f"{name.lower()}.md").write_text(adapt((ROOT / f"{name}.md").read_text("utf-8")), "utf-8")


def add_navigation(page: Path, below) -> None:
    """List pages below another one, in the order in which its text links to them; others come last."""
    text = page.read_text("utf-8")
    names = sorted(one.relative_to(page.parent).with_suffix("").as_posix() for one in below)
    names.sort(key=lambda name: text.find(f"({name}.md)") % (len(text) + 1))
    toctree = ["", "```{toctree}", ":hidden:", "", *names, "```", ""]
    page.write_text(text + "\n".join(toctree), "utf-8")


def is_page(folder: str, name: str) -> bool:
    """Whether a file or folder of paper/ is shown."""
    path = Path(folder) / name
    if path.is_dir():
        return name not in ("configs", "published", "records", "__pycache__")
    return name in ("README.md", "reading.md") or path.suffix == ".png"


def adapt(text: str) -> str:
    """Links to pages that are named as files."""
    return re.sub(
        r"`docs/(\w+)\.md`",
        lambda found: f"[{found[1]}](/{found[1]}.md)" if (DOCS / f"{found[1]}.md").exists() else found[0],
        text,
    )


def generate() -> None:
    """Write everything anew."""
    shutil.rmtree(GENERATED, ignore_errors=True)
    write_api()
    copy_pages()
    run_commands()
    write_session()


def skip_foreign(app, what, name, member, skip, options) -> bool | None:
    """Methods that scikit-learn brings along are documented there."""
    function = getattr(member, "fget", None) or getattr(member, "__func__", member)
    module = getattr(function, "__module__", None) or "tabcast"
    return None if module.startswith("tabcast") else True


def setup(app) -> dict:
    """Generate before Sphinx looks for pages."""
    generate()
    app.connect("autodoc-skip-member", skip_foreign)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
