"""Pages that are not written by hand: the API reference, and pages that live elsewhere in the repository.

Everything is written below docs/generated, which is made anew in every build and not part of the repository.
"""

import re
import shutil
from importlib import import_module
from inspect import isclass, isfunction
from pathlib import Path

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
GENERATED = DOCS / "generated"

# In the order of the walk. What `tabcast` itself lists is documented there, and only named in its room.
ROOMS = {
    "tabcast": "The classifiers and the whole job in one call",
    "tabcast.feature_selection": "Which columns the density looks at",
    "tabcast.density": "How dense labeled rows of a class are around a row",
    "tabcast.confidence": "From probabilities to confidence",
    "tabcast.pseudo_labels": "Which rows are used in a round, and their weight",
    "tabcast.noise_filters": "Which of them are rejected after all",
    "tabcast.validation": "Held-out rows, splitters and scorers for partially labeled tables",
    "tabcast.models": "The default classifier, the portfolio, and encoding around classifiers",
    "tabcast.models.neural": "The paper's six networks",
    "tabcast.teachers": "Who writes soft labels",
    "tabcast.decisions": "From probabilities to predicted classes",
    "tabcast.partitions": "Tables that outgrow memory or a machine",
    "tabcast.self_training": "The engine and its methods",
    "tabcast.guard": "Did the unlabeled rows help?",
    "tabcast.diagnostics": "What can be known about a partially labeled table",
    "tabcast.files": "Table files",
    "tabcast.report": "The report",
    "tabcast.runs": "Runs, run folders and model files",
    "tabcast.plots": "Figures of a run or a fitted model",
    "tabcast.study": "Studies",
    "tabcast.study.datasets": "Datasets of studies",
    "tabcast.testing": "Checks of the contracts, for plug-ins",
    "tabcast.statistics": "Means, intervals, tests, calibration errors",
    "tabcast.table": "Rows, columns, labels, encoders",
    "tabcast.exceptions": "Warnings and errors",
}


def write_api() -> None:
    """One page per room, which lists its public names; autosummary writes a page for each of them."""
    folder = GENERATED / "api"
    folder.mkdir(parents=True)
    at_the_top = public_names("tabcast")
    rooms = [room for room in ROOMS if public_names(room)]
    for room in rooms:
        names = public_names(room)
        own = names if room == "tabcast" else [name for name in names if name not in at_the_top]
        lines = [room, "=" * len(room), "", f"{ROOMS[room]}.", "", f".. currentmodule:: {room}", ""]
        for title, kind in (("Classes", isclass), ("Functions", isfunction)):
            chosen = [name for name in own if kind(getattr(import_module(room), name))]
            if chosen:
                lines += [title, "-" * len(title), "", ".. autosummary::", f"   :toctree: {room}", ""]
                lines += [*(f"   {name}" for name in chosen), ""]
        if shared := [name for name in names if name not in own]:
            lines += ["In the top-level package: " + ", ".join(f":obj:`tabcast.{name}`" for name in shared) + "."]
        (folder / f"{room}.rst").write_text("\n".join(lines) + "\n", "utf-8")
    lines = ["API reference", "=============", "", "Every public name, by room of the package.", "", ".. toctree::"]
    lines += ["   :maxdepth: 1", "", *(f"   {ROOMS[room]} <{room}>" for room in rooms)]
    (folder / "index.rst").write_text("\n".join(lines) + "\n", "utf-8")


def public_names(room: str) -> list[str]:
    """The classes and functions of tabcast that a room lists."""
    try:
        module = import_module(room)
    except ModuleNotFoundError:
        return []
    names = [name for name in getattr(module, "__all__", ()) if not name.startswith("_")]
    kinds = [(name, getattr(module, name)) for name in names]
    return [
        name
        for name, one in kinds
        if (isclass(one) or isfunction(one)) and one.__module__.startswith("tabcast") and name == one.__name__
    ]


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
    """List pages below another one, which links to them in its text."""
    names = sorted(str(one.relative_to(page.parent).with_suffix("")) for one in below)
    toctree = ["", "```{toctree}", ":hidden:", "", *names, "```", ""]
    page.write_text(page.read_text("utf-8") + "\n".join(toctree), "utf-8")


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
