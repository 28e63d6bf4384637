"""
The decision for your metric
============================

A model estimates probabilities; which class it should predict depends on the
metric, or on the cost of errors. This example applies several decisions to the
same probabilities.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    recall_score,
)

from tabcast import SoftSelfTrainingClassifier
from tabcast.decisions import Costs, Threshold

X, truth = make_classification(
    3000,
    10,
    n_informative=5,
    weights=[0.9],
    class_sep=0.8,
    flip_y=0.02,
    random_state=0,
)
y = np.where(np.arange(3000) % 8 == 0, truth, -1)
new = y == -1

decisions = {
    "accuracy": "accuracy",
    "balanced": "balanced",
    "p > 0.2": Threshold(0.2),
    "a miss costs 5": Costs({(1, 0): 5}),
}
scores = {
    "accuracy": accuracy_score,
    "balanced accuracy": balanced_accuracy_score,
    "F1": f1_score,
    "recall": recall_score,
}
found = np.zeros((len(decisions), len(scores)))
for i, decision in enumerate(decisions.values()):
    model = SoftSelfTrainingClassifier(
        LogisticRegression(), decision=decision, random_state=0
    ).fit(X, y)
    found[i] = [
        score(truth[new], model.predict(X[new])) for score in scores.values()
    ]

# %%
# Rows are decisions, columns are scores. The probabilities, and therefore AUC
# and log-loss, are the same for all.

fig, ax = plt.subplots(figsize=(6.5, 3))
ax.imshow(found, cmap="Blues", vmin=0, vmax=1, aspect="auto")
for (i, j), value in np.ndenumerate(found):
    ax.text(
        j,
        i,
        f"{value:.2f}",
        ha="center",
        va="center",
        color="white" if value > 0.6 else "black",
    )
ax.set(
    xticks=range(len(scores)),
    xticklabels=scores,
    yticks=range(len(decisions)),
    yticklabels=decisions,
)
fig.tight_layout()
