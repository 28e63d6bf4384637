"""The methods of the paper: no self-training, calibrated confidences, CAST; and the controls beside them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from tabcast.confidence import (
    ClusterAware,
    Confidence,
    GaussianProcessCalibration,
    HistogramBinning,
    Raw,
    SplineCalibration,
    TemperatureScaling,
)
from tabcast.density import Density, EmpiricalLikelihood, KernelDensity
from tabcast.study.methods._method import Method, Request, WithoutStrategy
from tabcast.study.models import Model
from tabcast.study.work import SELECTIONS, STRATEGIES, Answer, Work, describe_part


@dataclass(frozen=True)
class Supervised(WithoutStrategy):
    """The base classifier on the labeled rows ("w/o ST" in the paper)."""

    def run(self, work: Work, request: Request) -> Answer:
        """Fit the labeled rows."""
        estimator = request.estimator()
        fitted = work.supervised(estimator)
        seconds = work.fitter(estimator).seconds["pretraining"] + fitted.seconds
        facts = {"validation_score": float(fitted.score), "best_round": 0, "n_rounds": 0, "n_selected": 0, "n_fits": 1}
        confident = STRATEGIES["threshold"]().select(fitted.pool_proba, 1)  # what naive self-training starts with
        return Answer(fitted.test_proba, {**facts, "confident": float(confident.mean())}, {"fit": seconds})


supervised = Supervised("supervised", "w/o ST")


CONFIDENCES: dict[str, Callable[[], Confidence]] = {
    "raw": Raw,
    "temperature": TemperatureScaling,
    "histogram": HistogramBinning,
    "spline": lambda: SplineCalibration(n_knots=6),
    "gaussian process": lambda: GaussianProcessCalibration(random_state=0),
}


@dataclass(frozen=True)
class Calibrated(Method):
    """Self-training with a confidence that is calibrated on the validation rows in every round.

    Parameters
    ----------
    confidence : str, default="raw"
        One of `CONFIDENCES`; "raw" is the paper's baseline.
    """

    confidence: str = "raw"

    def run(self, work: Work, request: Request) -> Answer:
        """Self-train with this confidence."""
        part = CONFIDENCES[self.confidence]()
        return work.self_train(request.estimator(), part, request.strategy, request.noise_filter)

    def settings(self) -> dict[str, Any]:
        """Add the confidence with all its parameters."""
        return {**super().settings(), "part": describe_part(CONFIDENCES[self.confidence]())}

    def why_skip(self, model: Model) -> str | None:
        """Skip Gaussian processes where gpytorch is missing."""
        if self.confidence == "gaussian process" and find_spec("gpytorch") is None:
            return "gpytorch is not installed; pip install 'tabcast[gp]'"
        return None


baseline = Calibrated("baseline", "Baseline")
ts = Calibrated("ts", "TS", "temperature")
hb = Calibrated("hb", "HB", "histogram")
sp = Calibrated("sp", "SP", "spline")
gp = Calibrated("gp", "GP", "gaussian process")


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
            request.estimator(), self.confidence(), request.strategy, request.noise_filter, **self.options(work)
        )

    def options(self, work: Work) -> dict[str, Any]:
        """Return what else `Work.self_train` takes."""
        options: dict[str, Any] = {"alphas": self.alphas, "selection": self.selection}
        if self.permuted:
            options["change"] = lambda confidence: shuffle_gamma(confidence, work.seed)
        return options

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


@dataclass(frozen=True)
class OperatingPoint(WithoutStrategy):
    """The supervised probabilities divided by the class proportions of the labeled rows; unlabeled rows are not used.

    F1 and balanced accuracy reward a classifier that predicts the positive class more often. What this gains over the
    supervised classifier comes from the decision threshold; AUC does not change.
    """

    def run(self, work: Work, request: Request) -> Answer:
        """Move the decision threshold of the supervised classifier."""
        fitted = work.supervised(request.estimator())
        proportions = np.bincount(work.fold.y_labeled, minlength=work.fold.n_classes) / len(work.fold.y_labeled)
        proba = np.maximum(fitted.test_proba, 1e-12) / np.maximum(proportions, 1e-12)
        proba = np.where(proportions > 0, proba, 0.0)
        return Answer(proba / proba.sum(axis=1, keepdims=True), {"best_round": 0, "n_fits": 1}, {"fit": fitted.seconds})


operating_point = OperatingPoint("operating-point", "Operating point")


class Varied(Method):
    """A method that needs a model with randomness."""

    def why_skip(self, model: Model) -> str | None:
        """Skip models without randomness: all their tries are the same."""
        return None if model.vary else f"{model.name} is the same for every seed"


@dataclass(frozen=True)
class SameBudget(Varied):
    """The baseline with as many tries as CAST has alphas; the best on the validation rows is kept.

    The first try is the baseline itself; the others use the model's randomized copy, because boosting without sampling
    gives the same trees for every seed. With XGBoost in the paper's search space, which does not sample, seven of eight
    tries therefore grow each tree on 80% of the rows: they differ from the baseline in the seed and in the sampling.
    :class:`Randomized` is one such try, so its difference from the baseline is the sampling, and the difference of
    `SameBudget` from it is the choice. Where the tuned parameters sample anyway, tries differ in the seed alone.

    Parameters
    ----------
    n_tries : int, default=8
        Number of tries, each with a seed of its own.
    """

    n_tries: int = 8

    def run(self, work: Work, request: Request) -> Answer:
        """Self-train with each seed and keep the best on the validation rows, the first of equals."""
        plain, vary = request.estimator(), request.model.vary
        assert vary is not None
        tries = [plain, *(vary(plain, seed) for seed in range(1, self.n_tries))]
        answers = [work.self_train(one, Raw(), request.strategy, request.noise_filter) for one in tries]
        best = max(answers, key=lambda answer: answer.facts["validation_score"])
        search = sum(answer.seconds["fit"] for answer in answers)
        n_fits = sum(answer.facts["n_fits"] for answer in answers)
        return replace(best, facts={**best.facts, "n_fits": n_fits}, seconds={**best.seconds, "search": search})


@dataclass(frozen=True)
class Randomized(Varied):
    """The baseline with the randomized copy of the model and one seed: the second try of `SameBudget`, alone.

    Parameters
    ----------
    seed : int, default=1
        Seed of the copy.
    """

    seed: int = 1

    def run(self, work: Work, request: Request) -> Answer:
        """Self-train the copy."""
        assert request.model.vary is not None
        model = request.model.vary(request.estimator(), self.seed)
        return work.self_train(model, Raw(), request.strategy, request.noise_filter)


same_budget = SameBudget("same-budget", "Best of 8 tries")
randomized = Randomized("randomized", "Baseline, randomized")
