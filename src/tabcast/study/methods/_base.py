"""The contract of a method: from a fold and a base classifier to probabilities of the test rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from tabcast.study.models import Model
from tabcast.study.work import Answer, Work


@dataclass(frozen=True)
class Request:
    """What a trial asks of a method.

    Attributes
    ----------
    model, params : the base classifier and its parameters.
    seed : seed of the model.
    strategy, noise_filter : names; "none" where there is none.
    """

    model: Model
    params: Mapping[str, Any]
    seed: int
    strategy: str = "none"
    noise_filter: str = "none"

    def estimator(self, seed: int | None = None) -> Any:
        """The base classifier, not fitted."""
        return self.model.build(self.params, self.seed if seed is None else seed)


@dataclass(frozen=True)
class Method(ABC):
    """A way to make a classifier from labeled and unlabeled rows.

    A member is a frozen dataclass with defaults for all its fields but these; instances at the top level of a file in
    this folder, or in a plug-in folder, are found by themselves.

    Attributes
    ----------
    name : what configurations call it.
    label : what tables call it.
    uses_strategy : whether it chooses pseudo-labels, so that it is run with each strategy and noise filter.
    """

    name: str
    label: str
    uses_strategy: ClassVar[bool] = True

    @abstractmethod
    def run(self, work: Work, request: Request) -> Answer:
        """Do it."""

    def why_skip(self, model: Model) -> str | None:
        """Why it cannot run here or with this model, if it cannot."""
        return None

    def settings(self) -> dict[str, Any]:
        """What decides its numbers, as plain values: another value is another configuration."""
        fields = {name: value for name, value in asdict(self).items() if name != "label"}
        return {"type": type(self).__qualname__, **fields}
