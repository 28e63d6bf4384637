"""CAST with the paper's densities, its ablations, and the control with a shuffled density."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabcast.confidence import ClusterAware, Confidence
from tabcast.density import Density, EmpiricalLikelihood, KernelDensity
from tabcast.study.methods._base import Method, Request
from tabcast.study.work import SELECTIONS, Answer, Work, describe_part

PAPER_ALPHAS = tuple(float(alpha) for alpha in np.linspace(0.2, 0.75, 8).round(6))
DENSITIES: dict[str, tuple[Density, str]] = {
    "likelihood": (EmpiricalLikelihood(n_bins=10, smoothing=0.0), "log"),
    "kernel": (KernelDensity(bandwidth="normal_reference"), "density"),
    "smoothed likelihood": (EmpiricalLikelihood(), "log"),
    "log kernel": (KernelDensity(), "log"),
}


@dataclass(frozen=True)
class Cast(Method):
    """Cluster-aware self-training; alpha is chosen on the validation rows.

    Parameters
    ----------
    density : str, default="likelihood"
        How densities are estimated and scaled. "likelihood" and "kernel" are the paper's; "smoothed likelihood" and
        "log kernel" are those of `CASTClassifier`.
    alphas : tuple of float, default=PAPER_ALPHAS
        Values that are tried; (1.0,) is the paper's "without alpha".
    selection : str, default="boruta"
        The columns the density looks at: "boruta" or "all".
    permuted : bool, default=False
        Whether densities are assigned to other rows, as a control.
    """

    density: str = "likelihood"
    alphas: tuple[float, ...] = PAPER_ALPHAS
    selection: str = "boruta"
    permuted: bool = False

    def run(self, work: Work, request: Request) -> Answer:
        """Self-train with each alpha and keep the best."""
        return work.self_train(
            request.estimator(),
            self.confidence(),
            request.strategy,
            request.noise_filter,
            alphas=self.alphas,
            selection=self.selection,
            change=(lambda confidence: shuffle_gamma(confidence, work.seed)) if self.permuted else _as_it_is,
        )

    def confidence(self) -> ClusterAware:
        """Return the CAST step with this density."""
        density, scaling = DENSITIES[self.density]
        return ClusterAware(density, scaling=scaling)

    def settings(self) -> dict[str, Any]:
        """Add the parts with all their parameters."""
        parts = {"part": describe_part(self.confidence()), "columns": describe_part(SELECTIONS[self.selection](0))}
        return {**super().settings(), **parts}


def shuffle_gamma(confidence: Confidence, seed: int) -> Confidence:
    """Permute the densities over rows; the columns stay together."""
    assert isinstance(confidence, ClusterAware)
    shuffled = copy(confidence)
    shuffled.gamma_ = np.random.default_rng(seed).permutation(confidence.gamma_)
    return shuffled


def _as_it_is(confidence: Confidence) -> Confidence:
    return confidence


cast_l = Cast("cast-l", "CAST-L")
cast_d = Cast("cast-d", "CAST-D", "kernel")
cast_l_no_alpha = Cast("cast-l-no-alpha", "CAST-L w/o alpha", alphas=(1.0,))
cast_d_no_alpha = Cast("cast-d-no-alpha", "CAST-D w/o alpha", "kernel", alphas=(1.0,))
cast_l_no_selection = Cast("cast-l-no-selection", "CAST-L w/o fs", selection="all")
cast_d_no_selection = Cast("cast-d-no-selection", "CAST-D w/o fs", "kernel", selection="all")
cast_l_plain = Cast("cast-l-plain", "CAST-L w/o alpha & fs", alphas=(1.0,), selection="all")
cast_d_plain = Cast("cast-d-plain", "CAST-D w/o alpha & fs", "kernel", alphas=(1.0,), selection="all")
cast_l_permuted = Cast("cast-l-permuted", "CAST-L, shuffled density", permuted=True)
cast_d_permuted = Cast("cast-d-permuted", "CAST-D, shuffled density", "kernel", permuted=True)
cast_d_log = Cast("cast-d-log", "CAST-D, log scaling", "log kernel")
cast_l_smoothed = Cast("cast-l-smoothed", "CAST-L, smoothed", "smoothed likelihood")
