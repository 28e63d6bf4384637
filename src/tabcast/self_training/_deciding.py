"""How the predicted classes of a run are decided, while rounds are evaluated and in the end."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tabcast.decisions import Decision
from tabcast.decisions._decisions import Evidence, cross_fit
from tabcast.decisions._rule import DecisionRule
from tabcast.exceptions import SmallClassWarning
from tabcast.self_training._data import Split, TrainingData, make_splits
from tabcast.self_training._engine import Outcome
from tabcast.self_training._fitter import Fitted, Fitter, Scorer, StoredPredictions, evaluate
from tabcast.self_training._method import Method
from tabcast.table import Floats, Index
from tabcast.validation import CrossValidation, NoValidation

FOLDS_WITHOUT_POOL = CrossValidation(5, n_repeats=1)


@dataclass(frozen=True, eq=False)
class Deciding:
    """A decision in a run: its rules are fitted on the training rows of a split, or on those of other splits.

    Attributes
    ----------
    decision : Decision
        How classes are predicted.
    method : Method
        Knows the class proportions.
    data : TrainingData
        The rows.
    scorer : callable
        Evaluates held-out rows.
    """

    decision: Decision
    method: Method
    data: TrainingData
    scorer: Scorer

    def check(self, owner: str) -> None:
        """Refuse classes that the decision cannot work with, and tuning without held-out rows."""
        self.decision.check_classes(self.data.labels.classes)
        holds_out = not isinstance(self.method.parts.validation, NoValidation) or self.data.validation is not None
        if self.decision.needs_out_of_fold and not (holds_out or self.method.predicts_out_of_fold):
            raise ValueError(
                f"`decision` of {owner} ({self.decision!r}) is tuned on probabilities of held-out rows, but "
                "validation=None holds out none. Use validation='cv' or a fraction, pass validation_data to fit, or "
                "use decision='balanced'."
            )

    def prior(self, rows: Index) -> Floats:
        """Class proportions, from those of some labeled rows that are a random sample."""
        return self.method.class_proportions(self.data.labels.codes[self.data.random_of(rows)], self.data.n_classes)

    def rule_of(self, split: Split) -> DecisionRule:
        """The rule of a split, from its training rows."""
        return self.decision.fit(self.data.labels.classes, self.prior(split.train))

    def make_fitter(self, estimator: Any, n_jobs: int | None) -> Fitter:
        """A fitter whose classifiers are evaluated on decided classes; not yet where that needs all splits."""
        if self.decision.needs_out_of_fold:
            return Fitter(estimator, self.data, None, n_jobs=n_jobs)
        return Fitter(estimator, self.data, self.scorer, n_jobs=n_jobs, rule_of=self.rule_of)

    def score_round(self, splits: list[Split], fits: list[Fitted]) -> list[Fitted]:
        """The classifiers of a round on all splits, each evaluated with a rule that is tuned on the other splits."""
        if not self.decision.needs_out_of_fold or splits[0].held_out is None:
            return fits
        classes = self.data.labels.classes
        evidence = gather_evidence(splits, np.concatenate([fitted.held_out_proba for fitted in fits]))
        groups = np.repeat(np.arange(len(splits)), [len(split.y_held_out) for split in splits])
        prior = np.array([self.prior(split.train) for split in splits])
        codes = cross_fit(self.decision, classes, prior, evidence, groups)
        scored = []
        for number, (split, fitted) in enumerate(zip(splits, fits, strict=True)):
            model = StoredPredictions(classes, classes[codes[groups == number]], fitted.held_out_proba)
            X = split.held_out[0] if split.held_out else None
            scored.append(replace(fitted, score=evaluate(model, self.scorer, X, classes[split.y_held_out])))
        return scored

    def find_rules(self, outcome: Outcome[Any]) -> tuple[DecisionRule, DecisionRule]:
        """The rules of the final model and of the supervised one."""
        classes, prior = self.data.labels.classes, self.prior(self.data.labeled)
        if not self.decision.needs_out_of_fold:
            rule = self.decision.fit(classes, prior)
            return rule, rule
        final, supervised = self._find_evidence(outcome)
        rule = self.decision.fit(classes, prior, final)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SmallClassWarning)  # once is enough
            return rule, self.decision.fit(classes, prior, supervised)

    def _find_evidence(self, outcome: Outcome[Any]) -> tuple[Evidence, Evidence]:
        """Out-of-fold probabilities for the final model, and for the supervised one."""
        chosen = outcome.chosen
        if chosen.held_out:
            splits = [run.split for run in chosen.runs]
            return (
                gather_evidence(splits, chosen.held_out[chosen.best_round]),
                gather_evidence(splits, chosen.held_out[0]),
            )
        found: tuple[Evidence, Evidence] | None = outcome.final.find_evidence()
        if found is not None:
            return found
        splits = make_splits(outcome.fitter.data, FOLDS_WITHOUT_POOL, np.random.RandomState(0))
        evidence = gather_evidence(splits, np.concatenate(outcome.fitter.predict_held_out(splits)))
        return evidence, evidence


def gather_evidence(splits: list[Split], proba: Floats) -> Evidence:
    """Held-out probabilities of some splits, with the rows they are of."""
    y = np.concatenate([split.y_held_out for split in splits])
    rows = np.concatenate([split.held_out_rows for split in splits])
    return Evidence(proba, y, rows if len(rows) == len(y) else np.arange(len(y)))
