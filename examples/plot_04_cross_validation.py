"""
The right cross-validation
==========================

An ordinary splitter puts unlabeled rows into the test set, where scikit-learn takes the marker -1 for a third class.
``SemiSupervisedSplit`` keeps unlabeled rows in the training set and tests on labeled rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tabcast import SelfTrainingClassifier
from tabcast.validation import LabeledScorer, SemiSupervisedSplit

X, truth = load_breast_cancer(return_X_y=True)
y = np.where(np.random.default_rng(0).random(len(truth)) < 0.15, truth, -1)
model = SelfTrainingClassifier(
    make_pipeline(StandardScaler(), LogisticRegression()), strategy="all", validation=None, max_rounds=1
)

right = cross_val_score(model, X, y, cv=SemiSupervisedSplit(5), scoring=LabeledScorer("accuracy"))
wrong = cross_val_score(model, X, y, cv=StratifiedKFold(5), scoring="accuracy")
print(f"right: {right.mean():.3f}, wrong: {wrong.mean():.3f}")

# %%
# The wrong scores count every unlabeled test row as an error, because no model predicts "unlabeled". Here the hidden
# labels are known, so the estimates can be compared with the accuracy on them.

model.fit(X, y)
hidden = y == -1
fig, ax = plt.subplots(figsize=(5.5, 2.5))
ax.boxplot([wrong, right], vert=False, tick_labels=["ordinary splitter", "SemiSupervisedSplit"])
ax.axvline((model.predict(X[hidden]) == truth[hidden]).mean(), color="tab:red", label="accuracy on the hidden labels")
ax.set(xlabel="accuracy", xlim=(0, 1.02))
ax.legend()
fig.tight_layout()
