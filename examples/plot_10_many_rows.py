"""
Many rows, streamed
===================

The unlabeled rows are in a folder of Parquet files that need not fit in memory. The same classifier accepts the folder:
columns are binned to bytes, and rows are read one file at a time. The result does not depend on how rows are divided
into files.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import make_classification
from xgboost import XGBClassifier

from tabcast import SoftSelfTrainingClassifier

X, y = make_classification(20_200, 12, n_informative=6, n_clusters_per_class=3, class_sep=0.9, random_state=0)
table = pd.DataFrame(X, columns=[f"x{j}" for j in range(12)])
labeled, new = table[:200], table[-5000:]
folder = Path(tempfile.mkdtemp())
for part, start in enumerate(range(200, 15_200, 3000)):
    table[start : start + 3000].to_parquet(folder / f"part-{part}.parquet")

# %%
# The labeled rows are a DataFrame, the unlabeled ones a folder.

estimator = XGBClassifier(n_estimators=40, max_depth=4, learning_rate=0.2, n_jobs=1)
model = SoftSelfTrainingClassifier(estimator, random_state=0)
model.fit(labeled, y[:200], X_unlabeled=folder)

# %%
# Pseudo-labels are read one partition at a time as well; ``to_parquet`` writes them to a folder.

confidence = pd.concat([part["confidence"] for part in model.pseudo_labels_])
accuracy = (model.predict(new) == y[-5000:]).mean()
alone = (model.supervised_.predict(new) == y[-5000:]).mean()
fig, ax = plt.subplots(figsize=(5, 2.5))
ax.hist(confidence, bins=30)
ax.set(xlabel="confidence in a pseudo-label", ylabel="rows")
ax.set_title(f"new rows right: {alone:.1%} before, {accuracy:.1%} after", fontsize=10)
fig.tight_layout()
print(len(confidence), "unlabeled rows in", len(list(folder.iterdir())), "files")
