"""How labeled rows are split to evaluate rounds and alphas: which train, which are held out."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from copy import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tabcast.checks import check_integer, check_number, is_integer, is_number
from tabcast.exceptions import NothingHeldOutError, SmallClassWarning
from tabcast.table import Index

Split = tuple[Index, Index]
NOTHING_HELD_OUT = (
    "To hold out rows, a class needs at least two labeled rows; every class has one. Label more rows, or pass "
    "validation=None to go without."
)


class Validation(BaseEstimator, ABC):
    """Base class of validations: splits the labeled rows into training rows and held-out rows.

    Attributes
    ----------
    refits : bool
        Whether, after the choice is made, a last run trains on all labeled rows.

    See Also
    --------
    CrossValidation : The default member.
    """

    refits: bool = False

    def check(self) -> None:
        """Raise a ValueError for an invalid parameter; called before any long work."""

    @abstractmethod
    def split(self, y: Index, random_state: np.random.RandomState) -> list[Split]:
        """Split the labeled rows.

        Parameters
        ----------
        y : ndarray of int
            Class indices of the labeled rows.
        random_state : RandomState
            Source of randomness.

        Returns
        -------
        list of tuple (train, held_out)
            Pairs of positions in `y`.
        """


class NoValidation(Validation):
    """Hold out nothing: the last round is the model. The do-nothing member.

    See Also
    --------
    Holdout : Holds out a proportion.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.validation import NoValidation
    >>> NoValidation().split(np.array([0, 1, 1]), np.random.RandomState(0))
    [(array([0, 1, 2]), array([], dtype=int64))]
    """

    def split(self, y: Index, random_state: np.random.RandomState) -> list[Split]:
        """Return one split that holds out nothing."""
        return [(np.arange(len(y)), np.empty(0, dtype=np.intp))]


class Holdout(Validation):
    """Hold out a proportion of the labeled rows of each class; they are never trained on.

    Parameters
    ----------
    fraction : float, default=0.2
        The proportion, in (0, 1); at least one row of each class that has two or more.

    See Also
    --------
    CrossValidation : Trains the final model on every labeled row.

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
        """Check that the fraction is in (0, 1)."""
        check_number(self.fraction, "fraction", "Holdout", "(0, 1)")

    def split(self, y: Index, random_state: np.random.RandomState) -> list[Split]:
        """Return one stratified split."""
        held_out = np.zeros(len(y), dtype=bool)
        for members in _members(y, random_state):
            if len(members) > 1:
                count = min(len(members) - 1, max(1, round(self.fraction * len(members))))
                held_out[members[:count]] = True
        _warn_single_rows(y)
        if not held_out.any():
            raise NothingHeldOutError(NOTHING_HELD_OUT)
        return [(np.flatnonzero(~held_out), np.flatnonzero(held_out))]


class CrossValidation(Validation):
    """Repeated stratified k-fold: every labeled row is held out, and the final model is trained on all of them.

    A class's only row is never held out, so the training rows of every split contain every class.

    Parameters
    ----------
    n_splits : int, default=3
        Number of folds.
    n_repeats : int, default=2
        Number of repeats, each with new folds.

    See Also
    --------
    Holdout : One split, at the cost of training rows.
    FromSplitter : A splitter of scikit-learn.

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
        """Check that both are integers."""
        check_integer(self.n_splits, "n_splits", "CrossValidation", 2)
        check_integer(self.n_repeats, "n_repeats", "CrossValidation", 1)

    def split(self, y: Index, random_state: np.random.RandomState) -> list[Split]:
        """Return `n_splits` splits per repeat; folds without a row are left out."""
        _warn_single_rows(y)
        splits = []
        for _ in range(self.n_repeats):
            fold = np.full(len(y), -1)
            n_assigned = 0  # classes are assigned one after the other, so that the folds stay of equal size
            for members in _members(y, random_state):
                if len(members) > 1:
                    fold[members] = (n_assigned + np.arange(len(members))) % self.n_splits
                    n_assigned += len(members)
            folds = [np.flatnonzero(fold == number) for number in range(self.n_splits)]
            splits += [(np.setdiff1d(np.arange(len(y)), rows), rows) for rows in folds if len(rows)]
        if not splits:
            raise NothingHeldOutError(NOTHING_HELD_OUT)
        return splits


class FromSplitter(Validation):
    """Use any scikit-learn splitter on the labeled rows; the final model is trained on all of them.

    Parameters
    ----------
    splitter : object
        An object with `split(X, y)`.

    See Also
    --------
    CrossValidation : The default.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import KFold
    >>> from tabcast.validation import FromSplitter
    >>> splits = FromSplitter(KFold(2)).split(np.array([0, 0, 1, 1]), np.random.RandomState(0))
    >>> [held_out.tolist() for train, held_out in splits]
    [[0, 1], [2, 3]]
    """

    refits = True

    def __init__(self, splitter: Any) -> None:
        self.splitter = splitter

    def split(self, y: Index, random_state: np.random.RandomState) -> list[Split]:
        """Return the splitter's own splits, drawn from `random_state` where it has no seed of its own."""
        splitter = copy(self.splitter)
        if getattr(splitter, "random_state", 0) is None:
            splitter.random_state = random_state.randint(np.iinfo(np.int32).max)
        return [
            (np.asarray(train, dtype=np.intp), np.asarray(held_out, dtype=np.intp))
            for train, held_out in splitter.split(np.zeros((len(y), 1)), y)
        ]


def resolve_validation(validation: Any) -> Validation:
    """The member of the family that a user's `validation` stands for."""
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
    """Warn about classes with a single labeled row."""
    counts = np.bincount(y)
    n_single = int((counts == 1).sum())
    if n_single:
        warnings.warn(
            f"{n_single} {'class has' if n_single == 1 else 'classes have'} only one labeled row, which is always "
            "trained on and never held out. Label more rows of it, or do not rely on the score for it.",
            SmallClassWarning,
            stacklevel=3,
        )
