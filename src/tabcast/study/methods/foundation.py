"""Tabular foundation models in a study: as the teacher, as a member of the committee, and without a student."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from typing import ClassVar

from tabcast import SoftSelfTrainingClassifier
from tabcast.models import seeded
from tabcast.study.methods._base import Method, Request
from tabcast.study.methods.soft import fit_without_validation
from tabcast.study.models import Model
from tabcast.study.work import Answer, Work
from tabcast.table import stack_rows
from tabcast.teachers import Committee, FoundationModel
from tabcast.teachers._foundation_libraries import LIBRARIES, find_weights


@cache
def why_missing(library: str) -> str | None:
    """Why the default weights of a library cannot be used; None if they can."""
    try:
        FoundationModel(library).check()
    except (ImportError, ValueError) as error:
        return str(error)
    return None


@cache
def describe_weights(library: str) -> dict[str, str]:
    """What is recorded of a foundation model beside its results."""
    return {"weights": find_weights(LIBRARIES[library], None).name, "version": version(library)}


@dataclass(frozen=True)
class FoundationTeacher(Method):
    """Soft self-training with a foundation model as the teacher; trials are skipped where its weights are not there.

    Parameters
    ----------
    library : str, default="tabpfn"
        The library, with its default weights.
    others : tuple of str, default=()
        Other members of a committee. If empty, the foundation model is the only teacher.
    """

    uses_strategy: ClassVar[bool] = False
    library: str = "tabpfn"
    others: tuple[str, ...] = ()

    def run(self, work: Work, request: Request) -> Answer:
        """Fit teacher and student."""
        teacher = Committee((*self.others, self.library)) if self.others else FoundationModel(self.library)
        student = SoftSelfTrainingClassifier(request.estimator(), teacher=teacher, random_state=request.seed)
        answer = fit_without_validation(work, student.set_params(categorical_features=work.fold.categorical))
        return replace(answer, details=describe_weights(self.library))

    def why_skip(self, model: Model) -> str | None:
        """Skip without the library or its weights."""
        return why_missing(self.library)


@dataclass(frozen=True)
class FoundationAlone(Method):
    """The foundation model itself, with the labeled rows as context: what the student learns from, at its price.

    Parameters
    ----------
    library : str, default="tabpfn"
        The library, with its default weights.
    """

    uses_strategy: ClassVar[bool] = False
    library: str = "tabpfn"

    def run(self, work: Work, request: Request) -> Answer:
        """Predict the test rows; the base classifier is not used."""
        fold, recipe = work.fold, FoundationModel(self.library).as_member()
        encoding = recipe.encoding(fold.categorical).fit(stack_rows(fold.X_labeled, fold.X_pool))
        model = seeded(recipe.build(), request.seed).fit(encoding.transform(fold.X_labeled), fold.y_labeled)
        proba = model.predict_proba(encoding.transform(fold.X_test))
        return Answer(proba, details=describe_weights(self.library))

    def why_skip(self, model: Model) -> str | None:
        """Skip without the library or its weights."""
        return why_missing(self.library)


COMMITTEE = ("own", "trees", "linear")
tabpfn = FoundationAlone("tabpfn", "TabPFN itself")
soft_tabpfn = FoundationTeacher("soft-tabpfn", "Soft, TabPFN")
soft_tabpfn_committee = FoundationTeacher("soft-tabpfn-committee", "Soft, committee with TabPFN", others=COMMITTEE)
tabicl = FoundationAlone("tabicl", "TabICL itself", library="tabicl")
soft_tabicl = FoundationTeacher("soft-tabicl", "Soft, TabICL", library="tabicl")
soft_tabicl_committee = FoundationTeacher(
    "soft-tabicl-committee", "Soft, committee with TabICL", library="tabicl", others=COMMITTEE
)
