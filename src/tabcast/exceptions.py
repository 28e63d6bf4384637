"""Warnings and errors that a user may want to catch by name."""

__all__ = [
    "AmbiguousLabelWarning",
    "EmptyColumnWarning",
    "LargePoolWarning",
    "NoFeatureConfirmedWarning",
    "NoUnlabeledRowsWarning",
    "NothingHeldOutError",
    "SamplingWarning",
    "ScoreError",
    "SmallClassWarning",
    "TabcastWarning",
    "UnseenLevelsWarning",
]


class TabcastWarning(UserWarning):
    """Base of all warnings of tabcast: the result is usable, but something about it may surprise."""


class NoUnlabeledRowsWarning(TabcastWarning):
    """There is nothing to learn from besides the labeled rows: the model is the supervised one."""


class LargePoolWarning(TabcastWarning):
    """Only some of the unlabeled rows train, drawn at random."""


class SmallClassWarning(TabcastWarning):
    """A class has so few labeled rows that a part of the method had to work around it."""


class EmptyColumnWarning(TabcastWarning):
    """A column has no value at all."""


class NoFeatureConfirmedWarning(TabcastWarning):
    """No column was shown to matter for the class: the most important ones are kept instead."""


class SamplingWarning(TabcastWarning):
    """The labeled rows do not look like a random sample of all rows."""


class AmbiguousLabelWarning(TabcastWarning):
    """A numeric y has both missing values and -1, so -1 may be a class or a second marker of unlabeled rows."""


class UnseenLevelsWarning(TabcastWarning):
    """No cell of a categorical column has a level that was there in `fit`: the column carries no information."""


class ScoreError(ValueError):
    """A score that cannot be computed on held-out rows.

    Parameters
    ----------
    problem : str
        What happened, without the name of the argument that the score was passed as.
    advice : str
        What to do about it.
    """

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(problem, advice)
        self.problem = problem

    def __str__(self) -> str:
        return "`scoring` {}. {}".format(*self.args)


class NothingHeldOutError(ValueError):
    """Every class has a single labeled row, so that none can be held out."""
