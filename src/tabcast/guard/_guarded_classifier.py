"""The guard: self-training is compared with the supervised model on held-out rows, and the better one is kept."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import clone
from sklearn.utils import check_random_state

from tabcast.checks import check_integer, resolve_part
from tabcast.decisions import DECISIONS, Decision
from tabcast.exceptions import (
    EmptyColumnWarning,
    NothingHeldOutError,
    NoUnlabeledRowsWarning,
    ScoreError,
    SmallClassWarning,
)
from tabcast.guard._comparison import (
    COMMITTEE,
    SELF_TRAINED,
    SUPERVISED,
    Compared,
    GuardSplit,
    HeldOutScore,
    PooledScores,
    choose_scoring,
    collect_out_of_fold,
    compare_on_split,
    decide_out_of_fold,
    fit_rows,
    is_ensemble,
    pool_scores,
)
from tabcast.guard._verdict import LEVEL, PROBABLE, Gain, Verdict, find_word, labels_to_settle
from tabcast.progress import Progress, make_bar
from tabcast.self_training import SoftSelfTrainingClassifier
from tabcast.self_training._data import TrainingData, read_training_data
from tabcast.self_training._self_trainer import SelfTrainer, SemiSupervisedClassifier
from tabcast.teachers import Committee
from tabcast.validation import CrossValidation

FEWEST_SPLITS = 2  # with one split there is no interval
FOLDS, MANY_FOLDS, FEW_LABELS = 5, 10, 30  # few labels: more folds, each with more of the labels in training


class GuardedClassifier(SemiSupervisedClassifier):
    """A semi-supervised classifier that falls back to the supervised model, with a verdict on the unlabeled rows.

    The labeled rows are split by stratified cross-validation. In each split the whole classifier, with
    everything that it learns or searches for, is fitted on the training rows and the unlabeled rows, and compared on
    the held-out rows with its own supervised model and, where that is another one, with its committee, which sees no
    unlabeled row. Held-out rows of a repeat are scored together, so that a class that some folds lack counts.
    *Choice*: the self-trained model is kept if its score is better than the supervised one's; ties and losses go to the
    supervised one. The ensemble, which the unlabeled rows help more often than not (research/results/fit), is trained
    with them unless they probably hurt: unless the odds are four to one that its score is worse. *Verdict*: whether the
    model is better than the supervised one, and how much of that is due to the unlabeled rows: the gain over the best
    model without them, with a 90% interval; see :class:`~tabcast.guard.Verdict`, and `docs/verdict.md` for how well it
    is calibrated.

    The classifier is fitted 1 + `n_splits` * `n_repeats` times.

    Parameters
    ----------
    classifier : SoftSelfTrainingClassifier, CASTClassifier or SelfTrainingClassifier, default=None
        The semi-supervised classifier. None is SoftSelfTrainingClassifier with its defaults. Of a large pool its
        `max_pool` rows train, in the comparison as in the end.
    scoring : str or callable, default=None
        The score by which the models are compared, as in scikit-learn. None: the log-loss ("neg_log_loss") for the
        ensemble, because it chooses right most often, and accuracy for one kind of model. Held-out rows count equally,
        whatever their `sample_weight`. For scores with a positive class, such as "f1", that is the second of two
        classes in sorted order. A callable is given the held-out predictions as a classifier.
    decision : str, Decision or None, default=None
        How classes are predicted, in the comparison and by `predict`; see SelfTrainingClassifier. None is the
        `decision` of the classifier.
    n_splits : int, default=None
        Number of folds. None: ten with fewer than 30 labeled rows, else five. The only labeled row of a class is never
        held out.
    n_repeats : int, default=1
        How many times the labeled rows are divided into folds, each time at random.
    n_jobs : int, default=None
        Number of splits evaluated in parallel (joblib). The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the splits, and of everything random in the classifier that has no seed.
    verbose : int, default=0
        1 shows a progress bar with the time left. The `verbose` of the classifier is ignored.

    Attributes
    ----------
    verdict_ : Verdict
        The verdict; `print` shows it in sentences.
    chosen_ : {"self-trained", "supervised"}
        The model that was kept.
    deployed_ : estimator
        The same fitted on all rows; it predicts.
    estimator_ : estimator
        The base classifier in it: a fitted copy of your estimator.
    decision_ : DecisionRule
        The rule by which `predict` decides: that of the model that was kept.
    self_trained_ : SoftSelfTrainingClassifier, CASTClassifier or SelfTrainingClassifier
        The semi-supervised classifier fitted on all rows, with its history and pseudo-labels.
    supervised_ : estimator
        The model of the labeled rows alone.
    out_of_fold_ : OutOfFold
        Predictions of the held-out rows of the first repeat from all models, and from the kind that was kept.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_fits_ : int
        Number of base classifiers fitted.

    See Also
    --------
    SoftSelfTrainingClassifier : Soft self-training, the default classifier.
    CASTClassifier : Cluster-aware self-training.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from tabcast import SoftSelfTrainingClassifier
    >>> from tabcast.guard import GuardedClassifier
    >>> from tabcast.teachers import Committee
    >>> X, truth = make_moons(600, noise=0.15, random_state=1)
    >>> y = np.where(np.arange(600) % 15 == 0, truth, -1)  # 40 rows keep their label
    >>> tree, teacher = DecisionTreeClassifier(min_samples_leaf=3), Committee(["own", KNeighborsClassifier(10)])
    >>> classifier = SoftSelfTrainingClassifier(tree, teacher=teacher)
    >>> model = GuardedClassifier(classifier, random_state=0).fit(X, y)
    >>> model.chosen_  # the better score decides ...
    'self-trained'
    >>> print(model.verdict_)  # ... and forty labels prove little
    With the unlabeled rows the score is worse than the committee's, but chance cannot be ruled out.
    Cross-validated on 40 labeled rows (5 splits), accuracy went from ... a change of ... points ...
    A committee of several kinds of models, trained on the labeled rows alone, has ...: the part that ...
    The interval is ... points wide...
    The model with the unlabeled rows was kept, because its cross-validated score is better.
    """

    self_trained_: Any

    def __init__(
        self,
        classifier: SelfTrainer | None = None,
        *,
        scoring: Any = None,
        decision: str | Decision | None = None,
        n_splits: int | None = None,
        n_repeats: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.classifier = classifier
        self.scoring = scoring
        self.decision = decision
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def estimator(self) -> Any:
        """The base estimator of the classifier."""
        return self._given().estimator

    @property
    def missing_label(self) -> Any:
        """The marker of unlabeled rows, as set in the classifier."""
        return self._given().missing_label

    @property
    def categorical_features(self) -> Any:
        """The categorical columns, as set in the classifier."""
        return self._given().categorical_features

    def fit(self, X: Any, y: Any, *, X_unlabeled: Any = None, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Train both models on all rows, compare them on held-out labeled rows, and keep one.

        Parameters
        ----------
        X : array or DataFrame (pandas, polars) of shape (n_rows, n_columns)
            The rows, passed to the base estimator as they are.
        y : array of shape (n_rows,)
            Classes, with a marker for unlabeled rows; see `missing_label` of the classifier.
        X_unlabeled : array or DataFrame, default=None
            More unlabeled rows.
        sample_weight : array, default=None
            One weight per row of X, or of X and X_unlabeled.
        **fit_params : dict
            Passed to the `fit` method of the base estimator. Parameters with one entry per row follow their rows.

        Returns
        -------
        GuardedClassifier
            The fitted classifier itself.
        """
        self._check_parameters()
        whole = read_training_data(self, X, y, X_unlabeled, None, sample_weight, fit_params)
        scoring = choose_scoring(self.scoring, self._given())
        score = HeldOutScore(scoring, self._base_estimator(), whole.labels.classes)
        random_state = check_random_state(self.random_state)
        seed = random_state.randint(np.iinfo(np.int32).max)
        data, rows = whole.sample_pool(self._given().max_pool, seed)
        splits = self._split(data, random_state, seed)
        bar = make_bar("tabcast", 1 + len(splits), unit="models", left="left") if self.verbose else Progress()
        with bar as progress:
            progress.describe("training on all rows")
            with warnings.catch_warnings():
                for said_already in (NoUnlabeledRowsWarning, EmptyColumnWarning):
                    warnings.simplefilter("ignore", said_already)
                folds = [split for split in splits if split.repeat == 0]
                self.self_trained_ = fit_rows(self._given(), data, data.labeled, seed, folds)
            progress.advance()
            given, model = self._given(), self.self_trained_
            known = ((one, one.fold if one.repeat == 0 else None) for one in splits)
            jobs = (
                delayed(compare_on_split)(model._for_comparison(given, one.train, fold), data, one)
                for one, fold in known
            )
            compared = []
            for number, one in enumerate(Parallel(effective_n_jobs(self.n_jobs), return_as="generator")(jobs), 2):
                compared.append(one)
                progress.advance()
                progress.describe(f"comparing, {min(number, len(splits))} of {len(splits)}")
            if isinstance(teacher := getattr(model, "teacher_", None), Committee):
                teacher.forget_folds()
        decision = resolve_part(given.decision, DECISIONS, Decision, "decision", type(given).__name__)
        if decision.needs_out_of_fold:
            compared = decide_out_of_fold(compared, decision, data)
        self._remember(data, compared, score, len(whole.pool))
        if rows is not None:
            self.out_of_fold_.rows[:] = rows[self.out_of_fold_.rows]
            self.out_of_fold_.trained.update({fold: rows[train] for fold, train in self.out_of_fold_.trained.items()})
        self.self_trained_._renumber(rows, whole)
        self.n_fits_ = self.self_trained_.n_fits_ + sum(one.n_fits for one in compared)
        return self

    def _given(self) -> SelfTrainer:
        """The classifier to copy: the user's or the default one, with the decision of the guard if it has one."""
        classifier = SoftSelfTrainingClassifier() if self.classifier is None else self.classifier
        if self.decision is None or not isinstance(classifier, SelfTrainer):
            return classifier
        return clone(classifier).set_params(decision=self.decision)

    def _split(self, data: TrainingData, random_state: np.random.RandomState, seed: int) -> list[GuardSplit]:
        """The splits, repeat by repeat; the first has the seed of the fit on all rows, with which it shares models."""
        random = data.random_of(data.labeled)
        if np.bincount(data.labels.codes[random]).max(initial=0) < 2 > len(data.chosen):
            raise NothingHeldOutError(
                "GuardedClassifier compares two models on held-out labeled rows, but every class has only one labeled "
                "row. Label at least two rows of a class, or fit the classifier without the guard."
            )
        n_splits = self.n_splits or (MANY_FOLDS if len(random) < FEW_LABELS else FOLDS)
        splits = []
        for repeat in range(self.n_repeats):
            with warnings.catch_warnings():
                if repeat:  # one warning is enough
                    warnings.simplefilter("ignore", SmallClassWarning)
                folds = data.split(CrossValidation(n_splits, n_repeats=1), random_state)
            for fold, (train, held_out) in enumerate(folds):
                if repeat:
                    seed = random_state.randint(np.iinfo(np.int32).max)
                splits.append(GuardSplit(repeat, fold, train, held_out, seed))
        return splits

    def _remember(self, data: TrainingData, compared: list[Compared], score: HeldOutScore, n_unlabeled: int) -> None:
        """Choose, and set the fitted attributes."""
        pooled = pool_scores(compared, data, score)
        _refuse_unscored(pooled, score.name)
        scores, model = pooled.scores, self.self_trained_
        without = COMMITTEE if scores.get(COMMITTEE, -np.inf) > scores[SUPERVISED] else SUPERVISED
        credit = pooled.gain(SELF_TRAINED, without, LEVEL)
        total = pooled.gain(SELF_TRAINED, SUPERVISED, LEVEL)
        same_model = model.best_round_ == 0
        needed = 1 - PROBABLE if is_ensemble(self._given()) else 0.5  # confidence that the gain is above 0
        is_kept = len(data.pool) > 0 and total.confidence > needed and not same_model
        self.chosen_ = SELF_TRAINED if is_kept else SUPERVISED
        self.supervised_ = model.supervised_
        kept = {
            SUPERVISED: (model.supervised_, model.supervised_, model.supervised_decision_),
            SELF_TRAINED: (model.deployed_, model.estimator_, model.decision_),
        }
        self.deployed_, self.estimator_, self.decision_ = kept[self.chosen_]
        self.classes_ = data.labels.classes
        self.out_of_fold_ = collect_out_of_fold(compared, data, self.chosen_)
        n_random = len(data.random_of(data.labeled))
        never_held_out = np.setdiff1d(np.arange(data.n_classes), self.out_of_fold_.codes)
        self.verdict_ = Verdict(
            word=find_word(credit),
            chosen=self.chosen_,
            metric=score.name,
            gain=credit.gain,
            low=credit.low,
            high=credit.high,
            level=LEVEL,
            without=without,
            total=Gain.of(total),
            supervised=scores[SUPERVISED],
            committee=scores.get(COMMITTEE),
            self_trained=scores[SELF_TRAINED],
            n_labeled=n_random,
            n_unlabeled=n_unlabeled,
            n_splits=len(compared) // int(self.n_repeats),
            n_repeats=int(self.n_repeats),
            more_labels=labels_to_settle(credit, n_random),
            same_model=same_model,
            unscored=[str(label) for label in data.labels.classes[never_held_out]],
            scores=pooled.table,
        )

    def _check_parameters(self) -> None:
        """Raise an error for invalid parameters, before any work."""
        if not isinstance(self._given(), SelfTrainer):
            raise TypeError(
                "`classifier` of GuardedClassifier must be a SoftSelfTrainingClassifier, CASTClassifier or "
                f"SelfTrainingClassifier, or None; got {self.classifier!r}. Pass a classifier of another kind as "
                "`estimator` to one of them."
            )
        check_integer(self.n_splits, "n_splits", "GuardedClassifier", 2, allowed=[None])
        check_integer(self.n_repeats, "n_repeats", "GuardedClassifier", 1)


def _refuse_unscored(pooled: PooledScores, metric: str) -> None:
    """Refuse a score that could not be computed often enough for an interval."""
    known = int(np.isfinite(pooled.contributions[SUPERVISED]).sum())
    if known < FEWEST_SPLITS or not np.isfinite(list(pooled.scores.values())).all():
        raise ScoreError(
            f"could be computed on only {known} of {len(pooled.table)} splits, because it needs every class among the "
            "held-out rows",
            f"Label more rows of rare classes, use fewer splits, or choose another score than {metric!r}.",
        )
