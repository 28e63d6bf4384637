"""
A foundation model as teacher
=============================

TabPFN and TabICL are pretrained for tables with few labels, and slow to deploy. Here one of them labels the unlabeled
rows, and a small model learns from it. tabcast never downloads weights. To get them, accept the license on the page of
the weights, and run::

    pip install 'tabcast[tabpfn,tabicl]'
    hf download Prior-Labs/tabpfn_3_5 tabpfn-v3.5-20260909.safetensors --local-dir ~/.cache/tabpfn
    hf download jingang/TabICL tabicl-classifier-v2-20260212.ckpt

Without them, this example prints the reason and uses the committee alone.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tabcast import SoftSelfTrainingClassifier
from tabcast.teachers import FoundationModel

X, truth = load_breast_cancer(return_X_y=True, as_frame=True)
y = truth.where(np.random.default_rng(0).random(len(truth)) < 0.1)
teachers = {"committee": "committee"}
for name in ("tabpfn", "tabicl"):
    teacher = FoundationModel(name)
    try:
        teacher.check()
    except (ImportError, ValueError, FileNotFoundError) as reason:
        print(f"{name}: {reason}\n")
    else:
        teachers[name] = teacher

# %%
# Every available teacher labels the rows; the student is the same linear model.

hidden = y.isna()
estimator = make_pipeline(StandardScaler(), LogisticRegression())
losses = {}
for name, teacher in teachers.items():
    model = SoftSelfTrainingClassifier(estimator, teacher=teacher, random_state=0).fit(X, y)
    losses.setdefault("no teacher", log_loss(truth[hidden], model.supervised_.predict_proba(X[hidden])))
    losses[name] = log_loss(truth[hidden], model.predict_proba(X[hidden]))
fig, ax = plt.subplots(figsize=(5, 2))
ax.barh(list(losses), list(losses.values()))
ax.set(xlabel="log-loss on the hidden labels")
ax.invert_yaxis()
fig.tight_layout()
