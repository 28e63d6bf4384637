"""The picture of the README: a report of `tabcast fit`. Needs Chromium.

python tools/picture_report.py docs/images
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image


def main():
    """Write the picture."""
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images").absolute()
    browser = shutil.which("chromium") or sys.exit("Chromium is needed.")
    tabcast = [sys.executable, "-m", "tabcast"]
    with tempfile.TemporaryDirectory() as place:
        command = [*tabcast, "demo", "--write", "census.csv"]
        subprocess.run(command, check=True, cwd=place)
        command = [*tabcast, "fit", "census.csv", "--target", "income"]
        subprocess.run(command, check=True, cwd=place)
        picture = out / "report.png"
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
        ]
        options += ["--window-size=1100,880", f"--screenshot={picture}"]
        page = Path(place, "census-tabcast", "report.html").as_uri()
        subprocess.run([browser, *options, page], check=True, capture_output=True)
        # A third of the size.
        Image.open(picture).convert("RGB").quantize(128).save(picture, optimize=True)


if __name__ == "__main__":
    main()
