"""Memory and file descriptors do not grow with the number of fits."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

MORE_MEGABYTES = 25
SCRIPT = """
import gc, json, os, sys, warnings
import numpy as np, pandas as pd
from sklearn.tree import DecisionTreeClassifier
from tabcast import CASTClassifier, GuardedClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.files import read_table_file
from tabcast.decisions import MostProbable
from tabcast.files import understand
from tabcast.runs import SavedModel, load_model
from tabcast.runs._model_file import save_model
from tabcast.teachers import Committee

warnings.simplefilter("ignore")
random = np.random.default_rng(0)
X = pd.DataFrame(random.normal(size=(150, 8)))
X.columns = [f"x{number}" for number in range(8)]
y = np.where(X["x0"] > 0, 1, 0)
y[40:] = -1
X.to_csv("table.csv", index=False)
tree = DecisionTreeClassifier(max_depth=3)
loop = {"max_rounds": 1, "validation": None, "random_state": 0}
kinds = [
    SelfTrainingClassifier(tree, **loop),
    CASTClassifier(tree, alpha=0.5, **loop),
    SoftSelfTrainingClassifier(tree, teacher=Committee(["own"], n_folds=2), random_state=0),
    GuardedClassifier(SelfTrainingClassifier(tree, **loop), n_splits=2, n_repeats=1, random_state=0),
]

def measure():
    gc.collect()
    pages = int(open("/proc/self/statm").read().split()[1])
    return {"megabytes": pages * os.sysconf("SC_PAGE_SIZE") / 2**20, "files": len(os.listdir("/proc/self/fd"))}

understanding = understand(pd.DataFrame({"a": [1, 2, 3] * 4, "y": ["u", "v", "v"] * 4}), "y")
measured = []
for number in range(1, 201):
    kinds[number % len(kinds)].fit(X, y).predict(X)
    if number % 10 == 0:
        read_table_file("table.csv")
        fitted = kinds[0].estimator_ if number > 10 else tree.fit(X, y)
        rule = MostProbable().fit(fitted.classes_, np.full(len(fitted.classes_), 1.0))
        save_model("model.skops", SavedModel(fitted, understanding, rule))
        load_model("model.skops")
    if number in (50, 200):
        measured.append(measure())
print(json.dumps(measured))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_two_hundred_fits(tmp_path):
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    after_50, after_200 = json.loads(done.stdout)
    assert after_200["files"] <= after_50["files"]
    assert after_200["megabytes"] <= after_50["megabytes"] + MORE_MEGABYTES
