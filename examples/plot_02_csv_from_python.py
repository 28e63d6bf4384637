"""
A CSV from Python
=================

``fit_table`` is what the command ``tabcast fit`` calls: it reads a file, decides what each column is, trains with and
without the unlabeled rows, compares both, and keeps the better model.
"""

import tempfile
from pathlib import Path

from sklearn.datasets import load_wine

import tabcast
from tabcast.plots import plot_confusion, plot_verdict

table = load_wine(as_frame=True).frame.rename(columns={"target": "cultivar"})
table["cultivar"] = table["cultivar"].map({0: "A", 1: "B", 2: "C"}).where(table.index % 4 == 0)
folder = Path(tempfile.mkdtemp())
table.to_csv(folder / "wine.csv", index=False)

run = tabcast.fit_table(folder / "wine.csv", target="cultivar", estimator="logistic_regression", random_state=0)
print(run.verdict)

# %%
# What the committee and the model with unlabeled rows gain over your model, on the same held-out rows.

plot_verdict(run)

# %%
# How good the model is, by cross-validation on the labeled rows.

plot_confusion(run)

# %%
# Every unlabeled row with its probabilities. ``run.save("folder")`` writes the model, the predictions and the report.

print(run.predictions.head())
