"""How rounds, alphas and whole models are evaluated on labeled rows they were not trained on."""

from tabcast.validation._partially_labeled import LabeledScorer, SemiSupervisedSplit
from tabcast.validation._splits import CrossValidation, FromSplitter, Holdout, NoValidation, Validation

__all__ = [
    "CrossValidation",
    "FromSplitter",
    "Holdout",
    "LabeledScorer",
    "NoValidation",
    "SemiSupervisedSplit",
    "Validation",
]
