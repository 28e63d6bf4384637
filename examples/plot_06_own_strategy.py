"""
Your own strategy
=================

A strategy selects the unlabeled rows that are used in a round. This one selects rows by the margin between the two most
likely classes, and lowers the required margin from round to round.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from tabcast import SelfTrainingClassifier
from tabcast.checks import check_number
from tabcast.pseudo_labels import Curriculum, Strategy
from tabcast.testing import check_strategy


class FallingMargin(Strategy):
    """Select rows whose best class leads by `start` in round 1, and by `step` less in each further round."""

    def __init__(self, start=0.8, step=0.2):
        self.start = start
        self.step = step

    def check(self):
        check_number(self.start, "start", "FallingMargin", "[0, 1]")
        check_number(self.step, "step", "FallingMargin", "(0, 1]")

    @property
    def n_rounds(self):
        return 4

    def select(self, confidence, round_number):
        best = np.minimum(np.sort(confidence, axis=1)[:, -2:], 1e6)
        return best[:, 1] - best[:, 0] >= max(0.0, self.start - self.step * (round_number - 1))


check_strategy(FallingMargin())

# %%
# Handwritten digits as a table of 64 pixels; 100 rows are labeled.

X, truth = load_digits(return_X_y=True)
known = np.random.default_rng(0).permutation(len(truth)) < 100
y = np.where(known, truth, -1)
fig, ax = plt.subplots(figsize=(5.5, 3.5))
for strategy in (Curriculum(0.25), FallingMargin()):
    model = SelfTrainingClassifier(LogisticRegression(max_iter=200), strategy=strategy, validation=None)
    model.fit(X / 16, y)
    right = (model.predict(X[~known] / 16) == truth[~known]).mean()
    ax.plot(model.history_["round"], model.history_["n_selected"], marker="o", label=f"{strategy}: {right:.1%} right")
ax.set(xlabel="round", ylabel="unlabeled rows in use", xticks=range(5))
ax.legend()
fig.tight_layout()
