"""Pages that are not written by hand: the API reference, and pages that live elsewhere in the repository.

Everything is written below docs/generated, which is made anew in every build and not part of the repository.
"""

import re
import shutil
import sys
from importlib import import_module
from pathlib import Path

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
GENERATED = DOCS / "generated"
sys.path.insert(0, str(ROOT / "tools"))

from list_public import list_public  # noqa: E402

KINDS = {"Classes": "class", "Functions": "function", "Exceptions and warnings": "exception"}
# In the order of the walk; other rooms come last. A name that several rooms list is documented in the first.
ROOMS = {
    "tabcast": "The classifiers, and from a table to predictions in one call",
    "tabcast.feature_selection": "Which columns the density uses",
    "tabcast.density": "How dense labeled rows of a class are around a row",
    "tabcast.confidence": "From probabilities to confidence",
    "tabcast.pseudo_labels": "Which rows are used in a round, and their weight",
    "tabcast.noise_filters": "Which of the chosen rows are rejected",
    "tabcast.validation": "Held-out rows, splitters and scorers for partially labeled tables",
    "tabcast.models": "The default classifier, and encoding for classifiers that need it",
    "tabcast.models.neural": "The paper's six networks",
    "tabcast.teachers": "Models that give soft labels",
    "tabcast.decisions": "From probabilities to predicted classes",
    "tabcast.self_training": "The engine and its methods",
    "tabcast.guard": "Did the unlabeled rows help?",
    "tabcast.diagnostics": "Quality of the model, and properties of a partially labeled table",
    "tabcast.files": "Reading and writing table files, and interpreting their columns",
    "tabcast.labeling": "Which rows to label next",
    "tabcast.report": "The report of a run",
    "tabcast.runs": "Runs, run folders and model files",
    "tabcast.plots": "Figures of a run or a fitted model",
    "tabcast.study": "Studies",
    "tabcast.study.datasets": "Studies: the datasets",
    "tabcast.study.methods": "Studies: the methods that are compared",
    "tabcast.study.models": "Studies: the base classifiers and their search spaces",
    "tabcast.testing": "Checks of the contract of each family, for your own parts",
    "tabcast.statistics": "Means, intervals, tests, calibration errors",
    "tabcast.table": "Types of the arrays",
    "tabcast.checks": "Checks of parameters",
    "tabcast.exceptions": "Warnings and errors",
}


def write_api() -> None:
    """One page per room that lists its public names, and an index; autosummary writes a page for each name."""
    folder = GENERATED / "api"
    folder.mkdir(parents=True)
    listed = list_public()
    rooms = [*(room for room in ROOMS if room in listed), *(room for room in listed if room not in ROOMS)]
    for room in rooms:
        lines = [room, "=" * len(room), ""]
        if room in ROOMS:
            lines += [ROOMS[room] if ROOMS[room].endswith("?") else f"{ROOMS[room]}.", ""]
        lines += [f".. currentmodule:: {room}", ""]
        for title, kind in KINDS.items():
            names = [one.name for one in listed[room] if one.kind == kind and not one.name.startswith("_")]
            if names:
                lines += [title, "-" * len(title), "", ".. autosummary::", f"   :toctree: {room}", ""]
                lines += [*(f"   {name}" for name in names), ""]
        own = {one.name for one in listed[room]}
        if shared := [name for name in import_module(room).__all__ if name not in own]:
            lines += ["Documented elsewhere: " + ", ".join(f"``{name}``" for name in shared) + "."]
        (folder / f"{room}.rst").write_text("\n".join(lines) + "\n", "utf-8")
    lines = ["API reference", "=============", "", "Every public name, by module.", "", ".. list-table::", ""]
    for room in rooms:
        lines += [f"   * - :doc:`{room}`", f"     - {ROOMS.get(room, '')}"]
    lines += ["", ".. toctree::", "   :hidden:", "   :maxdepth: 1", "", *(f"   {room}" for room in rooms)]
    (folder / "index.rst").write_text("\n".join(lines) + "\n", "utf-8")


def copy_pages() -> None:
    """The reading of the paper's results with its tables and figures, the changelog, how to contribute."""
    shutil.copytree(
        ROOT / "paper", GENERATED / "paper", ignore=lambda folder, names: [n for n in names if not is_page(folder, n)]
    )
    for page in (GENERATED / "paper").rglob("*.md"):
        page.write_text(adapt(page.read_text("utf-8")), "utf-8")
    add_navigation(GENERATED / "paper" / "README.md", (GENERATED / "paper").glob("results/**/*.md"))
    for name in ("CHANGELOG", "CONTRIBUTING"):
        (GENERATED / f"{name.lower()}.md").write_text(adapt((ROOT / f"{name}.md").read_text("utf-8")), "utf-8")
    figures = GENERATED / "figures"
    figures.mkdir()
    for figure in (ROOT / "research" / "results").glob("*/*.png"):
        shutil.copy(figure, figures / f"{figure.parent.name}-{figure.name}")


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
    """Links to files that the site has elsewhere."""
    return re.sub(r"`docs/(\w+)\.md`", r"[\1](/\1.md)", text)


def generate() -> None:
    """Write everything anew."""
    shutil.rmtree(GENERATED, ignore_errors=True)
    write_api()
    copy_pages()


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
