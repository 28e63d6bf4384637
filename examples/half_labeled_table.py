"""Write a table with few labels: 569 tumors, one in twelve with a diagnosis.

python examples/half_labeled_table.py tumors.csv
tabcast fit tumors.csv --target diagnosis

or in Python: run = tabcast.fit_table("tumors.csv", "diagnosis")
"""

import sys

import numpy as np
from sklearn.datasets import load_breast_cancer

path = sys.argv[1] if len(sys.argv) > 1 else "tumors.csv"
data = load_breast_cancer(as_frame=True)
table = data.data.rename(columns=lambda name: name.replace(" ", "_"))
table.insert(0, "patient", [f"P-{number:04d}" for number in range(len(table))])
known = np.random.default_rng(0).random(len(table)) < 1 / 12
table["diagnosis"] = np.where(known, data.target_names[data.target], None)
table.to_csv(path, index=False)
print(f"{path}: {len(table)} rows, {known.sum()} with a diagnosis.")
