"""Screenshots of the page of `tabcast label` on a real table, labeled with its truth: docs/labeling.md.

Needs Chromium, Pillow (a dependency of matplotlib), and a folder of datasets (docs/datasets.md).

    TABCAST_DATA_DIR=../shared/datasets python tools/picture_labeling.py docs/images
"""

import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
from PIL import Image

from tabcast.study.datasets import load_dataset

ROOT = Path(__file__).parents[1]
N_LABELS, N_ROWS = 80, 1_500
PICTURES = {"labeling": (1200, 690, False), "labeling_dark": (1200, 690, True), "labeling_phone": (390, 844, False)}


def ask(address, said=None):
    """The state of the session, after an answer if there is one."""
    headers = {"Content-Type": "application/json"}
    body = None if said is None else json.dumps(said).encode()
    with urllib.request.urlopen(urllib.request.Request(address, body, headers)) as answer:
        return json.load(answer)["state"]


def label(address, truth):
    """Answer as an expert, who waits for each new model."""
    state = ask(address + "state")
    for name in ("no", "yes"):
        state = ask(address + "answer", {"step": state["step"], "event": "class", "label": name})
    while state["n_labels"] < N_LABELS or state["is_training"]:
        if state["is_training"]:
            time.sleep(0.5)
            state = ask(address + "state")
            continue
        said = {"step": state["step"], "event": "label", "label": truth[state["card"]["row"]]}
        state = ask(address + "answer", said)


def main():
    """Write the pictures."""
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images").absolute()
    sys.path.insert(0, str(ROOT))
    from tests.labeling.browser import Browser

    data = load_dataset("churn")
    rows = np.sort(np.random.default_rng(0).permutation(len(data.X))[:N_ROWS])
    truth = np.where(data.y[rows] == 1, "yes", "no")
    with tempfile.TemporaryDirectory() as place, Browser(Path(place, "browser")) as browser:
        data.X.iloc[rows].assign(churned=None).to_csv(Path(place, "customers.csv"), index=False)
        command = [sys.executable, "-m", "tabcast", "label", "customers.csv", "--target", "churned", "--no-browser"]
        server = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True)
        try:
            address = re.search(r"http://\S+", server.stdout.readline())[0]
            label(address, truth)
            for name, (width, height, dark) in PICTURES.items():
                tab = browser.open(address, width, height, dark=dark)
                tab.wait("state.points.length > 0")
                if dark:
                    tab.key("p")
                    tab.wait("find('#guess').innerText.includes('%')")
                tab.save_picture(out / f"{name}.png", whole=False)
                Image.open(out / f"{name}.png").convert("RGB").quantize(128).save(out / f"{name}.png", optimize=True)
        finally:
            server.kill()


if __name__ == "__main__":
    main()
