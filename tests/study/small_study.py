"""A study small enough for tests: a plug-in with a table of 90 rows, a fast model and one that is not available."""

import numpy as np
import pandas as pd

from tabcast.study.datasets import DatasetInfo, load_dataset

PLUGIN = '''
"""Two clouds of points that overlap, and a model that is fitted in no time."""

import numpy as np
import pandas as pd
from sklearn.naive_bayes import GaussianNB

from tabcast.study.datasets import DatasetInfo
from tabcast.study.models import Model, Space


def load():
    random = np.random.default_rng(5)
    y = np.arange(90) % 3 == 0
    X = random.normal(size=(90, 3)) + 1.2 * y[:, None]
    return pd.DataFrame(X, columns=["a", "b", "c"]), pd.Series(np.where(y, "yes", "no"))


clouds = DatasetInfo(name="clouds", metric="accuracy", n_rows=90, n_columns=3, n_classes=2, target="cloud", load=load)


def build(params, seed):
    params = {name: value for name, value in params.items() if name != "rounds"}
    return GaussianNB(**params)


def sane():
    from optuna.distributions import FloatDistribution

    return Space({"var_smoothing": FloatDistribution(1e-9, 10, log=True)}, start={"var_smoothing": 1e-9})


bayes = Model("bayes", "Naive Bayes", build, {"sane": sane}, sizes={"rounds": 30})
oracle = Model("oracle", "Oracle", build, unavailable="delphi is not installed")
'''

GRID = """
datasets = ["clouds"]
models = ["bayes"]
tunings = ["none"]
strategies = ["threshold"]
methods = ["supervised", "baseline", "cast-l-no-selection"]
seeds = 2
folds = [0, 1]
"""

N_TRIALS = 2 * 2 * 3  # seeds, folds, methods


def write_config(folder, grid=GRID, *, profile="", name="small.toml", more=""):
    """A configuration with one grid and the profile "quick"; its plug-in folder and its records lie beside it."""
    plugins = folder / "plugins"
    plugins.mkdir(exist_ok=True)
    (plugins / "clouds.py").write_text(PLUGIN)
    path = folder / name
    head = f'title = "Small"\nitem = "Table 0"\nplugins = ["plugins"]\n{more}\n'
    path.write_text(f"{head}\n[[grid]]\n{grid}\n[profiles.quick]\n{profile}\n")
    return path


def make_table(n_rows=150, n_classes=2, metric="accuracy", *, mixed=False, noise=1.0, seed=0):
    """A synthetic dataset; mixed: with levels and holes. Its classes are not equally frequent."""
    random = np.random.default_rng(seed)
    shares = np.arange(n_classes, 0, -1) / np.arange(1, n_classes + 1).sum()
    y = random.permutation(
        np.repeat(np.arange(n_classes), np.diff(np.r_[0, (shares.cumsum() * n_rows).round()]).astype(int))
    )
    centers = random.normal(scale=1.5, size=(n_classes, 4))
    X = pd.DataFrame(centers[y] + noise * random.normal(size=(n_rows, 4)), columns=list("abcd"))
    if mixed:
        X["city"] = pd.Categorical(np.array(["Bonn", "Kiel", "Ulm"])[(y + random.integers(0, 2, n_rows)) % 3])
        X["a"] = X["a"].mask(random.random(n_rows) < 0.15)
    info = DatasetInfo(
        name="made up",
        metric=metric,
        n_rows=n_rows,
        n_columns=X.shape[1],
        n_classes=n_classes,
        target="class",
        load=lambda: (X, pd.Series(y)),
    )
    return load_dataset(info)
