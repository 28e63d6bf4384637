"""Self-training with exchangeable parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tabcast.checks import resolve_part
from tabcast.confidence import CONFIDENCES, Confidence
from tabcast.decisions import Decision
from tabcast.feature_selection import FeatureSelection
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Strategy, Weighting
from tabcast.self_training._method import HardMethod, resolve_parts
from tabcast.self_training._self_trainer import MAX_POOL, SelfTrainer
from tabcast.validation import Validation


class SelfTrainingClassifier(SelfTrainer):
    """Self-training with exchangeable parts, for real tables and any classifier with `predict_proba`.

    In each round the current classifier labels the unlabeled rows it is confident about, and a new one is trained on
    the labeled rows and those. Round 0 is the supervised classifier; it wins when no round beats it on held-out rows.

    Parameters
    ----------
    estimator : classifier with `predict_proba` or None, default=None
        The base classifier. None: scikit-learn's HistGradientBoostingClassifier with small leaves.
    confidence : Confidence or str, default=None
        What pseudo-labels are chosen by: a member of `tabcast.confidence` or its short name. None: `Raw()`.
    strategy : Strategy or str, default=None
        Which rows are chosen in a round: "curriculum", "threshold", "top_k", "all" or a member of
        `tabcast.pseudo_labels`. None: `Curriculum()`.
    noise_filter : NoiseFilter or str, default=None
        Which chosen rows are rejected after all: "mahalanobis" or a member of `tabcast.noise_filters`. None: no row.
    feature_selection : FeatureSelection or str, default=None
        Which columns the confidence looks at: "all", "boruta" or a member of `tabcast.feature_selection`. None: all.
    validation : str, float, int, splitter, Validation or None, default="cv"
        How rounds are evaluated. "cv": repeated stratified cross-validation of the labeled rows (`CrossValidation()`);
        the choice is made on held-out rows and the final model uses every labeled row. A fraction holds out that
        proportion once; a number of folds, a scikit-learn splitter or a member of `tabcast.validation` is used as it
        is. None: nothing is evaluated, the last round is the model. Ignored when `fit` is given `validation_data`.
    scoring : str or callable, default=None
        What rounds are evaluated by, as in scikit-learn. None: the estimator's own `score`.
    decision : str or Decision, default="accuracy"
        How `predict` decides for a class: "accuracy" (the most probable one), "balanced" (the highest probability
        relative to the proportion of the class), "f1" (weights tuned on held-out rows), or a member of
        `tabcast.decisions`, for example `Threshold(0.3)` or `Costs(...)`. Rounds are evaluated with it.
    relabel : bool, default=True
        Whether all unlabeled rows are labeled anew in every round (as in the paper), or a row keeps its first label
        (as in scikit-learn's SelfTrainingClassifier).
    max_rounds : int, default=10
        Maximum number of rounds.
    patience : int, default=2
        Number of rounds without a better score after which training stops. A strategy with a schedule (`Curriculum`)
        completes it regardless; the best round wins in any case.
    pseudo_weight : float, "soft" or Weighting, default=1.0
        Weight of a pseudo-labeled row, where a labeled row weighs 1. "soft" divides each chosen row among the classes
        in proportion to its confidence. A `Weighting` is a member of `tabcast.pseudo_labels`.
    missing_label : object, default="auto"
        The label that marks unlabeled rows, in addition to missing values (NaN, None, NA). "auto": -1 in a numeric y.
    categorical_features : array-like, default=None
        Names, positions or mask of the categorical columns, for the densities and for an estimator with a parameter of
        this name that is not set. None: inferred from the types.
    max_pool : int or None, default=50_000
        Most unlabeled rows that train, drawn at random (a warning says so); `pseudo_labels_` has these rows, and the
        model predicts any row. None: all.
    n_jobs : int, default=None
        Number of fits at a time (joblib). The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random, including the base estimator's where that is not set.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier that predicts. Where tables or labels had to be encoded around the given estimator, an
        `AdaptedClassifier` whose own `estimator_` is the given one.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    history_ : DataFrame
        One row per round: `round`, `n_selected` and `n_changed` (rows in use, and rows that came, went or changed their
        label since the previous round), `score` and `score_std_error` on held-out rows; means over splits.
    best_round_ : int
        The round of the model; 0 is the supervised one.
    n_rounds_ : int
        Number of rounds after round 0.
    termination_reason_ : str
        "schedule_finished", "no_improvement", "no_change" (a further round would train on the same rows),
        "all_labeled" (the same, with every row in use), "nothing_selected", "max_rounds" or "no_unlabeled_rows".
    pseudo_labels_ : DataFrame
        One row per unlabeled row, as of the best round: `row` (position in `X`; rows of `X_unlabeled` are numbered
        after those of `X`), `label`, `raw_label` (the classifier's own prediction), `confidence` and `raw_confidence`
        (in `label`), `density` (scaled to [0, 1], missing without a density), `selected`, `round` (since when it has
        been in use, -1 if it is not). Where round 0 won: the labels of the round that would have come next, with no
        row selected.
    transduction_ : ndarray of shape (n_rows,)
        `y` with the pseudo-labels filled in.
    labeled_iter_ : ndarray of shape (n_rows,)
        The round since which each row has been in use: 0 for labeled rows, -1 for rows not in use.
    selected_features_ : ndarray
        Names of the columns the confidence looks at (positions for an array).
    required_confidence_ : ndarray of shape (n_classes,) or None
        Confidence that the strategy required of each class in the last round shown in `pseudo_labels_`. None for a
        strategy that selects by rank, or everything.
    parts_ : Parts
        The fitted parts of the final run: `confidence`, `strategy`, `weighting`, `noise_filter`, `feature_selection`,
        `validation`.
    supervised_ : classifier
        The classifier of round 0, trained on the labeled rows alone (without those that a fraction holds out).
    decision_ : DecisionRule
        The fitted rule by which `predict` decides.
    supervised_decision_ : DecisionRule
        The same for `supervised_`.
    n_fits_ : int
        Number of base classifiers fitted: at most (1 + rounds) per split, and once more for the final model.

    See Also
    --------
    CASTClassifier : The paper's method in one line.
    SoftSelfTrainingClassifier : Soft labels instead of hard ones, without validation rows.
    tabcast.guard.GuardedClassifier : Compares with the supervised model and keeps the better one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from tabcast import SelfTrainingClassifier
    >>> X, truth = make_moons(200, noise=0.1, random_state=0)
    >>> y = np.where(np.arange(200) % 10 == 0, truth, -1)  # every tenth row keeps its label
    >>> model = SelfTrainingClassifier(KNeighborsClassifier(3), random_state=0).fit(X, y)
    >>> model.termination_reason_, model.best_round_, model.score(X, truth)
    ('schedule_finished', 0, 0.99)
    """

    def __init__(
        self,
        estimator: BaseEstimator | str | None = None,
        *,
        confidence: Confidence | str | None = None,
        strategy: Strategy | str | None = None,
        noise_filter: NoiseFilter | str | None = None,
        feature_selection: FeatureSelection | str | None = None,
        validation: Validation | str | float | Any | None = "cv",
        scoring: Any = None,
        decision: str | Decision = "accuracy",
        relabel: bool = True,
        max_rounds: int = 10,
        patience: int = 2,
        pseudo_weight: float | str | Weighting = 1.0,
        missing_label: Any = "auto",
        categorical_features: ArrayLike | None = None,
        max_pool: int | None = MAX_POOL,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.confidence = confidence
        self.strategy = strategy
        self.noise_filter = noise_filter
        self.feature_selection = feature_selection
        self.validation = validation
        self.scoring = scoring
        self.decision = decision
        self.relabel = relabel
        self.max_rounds = max_rounds
        self.patience = patience
        self.pseudo_weight = pseudo_weight
        self.missing_label = missing_label
        self.categorical_features = categorical_features
        self.max_pool = max_pool
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _build_method(self) -> HardMethod:
        """The loop with the given parts."""
        confidence = resolve_part(self.confidence, CONFIDENCES, Confidence, "confidence", type(self).__name__)
        return HardMethod(resolve_parts(self, confidence), self.relabel)
