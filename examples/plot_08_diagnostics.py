"""
Reading the diagnostics
=======================

Does density tell which pseudo-labels are right? Are the probabilities reliable? The diagnostics answer from labeled
rows that were held out, so they work without knowing the hidden labels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from tabcast import CASTClassifier, GuardedClassifier
from tabcast.diagnostics import diagnose
from tabcast.plots import plot_calibration, plot_rounds

X, truth = load_breast_cancer(return_X_y=True, as_frame=True)
y = truth.where(np.random.default_rng(0).random(len(truth)) < 0.2)
model = GuardedClassifier(CASTClassifier(GaussianNB(), alpha=0.5), n_repeats=1, random_state=0).fit(X, y)
print(model.verdict_)

# %%
# Naive Bayes counts the thirty correlated columns as independent, so it is far too sure of itself.

figure = plot_calibration(model)
plt.show()

# %%
# The score of each round on held-out rows; round 0 is the supervised model.

figure = plot_rounds(model)
plt.show()

# %%
# Which rows to label next: those that the model is least sure of, far from each other.

found = diagnose(model, X, y)
print(found.rows_to_label.rows.head())
