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

    Parameters
    ----------
    model : Model
        The base classifier.
    params : mapping of str to object
        Its parameters.
    seed : int
        Seed of the model.
    strategy, noise_filter : str, default="none"
        Names of the strategy and the noise filter; "none" for methods without them.

    See Also
    --------
    tabcast.study.models.Model : The base classifier.
    """

    model: Model
    params: Mapping[str, Any]
    seed: int
    strategy: str = "none"
    noise_filter: str = "none"

    def estimator(self, seed: int | None = None) -> Any:
        """Build the base classifier, unfitted.

        Parameters
        ----------
        seed : int, optional
            Seed of the model. By default that of the trial.

        Returns
        -------
        object
            A scikit-learn classifier.
        """
        return self.model.build(self.params, self.seed if seed is None else seed)


@dataclass(frozen=True)
class Method(ABC):
    """A way to make a classifier from labeled and unlabeled rows.

    A member is a frozen dataclass with defaults for all its fields but these. Instances at the top level of a file in
    a plug-in folder are found automatically.

    Parameters
    ----------
    name : str
        What configurations and records call it.
    label : str
        What tables and figures call it.

    Attributes
    ----------
    uses_strategy : bool
        Whether it selects pseudo-labels, so that it is run with each strategy and noise filter.

    See Also
    --------
    tabcast.study.models.Model : A base classifier.
    """

    name: str
    label: str
    uses_strategy: ClassVar[bool] = True

    @abstractmethod
    def run(self, work: Work, request: Request) -> Answer:
        """Run the method on a fold.

        Parameters
        ----------
        work : Work
            The fold, and what other trials have computed on it.
        request : Request
            The base classifier, strategy and noise filter.

        Returns
        -------
        Answer
            Probabilities of the test rows, and what is recorded beside them.
        """

    def why_skip(self, model: Model) -> str | None:
        """Explain why the method cannot run here or with a model.

        Parameters
        ----------
        model : Model
            The base classifier.

        Returns
        -------
        str or None
            The reason; None if the method can run.
        """
        return None

    def settings(self) -> dict[str, Any]:
        """Collect what decides its numbers: another value is another configuration.

        Returns
        -------
        dict
            Plain values.
        """
        fields = {name: value for name, value in asdict(self).items() if name != "label"}
        return {"type": type(self).__qualname__, **fields}


class WithoutStrategy(Method):
    """A method that selects no pseudo-labels by a strategy: it is run once."""

    uses_strategy = False
