"""The options of a run, checked before anything long begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from sklearn.metrics import get_scorer_names

from tabcast.checks import check_choice, is_integer, is_number
from tabcast.decisions import DECISIONS, Decision, decision_for_metric, resolve_decision
from tabcast.density import DENSITIES
from tabcast.files import Argument, ArgumentError
from tabcast.models import make_model
from tabcast.pseudo_labels import STRATEGIES
from tabcast.runs._fill_costs import read_costs
from tabcast.self_training import DEPLOYMENTS
from tabcast.teachers import TEACHERS, FoundationModel, Teacher, resolve_teacher

TITLES = {
    "soft": "Soft self-training with a committee as the teacher",
    "cast-l": "CAST with empirical likelihood (CAST-L)",
    "cast-d": "CAST with kernel density (CAST-D)",
    "naive": "Self-training by the classifier's own confidence",
    "supervised": "Supervised training on the labeled rows alone",
}
TEACHER_TITLES = {
    "committee": TITLES["soft"],
    "self": "Soft self-training, with the model as its own teacher",
    "tabpfn": "Soft self-training with TabPFN as the teacher",
    "tabicl": "Soft self-training with TabICL as the teacher",
}
DENSITY_OF = {"cast-l": "likelihood", "cast-d": "kernel"}
CLASS_PRIORS = ("auto", "labeled", "none")
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class RunOptions:
    """How a run is trained, as the arguments of :func:`fit_table`; None where the method's default applies."""

    method: str
    model: str
    density: str | None
    strategy: str | None
    alpha: float | None
    class_prior: str | None
    metric: str
    decision: str | Decision | None
    guard: bool
    time_limit: float | None
    random_state: int
    n_jobs: int | None
    verbose: int
    teacher: str | None = None
    teacher_weights: str | PathLike[str] | None = None
    deploy: str | None = None
    precision: float | None = None
    per_class: bool = False
    precision_confidence: float = 0.9
    cost: Mapping[Any, float] | None = None
    judge_rows: int | None = None
    max_pool: int | str | None = None

    @property
    def fills(self) -> bool:
        """Whether the table is filled."""
        return self.precision is not None or self.cost is not None

    def check(self) -> None:
        """Refuse options that are invalid, or that the method would ignore."""
        check_choice(self.method, TITLES, "method")
        self._check_method()
        for name, allowed in {"density": DENSITIES, "strategy": STRATEGIES, "class_prior": CLASS_PRIORS}.items():
            if getattr(self, name) is not None:
                check_choice(getattr(self, name), [choice for choice in allowed if choice], name)
        check_choice(self.metric, tuple(get_scorer_names()), "metric")
        if isinstance(self.decision, str):
            check_choice(self.decision, DECISIONS, "decision")
        self.find_decision().check()
        if self.alpha is not None and not is_number(self.alpha, "[0, 1]"):
            raise ArgumentError(Argument("alpha"), f" must be in [0, 1]; got {self.alpha!r}.")
        if self.time_limit is not None and not is_number(self.time_limit, "(0, inf)"):
            raise ArgumentError(
                Argument("time_limit"), f" must be a positive number of seconds; got {self.time_limit!r}."
            )
        if not is_integer(self.random_state, 0, LARGEST_SEED):
            raise ArgumentError(
                Argument("random_state"), f" must be an integer from 0 to {LARGEST_SEED}; got {self.random_state!r}."
            )
        if self.n_jobs is not None and not (is_integer(self.n_jobs) and self.n_jobs != 0):
            raise ArgumentError(
                Argument("n_jobs"), f" must be a number of processes, -1 for all cores; got {self.n_jobs!r}."
            )
        for name, words in {"judge_rows": (), "max_pool": ("auto",)}.items():
            value = getattr(self, name)
            if value is not None and value not in words and not is_integer(value, 1):
                either = "a number of rows" + "".join(f" or '{word}'" for word in words)
                raise ArgumentError(Argument(name), f" must be {either}, or None for all; got {value!r}.")
        self._check_filling()
        make_model(self.model)
        if self.method == "soft":
            self._check_teacher()

    def _check_teacher(self) -> None:
        """Refuse an unknown teacher, and one whose library or weights are not there."""
        if self.teacher is not None:
            check_choice(self.teacher, [name for name in TEACHERS if name], "teacher")
        if self.teacher_weights is not None and not isinstance(resolve_teacher(self.teacher, ""), FoundationModel):
            raise ArgumentError(
                Argument("teacher_weights"),
                " is for the teachers tabpfn and tabicl; it has no effect with ",
                Argument("teacher", self.teacher or "committee"),
                ".",
            )
        try:
            self.find_teacher().check()
        except ArgumentError as error:
            raise error.renamed("model_path", "teacher_weights") from None
        self._check_deployment()

    def _check_deployment(self) -> None:
        """Refuse to deploy a committee that there is not, or one that no model file can hold."""
        if self.deploy is None:
            return
        check_choice(self.deploy, DEPLOYMENTS, "deploy")
        if self.deploy != "student" and not self.find_teacher().can_retrain:
            raise ArgumentError(
                Argument("deploy", self.deploy),
                " needs a committee that a model file can hold; it has no effect with ",
                Argument("teacher", self.teacher or "committee"),
                ".",
            )

    def _check_filling(self) -> None:
        """Refuse a precision that is none, costs that are none, and options that have no effect."""
        for name in ("precision", "precision_confidence"):
            value = getattr(self, name)
            if value is not None and not is_number(value, "(0, 1)"):
                raise ArgumentError(Argument(name), f" must be between 0 and 1, such as 0.95; got {value!r}.")
        if self.per_class and self.precision is None:
            raise ArgumentError(Argument("per_class"), " has no effect without ", Argument("precision"), ".")
        if self.cost is None:
            return
        if self.precision is not None:
            raise ArgumentError(
                "Rows are filled by ", Argument("precision"), " or by ", Argument("cost"), ", not by both; choose one."
            )
        if self.decision is not None:
            raise ArgumentError(
                Argument("decision"), " has no effect with ", Argument("cost"), ", which decides by the expected cost."
            )
        read_costs(self.cost)

    def with_costs(self, classes: Sequence[Any]) -> RunOptions:
        """The same with the decision that the costs of these classes imply, if there are any."""
        return self if self.cost is None else replace(self, decision=read_costs(self.cost).decision(classes))

    def find_teacher(self) -> Teacher:
        """The teacher of soft self-training, with its weights where it has any."""
        teacher = resolve_teacher(self.teacher, "fit_table")
        return teacher if self.teacher_weights is None else teacher.set_params(model_path=self.teacher_weights)

    def _check_method(self) -> None:
        """Refuse options that have no effect with the method."""
        casts, loops = self.method in DENSITY_OF, self.method in (*DENSITY_OF, "naive")
        belongs = {
            "density": (casts, "cast-l and cast-d"),
            "alpha": (casts, "cast-l and cast-d"),
            "strategy": (loops, "cast-l, cast-d and naive"),
            "class_prior": (self.method == "soft", "soft"),
            "teacher": (self.method == "soft", "soft"),
            "teacher_weights": (self.method == "soft", "soft"),
            "deploy": (self.method == "soft", "soft"),
            "time_limit": (self.method != "supervised", "all methods but supervised"),
        }
        method = Argument("method", self.method)
        for name, (fits, methods) in belongs.items():
            if getattr(self, name) is not None and not fits:
                raise ArgumentError(Argument(name), f" is for {methods}; it has no effect with ", method, ".")
        if self.method == "supervised" and is_integer(self.max_pool):
            raise ArgumentError(Argument("max_pool"), " is for all methods but supervised.")
        if self.method == "supervised" and not self.guard:
            raise ArgumentError(Argument("guard", False), " has no effect with ", method, ".")

    def find_decision(self) -> Decision:
        """How classes are predicted: as the user wants, or as the metric needs it."""
        if self.decision is None:
            return decision_for_metric(self.metric)
        return resolve_decision(self.decision, "fit_table")

    def settings(self, missing_label: str | None) -> dict[str, Any]:
        """What was chosen, as plain JSON, without what has no effect on the model."""
        chosen = {
            "strategy": self.strategy,
            "density": self.density,
            "alpha": None if self.alpha is None else float(self.alpha),
            "class_prior": self.class_prior,
            "teacher": self.teacher,
            "teacher_weights": None if self.teacher_weights is None else str(self.teacher_weights),
            "deploy": self.deploy,
            "metric": self.metric,
            "decision": self.decision if self.decision is None else str(self.decision),
            "precision": None if self.precision is None else float(self.precision),
            "cost": None if self.cost is None else str(read_costs(self.cost)),
            "time_limit": None if self.time_limit is None else float(self.time_limit),
            "max_pool": None if self.max_pool in (None, "auto") else int(self.max_pool),
            "missing_label": missing_label,
            "seed": int(self.random_state),
        }
        return {name: value for name, value in chosen.items() if value is not None}


@dataclass(frozen=True)
class ColumnOptions:
    """What the user knows about the columns, as the arguments of :func:`tabcast.files.understand`."""

    missing_label: str | None
    ignore: tuple[str, ...]
    use: tuple[str, ...]
    categories: tuple[str, ...]
    id_columns: tuple[str, ...]


def read_column_options(missing_label: Any, **columns: Iterable[str]) -> ColumnOptions:
    """Column options from whatever a user passes, refused where a list of names is a single text."""
    for name, given in columns.items():
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise ArgumentError(Argument(name), f" must be a list of column names; got {given!r}.")
    names = {name: tuple(given) for name, given in columns.items()}
    return ColumnOptions(None if missing_label is None else str(missing_label), **names)
