"""Screenshots of reports of `tabcast fit` on real tables: docs/gallery.md.

Needs Chromium, Pillow (a dependency of matplotlib), and a folder of datasets (docs/datasets.md).

    TABCAST_DATA_DIR=../shared/datasets python examples/gallery.py docs/images
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

from tabcast.study.datasets import load_dataset

HEIGHTS = dict.fromkeys(("tumors", "churn"), 3400)  # of the pages
LABELED = 0.05  # of the customers


def write_table(name, path):
    """Write a table of the catalog with most of its labels hidden; return the name of the target column."""
    data = load_dataset(name)
    known = np.random.default_rng(0).random(len(data.X)) < LABELED
    labels = data.classes[data.y].astype(object)
    data.X.assign(**{data.info.target: np.where(known, labels, None)}).to_csv(path, index=False)
    return data.info.target


def take_picture(page, picture, *, width, height):
    """Save a screenshot of the page, taken by headless Chromium."""
    browser = shutil.which("chromium") or sys.exit("Chromium is needed (Debian's package is called chromium).")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},{height}"]
    subprocess.run([browser, *options, f"--screenshot={picture}", page.as_uri()], check=True, capture_output=True)
    Image.open(picture).convert("RGB").quantize(128).save(picture, optimize=True)  # a third of the size


def main():
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images").absolute()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        for name, height in HEIGHTS.items():
            table, folder = Path(place, f"{name}.csv"), Path(place, name)
            if name == "tumors":
                subprocess.run([sys.executable, Path(__file__).with_name("half_labeled_table.py"), table], check=True)
                target = "diagnosis"
            else:
                target = write_table(name, table)
            command = [sys.executable, "-c", "from tabcast.cli.main import app; app()", "fit", table]
            subprocess.run([*command, "--target", target, "--out", folder], check=True)
            take_picture(folder / "report.html", out / f"{name}.png", width=1100, height=height)
            if name == "tumors":
                take_picture(folder / "report.html", out / "report.png", width=1100, height=880)


if __name__ == "__main__":
    main()
