"""CAST in one line: self-training with cluster-aware confidence, alpha given or searched."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from tabcast.confidence import ClusterAware, Confidence
from tabcast.confidence._cluster_aware import check_alpha
from tabcast.density import Density, EmpiricalLikelihood, KernelDensity, Uniform
from tabcast.feature_selection import BorutaShap, FeatureSelection, KeepAll
from tabcast.noise_filters import KeepAllRows, MahalanobisFilter, NoiseFilter
from tabcast.pseudo_labels import Curriculum, FixedThreshold, Strategy, TakeAll, TopK, resolve_weighting
from tabcast.self_training._fitting import TrainingData
from tabcast.self_training._parts import Parts, resolve_part
from tabcast.self_training._self_training_classifier import Outcome, SelfTrainingClassifier
from tabcast.statistics import mean, standard_error
from tabcast.validation import NoValidation, resolve_validation

# The paper's search: eight steps over [0.2, 0.75]. And 0, which is self-training without density.
ALPHA_GRID = (0.0, *np.linspace(0.2, 0.75, 8).round(6).tolist())

DENSITIES = {"likelihood": EmpiricalLikelihood, "kernel": KernelDensity, "uniform": Uniform}
STRATEGIES = {"curriculum": Curriculum, "threshold": FixedThreshold, "top_k": TopK, "all": TakeAll}
FILTERS = {None: KeepAllRows, "mahalanobis": MahalanobisFilter}
SELECTIONS = {"all": KeepAll, "boruta": BorutaShap}


def thin_grid(grid: Sequence[float], count: int) -> list[float]:
    """`count` points spread evenly over a grid, its ends among them; at least one, at most all."""
    count = max(1, min(count, len(grid)))
    positions = np.linspace(0, len(grid) - 1, count).round().astype(int)
    return [grid[position] for position in positions]


def count_fits(n_alphas: int, n_splits: int, n_rounds: int, refits: bool) -> int:
    """Most fits of a search: a shared supervised one a split, one a round for each alpha, and the final model's."""
    return n_splits * (1 + n_alphas * n_rounds) + refits * (1 + n_rounds)


def plan_search(max_fits: int, n_splits: int, n_rounds: int, has_schedule: bool, refits: bool) -> tuple[int, int]:
    """How many alphas and rounds can be searched with so many fits.

    As many alphas as possible, in all rounds. A strategy that could go on for ever gives up rounds so that at least
    three alphas can be tried; a schedule is not cut.
    """
    if not has_schedule:
        while n_rounds > 1 and count_fits(3, n_splits, n_rounds, refits) > max_fits:
            n_rounds -= 1
    least = count_fits(2, n_splits, n_rounds, refits)
    if least > max_fits:
        raise ValueError(
            f"`max_fits`={max_fits} of CASTClassifier cannot search for alpha: two alphas cost up to {least} fits "
            f"({n_splits} splits, {n_rounds} rounds). Allow more, give one alpha, or hold out rows fewer times."
        )
    n_alphas = 2
    while n_alphas < len(ALPHA_GRID) and count_fits(n_alphas + 1, n_splits, n_rounds, refits) <= max_fits:
        n_alphas += 1
    return n_alphas, n_rounds


