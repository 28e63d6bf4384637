"""How rounds, alphas and whole models are evaluated on labeled rows they were not trained on."""

from tabcast.validation._labeled_scorer import LabeledScorer
from tabcast.validation._semi_supervised_split import SemiSupervisedSplit
from tabcast.validation._splits import (
    CrossValidation,
    FromSplitter,
    Holdout,
    NoValidation,
    Validation,
    resolve_validation,
)

__all__ = [
    "CrossValidation",
    "FromSplitter",
    "Holdout",
    "LabeledScorer",
    "NoValidation",
    "SemiSupervisedSplit",
    "Validation",
    "resolve_validation",
]
