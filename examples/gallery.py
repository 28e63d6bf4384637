"""Screenshots of reports of `tabcast fit` on real tables: docs/gallery.md, and the figures in docs/diagnostics.

Needs Chromium, Pillow (a dependency of matplotlib), and a folder of datasets (docs/datasets.md).

    TABCAST_DATA_DIR=../shared/datasets python examples/gallery.py docs/images
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops

from tabcast.study.datasets import load_dataset

HEIGHTS = {"tumors": 5200, "churn": 5400, "gusto": 6300}  # of the pages, down to the table of pseudo-labels
LABELED = {"churn": 0.05, "gusto": 0.02}
METHODS = {"churn": [], "gusto": ["--method", "cast-l", "--alpha", "0.5", "--model", "logistic_regression"]}
# Pages of docs/diagnostics with the titles of their figures in the report.
FIGURES = {
    "quality": ["Which classes are confused?", "How often is it right, per class?"],
    "curves": ["How well do the probabilities rank rows?"],
    "thresholds": ["Recall and precision by threshold"],
    "importance": ["What if a column were shuffled?"],
    "class_prior": ["Classes"],
    "cluster_assumption": ["Are predictions right where rows are dense?"],
    "class_overlap": ["Do the classes overlap?"],
    "fisher_information": ["Where do unlabeled rows carry information?"],
    "covariate_shift": ["Do labeled and unlabeled rows look alike?"],
    "selection_curve": ["How many rows are confident enough?", "What if density had more weight?"],
    "class_mix": ["Does one class take over?"],
    "flipped_labels": ["Which labels were changed?"],
    "reliability": ["Can its probabilities be trusted?"],
}


def write_table(name, path):
    """Write a table of the catalog with most of its labels hidden; return the name of the target column."""
    data = load_dataset(name)
    known = np.random.default_rng(0).random(len(data.X)) < LABELED[name]
    labels = data.classes[data.y].astype(object)
    data.X.assign(**{data.info.target: np.where(known, labels, None)}).to_csv(path, index=False)
    return data.info.target


def take_picture(page, picture, *, width, height):
    """Save a screenshot of the page, taken by headless Chromium."""
    browser = shutil.which("chromium") or sys.exit("Chromium is needed (Debian's package is called chromium).")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},{height}"]
    subprocess.run([browser, *options, f"--screenshot={picture}", page.as_uri()], check=True, capture_output=True)
    Image.open(picture).convert("RGB").quantize(128).save(picture, optimize=True)  # a third of the size


def take_figures(page, titles, picture):
    """Save a picture of some figures of a report, alone on a page with its style."""
    text = page.read_text("utf-8")
    figures = {}
    for figure in re.findall(r"<figure class=\"item.*?</figure>", text, re.DOTALL):
        figures[re.search(r"<h3>(.*?)</h3>", figure)[1]] = figure
    only = page.with_name("figures.html")
    body = "\n".join(figures[title] for title in titles)
    only.write_text(f"{text[: text.index('<body')]}<body><main>{body}</main></body></html>", "utf-8")
    take_picture(only, picture, width=1100, height=1400)
    image = Image.open(picture).convert("RGB")
    ground = Image.new("RGB", image.size, image.getpixel((0, 0)))
    *_, bottom = ImageChops.difference(image, ground).getbbox()
    image.crop((20, 45, 1080, bottom + 20)).quantize(128).save(picture, optimize=True)


def main():
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images").absolute()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        for name, height in HEIGHTS.items():
            table, folder = Path(place, f"{name}.csv"), Path(place, name)
            if name == "tumors":
                subprocess.run([sys.executable, Path(__file__).with_name("half_labeled_table.py"), table], check=True)
                target, options = "diagnosis", []
            else:
                target, options = write_table(name, table), METHODS[name]
            command = [sys.executable, "-c", "from tabcast.cli.main import app; app()", "fit", table]
            subprocess.run([*command, "--target", target, "--out", folder, *options], check=True)
            take_picture(folder / "report.html", out / f"{name}.png", width=1100, height=height)
            if name == "tumors":
                take_picture(folder / "report.html", out / "report.png", width=1100, height=880)
        (out / "diagnostics").mkdir(exist_ok=True)
        for page, titles in FIGURES.items():  # of the last table
            take_figures(folder / "report.html", titles, out / "diagnostics" / f"{page}.png")


if __name__ == "__main__":
    main()