class CASTClassifier(SelfTrainingClassifier):
    """Cluster-aware self-training: pseudo-labels count where labeled rows of their class are dense.

    Self-training trusts a classifier's confidence, and confidence lies. CAST multiplies it, class by class, with how
    dense the labeled rows of that class are around the row, and chooses pseudo-labels by the result.

    What it costs: with cross-validation, `n_splits * (1 + n_alphas * rounds) + 1 + rounds` fits of the base classifier
    at most, fewer when training sets repeat. With the defaults that is 6 * (1 + 3 * 5) + 6 = 102. With a given alpha
    and `validation_data`, `validation=None` or a fraction it is 1 + rounds = 6.

    Parameters
    ----------
    estimator : classifier with `predict_proba`. None: scikit-learn's HistGradientBoostingClassifier with small leaves.
    density : "likelihood" (CAST-L), "kernel" (CAST-D), "uniform" (none) or a member of `tabcast.density`.
    alpha : how much density counts, a number in [0, 1]; several numbers to choose from; or "search": as many of
        0 and the paper's eight steps over [0.2, 0.75] as `max_fits` allows, evenly spread. Chosen is the smallest alpha
        whose score is within one standard error (of the paired differences over splits) of the best.
    strategy : "curriculum" (CPL), "threshold" (FPL), "top_k", "all" (naive) or a member of `tabcast.pseudo_labels`.
    feature_selection : the columns that the density looks at: "all", "boruta" (the paper's; needs XGBoost, LightGBM or
        shap, and is repeated in every split) or a member of `tabcast.feature_selection`.
    noise_filter : None, "mahalanobis" or a member of `tabcast.noise_filters`.
    scaling : how densities become factors; see :class:`~tabcast.confidence.ClusterAware`.
    max_fits : most fits that `alpha="search"` may spend; it limits the number of alphas and, for a strategy without a
        schedule, the number of rounds. None: the whole grid, all rounds.
    validation, scoring, relabel, max_rounds, patience, pseudo_weight, missing_label, \
categorical_features, n_jobs, random_state, verbose : as in :class:`SelfTrainingClassifier`.

    Attributes
    ----------
    alpha_ : the alpha of the model.
    alpha_scores_ : DataFrame, a row for each alpha tried: `alpha`, `best_round`, `score`, `score_std_error`, `chosen`.
    estimator_, classes_, history_, best_round_, n_rounds_, termination_reason_, pseudo_labels_, transduction_, \
labeled_iter_, selected_features_, supervised_, class_mix_, n_fits_ : as in :class:`SelfTrainingClassifier`.

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
        estimator: Any = None,
        *,
        density: str | Density = "likelihood",
        alpha: str | float | Sequence[float] = "search",
        strategy: str | Strategy = "curriculum",
        feature_selection: str | FeatureSelection = "all",
        scaling: Any = "log",
        max_fits: int | None = 120,
        noise_filter: Any = None,
        validation: Any = "cv",
        scoring: Any = None,
        relabel: bool = True,
        max_rounds: int = 10,
        patience: int = 2,
        pseudo_weight: Any = 1.0,
        missing_label: Any = "auto",
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        # Not super().__init__: that one has a `confidence`, which here is made of density, alpha and scaling.
        self.estimator = estimator
        self.density = density
        self.alpha = alpha
        self.strategy = strategy
        self.feature_selection = feature_selection
        self.scaling = scaling
        self.max_fits = max_fits
        self.noise_filter = noise_filter
        self.validation = validation
        self.scoring = scoring
        self.relabel = relabel
        self.max_rounds = max_rounds
        self.patience = patience
        self.pseudo_weight = pseudo_weight
        self.missing_label = missing_label
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _resolve(self) -> Parts:
        """The parts, strings made into members."""
        return Parts(
            ClusterAware(resolve_part(self.density, DENSITIES, Density, "density", self), scaling=self.scaling),
            resolve_part(self.strategy, STRATEGIES, Strategy, "strategy", self),
            resolve_weighting(self.pseudo_weight, type(self).__name__),
            resolve_part(self.noise_filter, FILTERS, NoiseFilter, "noise_filter", self),
            resolve_part(self.feature_selection, SELECTIONS, FeatureSelection, "feature_selection", self),
            resolve_validation(self.validation),
        )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.max_fits is not None and (not isinstance(self.max_fits, Integral) or self.max_fits < 1):
            raise ValueError(f"`max_fits` of CASTClassifier must be a positive integer or None; got {self.max_fits!r}.")
        if isinstance(self.alpha, str):
            if self.alpha != "search":
                raise ValueError(
                    f"`alpha` of CASTClassifier must be 'search', a number in [0, 1] or several; got {self.alpha!r}."
                )
            return
        given = np.atleast_1d(np.asarray(self.alpha, dtype=object)).tolist()
        if not given:
            raise ValueError("`alpha` of CASTClassifier must hold at least one number; got none.")
        for alpha in given:
            check_alpha(alpha, "CASTClassifier")

    def _plan(self, n_splits: int, last_round: int, has_schedule: bool, refits: bool) -> tuple[Sequence[float], int]:
        """The alphas to try, each once, smallest first."""
        if not isinstance(self.alpha, str):
            return sorted({float(alpha) for alpha in np.atleast_1d(self.alpha)}), last_round
        if last_round == 0:  # nothing to search with
            return [0.0], 0
        if self.max_fits is None:
            return ALPHA_GRID, last_round
        n_alphas, n_rounds = plan_search(self.max_fits, n_splits, last_round, has_schedule, refits)
        return thin_grid(ALPHA_GRID, n_alphas), n_rounds

    def _check_support(self, data: TrainingData, parts: Parts) -> None:
        super()._check_support(data, parts)
        several = isinstance(self.alpha, str) or len(np.unique(np.atleast_1d(self.alpha))) > 1
        nobody_judges = isinstance(parts.validation, NoValidation) and data.validation is None
        if several and nobody_judges and len(data.pool):
            raise ValueError(
                f"`alpha`={self.alpha!r} has to be chosen on held-out rows, but validation=None holds out none. Give "
                "one alpha, use validation='cv' or a fraction, or pass validation_data to fit."
            )

    def _with_alpha(self, confidence: Confidence, alpha: float | None) -> Confidence:
        """The same gamma, another alpha."""
        return copy(confidence).set_params(alpha=alpha)

    def _remember(self, data: TrainingData, outcome: Outcome) -> None:
        super()._remember(data, outcome)
        self.alpha_ = outcome.chosen.alpha
        candidates = outcome.candidates
        self._told["alpha_scores_"] = {
            "alpha": np.array([candidate.alpha for candidate in candidates], dtype=float),
            "best_round": np.array([candidate.best_round for candidate in candidates]),
            "score": np.array([mean(candidate.best_scores) for candidate in candidates]),
            "score_std_error": np.array([standard_error(candidate.best_scores) for candidate in candidates]),
            "chosen": np.array([candidate is outcome.chosen for candidate in candidates]),
        }

    @property
    def alpha_scores_(self) -> pd.DataFrame:
        """A row for each alpha tried."""
        return self._tell("alpha_scores_")
