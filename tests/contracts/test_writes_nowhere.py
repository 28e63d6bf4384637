"""The package writes nowhere but into the folder it was given: no cache, no settings, nothing in the current folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Prints each path that is written to, made, renamed or removed, as Python's audit events report it.
HOOK = """
import os, sys

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {"os.mkdir": 1, "os.rename": 2, "os.remove": 1, "os.rmdir": 1, "os.link": 2, "os.symlink": 2,
           "os.truncate": 1, "os.chmod": 1, "os.utime": 1, "os.mkfifo": 1}

# Where the descriptor of the folder stands that a path is relative to, if there is one.
FOLDERS = {"os.mkdir": (2,), "os.rename": (2, 3), "os.remove": (1,), "os.rmdir": (1,)}

def report(event, arguments):
    paths = arguments[: CHANGES.get(event, 0)]
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITES:
        paths = arguments[:1]
    folders = [arguments[position] for position in FOLDERS.get(event, ())] + [-1] * len(paths)
    for path, folder in zip(paths, folders):
        if isinstance(path, str | bytes | os.PathLike):
            base = os.getcwd() if folder == -1 else os.readlink(f"/proc/self/fd/{folder}")
            print("wrote", event, os.path.abspath(os.path.join(base, os.fsdecode(path))), file=sys.__stderr__)

sys.addaudithook(report)
"""
LIBRARY = """
from pathlib import Path
import numpy as np, pandas as pd
from sklearn.linear_model import LogisticRegression
from tabcast import SelfTrainingClassifier, fit_table, load_run
from tabcast.runs import load_model, load_run, predict_file

given = Path(sys.argv[1])
random = np.random.default_rng(0)
table = pd.DataFrame({"id": range(40), "a": random.normal(size=40), "b": random.choice(["x", "y"], 40)})
table["target"] = np.where(table["a"] > 0, "yes", "no")
table.loc[16:, "target"] = None
hard = SelfTrainingClassifier(LogisticRegression(), strategy="all", validation=None, max_rounds=1)
run = fit_table(table, "target", estimator=hard)
run.predict(table)
run.save(given / "saved")
load_run(given / "saved").predict(table)
load_run(given / "saved").report.save(given / "saved" / "report.html")
run.save(given / "saved", overwrite=True)
table.to_csv(given / "table.csv", index=False)
predict_file(load_model(given / "saved"), given / "table.csv", given / "predictions.csv")
"""
COMMAND_LINE = """
from typer.testing import CliRunner
from tabcast.cli.main import app

given = sys.argv[1]
fit = ["fit", f"{given}/table.csv", "--target", "target", "--out", f"{given}/run"]
fit += ["--estimator", "logistic_regression"]
predict = ["predict", f"{given}/run", f"{given}/table.csv", "--out", f"{given}/predictions.csv"]
refused = ["fit", f"{given}/table.csv", "--target", "missing", "--out", f"{given}/other"]
for command in (fit, predict, ["report", f"{given}/run"], refused):
    print(CliRunner().invoke(app, command).output)
"""
TABLE = "a,b,target\n" + "".join(f"{i % 7}.5,{'xyz'[i % 3]},{['yes', 'no', ''][i % 3]}\n" for i in range(45))


@pytest.mark.slow
@pytest.mark.parametrize("script", [LIBRARY, COMMAND_LINE], ids=["library", "command line"])
def test_writes_only_into_the_given_folder(script, tmp_path):
    places = {name: tmp_path / name for name in ("given", "home", "here", "temporary", "fonts")}
    for place in places.values():
        place.mkdir()
    (places["given"] / "table.csv").write_text(TABLE)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "COV"))}
    environment |= {"HOME": str(places["home"]), "TMPDIR": str(places["temporary"]), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["MPLCONFIGDIR"] = str(places["fonts"])  # where matplotlib keeps its list of fonts, for all programs
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", HOOK + script, str(places["given"])],
        cwd=places["here"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    written = [line.split(" ", 2)[2] for line in done.stderr.splitlines() if line.startswith("wrote ")]
    assert any(path.endswith("summary.json") for path in written), "the hook saw nothing"
    elsewhere = {path for path in written if not Path(path).is_relative_to(places["given"])} - {os.devnull}
    # joblib's place in shared memory for what processes share; it is gone at the end.
    shared = {path for path in elsewhere if "joblib_memmapping_folder" in path}
    assert not [path for path in shared if Path(path).exists()]
    assert not {path for path in elsewhere - shared if not Path(path).is_relative_to(places["fonts"])}
    for name in ("home", "here", "temporary"):
        assert list(places[name].rglob("*")) == [], f"files in {name}"
    strangers = [path.name for path in places["given"].iterdir() if path.name.startswith(".")]
    assert not strangers
