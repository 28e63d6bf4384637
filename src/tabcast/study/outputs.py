"""The outputs of a study: its tables as text, its figures, and a folder with both and the results behind them."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tabcast.checks import check_choice
from tabcast.study.analysis.published import read_printed
from tabcast.study.analysis.table import Table
from tabcast.study.analysis.views import make_table
from tabcast.study.config import Study
from tabcast.study.records import write_bytes
from tabcast.study.results import DETAILS, RESULTS, collect_details, collect_results, read_details, read_results
from tabcast.study.run import versions


def make_tables(study: Study, results: pd.DataFrame) -> dict[str, Table]:
    """Make the tables of a configuration from its results."""
    published = None if study.published is None else pd.read_csv(study.published, keep_default_na=False, na_values=[""])
    printed = None if study.published is None else read_printed(study.published)
    return {spec["name"]: make_table(spec, results, published, printed) for spec in study.tables}


def render_tables(study: Study, profile: str, style: str, results: Path | None = None, name: str | None = None) -> str:
    """Join the tables of a study, or one of them, in one text; from its records or a file of results."""
    if not study.tables:
        raise ValueError(f"{study.path.name} has no tables; try: tabcast study figure {study.path} --out DIR")
    tables = make_tables(study, collect_results(study, profile) if results is None else read_results(results))
    if name is not None:
        check_choice(name, tables, f"table of {study.path.name}")
        tables = {name: tables[name]}
    return "\n\n".join(table.render(style, study.catalog.labels).rstrip("\n") for table in tables.values())


def write_figures(
    study: Study, profile: str, folder: Path, kinds: Sequence[str] = ("png",), results: Path | None = None
) -> list[Path]:
    """Draw each figure of a configuration to a file of every kind; from its records or a file of results."""
    from matplotlib import pyplot as plt

    from tabcast.study.figures import make_figure

    for kind in kinds:
        check_choice(kind, ("png", "svg", "pdf"), "format of a figure")
    if not study.figures:
        raise ValueError(f"{study.path.name} has no figures; try: tabcast study table {study.path}")
    if results is None:
        found, details = collect_results(study, profile), collect_details(study, profile)
    else:
        found, details = read_results(results), read_details(results)
    paths = []
    for spec in study.figures:
        figure = make_figure(spec, found, details, study.catalog.labels)
        for kind in kinds:
            target, image = folder / f"{spec['name']}.{kind}", io.BytesIO()
            # Without dates, the same results give the same file.
            undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
            figure.savefig(image, format=kind, dpi=150, metadata=undated)
            write_bytes(target, image.getvalue())
            paths.append(target)
        plt.close(figure)
    return paths


def write_folder(study: Study, profile: str, folder: Path) -> None:
    """Write a page with all tables and figures, and the results behind them."""
    found = collect_results(study, profile)
    _write(folder / RESULTS, found.to_csv(index=False, lineterminator="\n"))
    _write(folder / "run.json", json.dumps(_describe_run(study, profile, found), indent=1) + "\n")
    if study.figures:
        details = collect_details(study, profile)
        if details:
            _write(folder / DETAILS, json.dumps(details) + "\n")
        write_figures(study, profile, folder)
    config = f"{name_place(study.path)} --profile {profile}"
    how = (
        f"Made by `tabcast study run {config}`, then `tabcast study write {config} --out {name_place(folder.parent)}`; "
        f"`{RESULTS}` has the trials, `run.json` versions and seeds."
    )
    tables = [table.render(labels=study.catalog.labels) for table in make_tables(study, found).values()]
    figures = [f"![{spec['name']}]({spec['name']}.png)" for spec in study.figures]
    page = [f"# {study.item}: {study.title}", study.notes, how, *tables, *figures]
    _write(folder / "README.md", "\n\n".join(part.rstrip("\n") for part in page if part) + "\n")


def _describe_run(study: Study, profile: str, results: pd.DataFrame) -> Mapping[str, Any]:
    """Collect what is needed to run the study again."""
    done = results[results["status"] == "done"]
    return {
        "command": f"tabcast study run {name_place(study.path)} --profile {profile}",
        "profile": dict(study.profiles[profile]),
        "seeds": sorted(int(seed) for seed in results["seed"].unique()),
        "trials": {str(state): int(count) for state, count in results["status"].value_counts().items()},
        "hours_of_one_worker": round(float(done["seconds"].sum()) / 3600, 2) if len(done) else 0.0,
        "versions": versions(),
    }


def _write(path: Path, text: str) -> None:
    """Write text, compressed if the name says so; without a time stamp inside, the same text gives the same file."""
    content = text.encode("utf-8")
    write_bytes(path, gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def name_place(path: Path) -> str:
    """Name a file or folder as typed from the root of a repository: with the two folders around it."""
    return "/".join(path.absolute().parts[-3 if path.suffix else -2 :])
