"""
A first model
=============

Nine of ten labels are missing. A classifier is trained on the labeled rows
alone, and once more with the unlabeled rows. Both are compared on rows that
neither has seen.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tabcast import SoftSelfTrainingClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
estimator = make_pipeline(StandardScaler(), LogisticRegression())

# %%
# A single split is noisy, so there are eight. Unlabeled rows are marked with
# -1. Logistic regression predicts this table nearly perfectly, so little is
# left to gain.

scores = []
for seed in range(8):
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.4, stratify=y, random_state=seed
    )
    known = np.random.default_rng(seed).random(len(y_train)) < 0.1
    model = SoftSelfTrainingClassifier(estimator, random_state=seed).fit(
        X_train, y_train.where(known, -1)
    )
    scores.append(
        [
            roc_auc_score(
                y_test, model.supervised_.predict_proba(X_test)[:, 1]
            ),
            roc_auc_score(y_test, model.predict_proba(X_test)[:, 1]),
        ]
    )
scores = np.array(scores)
gain = 100 * np.diff(scores, axis=1).ravel()
error = gain.std(ddof=1) / np.sqrt(len(gain))
print(f"AUC on new rows: {gain.mean():+.2f} points, standard error {error:.2f}")

# %%
# Each line is a split.

fig, ax = plt.subplots(figsize=(5, 3.5))
ax.plot([0, 1], scores.T, marker="o", color="tab:blue", alpha=0.6)
ax.set(
    xticks=[0, 1],
    xticklabels=["labeled rows", "all rows"],
    ylabel="AUC on new rows",
    xlim=(-0.3, 1.3),
)
fig.tight_layout()

# %%
# The model learned from soft labels, a probability of each class for every
# unlabeled row, given by an ensemble. Its weights, and the first labels:

print(
    model.teacher_.weights_.round(2), model.soft_labels_[:3].round(2), sep="\n"
)
