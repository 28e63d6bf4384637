"""The exchangeable parts of a run: what a user passed made into members, and fitted once a split."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from tabcast.columns import find_categorical
from tabcast.confidence import Confidence
from tabcast.feature_selection import FeatureSelection
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Strategy, Weighting
from tabcast.tables import take_rows
from tabcast.training import Index, Split, TrainingData
from tabcast.validation import Validation


@dataclass(frozen=True)
class Parts:
    """One member of each family."""

    confidence: Confidence
    strategy: Strategy
    weighting: Weighting
    noise_filter: NoiseFilter
    feature_selection: FeatureSelection
    validation: Validation

    def check(self) -> None:
        """Refuse parameters that make no sense, before any long work."""
        self.strategy.check()
        self.weighting.check()
        self.validation.check()

    def seeded(self, seed: int) -> Parts:
        """The same parts, everything random in them seeded where it is not yet."""
        random = [part.name for part in fields(self) if may_be_random(getattr(self, part.name))]
        return replace(self, **{name: seeded(getattr(self, name), seed) for name in random if name != "validation"})


@dataclass(frozen=True)
class Stage:
    """The parts of a run on one split, fitted to its labeled rows."""

    data: TrainingData
    split: Split
    X_pool: Any
    feature_selection: FeatureSelection
    confidence: Confidence
    strategy: Strategy
    weighting: Weighting
    noise_filter: NoiseFilter
    y_held_out: Index


def seeded(estimator: Any, seed: int) -> Any:
    """A copy of an estimator, or of a chain of them, in which every random state that is not set is the seed."""
    estimator = clone(estimator)
    parameters = estimator.get_params(deep=True)
    new: dict[str, Any] = {name: seed for name, value in parameters.items() if value is None and _is_seed(name)}
    for name, value in parameters.items():
        if isinstance(value, list) and value and all(isinstance(member, Confidence) for member in value):
            new[name] = [seeded(member, seed) for member in value]
    return estimator.set_params(**new) if new else estimator


def may_be_random(part: Any) -> bool:
    """Whether a part, or one inside it, has a random state that is not set; a glance, cheaper than get_params."""
    members = part if isinstance(part, list) else getattr(part, "__dict__", {}).values()
    if getattr(part, "random_state", 0) is None:
        return True
    return any(may_be_random(member) for member in members if isinstance(member, BaseEstimator | list))


def _is_seed(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")


def prepare_stage(parts: Parts, data: TrainingData, split: Split) -> Stage:
    """Fit what is fitted once a split: feature selection, densities, noise filter. Held-out rows are not seen."""
    X, y = take_rows(data.X, split.train), data.labels.codes[split.train]
    categorical = find_categorical(data.X, data.categorical_features)
    # A plain copy is scikit-learn's clone at a fraction of the time: what the parts may have learned is learned anew.
    selection = deepcopy(parts.feature_selection).fit(X, y, categorical)
    confidence = deepcopy(parts.confidence)
    if len(data.pool):
        confidence.prepare(
            selection.transform(X),
            y,
            selection.transform(data.X_pool),
            n_classes=data.n_classes,
            categorical_features=categorical[selection.support_],
        )
    return Stage(
        data,
        split,
        data.X_pool,
        selection,
        confidence,
        parts.strategy,
        parts.weighting,
        deepcopy(parts.noise_filter).fit(X, y, categorical),
        np.empty(0, dtype=np.intp) if split.held_out is None else split.held_out[1],
    )


def resolve_part(given: Any, names: Mapping[Any, type], family: type, argument: str, owner: Any) -> Any:
    """A member of a family from what a user passed: a member, or one of the short names.

    Parameters
    ----------
    given : what was passed.
    names : short names (or None) and the classes they stand for.
    family : the base class of the family.
    argument, owner : what to call it in an error.
    """
    if isinstance(given, family):
        return given
    if (given is None or isinstance(given, str)) and given in names:
        return names[given]()
    home = family.__module__.rsplit(".", 1)[0]
    choices = [repr(name) for name in names]
    close = get_close_matches(given, [name for name in names if name], n=1) if isinstance(given, str) else []
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(
        f"`{argument}` of {type(owner).__name__} must be {', '.join(choices)} or a member of {home}; "
        f"got {given!r}.{hint}"
    )
