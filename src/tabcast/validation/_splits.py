"""How the labeled rows judge rounds and alphas: which of them train, which are held out."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from copy import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tabcast.checks import check_integer, check_number, is_integer, is_number
from tabcast.exceptions import SmallClassWarning
from tabcast.table import Index

Split = tuple[Index, Index]
NOBODY_JUDGES = (
    "To hold out rows that judge, a class needs at least two labeled rows; every class has one. Label more rows, or "
    "pass validation=None to go without."
)


class Validation(BaseEstimator, ABC):
    """Splits the labeled rows into rows that train and rows that judge.

    Attributes
    ----------
    refits : whether, after the choice is made, a last run trains on all labeled rows.
    """

    refits: bool = False

    def check(self) -> None:
        """Raise a ValueError for a parameter that makes no sense; called before any long work."""

    @abstractmethod
    def split(self, y: Index, random_state: np.random.RandomState) -> list[Split]:
        """Pairs (train, held out) of positions in `y`, the class indices of the labeled rows."""


class NoValidation(Validation):
    """Nothing is held out: the last round is the model. The do-nothing member.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.validation import NoValidation
    >>> NoValidation().split(np.array([0, 1, 1]), np.random.RandomState(0))
    [(array([0, 1, 2]), array([], dtype=int64))]
    """

    def split(self, y: Index, random_state: np.random.RandomState) -> list[Split]:
        """One split that holds out nothing."""
        return [(np.arange(len(y)), np.empty(0, dtype=np.intp))]


class Holdout(Validation):
    """A share of the labeled rows of each class judges, and never trains.

    Parameters
    ----------
    fraction : the share, at least one row of each class that has two or more.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.validation import Holdout
    >>> [(train, held_out)] = Holdout(0.5).split(np.array([0, 0, 1, 1]), np.random.RandomState(0))
    >>> len(train), len(held_out)
    (2, 2)
    """

    def __init__(self, fraction: float = 0.2) -> None:
        self.fraction = fraction

    def check(self) -> None:
        """The fraction is a share."""
        check_number(self.fraction, "fraction", "Holdout", "(0, 1)")

    def split(self, y: Index, random_state: np.random.RandomState) -> list[Split]:
        """One stratified split."""
        held_out = np.zeros(len(y), dtype=bool)
        for members in _members(y, random_state):
            if len(members) > 1:
                count = min(len(members) - 1, max(1, round(self.fraction * len(members))))
                held_out[members[:count]] = True
        _warn_single_rows(y)
        if not held_out.any():
            raise ValueError(NOBODY_JUDGES)
        return [(np.flatnonzero(~held_out), np.flatnonzero(held_out))]


class CrossValidation(Validation):
    """Every labeled row judges in turn; the final model trains on all of them (repeated stratified k-fold).

    A class's only row always trains. Every training part holds every class.

    Parameters
    ----------
    n_splits : parts the labeled rows are dealt into.
    n_repeats : how often, each time dealt anew.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.validation import CrossValidation
    >>> splits = CrossValidation(2, n_repeats=1).split(np.array([0, 0, 1, 1]), np.random.RandomState(0))
    >>> [len(held_out) for train, held_out in splits]
    [2, 2]
    """

    refits = True

    def __init__(self, n_splits: int = 3, *, n_repeats: int = 2) -> None:
        self.n_splits = n_splits
        self.n_repeats = n_repeats

    def check(self) -> None:
        """Both count."""
        check_integer(self.n_splits, "n_splits", "CrossValidation", 2)
        check_integer(self.n_repeats, "n_repeats", "CrossValidation", 1)

    def split(self, y: Index, random_state: np.random.RandomState) -> list[Split]:
        """`n_splits` splits for each repeat; parts without a row to judge are left out."""
        _warn_single_rows(y)
        splits = []
        for _ in range(self.n_repeats):
            fold = np.full(len(y), -1)
            dealt = 0  # classes are dealt one after the other, so that the parts stay of equal size
            for members in _members(y, random_state):
                if len(members) > 1:
                    fold[members] = (dealt + np.arange(len(members))) % self.n_splits
                    dealt += len(members)
            parts = [np.flatnonzero(fold == part) for part in range(self.n_splits)]
            splits += [(np.setdiff1d(np.arange(len(y)), part), part) for part in parts if len(part)]
        if not splits:
            raise ValueError(NOBODY_JUDGES)
        return splits


class FromSplitter(Validation):
    """Any scikit-learn splitter over the labeled rows; the final model trains on all of them.

    Parameters
    ----------
    splitter : an object with `split(X, y)`.
    """

    refits = True

    def __init__(self, splitter: Any) -> None:
        self.splitter = splitter

    def split(self, y: Index, random_state: np.random.RandomState) -> list[Split]:
        """The splitter's own splits, drawn from `random_state` where it has no seed of its own."""
        splitter = copy(self.splitter)
        if getattr(splitter, "random_state", 0) is None:
            splitter.random_state = random_state.randint(np.iinfo(np.int32).max)
        return [
            (np.asarray(train, dtype=np.intp), np.asarray(held_out, dtype=np.intp))
            for train, held_out in splitter.split(np.zeros((len(y), 1)), y)
        ]


def resolve_validation(validation: Any) -> Validation:
    """Make a member of the family of what a user passes."""
    if validation is None:
        return NoValidation()
    if isinstance(validation, str) and validation == "cv":
        return CrossValidation()
    if isinstance(validation, Validation):
        return validation
    if is_integer(validation, 2):
        return CrossValidation(int(validation), n_repeats=1)
    if is_number(validation) and not is_integer(validation):
        return Holdout(float(validation))
    if hasattr(validation, "split") and not isinstance(validation, str):
        return FromSplitter(validation)
    raise ValueError(
        "`validation` must be 'cv', None, a fraction in (0, 1), a number of folds, a scikit-learn splitter or a member "
        f"of tabcast.validation; got {validation!r}."
    )


def _members(y: Index, random_state: np.random.RandomState) -> list[Index]:
    """Positions of the rows of each class, shuffled."""
    return [random_state.permutation(np.flatnonzero(y == one)) for one in np.unique(y)]


def _warn_single_rows(y: Index) -> None:
    counts = np.bincount(y)
    n_single = int((counts == 1).sum())
    if n_single:
        warnings.warn(
            f"{n_single} {'class has' if n_single == 1 else 'classes have'} one labeled row only: it always trains and "
            "never judges. Label more rows of it, or do not trust the score for it.",
            SmallClassWarning,
            stacklevel=3,
        )
