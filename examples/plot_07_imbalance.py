"""
A rare class
============

If 5% of the rows are positive, a threshold or a common ranking selects hardly
any pseudo-label of that class. Strategies that treat each class separately
keep the proportions.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from tabcast import SelfTrainingClassifier
from tabcast.confidence import DistributionAlignment
from tabcast.pseudo_labels import Curriculum, FixedThreshold, PerClassCurriculum

X, truth = make_classification(
    1800,
    8,
    n_informative=4,
    n_redundant=0,
    n_clusters_per_class=1,
    weights=[0.95],
    class_sep=1.4,
    flip_y=0,
    random_state=1,
)
y = np.where(np.arange(len(truth)) < 200, truth, -1)
hidden = y == -1

variants = {
    "threshold 0.75": {"strategy": FixedThreshold(0.75)},
    "curriculum": {"strategy": Curriculum()},
    "per class": {"strategy": PerClassCurriculum()},
    "per class, aligned": {
        "strategy": PerClassCurriculum(),
        "confidence": DistributionAlignment(temperature=0.1),
    },
}
proportions = {}
for name, parts in variants.items():
    forest = RandomForestClassifier(30, min_samples_leaf=5, random_state=0)
    model = SelfTrainingClassifier(
        forest, validation=None, max_rounds=5, random_state=0, **parts
    ).fit(X, y)
    used = model.transduction_[hidden] != -1
    proportions[name] = (
        (model.transduction_[hidden][used] == 1).mean() if used.any() else 0.0
    )

# %%
# The proportion of the rare class among the pseudo-labels, and the true one.

fig, ax = plt.subplots(figsize=(6, 2.6))
ax.barh(list(proportions), [100 * one for one in proportions.values()])
ax.axvline(100 * truth[hidden].mean(), color="tab:red", label="true proportion")
ax.set(xlabel="pseudo-labels of the rare class, %")
ax.invert_yaxis()
ax.legend()
fig.tight_layout()
