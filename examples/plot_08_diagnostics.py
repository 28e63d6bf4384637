"""
Reading the diagnostics
=======================

Are the probabilities calibrated? Which round was best? Which rows should be
labeled next? The diagnostics answer such questions from held-out labeled rows,
without knowing the hidden labels.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from tabcast import CASTClassifier, GuardedClassifier
from tabcast.diagnostics import diagnose
from tabcast.plots import plot_calibration, plot_rounds

X, truth = load_breast_cancer(return_X_y=True, as_frame=True)
y = np.where(np.random.default_rng(0).random(len(truth)) < 0.2, truth, -1)
model = GuardedClassifier(
    CASTClassifier(GaussianNB(), alpha=0.5), random_state=0
).fit(X, y)
print(model.verdict_)

# %%
# Naive Bayes treats the thirty correlated columns as independent, so it is
# overconfident: nearly every confidence is close to 1.

plot_calibration(model)

# %%
# The score of each round on held-out rows; round 0 is the supervised model.

plot_rounds(model)

# %%
# The rows to label next: uncertain for the model, typical of the table, and
# different from each other.

found = diagnose(model, X, y)
print(found.rows_to_label.rows.head())
