"""The search for a model's parameters, before self-training: Optuna's TPE, seeded, in memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tabcast.study.models import Model, Space
from tabcast.study.models._space import import_optuna


@dataclass(frozen=True)
class TuningResult:
    """The result of a search.

    Parameters
    ----------
    params : mapping of str to object
        The parameters with the largest value, the first of equals; empty where nothing was searched.
    value : float or None
        Their value; None where nothing was searched.
    n_trials : int
        Number of parameter settings tried, failed ones included.
    values : tuple of float or None
        The value of each trial in order; None for failed ones.
    """

    params: Mapping[str, Any]
    value: float | None
    n_trials: int
    values: tuple[float | None, ...]


def tune(
    model: Model, space: Space | None, objective: Callable[[Mapping[str, Any]], float], n_trials: int, seed: int
) -> TuningResult:
    """Search for the parameters with the largest objective.

    The search begins at the `start` of the space, or at random without one, as in the paper. A trial whose objective
    raises ValueError or returns NaN fails, and the search continues.

    Parameters
    ----------
    model : Model
        The model, for error messages.
    space : Space or None
        The search space; None or an empty one searches nothing.
    objective : callable
        Function of the parameters, to be maximized.
    n_trials : int
        Number of parameter settings to try.
    seed : int
        Seed of the sampler; the same seed gives the same search.

    Raises
    ------
    ValueError
        If every trial failed; its cause is the last error.

    Examples
    --------
    >>> from optuna.distributions import FloatDistribution
    >>> from tabcast.study.models import Space, get_model
    >>> from tabcast.study.tuning import tune
    >>> space = Space({"C": FloatDistribution(0, 4)}, start={"C": 1.0})
    >>> result = tune(get_model("logistic_regression"), space, lambda params: -abs(params["C"] - 3), 20, seed=0)
    >>> result.values[0], abs(result.params["C"] - 3) < 0.5
    (-2.0, True)
    """
    if n_trials < 0:
        raise ValueError(f"`n_trials` of tune must not be negative; got {n_trials}.")
    if space is None or not space.distributions or n_trials == 0:
        return TuningResult({}, None, 0, ())
    optuna = import_optuna()
    tried: list[tuple[dict[str, Any], float | None]] = []
    last_error: ValueError | None = None
    with _silenced(optuna):
        search = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        if space.start is not None:
            search.enqueue_trial(dict(space.start))
        for _ in range(n_trials):
            trial = search.ask(dict(space.distributions))
            params = dict(trial.params)
            try:
                value = float(objective(params))
            except ValueError as error:
                value, last_error = math.nan, error
            failed = math.isnan(value)
            tried.append((params, None if failed else value))
            search.tell(trial, None if failed else value, state=optuna.trial.TrialState.FAIL if failed else None)
    succeeded = [(params, value) for params, value in tried if value is not None]
    if not succeeded:
        said = "the objective was not a number." if last_error is None else f"the last error: {last_error}"
        raise ValueError(f"All {n_trials} tuning trials of model {model.name!r} failed; {said}") from last_error
    best, value = max(succeeded, key=lambda pair: pair[1])
    return TuningResult(best, value, n_trials, tuple(value for _, value in tried))


@contextmanager
def _silenced(optuna: ModuleType) -> Iterator[None]:
    """Silence Optuna below errors for a while."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
