"""The outputs of a study: tables and figures as files, beside the results and versions that they are made from."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tabcast.checks import check_choice
from tabcast.study.analysis import Table
from tabcast.study.analysis.listing import Listing
from tabcast.study.analysis.printed import read_printed
from tabcast.study.analysis.views import make_table, render
from tabcast.study.config import Study
from tabcast.study.results import DETAILS, collect_details, collect_results, read_details, read_results
from tabcast.study.run import versions
from tabcast.study.store import write_bytes, write_text

ENDINGS = {"markdown": "md", "csv": "csv", "latex": "tex"}
RESULTS = "results.csv"
Tables = Mapping[str, Table | Listing]


def make_tables(study: Study, profile: str, results: Path | None = None) -> Tables:
    """Make the tables of a configuration.

    Parameters
    ----------
    study, profile : Study
        Which trials.
    results : Path, optional
        CSV file of the results table, to read in place of the records.
    """
    if not study.tables:
        raise ValueError(f"{study.path.name} has no tables; try: tabcast study figure {study.path} --out DIR")
    found = _read_results(study, profile, results)
    published = None if study.published is None else pd.read_csv(study.published, keep_default_na=False, na_values=[""])
    printed = None if study.published is None else read_printed(study.published)
    return {spec["name"]: make_table(spec, found, published, printed) for spec in study.tables}


def render_tables(study: Study, tables: Tables, style: str) -> str:
    """Join all tables of a study in one text."""
    return "\n\n".join(render(table, style, study.catalog.labels).rstrip("\n") for table in tables.values())


def write_tables(study: Study, profile: str, folder: Path, results: Path | None = None) -> list[Path]:
    """Write each table in every style, and the page."""
    tables = make_tables(study, profile, results)
    paths = [
        _write(folder / f"{name}.{ending}", render(table, style, study.catalog.labels))
        for name, table in tables.items()
        for style, ending in ENDINGS.items()
    ]
    return [*paths, *_write_page(study, profile, folder, results, tables)]


def write_figures(
    study: Study, profile: str, folder: Path, kinds: Sequence[str] = ("png",), results: Path | None = None
) -> list[Path]:
    """Draw each figure of a configuration to a file of every kind, and write the page."""
    from matplotlib import pyplot as plt

    from tabcast.study.figures.views import make_figure

    for kind in kinds:
        check_choice(kind, ("png", "svg", "pdf"), "format of a figure")
    if not study.figures:
        raise ValueError(f"{study.path.name} has no figures; try: tabcast study table {study.path}")
    found, details, paths = _read_results(study, profile, results), _read_details(study, profile, results), []
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
    tables = make_tables(study, profile, results) if study.tables else {}
    return [*paths, *_write_page(study, profile, folder, results, tables)]


def _write_page(study: Study, profile: str, folder: Path, results: Path | None, tables: Tables) -> list[Path]:
    """Write one page with all tables and figures and, where they come from records, the results behind them."""
    paths = []
    if results is None:
        found, details = collect_results(study, profile), collect_details(study, profile)
        paths.append(_write(folder / RESULTS, found.to_csv(index=False, lineterminator="\n")))
        paths.append(_write(folder / "run.json", json.dumps(_describe_run(study, profile, found), indent=1) + "\n"))
        if details:
            paths.append(_write(folder / DETAILS, json.dumps(details) + "\n"))
    page = [f"# {study.item}: {study.title}", study.notes, _how(study, profile, folder)]
    if tables:
        page.append(render_tables(study, tables, "markdown"))
    page += [f"![{spec['name']}]({spec['name']}.png)" for spec in study.figures]
    paths.append(_write(folder / "README.md", "\n\n".join(part for part in page if part) + "\n"))
    return paths


def _read_results(study: Study, profile: str, results: Path | None) -> pd.DataFrame:
    """Read the results table from records or from a file."""
    return collect_results(study, profile) if results is None else read_results(results)


def _read_details(study: Study, profile: str, results: Path | None) -> list[dict[str, Any]]:
    """Read what figures need beyond the results table, from records or from the file beside it."""
    return collect_details(study, profile) if results is None else read_details(results)


def _describe_run(study: Study, profile: str, results: pd.DataFrame) -> dict[str, Any]:
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


def _how(study: Study, profile: str, folder: Path) -> str:
    """Name the commands that make this folder."""
    config = f"{name_place(study.path)} --profile {profile}"
    return (
        f"Made by `tabcast study run {config}`, then `tabcast study table` and `figure` with `--out "
        f"{name_place(folder)}`; `results.csv` has the trials, `run.json` versions and seeds."
    )


def _write(path: Path, text: str) -> Path:
    write_text(path, text)
    return path


def name_place(path: Path) -> str:
    """Name a file or folder as typed from the root of a repository: with the two folders around it."""
    return "/".join(path.absolute().parts[-3:])
