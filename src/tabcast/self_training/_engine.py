"""The engine: runs a method on every split, chooses a round and an alpha, and trains the final model."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np

from tabcast.exceptions import SmallClassWarning
from tabcast.progress import show_progress
from tabcast.self_training._candidates import (
    BestRound,
    Candidate,
    SplitRun,
    choose_candidate,
    labels_to_show,
    run_again,
    run_in_step,
)
from tabcast.self_training._data import Split, TrainingData, make_splits
from tabcast.self_training._fitter import Fitted, Fitter
from tabcast.self_training._method import Method, PreparedMethod, count_fits
from tabcast.self_training._pseudo_labels import PseudoLabels, entries_of
from tabcast.statistics import mean, standard_error
from tabcast.table import UNLABELED
from tabcast.validation import NoValidation

Prepared = TypeVar("Prepared", bound=PreparedMethod)


@dataclass(frozen=True)
class Outcome(Generic[Prepared]):
    """What a run leaves behind.

    Attributes
    ----------
    data : TrainingData
        The rows.
    fitter : Fitter
        Made all fits, and counted them.
    candidates : list of Candidate
        All alphas that were tried.
    chosen : Candidate
        The one that is kept.
    prepared : list of PreparedMethod
        The method on every split, and on all labeled rows where these train the final model.
    final : PreparedMethod
        That of the final model.
    split : Split
        Its training rows.
    best : BestRound
        The round of the final model.
    supervised : Fitted
        The classifier of round 0.
    shown : PseudoLabels
        The pseudo-labels of the best round; where round 0 won, those of the round that would have come next, with no
        row in use.
    others : list of Outcome
        Of the other candidates, where the method keeps every one.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    data: TrainingData
    fitter: Fitter
    candidates: list[Candidate]
    chosen: Candidate
    prepared: list[Prepared]
    final: Prepared
    split: Split
    best: BestRound
    supervised: Fitted
    shown: PseudoLabels
    others: list[Outcome[Prepared]] = field(default_factory=list)

    def describe_pool(self) -> dict[str, Any]:
        """Describe the unlabeled rows: the label of each and why.

        Returns
        -------
        dict
            Columns with one entry per unlabeled row.
        """
        data, pseudo, gamma = self.data, self.shown, self.final.parts.confidence.gamma
        n_pool, classes = len(data.pool), data.labels.classes
        return {
            "row": data.pool,
            "label": classes[pseudo.labels],
            "raw_label": classes[pseudo.raw_labels],
            "confidence": pseudo.confidence,
            "raw_confidence": pseudo.raw_confidence,
            "density": np.full(n_pool, np.nan) if gamma is None else entries_of(gamma, pseudo.labels),
            "selected": pseudo.chosen,
            "round": np.where(pseudo.chosen, self.best.since, -1).astype(np.intp),
        }

    def describe_alphas(self) -> dict[str, Any]:
        """Describe the alphas that were tried.

        Returns
        -------
        dict
            Columns with one entry per alpha.
        """
        scores = [candidate.best_scores for candidate in self.candidates]
        return {
            "alpha": np.array([candidate.alpha for candidate in self.candidates], dtype=float),
            "best_round": np.array([candidate.best_round for candidate in self.candidates]),
            "score": np.array([mean(values) for values in scores]),
            "score_std_error": np.array([standard_error(values) for values in scores]),
            "chosen": np.array([candidate is self.chosen for candidate in self.candidates]),
        }

    def transduce(self) -> tuple[Any, Any]:
        """Fill the pseudo-labels in.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            The labels of all rows.
        rounds : ndarray of shape (n_rows,)
            Since which round each row has been in use.
        """
        labels, pool, best = self.data.labels, self.data.pool, self.best
        codes, rounds = labels.codes.copy(), np.zeros(len(labels.codes), dtype=np.intp)
        codes[pool] = np.where(best.pseudo.chosen, best.pseudo.labels, UNLABELED)
        rounds[pool] = best.since
        return labels.values(codes), rounds


