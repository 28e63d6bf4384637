"""CAST in one line: self-training with cluster-aware confidence."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tabcast.checks import check_number, resolve_part
from tabcast.confidence import ClusterAware
from tabcast.decisions import Decision
from tabcast.density import DENSITIES, Density
from tabcast.feature_selection import FeatureSelection
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Strategy
from tabcast.self_training._engine import Outcome
from tabcast.self_training._method import HardMethod, resolve_parts
from tabcast.self_training._self_trainer import MAX_POOL, SelfTrainer
from tabcast.validation import Validation


class CASTClassifier(SelfTrainer):
    """Cluster-aware self-training: pseudo-labels count where labeled rows of their class are dense.

    Self-training trusts a classifier's confidence, and confidence is often wrong. CAST multiplies it, class by class,
    by how dense the labeled rows of that class are around the row, and chooses pseudo-labels by the result.

    Cost: with cross-validation at most `n_splits * (1 + n_alphas * rounds) + 1 + rounds` fits of the base classifier,
    fewer when training sets repeat. With the defaults that is 6 * (1 + 3 * 5) + 6 = 102. With a given alpha and
    `validation_data`, `validation=None` or a fraction it is 1 + rounds = 6.

    Parameters
    ----------
    estimator : classifier with `predict_proba` or None, default=None
        The base classifier. None: scikit-learn's HistGradientBoostingClassifier with small leaves.
    density : str or Density, default="likelihood"
        "likelihood" (CAST-L), "kernel" (CAST-D), "uniform" (none) or a member of `tabcast.density`.
    alpha : float, sequence of float or "search", default="search"
        How much density counts: a number in [0, 1]; several numbers to choose from; or "search": as many of 0 and the
        paper's eight steps over [0.2, 0.75] as about 120 fits allow, evenly spread. The smallest alpha whose score is
        within one standard error (of the paired differences over splits) of the best is chosen.
    strategy : str or Strategy, default="curriculum"
        Which rows are chosen in a round: "curriculum" (CPL), "threshold" (FPL), "top_k", "all" or a member of
        `tabcast.pseudo_labels`.
    feature_selection : str or FeatureSelection, default="all"
        Which columns the density looks at: "all", "boruta" (the paper's; needs XGBoost, LightGBM or shap, and is
        repeated in every split) or a member of `tabcast.feature_selection`.
    noise_filter : str or NoiseFilter, default=None
        Which chosen rows are rejected after all: "mahalanobis" or a member of `tabcast.noise_filters`. None: no row.
    validation : str, float, int, splitter, Validation or None, default="cv"
        How rounds and alphas are evaluated: "cv" is repeated stratified cross-validation of the labeled rows, None
        evaluates nothing and keeps the last round. This and what follows as in :class:`SelfTrainingClassifier`.
    scoring : str or callable, default=None
        The score of a round. None: the estimator's own `score`.
    decision : str or Decision, default="accuracy"
        How `predict` decides for a class: "accuracy", "balanced", "f1" or a member of `tabcast.decisions`.
    max_rounds : int, default=10
        The most rounds that are run.
    missing_label : object, default="auto"
        The label of unlabeled rows, besides missing values. "auto": -1 in a numeric y.
    categorical_features : array-like, default=None
        Names, positions or mask of the categorical columns. None: inferred from the types.
    max_pool : int or None, default=50_000
        Most unlabeled rows that train, drawn at random; the model predicts any row. None: all.
    n_jobs : int, default=None
        Fits at a time; results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    alpha_ : float
        The alpha of the model.
    alpha_scores_ : DataFrame
        One row per alpha: `alpha`, `best_round`, `score`, `score_std_error`, `chosen`.
    estimator_, classes_, history_, best_round_, n_rounds_, termination_reason_, pseudo_labels_, transduction_, \
labeled_iter_, selected_features_, parts_, supervised_, decision_, supervised_decision_, \
n_fits_ : see SelfTrainingClassifier
        The model and what happened in training.

    See Also
    --------
    SelfTrainingClassifier : The same loop with every part exchangeable.
    SoftSelfTrainingClassifier : Soft labels instead of hard ones, without validation rows.

    References
    ----------
    Kim, Kim, Kim, Song: "CAST: Cluster-Aware Self-Training for Tabular Data via Reliable Confidence".

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from tabcast import CASTClassifier
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.where(np.arange(150) % 5 == 0, truth, -1)  # every fifth row keeps its label
    >>> model = CASTClassifier(LogisticRegression(max_iter=500), alpha=0.5, random_state=0).fit(X, y)
    >>> model.alpha_, model.best_round_, model.n_fits_ <= 6 * 6 + 6
    (0.5, ..., True)
    >>> model.pseudo_labels_.columns.tolist()
    ['row', 'label', 'raw_label', 'confidence', 'raw_confidence', 'density', 'selected', 'round']
    """

    def __init__(
        self,
        estimator: BaseEstimator | str | None = None,
        *,
        density: str | Density = "likelihood",
        alpha: str | float | Sequence[float] = "search",
        strategy: str | Strategy = "curriculum",
        feature_selection: str | FeatureSelection = "all",
        noise_filter: NoiseFilter | str | None = None,
        validation: Validation | str | float | Any | None = "cv",
        scoring: Any = None,
        decision: str | Decision = "accuracy",
        max_rounds: int = 10,
        missing_label: Any = "auto",
        categorical_features: ArrayLike | None = None,
        max_pool: int | None = MAX_POOL,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.density = density
        self.alpha = alpha
        self.strategy = strategy
        self.feature_selection = feature_selection
        self.noise_filter = noise_filter
        self.validation = validation
        self.scoring = scoring
        self.decision = decision
        self.max_rounds = max_rounds
        self.missing_label = missing_label
        self.categorical_features = categorical_features
        self.max_pool = max_pool
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _build_method(self) -> HardMethod:
        """The loop with the CAST confidence, and the alphas to choose from."""
        owner = type(self).__name__
        parts = resolve_parts(self, ClusterAware(resolve_part(self.density, DENSITIES, Density, "density", owner)))
        return HardMethod(parts, alphas=self._read_alphas())

    def _read_alphas(self) -> list[float] | None:
        """The given alphas, each once, smallest first; None where they are searched for."""
        if isinstance(self.alpha, str) and self.alpha == "search":
            return None
        given = [self.alpha] if isinstance(self.alpha, str) else np.atleast_1d(np.asarray(self.alpha, dtype=object))
        if len(given) == 0:
            raise ValueError("`alpha` of CASTClassifier must hold at least one number; got none.")
        for alpha in given:
            check_number(alpha, "alpha", "CASTClassifier", "[0, 1]", allowed=["search"])
        return sorted({float(alpha) for alpha in given})

    def _remember(self, outcome: Outcome[Any]) -> None:
        super()._remember(outcome)
        self.alpha_ = outcome.chosen.alpha
        confidence = copy(self.parts_.confidence)
        confidence.alpha = self.alpha_
        self.parts_ = replace(self.parts_, confidence=confidence)

    @property
    def alpha_scores_(self) -> pd.DataFrame:
        """One row per alpha that was tried."""
        check_is_fitted(self)
        return self._tables.alpha_scores
