"""
A network that learns from unlabeled rows twice
===============================================

SCARF learns a representation of the rows without labels, by recognizing rows in which some cells were replaced.
Self-training then uses the unlabeled rows a second time. Pretraining runs once, on rows that no split holds out.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss

from tabcast import SelfTrainingClassifier
from tabcast.models.neural import MLPClassifier, SCARFClassifier

X, truth = load_breast_cancer(return_X_y=True, as_frame=True)
known = np.random.default_rng(0).random(len(truth)) < 0.1
y = truth.where(known)

networks = {
    "MLP": MLPClassifier(epochs=20, random_state=0),
    "SCARF": SCARFClassifier(emb_dim=32, encoder_depth=2, pretrain_epochs=20, epochs=20, random_state=0),
}
losses = {}
for name, network in networks.items():
    model = SelfTrainingClassifier(
        network, strategy="all", pseudo_weight="soft", validation=None, max_rounds=1, random_state=0
    ).fit(X, y)
    for stage, one in {"labeled rows": model.supervised_, "self-trained": model}.items():
        losses[f"{name}, {stage}"] = log_loss(truth[~known], one.predict_proba(X[~known]))

# %%
# Log-loss on the unlabeled rows; smaller is better. This is one table and one seed: an illustration, not evidence.

fig, ax = plt.subplots(figsize=(6, 2.5))
ax.barh(list(losses), list(losses.values()))
ax.set(xlabel="log-loss on the hidden labels")
ax.invert_yaxis()
fig.tight_layout()
