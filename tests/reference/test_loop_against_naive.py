"""The fast loop does what its slow, literal twin of Algorithm 1 does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_blobs
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.confidence import ClusterAware, Raw
from tabcast.density import ClassConditional, EmpiricalLikelihood, KernelDensity
from tabcast.pseudo_labels import Curriculum, FixedThreshold, TakeAll

from . import naive_loop as naive

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")  # six labeled rows a class

# A classifier asked row by row may round its probabilities otherwise than one asked for all rows at once.
ROUNDED = {"rtol": 1e-9, "atol": 1e-12}

ESTIMATORS = {
    "logistic": LogisticRegression(max_iter=1000),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "bayes": GaussianNB(),
}
STRATEGIES = {  # ours, the twin's, rounds of its schedule
    "fpl": (FixedThreshold(0.6), naive.fixed_threshold(0.6), None),
    "strict fpl": (FixedThreshold(0.75, strict=True), naive.fixed_threshold(0.75, strict=True), None),
    "cpl": (Curriculum(0.2), naive.curriculum(0.2), 5),
    "uneven cpl": (Curriculum(0.3), naive.curriculum(0.3), 4),
    "all": (TakeAll(), naive.take_all, None),
}
DENSITIES = {
    "likelihood, log": (EmpiricalLikelihood(), "log"),
    "kernel, log": (KernelDensity(), "log"),
    "kernel, density": (KernelDensity(), "density"),
}
MAX_ROUNDS, PATIENCE = 6, 2


def mean_probability(classifier: Any, X: Any, y: Any) -> float:
    """A scorer fine enough to tell any two rounds apart: mean probability of the true class."""
    columns = np.searchsorted(classifier.classes_, y)
    return float(classifier.predict_proba(X)[np.arange(len(y)), columns].mean())


def judge_by_probability(rows: list[Any], y: list[int], table: naive.Table) -> Callable[[Any], float]:
    """The same, a row at a time."""

    def judge(classifier: Any) -> float:
        total = 0.0
        for x, label in zip(rows, y, strict=True):
            total += classifier.predict_proba(table([x]))[0][label]
        return total / len(rows)

    return judge


def judge_by_accuracy(rows: list[Any], y: list[int], table: naive.Table) -> Callable[[Any], float]:
    """What classifiers score by themselves, a row at a time."""

    def judge(classifier: Any) -> float:
        right = 0
        for x, label in zip(rows, y, strict=True):
            right += classifier.predict(table([x]))[0] == label
        return right / len(rows)

    return judge


class Problem:
    """Few labeled rows, a pool, rows that judge and rows to predict; as lists for the twin, as tables for ours."""

    def __init__(self, seed: int, n_classes: int, table: naive.Table = np.array) -> None:
        rng = np.random.default_rng(seed)
        centers = rng.normal(size=(n_classes, 3)) * 1.5
        X, y = make_blobs(12 * n_classes + 12, 3, centers=centers, random_state=seed)
        first = np.sort(np.concatenate([np.flatnonzero(y == c)[:6] for c in range(n_classes)]))  # six labeled a class
        others = np.setdiff1d(np.arange(len(y)), first)
        judges, pool = others[:8], others[8:]
        self.table, self.n_classes = table, n_classes
        rows = [self.describe(x) for x in X]
        self.labeled, self.y = [rows[i] for i in first], y[first].tolist()
        self.judges, self.y_judges = [rows[i] for i in judges], y[judges].tolist()
        self.pool = [rows[i] for i in pool]

    def describe(self, x: Any) -> list[Any]:
        return x.tolist()

    def gamma(self, density: Any, scaling: str, rows: list[Any] | None = None, y: list[int] | None = None) -> Any:
        rows, y = rows or self.labeled, y or self.y
        fitted = ClassConditional(density).fit(self.table(rows), y, classes=np.arange(self.n_classes))
        return naive.cache_gamma(fitted, self.pool, self.table, scaling)


class MixedProblem(Problem):
    """The same with a column of words and one with missing numbers."""

    def __init__(self, seed: int, n_classes: int) -> None:
        super().__init__(seed, n_classes, self.frame)

    def describe(self, x: Any) -> list[Any]:
        word = None if x[1] > 2 else "high" if x[1] > 0.3 else "low"
        return [float(x[0]), word, None if abs(x[2]) < 0.4 else round(float(x[2]), 1)]

    @staticmethod
    def frame(rows: Any) -> pd.DataFrame:
        first, words, last = zip(*rows, strict=True)
        return pd.DataFrame(
            {
                "number": pd.Series(first, dtype=float),
                "word": pd.Series(words, dtype=object),
                "gappy": pd.Series(last, dtype=float),
            }
        )


def encode_columns(classifier: Any) -> Any:
    """A pipeline that picks columns by name."""
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["word"]),
        (SimpleImputer(add_indicator=False), ["number", "gappy"]),
    )
    return make_pipeline(columns, classifier)


def fit_ours(model: Any, problem: Problem, validated: bool, classes: Any = None) -> Any:
    classes = np.arange(problem.n_classes) if classes is None else classes
    data = (problem.table(problem.judges), classes[problem.y_judges]) if validated else None
    return model.fit(
        problem.table(problem.labeled),
        classes[problem.y],
        X_unlabeled=problem.table(problem.pool),
        validation_data=data,
    )


def check_round(model: Any, problem: Problem, used: naive.NaiveRound, told: naive.NaiveRound, classes: Any) -> None:
    """The pseudo-labels and the classifier of the best round; `told` is what the rows that are not used are told."""
    table = model.pseudo_labels_
    n_labeled = len(problem.labeled)
    np.testing.assert_array_equal(table["row"], n_labeled + np.arange(len(problem.pool)))
    np.testing.assert_array_equal(table["label"], classes[told.labels])
    np.testing.assert_array_equal(table["selected"], used.chosen)
    np.testing.assert_array_equal(table["round"], used.since)
    np.testing.assert_allclose(table["confidence"], told.confidences, **ROUNDED)
    np.testing.assert_allclose(table["raw_confidence"], told.raw_confidences, **ROUNDED)
    marker = -1 if classes.dtype.kind in "iu" else None
    expected = [marker if label is None else classes[label] for label in used.used]
    assert model.transduction_.tolist() == classes[problem.y].tolist() + expected
    np.testing.assert_array_equal(model.labeled_iter_, [0] * n_labeled + used.since)
    for rows in (problem.judges, problem.pool):
        X = problem.table(rows)
        np.testing.assert_allclose(model.predict_proba(X), used.classifier.predict_proba(X), **ROUNDED)


def check_run(model: Any, problem: Problem, twin: naive.NaiveResult, classes: Any = None) -> None:
    """Everything a fitted model tells about a run without inner splits."""
    classes = np.arange(problem.n_classes) if classes is None else classes
    assert model.termination_reason_ == twin.reason
    assert model.n_rounds_ == len(twin.rounds) - 1
    assert model.best_round_ == twin.best_round
    history = model.history_
    scores = [np.nan if one.score is None else one.score for one in twin.rounds]
    np.testing.assert_allclose(history["score"], scores, **ROUNDED)
    assert history["round"].tolist() == list(range(len(twin.rounds)))
    assert history["n_selected"].tolist() == [sum(one.chosen) for one in twin.rounds]
    assert history["n_changed"].tolist() == [one.n_changed for one in twin.rounds]
    told = twin.best if twin.best_round else twin.proposal
    assert told is not None
    check_round(model, problem, twin.best, told, classes)


def run_both(
    problem: Problem, estimator: Any, strategy: str, density: str | None, alpha: float, relabel: bool, validated: bool
) -> tuple[Any, naive.NaiveResult]:
    """Ours and the twin on the same rows."""
    member, phi, n_rounds = STRATEGIES[strategy]
    settings: dict[str, Any] = {"strategy": member, "relabel": relabel, "max_rounds": MAX_ROUNDS, "patience": PATIENCE}
    settings |= {"validation": None, "scoring": mean_probability, "random_state": 0}
    gamma = None
    if density is None:
        model = SelfTrainingClassifier(estimator, confidence=Raw(), **settings)
    else:
        member, scaling = DENSITIES[density]
        model = CASTClassifier(estimator, density=member, scaling=scaling, alpha=alpha, **settings)
        gamma = problem.gamma(member, scaling)
    twin = naive.self_train(
        estimator,
        problem.labeled,
        problem.y,
        problem.pool,
        phi,
        table=problem.table,
        n_classes=problem.n_classes,
        gamma=gamma,
        alpha=alpha,
        relabel=relabel,
        max_rounds=min(MAX_ROUNDS, n_rounds or MAX_ROUNDS),
        patience=PATIENCE,
        has_schedule=n_rounds is not None,
        judge=judge_by_probability(problem.judges, problem.y_judges, problem.table) if validated else None,
    )
    return model, twin


@pytest.mark.parametrize("relabel", [True, False], ids=["relabel", "keep"])
@pytest.mark.parametrize("strategy", ["fpl", "cpl", "all"])
@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.75, 1.0])
def test_numeric_table(density, alpha, strategy, relabel):
    # Which estimator, and whether with judges, changes from combination to combination.
    turn = list(STRATEGIES).index(strategy) + list(DENSITIES).index(density) + int(alpha * 4) + relabel
    names = list(ESTIMATORS)
    for seed, n_classes in [(1, 2), (2, 3)]:
        problem, validated = Problem(seed, n_classes), (turn + seed) % 2 == 0
        estimator = ESTIMATORS[names[(turn // 2 + seed) % 3]]
        model, twin = run_both(problem, estimator, strategy, density, alpha, relabel, validated)
        check_run(fit_ours(model, problem, validated), problem, twin)


@pytest.mark.parametrize("relabel", [True, False], ids=["relabel", "keep"])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("seed", range(3))
def test_raw_confidence(seed, strategy, relabel):
    problem = Problem(10 + seed, 2 + seed % 3)
    for name, validated in [("logistic", True), ("tree", False), ("bayes", True)]:
        model, twin = run_both(problem, ESTIMATORS[name], strategy, None, 0.0, relabel, validated)
        check_run(fit_ours(model, problem, validated), problem, twin)
        assert model.pseudo_labels_["density"].isna().all()


@pytest.mark.parametrize(
    ("density", "strategy", "alpha", "name", "relabel", "validated"),
    [
        ("likelihood, log", "fpl", 0.3, "tree", True, True),
        ("likelihood, log", "cpl", 0.75, "logistic", False, False),
        ("likelihood, log", "all", 1.0, "bayes", True, False),
        ("kernel, log", "cpl", 0.3, "logistic", True, True),
        ("kernel, log", "fpl", 0.3, "tree", False, False),
        ("kernel, density", "cpl", 0.75, "tree", True, False),
        ("kernel, density", "all", 0.3, "logistic", True, True),
    ],
)
def test_mixed_table_with_named_classes(density, strategy, alpha, name, relabel, validated):
    classes = np.array(["absent", "mild", "severe"])
    problem = MixedProblem(5, 3)
    model, twin = run_both(problem, encode_columns(ESTIMATORS[name]), strategy, density, alpha, relabel, validated)
    fit_ours(model, problem, validated, classes)
    check_run(model, problem, twin, classes)
    gamma = np.array(problem.gamma(*DENSITIES[density]))
    told = twin.best if twin.best_round else twin.proposal
    expected = gamma[np.arange(len(problem.pool)), told.labels]
    np.testing.assert_allclose(model.pseudo_labels_["density"], expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_runs_compared_differ_in_everything_compared(seed):
    """Not a test of ours but of these tests: alphas change labels and rows, and rounds after the first may win."""
    problem = Problem(seed, 3)
    used = set()
    for alpha in (0.0, 0.3, 0.75, 1.0):
        _, twin = run_both(problem, GaussianNB(), "cpl", "kernel, density", alpha, True, True)
        used.add(tuple(twin.rounds[1].used))
    assert len(used) > 1


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("seed", range(3))
def test_accuracy_where_rounds_tie(strategy, seed):
    """With a coarse score the first of the equally good rounds wins."""
    problem = Problem(20 + seed, 2)
    member, phi, n_rounds = STRATEGIES[strategy]
    estimator = ESTIMATORS["tree"]
    density, scaling = DENSITIES["likelihood, log"]
    model = CASTClassifier(
        estimator, density=density, alpha=0.5, strategy=member, max_rounds=MAX_ROUNDS, patience=PATIENCE, random_state=0
    )
    twin = naive.self_train(
        estimator,
        problem.labeled,
        problem.y,
        problem.pool,
        phi,
        table=problem.table,
        n_classes=2,
        gamma=problem.gamma(density, scaling),
        alpha=0.5,
        max_rounds=min(MAX_ROUNDS, n_rounds or MAX_ROUNDS),
        patience=PATIENCE,
        has_schedule=n_rounds is not None,
        judge=judge_by_accuracy(problem.judges, problem.y_judges, problem.table),
    )
    check_run(fit_ours(model, problem, True), problem, twin)


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("seed", range(3))
def test_search_by_cross_validation(density, seed):
    """Scores of every alpha and round, the chosen ones, and the final model trained on all labeled rows."""
    problem = Problem(30 + seed, 2 + seed % 2)
    member, scaling = DENSITIES[density]
    estimator = ESTIMATORS[["logistic", "tree", "bayes"][seed]]
    alphas, cv = [0.0, 0.3, 0.75], StratifiedKFold(3)
    model = CASTClassifier(
        estimator,
        density=member,
        scaling=scaling,
        alpha=alphas,
        validation=cv,
        scoring=mean_probability,
        random_state=0,
    )
    fit_ours(model, problem, validated=False)
    twin = naive.search_alpha(
        estimator,
        problem.labeled,
        problem.y,
        problem.pool,
        naive.curriculum(0.2),
        splits=list(cv.split(problem.labeled, problem.y)),
        alphas=alphas,
        make_gamma=lambda rows, y: problem.gamma(member, scaling, rows, y),
        make_judge=lambda rows, y: judge_by_probability(rows, y, problem.table),
        n_rounds=5,
        table=problem.table,
        n_classes=problem.n_classes,
    )
    tried = model.alpha_scores_
    assert tried["alpha"].tolist() == alphas
    assert tried["best_round"].tolist() == list(twin.best_rounds.values())
    best_scores = [np.mean(twin.scores[alpha][k]) for alpha, k in twin.best_rounds.items()]
    np.testing.assert_allclose(tried["score"], best_scores, **ROUNDED)
    assert model.alpha_ == twin.alpha
    assert tried.loc[tried["chosen"], "alpha"].tolist() == [twin.alpha]
    assert model.best_round_ == twin.best_rounds[twin.alpha]
    scores = np.array(twin.scores[twin.alpha])
    np.testing.assert_allclose(model.history_["score"], scores.mean(axis=1), **ROUNDED)
    np.testing.assert_allclose(model.history_["score_std_error"], scores.std(axis=1, ddof=1) / 3**0.5, rtol=1e-6)
    if model.best_round_:
        check_round(model, problem, twin.final, twin.final, np.arange(problem.n_classes))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("relabel", [True, False], ids=["relabel", "keep"])
@pytest.mark.parametrize("validated", [True, False], ids=["validated", "unvalidated"])
def test_alpha_0_is_raw_to_the_last_digit(strategy, relabel, validated):
    for seed, (density, scaling) in enumerate(DENSITIES.values()):
        problem = Problem(40 + seed, 3)
        member, _, _ = STRATEGIES[strategy]
        settings = {"strategy": member, "relabel": relabel, "validation": None, "random_state": 0}
        estimator = ESTIMATORS[["logistic", "tree", "bayes"][seed]]
        raw = fit_ours(SelfTrainingClassifier(estimator, **settings), problem, validated)
        aware = ClusterAware(density, alpha=0.0, scaling=scaling)
        for model in (
            SelfTrainingClassifier(estimator, confidence=aware, **settings),
            CASTClassifier(estimator, density=density, scaling=scaling, alpha=0, **settings),
        ):
            fit_ours(model, problem, validated)
            pd.testing.assert_frame_equal(model.history_, raw.history_)
            pd.testing.assert_frame_equal(
                model.pseudo_labels_.drop(columns="density"), raw.pseudo_labels_.drop(columns="density")
            )
            assert (model.best_round_, model.termination_reason_) == (raw.best_round_, raw.termination_reason_)
            np.testing.assert_array_equal(model.transduction_, raw.transduction_)
            X = problem.table(problem.judges)
            np.testing.assert_array_equal(model.predict_proba(X), raw.predict_proba(X))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_markers_in_y_or_rows_apart(strategy):
    """Rows shuffled with markers in y give what labeled rows and X_unlabeled give."""
    problem = Problem(50, 3)
    member, _, _ = STRATEGIES[strategy]
    model = CASTClassifier(GaussianNB(), alpha=0.4, strategy=member, validation=None, random_state=0)
    apart = fit_ours(model, problem, validated=True)
    X = np.array(problem.labeled + problem.pool)
    y = np.array(problem.y + [-1] * len(problem.pool))
    order = np.random.default_rng(0).permutation(len(y))
    judges = (problem.table(problem.judges), np.array(problem.y_judges))
    mixed = clone(model).fit(X[order], y[order], validation_data=judges)
    assert mixed.best_round_ == apart.best_round_
    np.testing.assert_array_equal(mixed.transduction_, apart.transduction_[order])
    np.testing.assert_array_equal(mixed.labeled_iter_, apart.labeled_iter_[order])
    np.testing.assert_allclose(mixed.predict_proba(X), apart.predict_proba(X), **ROUNDED)
    back = mixed.pseudo_labels_.assign(row=order[mixed.pseudo_labels_["row"]]).sort_values("row", ignore_index=True)
    np.testing.assert_array_equal(back["label"], apart.pseudo_labels_["label"])
    np.testing.assert_allclose(back["confidence"], apart.pseudo_labels_["confidence"], **ROUNDED)