def run_method(
    method: Method,
    data: TrainingData,
    fitter: Fitter,
    random_state: np.random.RandomState,
    *,
    max_rounds: int,
    patience: int,
    title: str = "",
    verbose: int = 0,
    score_round: Callable[[list[Split], list[Fitted]], list[Fitted]] | None = None,
) -> Outcome[Any]:
    """Run every alpha on every split, choose one, and where rows were held out train it on all of them.

    Parameters
    ----------
    method : Method
        Proposes the pseudo-labels.
    data : TrainingData
        The rows.
    fitter : Fitter
        Fits the classifiers.
    random_state : RandomState
        Draws the splits.
    max_rounds : int
        Most rounds of a method without a schedule.
    patience : int
        Rounds in a row without a better score after which a method without a schedule stops.
    title : str, default=""
        Title of the progress bar.
    verbose : int, default=0
        1 shows a progress bar.
    score_round : callable, default=None
        Evaluates the classifiers of a round from their held-out probabilities on all splits, where the fitter does not.

    Returns
    -------
    Outcome
        The chosen model and everything that is known about it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from tabcast import SelfTrainingClassifier
    >>> from tabcast.self_training import Fitter, HardMethod, find_scorer, read_training_data, run_method
    >>> X, y = np.array([[0.0], [1.0], [0.2], [0.9], [0.1], [0.8]]), np.array([0, 1, 0, 1, -1, -1])
    >>> template = SelfTrainingClassifier(GaussianNB(), validation=2).fit(X, y)
    >>> data = read_training_data(template, X, y, None, None, None, {})
    >>> fitter = Fitter(GaussianNB(), data, find_scorer("accuracy", GaussianNB(), data.labels.classes))
    >>> method = HardMethod(template.parts_)
    >>> outcome = run_method(method, data, fitter, np.random.RandomState(0), max_rounds=2, patience=1)
    >>> outcome.chosen.best_round, outcome.transduce()[0].tolist()
    (0, [0, 1, 0, 1, -1, -1])
    """
    schedule, has_pool = method.schedule, len(data.pool) > 0
    last_round = min(max_rounds, schedule or max_rounds) if has_pool else 0
    validation = method.parts.validation if has_pool or score_round is not None else NoValidation()
    splits = make_splits(fitter.data, validation, random_state)
    refits = validation.refits and data.validation is None
    evaluated = splits[0].held_out is not None
    alphas, last_round = method.plan(len(splits), last_round, refits)
    n_most = count_fits(len(alphas), len(splits), last_round, refits, method.n_extra_fits)
    with show_progress(title, n_most, verbose) as fitter.progress:
        with warnings.catch_warnings():
            if refits:  # the final run will say it once
                warnings.simplefilter("ignore", SmallClassWarning)
            prepared = [method.prepare(data, split, split.y_held_out) for split in splits]
        pairs = list(zip(splits, prepared, strict=True))
        candidates = [
            Candidate(alpha, [SplitRun(split, one.propose(alpha, fitter), not refits) for split, one in pairs])
            for alpha in alphas
        ]
        run_in_step(
            candidates,
            fitter,
            last_round=last_round,
            patience=patience if evaluated and schedule is None else None,
            schedule=schedule,
            predict_held_out=method.needs_held_out or score_round is not None,
            score_round=score_round,
        )
        split, final = splits[0], prepared[0]
        if refits:
            split, y_held_out = Split(data.labeled), np.concatenate([one.y_held_out for one in splits])
            final = method.prepare(data, split, y_held_out)
            prepared.append(final)
        outcomes = []
        for chosen in candidates if method.keeps_every_candidate else [choose_candidate(candidates)]:
            fitter.forget()
            best = chosen.best[0]
            if refits:
                best = run_again(chosen, SplitRun(split, final.propose(chosen.alpha, fitter)), fitter)
            supervised = fitter.fit_supervised(split)
            shown = labels_to_show(chosen, best, final, fitter) if has_pool else best.pseudo
            outcomes.append(Outcome(data, fitter, candidates, chosen, prepared, final, split, best, supervised, shown))
    return replace(outcomes[0], others=outcomes[1:])
