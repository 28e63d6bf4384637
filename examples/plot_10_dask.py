"""
A Dask cluster
==============

Unlabeled rows may be a Dask DataFrame. A sample chooses alpha and the round; then XGBoost trains on all rows, which
stay on the workers. Without a cluster, as here, one worker in this process does the same.
"""

import dask.dataframe as dd
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import make_classification
from xgboost import XGBClassifier

from tabcast import CASTClassifier

X, y = make_classification(6200, 8, n_informative=5, random_state=0)
table = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)])
pool = dd.from_pandas(table[200:], npartitions=4)  # usually dd.read_parquet("folder/")

estimator = XGBClassifier(n_estimators=15, max_depth=4, n_jobs=1)
model = CASTClassifier(estimator, alpha=0.5, validation=None, random_state=0)
model.fit(table[:200], y[:200], X_unlabeled=pool)
confidence = model.pseudo_labels_["confidence"].compute()

fig, ax = plt.subplots(figsize=(5, 2.5))
ax.hist(confidence, bins=30)
ax.set(xlabel="confidence in a pseudo-label", ylabel="rows")
fig.tight_layout()
