"""Soft labels in the CAST loop: is a row divided among the classes better than one with a hard label?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tabcast import SelfTrainingClassifier
from tabcast.confidence import ClusterAware
from tabcast.density import EmpiricalLikelihood
from tabcast.study.methods import Method
from tabcast.study.methods.others import fit_without_validation


@dataclass(frozen=True)
class Loop(Method):
    """CAST-L with a given alpha, without validation: the curriculum to its end.

    Attributes
    ----------
    alpha : weight of the density; 0 is the baseline.
    soft : whether a selected row is divided among the classes.
    """

    uses_strategy: ClassVar[bool] = False
    alpha: float = 0.0
    soft: bool = False

    def run(self, work, request):
        """Fit it."""
        classifier = SelfTrainingClassifier(
            request.estimator(),
            confidence=ClusterAware(EmpiricalLikelihood(), alpha=self.alpha),
            validation=None,
            pseudo_weight="soft" if self.soft else 1.0,
            categorical_features=work.fold.categorical,
            random_state=request.seed,
        )
        return fit_without_validation(work, classifier)


loop_hard = Loop("loop-hard", "Curriculum, hard labels")
loop_soft = Loop("loop-soft", "Curriculum, soft labels", soft=True)
loop_cast_hard = Loop("loop-cast-hard", "CAST-L, alpha 0.5, hard labels", alpha=0.5)
loop_cast_soft = Loop("loop-cast-soft", "CAST-L, alpha 0.5, soft labels", alpha=0.5, soft=True)
