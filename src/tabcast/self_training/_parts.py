"""The exchangeable parts of a run: what a user passed made into members, and fitted once a split."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tabcast.confidence import Confidence
from tabcast.feature_selection import FeatureSelection
from tabcast.models import seeded
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Strategy, Weighting
from tabcast.self_training._fitting import Index, Split, TrainingData
from tabcast.table import find_categorical, take_rows
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
        named = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "validation"}
        members = {name: part for name, part in named.items() if isinstance(part, BaseEstimator)}
        return replace(self, **{name: seeded(part, seed) for name, part in members.items()})


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
