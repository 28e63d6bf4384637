"""
XGBoost with categories
=======================

XGBoost handles categories by itself if their columns are declared as such. tabcast passes them on, and encodes the
classes, which XGBoost expects as numbers.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score
from xgboost import XGBClassifier

from tabcast import SoftSelfTrainingClassifier

# %%
# A thousand loans of the Statlog German credit data, which are in the repository. 80 rows keep their label.

table = pd.read_csv("../tests/data/credit-g.csv.gz")
X, truth = table.drop(columns="class"), table["class"]
X = X.astype({name: "category" for name in X.select_dtypes(exclude="number")})
known = np.random.default_rng(0).permutation(len(table)) < 80
y = truth.where(known)

estimator = XGBClassifier(n_estimators=50, max_depth=3, learning_rate=0.1, enable_categorical=True, n_jobs=1)
model = SoftSelfTrainingClassifier(estimator, decision="balanced", random_state=0).fit(X, y)

# %%
# Balanced accuracy on the rows whose labels were hidden. This score is transductive: the rows were in the pool.

hidden = ~known
for name, one in {"labeled rows alone": model.supervised_, "all rows": model}.items():
    print(f"{name}: {balanced_accuracy_score(truth[hidden], one.predict(X[hidden])):.3f}")

# %%
# `supervised_` predicts the most probable class, the model the class that is best for balanced accuracy, so most of the
# difference may be due to the decision; see the example on decisions. The members of the committee and their weights:

fig, ax = plt.subplots(figsize=(5, 2))
ax.barh(["XGBoost", "trees", "linear"], model.teacher_.weights_)
ax.set(xlabel="weight in the committee")
fig.tight_layout()
