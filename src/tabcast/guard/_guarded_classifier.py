"""The guard: self-training is compared with the supervised model on held-out rows, and the better one is kept."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from time import perf_counter
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import clone
from sklearn.utils import check_random_state

from tabcast.checks import check_integer, check_number
from tabcast.decisions import Decision
from tabcast.exceptions import (
    ComparisonStopped,
    EmptyColumnWarning,
    NothingHeldOutError,
    NoUnlabeledRowsWarning,
    ScoreError,
    SmallClassWarning,
)
from tabcast.guard._choice import choose_in_folds, find_best
from tabcast.guard._comparison import (
    Compared,
    GuardSplit,
    collect_out_of_fold,
    compare_on_sample,
    fill_variants,
    fit_rows,
)
from tabcast.guard._contenders import COMMITTEE, OFFERED, SELF_TRAINED, SUPERVISED
from tabcast.guard._interval import LEVEL, find_word, labels_to_settle
from tabcast.guard._pool_curve import PoolCurve, grow_pool, plan_sizes
from tabcast.guard._pooled import PooledScores, pool_scores
from tabcast.guard._scoring import HeldOutScore
from tabcast.guard._verdict import Gain, Verdict
from tabcast.progress import Progress, make_bar
from tabcast.self_training import (
    PoolSample,
    SelfTrainer,
    SemiSupervisedClassifier,
    SoftSelfTrainingClassifier,
    TrainingData,
    draw_pool,
    read_training_data,
    take_pool,
)
from tabcast.validation import CrossValidation

FEWEST_SPLITS = 2  # with one split there is no interval
JUDGE_ROWS = 20_000  # unlabeled rows that models are compared with


class GuardedClassifier(SemiSupervisedClassifier):
    """A semi-supervised classifier that falls back to the supervised model, with a verdict on the unlabeled rows.

    The labeled rows are split by repeated stratified cross-validation. In each split the whole classifier, with
    everything that it learns or searches for, is fitted on the training rows and the unlabeled rows (of a large pool on
    a sample, `judge_rows`), and compared on the held-out rows with its own supervised model and, in soft self-training,
    with its committee, which sees no unlabeled row. Held-out rows of a repeat are scored together, so that a class that
    some folds lack counts. *Choice*: the self-trained model is kept if its score is better than the supervised one's;
    ties and losses go to the supervised one. Soft self-training with `class_prior="auto"` has two students, with and
    without alignment, of which the better one is kept; its committee is kept only where `deploy` allows it. *Verdict*:
    whether the model is better than yours alone, and how much of that is due to the unlabeled rows: the gain over the
    best model without them, with a 90% interval; see :class:`~tabcast.guard.Verdict`, and `docs/verdict.md` for how
    well it is calibrated. In each fold the student that is best on the other folds is scored, so that the gains are not
    flattered by the choice.

    The classifier is fitted 1 + `n_splits` * `n_repeats` times; with `max_pool="auto"` and a large pool `n_splits`
    times more per number of unlabeled rows that is tried, and once more in the end.

    Parameters
    ----------
    classifier : SoftSelfTrainingClassifier, CASTClassifier or SelfTrainingClassifier, default=None
        The semi-supervised classifier. None is SoftSelfTrainingClassifier with its defaults.
    scoring : str, callable or None, default="balanced_accuracy"
        The score by which the models are compared, as in scikit-learn. Held-out rows count equally, whatever their
        `sample_weight`. For scores with a positive class, such as "f1", that is the second of two classes in sorted
        order. A callable is given the held-out predictions as a classifier. None is accuracy.
    decision : str, Decision or None, default=None
        How classes are predicted, in the comparison and by `predict`; see SelfTrainingClassifier. None is the
        `decision` of the classifier.
    n_splits : int, default=5
        Number of folds. The only labeled row of a class is never held out.
    n_repeats : int, default=2
        How many times the labeled rows are divided into folds, each time at random.
    guard : bool, default=True
        Whether the supervised model may be chosen. If False, the self-trained model (or the committee, where `deploy`
        of the classifier says so) is kept in any case; the verdict is the same.
    judge_rows : int or None, default=20_000
        Most unlabeled rows that models are compared with, and that alpha is chosen with, drawn at random. None: all.
    max_pool : int, "auto" or None, default=None
        Most unlabeled rows that train the final model, drawn at random; the others are still predicted. "auto": twice
        `judge_rows`, four times, and so on, until the score on held-out rows stops rising; see `pool_curve_` and
        `docs/verdict.md`. None: all.
    time_limit : float, default=None
        Seconds after which no further split is started, counted from the start of `fit`. A split that would probably
        take longer than the time left is not started either. Two splits are evaluated in any case, those of the first
        repeat first.
    n_jobs : int, default=None
        Number of splits evaluated in parallel (joblib). The result does not depend on it unless `time_limit` is
        reached.
    random_state : int, RandomState instance or None, default=None
        Seed of the splits, and of everything random in the classifier that has no seed.
    verbose : int, default=0
        1 shows a progress bar with the time left. The `verbose` of the classifier is ignored.

    Attributes
    ----------
    verdict_ : Verdict
        The verdict; `print` shows it in sentences.
    chosen_ : {"self-trained", "supervised", "committee"}
        The model that was kept.
    deployed_ : estimator
        The same fitted on all rows; it predicts.
    estimator_ : estimator
        The base classifier in it: a fitted copy of your estimator, or the committee if that was kept.
    decision_ : DecisionRule
        The rule by which `predict` decides: that of the model that was kept.
    self_trained_ : SoftSelfTrainingClassifier, CASTClassifier or SelfTrainingClassifier
        The semi-supervised classifier fitted on all rows, with its history and pseudo-labels; of several variants the
        one with the best score.
    supervised_ : estimator
        The base classifier fitted on the labeled rows alone.
    pool_curve_ : PoolCurve or None
        The scores by number of unlabeled rows with `max_pool="auto"`, and why so many were used. None without "auto",
        and for pools of fewer than twice `judge_rows`, of which all rows are used.
    out_of_fold_ : OutOfFold
        Predictions of the held-out rows of the first repeat from all models, and from the kind that was kept.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_fits_ : int
        Number of base classifiers fitted.
    seconds_ : dict
        Seconds spent on the final "model", on the "comparison" and, with `max_pool="auto"`, on the "pool_curve".
    interrupted_ : bool
        Whether an interrupt (Ctrl-C) ended the comparison early; the verdict is then from the splits done before it.

    See Also
    --------
    SoftSelfTrainingClassifier : Soft self-training, the default classifier.
    CASTClassifier : Cluster-aware self-training.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from tabcast import SoftSelfTrainingClassifier
    >>> from tabcast.guard import GuardedClassifier
    >>> from tabcast.teachers import Committee
    >>> X, truth = make_moons(600, noise=0.15, random_state=1)
    >>> y = np.where(np.arange(600) % 15 == 0, truth, -1)  # 40 rows keep their label
    >>> tree, teacher = DecisionTreeClassifier(min_samples_leaf=3), Committee(["own", "neighbors"])
    >>> classifier = SoftSelfTrainingClassifier(tree, teacher=teacher)
    >>> model = GuardedClassifier(classifier, random_state=0).fit(X, y)
    >>> model.chosen_  # the better score decides ...
    'self-trained'
    >>> print(model.verdict_)  # ... and forty labels prove little
    With the unlabeled rows the score is ..., but chance cannot be ruled out.
    Cross-validated on 40 labeled rows (10 splits), balanced accuracy went from ... a change of ... points ...
    A committee of several kinds of models, trained on the labeled rows alone, has ...: the part that ...
    The interval is ... points wide...
    The self-trained model was kept, because its cross-validated score is better than the supervised one's.
    It is the student whose labels are not aligned with the class proportions (... against ...; ...).
    """

    self_trained_: Any

    def __init__(
        self,
        classifier: SelfTrainer | None = None,
        *,
        scoring: Any = "balanced_accuracy",
        decision: str | Decision | None = None,
        n_splits: int = 5,
        n_repeats: int = 2,
        guard: bool = True,
        judge_rows: int | None = JUDGE_ROWS,
        max_pool: int | str | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.classifier = classifier
        self.scoring = scoring
        self.decision = decision
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.guard = guard
        self.judge_rows = judge_rows
        self.max_pool = max_pool
        self.time_limit = time_limit
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

        Raises
        ------
        ComparisonStopped
            If interrupted (Ctrl-C) in the comparison before two splits were evaluated. Later, an interrupt ends the
            comparison, and a second one ends everything.
        """
        start = perf_counter()
        self._check_parameters()
        data = read_training_data(self, X, y, X_unlabeled, None, sample_weight, fit_params)
        score = HeldOutScore(self.scoring, self._base_estimator(), data.labels.classes)
        random_state = check_random_state(self.random_state)
        seed = random_state.randint(np.iinfo(np.int32).max)
        splits = self._split(data, random_state)
        judged = take_pool(data, draw_pool(data.pool, self.judge_rows, seed))
        sizes = self._plan_sizes(data, judged)
        largest = None if isinstance(self.max_pool, str) else self.max_pool
        sample = judged if sizes else take_pool(data, draw_pool(data.pool, largest, seed))
        self.interrupted_, self.pool_curve_ = False, None
        with self._show_progress(1 + len(splits) + (len(sizes) * self.n_splits + 1 if sizes else 0)) as progress:
            progress.describe("first model" if sizes else "final model")
            with warnings.catch_warnings(record=bool(sizes)) as caught:
                variants = self._fit_final(data, sample, seed)
            seconds = {"model": perf_counter() - start}
            progress.advance()
            progress.describe(f"split 1 of {len(splits)}")
            compared = list(self._compare(data, judged, splits, start, progress))
            seconds["comparison"] = perf_counter() - start - seconds["model"]
            stopped, tried, n_fits = len(compared) < len(splits), list[Compared](), 0
            if sizes:
                shared = (data, judged, compared, score, seed, start, progress)
                self.pool_curve_ = self._grow_pool(sizes, list(variants), tried, *shared)
                seconds["pool_curve"] = perf_counter() - start - sum(seconds.values())
                if self.pool_curve_.n_rows > len(judged.data.pool):
                    progress.describe("final model")
                    sample, caught = take_pool(data, draw_pool(data.pool, self.pool_curve_.n_rows, seed)), None
                    n_fits = self.self_trained_.n_fits_
                    variants = self._fit_final(data, sample, seed)
                    seconds["model"] += perf_counter() - start - sum(seconds.values())
        for one in caught or ():
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        try:
            self._remember(data, judged, variants, compared, stopped=stopped, score=score)
        except ScoreError as error:
            if self.interrupted_:
                raise ComparisonStopped from error
            raise
        self.n_fits_ = self.self_trained_.n_fits_ + n_fits + sum(one.n_fits for one in (*compared, *tried))
        self.seconds_ = seconds
        return self

    def _given(self) -> SelfTrainer:
        """The classifier to copy: the user's or the default one, with the decision of the guard if it has one."""
        classifier = SoftSelfTrainingClassifier() if self.classifier is None else self.classifier
        if self.decision is None or not isinstance(classifier, SelfTrainer):
            return classifier
        return clone(classifier).set_params(decision=self.decision)

    def _settled(self, data: TrainingData) -> SelfTrainer:
        """The classifier to copy; "auto" deploys the same kind of model in splits, with fewer labels, as in the end."""
        classifier, settled = self._given(), dict[str, Any]()
        if isinstance(classifier, SoftSelfTrainingClassifier) and classifier.deploy == "auto":
            settled["deploy"] = classifier.find_deployment(len(data.labeled))
        if self.judge_rows is not None and classifier.judge_rows is None and len(data.pool) > self.judge_rows:
            settled["judge_rows"] = self.judge_rows
        return clone(classifier).set_params(**settled) if settled else classifier

    def _plan_sizes(self, data: TrainingData, judged: PoolSample) -> list[int]:
        """Numbers of unlabeled rows to try for the final model; none where that is settled."""
        if self.max_pool != "auto" or judged.rows is None:
            return []
        return plan_sizes(len(judged.data.pool), len(data.pool), self.n_splits)

    def _fit_final(self, data: TrainingData, sample: PoolSample, seed: int) -> dict[str, SelfTrainer]:
        """Fit the variants of the classifier on all labeled rows; the first one is what an interrupt leaves."""
        with warnings.catch_warnings():
            for said_already in (NoUnlabeledRowsWarning, EmptyColumnWarning):
                warnings.simplefilter("ignore", said_already)
            variants = fit_rows(self._settled(data), sample.data, sample.data.labeled, seed)
        for one in variants.values():
            one._renumber(sample, data)
        self.self_trained_ = next(iter(variants.values()))
        return variants

    def _grow_pool(
        self,
        sizes: list[int],
        names: list[str],
        tried: list[Compared],
        data: TrainingData,
        judged: PoolSample,
        compared: list[Compared],
        score: HeldOutScore,
        seed: int,
        start: float,
        progress: Progress,
    ) -> PoolCurve:
        """Find out how many unlabeled rows are enough, on the folds of the first repeat; their fits are in `tried`."""
        first = [one for one in compared if one.split.repeat == 0]
        splits, seconds = [one.split for one in first], max(one.seconds for one in first)

        def evaluate(size: int) -> list[Compared] | None:
            if self.interrupted_:
                return None
            progress.describe(f"{size:,} unlabeled rows")
            sample = take_pool(data, draw_pool(data.pool, size, seed))
            expected = seconds * size / len(judged.data.pool)
            found = list(self._compare(data, sample, splits, start, progress, fewest=0, longest=expected))
            tried.extend(found)
            return found if len(found) == len(splits) else None

        return grow_pool(first, sizes, evaluate, names, data, score, len(judged.data.pool))

    def _list_offers(self, variants: dict[str, SelfTrainer]) -> list[str]:
        """The contenders that may be kept besides the supervised model, in order of preference."""
        deploy = getattr(self._given(), "deploy", "student")
        has_committee = getattr(next(iter(variants.values())), "committee_", None) is not None
        if not has_committee or deploy not in ("committee", "auto"):
            return list(variants)
        return [COMMITTEE] if deploy == "committee" else [*variants, COMMITTEE]

    def _split(self, data: TrainingData, random_state: np.random.RandomState) -> list[GuardSplit]:
        """The splits, repeat by repeat."""
        codes = data.labels.codes[data.labeled]
        if np.bincount(codes).max() < 2:
            raise NothingHeldOutError(
                "GuardedClassifier compares two models on held-out labeled rows, but every class has only one labeled "
                "row. Label at least two rows of a class, or fit the classifier without the guard."
            )
        splits = []
        for repeat in range(self.n_repeats):
            with warnings.catch_warnings():
                if repeat:  # one warning is enough
                    warnings.simplefilter("ignore", SmallClassWarning)
                folds = CrossValidation(self.n_splits, n_repeats=1).split(codes, random_state)
            for fold, (train, held_out) in enumerate(folds):
                seed = random_state.randint(np.iinfo(np.int32).max)
                splits.append(GuardSplit(repeat, fold, data.labeled[train], data.labeled[held_out], seed))
        return splits

    def _compare(
        self,
        data: TrainingData,
        sample: PoolSample,
        splits: list[GuardSplit],
        start: float,
        progress: Progress,
        *,
        fewest: int = FEWEST_SPLITS,
        longest: float = 0.0,
    ) -> Iterator[Compared]:
        """Evaluate one split after another, until all are done, the time is up, or an interrupt comes."""
        n_jobs, classifier = effective_n_jobs(self.n_jobs), self._settled(data)
        batch_size = len(splits) if self.time_limit is None else n_jobs
        n_done = 0
        try:
            for first in range(0, len(splits), batch_size):
                spent = perf_counter() - start
                if self.time_limit is not None and n_done >= fewest and spent + longest > self.time_limit:
                    return
                batch = splits[first : first + batch_size]
                jobs = (delayed(compare_on_sample)(classifier, sample, split) for split in batch)
                for compared in Parallel(n_jobs=min(n_jobs, len(batch)), return_as="generator")(jobs):
                    n_done, longest = n_done + 1, max(longest, compared.seconds)
                    progress.advance()
                    if fewest:
                        progress.describe(f"split {min(n_done + 1, len(splits))} of {len(splits)}")
                    yield compared
        except KeyboardInterrupt:
            if n_done < fewest:
                raise ComparisonStopped from None
            self.interrupted_ = True
            progress.describe("comparison stopped; interrupt again to end without results")

    def _remember(
        self,
        data: TrainingData,
        judged: PoolSample,
        variants: dict[str, SelfTrainer],
        compared: list[Compared],
        *,
        stopped: bool,
        score: HeldOutScore,
    ) -> None:
        """Choose, and set the fitted attributes."""
        names, offers = list(variants), self._list_offers(variants)
        compared = [fill_variants(one, names) for one in compared]
        compared = choose_in_folds(compared, SELF_TRAINED, names, data, score)
        compared = choose_in_folds(compared, OFFERED, offers, data, score)
        pooled = pool_scores(compared, data, score)
        _refuse_unscored(pooled, score.name)
        scores = pooled.scores
        without = COMMITTEE if scores.get(COMMITTEE, -np.inf) > scores[SUPERVISED] else SUPERVISED
        credit = pooled.gain(SELF_TRAINED, without, LEVEL)
        total = pooled.gain(OFFERED, SUPERVISED, LEVEL)
        variant, offered = find_best(scores, names), find_best(scores, offers)
        self.self_trained_ = model = variants[variant]
        offered = COMMITTEE if offered == COMMITTEE else SELF_TRAINED
        same_model = model.best_round_ == 0
        better = total.gain > 0 and not (offered == SELF_TRAINED and same_model)
        self.chosen_ = offered if len(data.pool) > 0 and (better or not self.guard) else SUPERVISED
        self.supervised_ = model.supervised_
        committee = getattr(model, "committee_", None)
        kept = {
            SUPERVISED: (model.supervised_, model.supervised_, model.supervised_decision_),
            COMMITTEE: (committee, committee, model.decision_),
            SELF_TRAINED: (model.student_, model.estimator_, model.decision_),
        }
        self.deployed_, self.estimator_, self.decision_ = kept[self.chosen_]
        self.classes_ = data.labels.classes
        self.out_of_fold_ = collect_out_of_fold(compared, data, SUPERVISED if self.chosen_ == SUPERVISED else OFFERED)
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
            n_labeled=len(data.labeled),
            n_unlabeled=len(data.pool),
            n_splits=int(self.n_splits),
            n_repeats=int(self.n_repeats),
            more_labels=labels_to_settle(credit, len(data.labeled)),
            guard=bool(self.guard),
            same_model=same_model,
            time_limit=None if self.time_limit is None or self.interrupted_ else float(self.time_limit),
            stopped=stopped,
            unscored=[str(label) for label in data.labels.classes[never_held_out]],
            scores=pooled.table,
            offered=offered,
            variant=variant if len(names) > 1 else None,
            variants={name: scores[name] for name in names} if len(names) > 1 else {},
            n_judged=len(judged.data.pool),
        )

    def _show_progress(self, total: int) -> Progress:
        """A progress bar over the models if `verbose` is 1 or more."""
        return make_bar(type(self).__name__, total, unit="models", left="left") if self.verbose else Progress()

    def _check_parameters(self) -> None:
        """Raise an error for invalid parameters, before any work."""
        if not isinstance(self._given(), SelfTrainer):
            raise TypeError(
                "`classifier` of GuardedClassifier must be a SoftSelfTrainingClassifier, CASTClassifier or "
                f"SelfTrainingClassifier, or None; got {self.classifier!r}. Pass a classifier of another kind as "
                "`estimator` to one of them."
            )
        check_integer(self.n_splits, "n_splits", "GuardedClassifier", 2)
        check_integer(self.n_repeats, "n_repeats", "GuardedClassifier", 1)
        check_integer(self.judge_rows, "judge_rows", "GuardedClassifier", 1, allowed=[None])
        check_integer(self.max_pool, "max_pool", "GuardedClassifier", 1, allowed=[None, "auto"])
        check_number(self.time_limit, "time_limit", "GuardedClassifier", "(0, inf)", allowed=[None])


def _refuse_unscored(pooled: PooledScores, metric: str) -> None:
    """Refuse a score that could not be computed often enough for an interval."""
    known = int(np.isfinite(pooled.contributions[SUPERVISED]).sum())
    if known < FEWEST_SPLITS or not np.isfinite(list(pooled.scores.values())).all():
        raise ScoreError(
            f"could be computed on only {known} of {len(pooled.table)} splits, because it needs every class among the "
            "held-out rows",
            f"Label more rows of rare classes, use fewer splits, or choose another score than {metric!r}.",
        )
