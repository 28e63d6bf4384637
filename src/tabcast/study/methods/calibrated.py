"""Self-training with the classifier's own confidence, and with calibrated ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from tabcast.confidence import (
    Confidence,
    GaussianProcessCalibration,
    HistogramBinning,
    Raw,
    SplineCalibration,
    TemperatureScaling,
)
from tabcast.study.methods._base import Method, Request
from tabcast.study.models import Model
from tabcast.study.work import Answer, Work, describe_part

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
