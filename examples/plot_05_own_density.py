"""
Your own density
================

CAST lowers the confidence in a pseudo-label where labeled rows of its class are sparse. The density is an exchangeable
part. Two moons show its effect: a classifier is confident far away from all labeled rows, CAST is not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression

from tabcast.confidence import ClusterAware
from tabcast.density import Density, EmpiricalLikelihood, KernelDensity
from tabcast.testing import check_density


class NearestRow(Density):
    """Minus the distance to the nearest row of the class."""

    def _fit(self, table):
        self.rows_ = np.nan_to_num(table.continuous)

    def _score(self, table):
        rows = np.clip(np.nan_to_num(table.continuous), -1e6, 1e6)
        return -np.sqrt(((rows[:, None] - self.rows_) ** 2).sum(axis=2)).min(axis=1)


check_density(NearestRow())  # the checks that all built-in densities pass

# %%
# Thirty labeled rows of two moons, and a grid of points for which the confidence is computed.

X, y = make_moons(30, noise=0.1, random_state=0)
xs, ys = np.meshgrid(np.linspace(-2, 3, 60), np.linspace(-1.5, 2, 50))
places = np.column_stack([xs.ravel(), ys.ravel()])
proba = LogisticRegression().fit(X, y).predict_proba(places)

densities = {"none": None, "likelihood": EmpiricalLikelihood(), "kernel": KernelDensity(), "nearest row": NearestRow()}
fig, axes = plt.subplots(2, 2, figsize=(7, 5), sharex=True, sharey=True)
for ax, (name, density) in zip(axes.flat, densities.items(), strict=True):
    confidence = proba
    if density is not None:
        part = ClusterAware(density, alpha=0.75).prepare(X, y, places, n_classes=2)
        confidence = part.adjust(proba)
    shown = ax.pcolormesh(xs, ys, confidence.max(axis=1).reshape(xs.shape), vmin=0, vmax=1, shading="auto")
    ax.scatter(*X.T, c=y, cmap="coolwarm", edgecolor="white", s=25)
    ax.set_title(f"density: {name}")
fig.colorbar(shown, ax=axes, label="confidence in a pseudo-label")
plt.show()
