"""The loop gives what the reference implementation of Algorithm 1 gives."""

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

from . import reference_loop

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")  # six labeled rows per class

# Probabilities predicted row by row may be rounded differently from those predicted for all rows at once.
ROUNDED = {"rtol": 1e-9, "atol": 1e-12}

ESTIMATORS = {
    "logistic": LogisticRegression(max_iter=1000),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "bayes": GaussianNB(),
}
STRATEGIES = {  # ours, the reference, rounds of its schedule
    "fpl": (FixedThreshold(0.6), reference_loop.fixed_threshold(0.6), None),
    "strict fpl": (FixedThreshold(0.75, strict=True), reference_loop.fixed_threshold(0.75, strict=True), None),
    "cpl": (Curriculum(0.2), reference_loop.curriculum(0.2), 5),
    "uneven cpl": (Curriculum(0.3), reference_loop.curriculum(0.3), 4),
    "all": (TakeAll(), reference_loop.take_all, None),
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


def score_by_probability(rows: list[Any], y: list[int], table: reference_loop.Table) -> Callable[[Any], float]:
    """The same, one row at a time."""

    def score(classifier: Any) -> float:
        total = 0.0
        for x, label in zip(rows, y, strict=True):
            total += classifier.predict_proba(table([x]))[0][label]
        return total / len(rows)

    return score


def score_by_accuracy(rows: list[Any], y: list[int], table: reference_loop.Table) -> Callable[[Any], float]:
    """Accuracy, one row at a time."""

    def score(classifier: Any) -> float:
        right = 0
        for x, label in zip(rows, y, strict=True):
            right += classifier.predict(table([x]))[0] == label
        return right / len(rows)

    return score


class Problem:
    """Few labeled rows, a pool and held-out rows; as lists for the reference, as tables for ours."""

    def __init__(self, seed: int, n_classes: int, table: reference_loop.Table = np.array) -> None:
        rng = np.random.default_rng(seed)
        centers = rng.normal(size=(n_classes, 3)) * 1.5
        X, y = make_blobs(12 * n_classes + 12, 3, centers=centers, random_state=seed)
        first = np.sort(np.concatenate([np.flatnonzero(y == c)[:6] for c in range(n_classes)]))  # six labeled per class
        others = np.setdiff1d(np.arange(len(y)), first)
        held_out, pool = others[:8], others[8:]
        self.table, self.n_classes = table, n_classes
        rows = [self.describe(x) for x in X]
        self.labeled, self.y = [rows[i] for i in first], y[first].tolist()
        self.held_out, self.y_held_out = [rows[i] for i in held_out], y[held_out].tolist()
        self.pool = [rows[i] for i in pool]

    def describe(self, x: Any) -> list[Any]:
        return x.tolist()

    def gamma(self, density: Any, scaling: str, rows: list[Any] | None = None, y: list[int] | None = None) -> Any:
        rows, y = rows or self.labeled, y or self.y
        fitted = ClassConditional(density).fit(self.table(rows), y, classes=np.arange(self.n_classes))
        return reference_loop.cache_gamma(fitted, self.pool, self.table, scaling)


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
                "incomplete": pd.Series(last, dtype=float),
            }
        )


def encode_columns(classifier: Any) -> Any:
    """A pipeline that picks columns by name."""
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["word"]),
        (SimpleImputer(add_indicator=False), ["number", "incomplete"]),
    )
    return make_pipeline(columns, classifier)


def fit_ours(model: Any, problem: Problem, validated: bool, classes: Any = None) -> Any:
    classes = np.arange(problem.n_classes) if classes is None else classes
    data = (problem.table(problem.held_out), classes[problem.y_held_out]) if validated else None
    return model.fit(
        problem.table(problem.labeled),
        classes[problem.y],
        X_unlabeled=problem.table(problem.pool),
        validation_data=data,
    )


def check_round(
    model: Any, problem: Problem, used: reference_loop.Round, proposed: reference_loop.Round, classes: Any
) -> None:
    """Pseudo-labels and classifier of the best round; `proposed` has the labels of rows that are not used, too."""
    table = model.pseudo_labels_
    n_labeled = len(problem.labeled)
    np.testing.assert_array_equal(table["row"], n_labeled + np.arange(len(problem.pool)))
    np.testing.assert_array_equal(table["label"], classes[proposed.labels])
    np.testing.assert_array_equal(table["selected"], used.chosen)
    np.testing.assert_array_equal(table["round"], used.since)
    np.testing.assert_allclose(table["confidence"], proposed.confidences, **ROUNDED)
    np.testing.assert_allclose(table["raw_confidence"], proposed.raw_confidences, **ROUNDED)
    marker = -1 if classes.dtype.kind in "iu" else None
    expected = [marker if label is None else classes[label] for label in used.used]
    assert model.transduction_.tolist() == classes[problem.y].tolist() + expected
    np.testing.assert_array_equal(model.labeled_iter_, [0] * n_labeled + used.since)
    for rows in (problem.held_out, problem.pool):
        X = problem.table(rows)
        np.testing.assert_allclose(model.predict_proba(X), used.classifier.predict_proba(X), **ROUNDED)


def check_run(model: Any, problem: Problem, reference: reference_loop.Result, classes: Any = None) -> None:
    """All fitted attributes that describe a run without inner splits."""
    classes = np.arange(problem.n_classes) if classes is None else classes
    assert model.termination_reason_ == reference.reason
    assert model.n_rounds_ == len(reference.rounds) - 1
    assert model.best_round_ == reference.best_round
    history = model.history_
    scores = [np.nan if one.score is None else one.score for one in reference.rounds]
    np.testing.assert_allclose(history["score"], scores, **ROUNDED)
    assert history["round"].tolist() == list(range(len(reference.rounds)))
    assert history["n_selected"].tolist() == [sum(one.chosen) for one in reference.rounds]
    assert history["n_changed"].tolist() == [one.n_changed for one in reference.rounds]
    proposed = reference.best if reference.best_round else reference.proposal
    assert proposed is not None
    check_round(model, problem, reference.best, proposed, classes)


def run_both(
    problem: Problem, estimator: Any, strategy: str, density: str | None, alpha: float, relabel: bool, validated: bool
) -> tuple[Any, reference_loop.Result]:
    """Ours and the reference on the same rows."""
    member, phi, n_rounds = STRATEGIES[strategy]
    settings: dict[str, Any] = {"strategy": member, "relabel": relabel, "max_rounds": MAX_ROUNDS, "patience": PATIENCE}
    settings |= {"validation": None, "scoring": mean_probability, "random_state": 0}
    gamma = None
    if density is None:
        model = SelfTrainingClassifier(estimator, confidence=Raw(), **settings)
    else:
        member, scaling = DENSITIES[density]
        aware = ClusterAware(member, alpha=alpha, scaling=scaling)
        model = SelfTrainingClassifier(estimator, confidence=aware, **settings)
        gamma = problem.gamma(member, scaling)
    reference = reference_loop.self_train(
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
        score=score_by_probability(problem.held_out, problem.y_held_out, problem.table) if validated else None,
    )
    return model, reference


@pytest.mark.parametrize("relabel", [True, False], ids=["relabel", "keep"])
@pytest.mark.parametrize("strategy", ["fpl", "cpl", "all"])
@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.75, 1.0])
def test_numeric_table(density, alpha, strategy, relabel):
    # The estimator, and whether there are held-out rows, vary from combination to combination.
    turn = list(STRATEGIES).index(strategy) + list(DENSITIES).index(density) + int(alpha * 4) + relabel
    names = list(ESTIMATORS)
    for seed, n_classes in [(1, 2), (2, 3)]:
        problem, validated = Problem(seed, n_classes), (turn + seed) % 2 == 0
        estimator = ESTIMATORS[names[(turn // 2 + seed) % 3]]
        model, reference = run_both(problem, estimator, strategy, density, alpha, relabel, validated)
        check_run(fit_ours(model, problem, validated), problem, reference)


@pytest.mark.parametrize("relabel", [True, False], ids=["relabel", "keep"])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("seed", range(3))
def test_raw_confidence(seed, strategy, relabel):
    problem = Problem(10 + seed, 2 + seed % 3)
    for name, validated in [("logistic", True), ("tree", False), ("bayes", True)]:
        model, reference = run_both(problem, ESTIMATORS[name], strategy, None, 0.0, relabel, validated)
        check_run(fit_ours(model, problem, validated), problem, reference)
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
    model, reference = run_both(problem, encode_columns(ESTIMATORS[name]), strategy, density, alpha, relabel, validated)
    fit_ours(model, problem, validated, classes)
    check_run(model, problem, reference, classes)
    gamma = np.array(problem.gamma(*DENSITIES[density]))
    proposed = reference.best if reference.best_round else reference.proposal
    expected = gamma[np.arange(len(problem.pool)), proposed.labels]
    np.testing.assert_allclose(model.pseudo_labels_["density"], expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_alphas_change_the_runs_that_are_compared(seed):
    """A check of these tests: different alphas select different rows or labels."""
    problem = Problem(seed, 3)
    used = set()
    for alpha in (0.0, 0.3, 0.75, 1.0):
        _, reference = run_both(problem, GaussianNB(), "cpl", "kernel, density", alpha, True, True)
        used.add(tuple(reference.rounds[1].used))
    assert len(used) > 1


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("seed", range(3))
def test_first_of_tied_rounds_wins(strategy, seed):
    """Accuracy is a coarse score: many rounds tie."""
    problem = Problem(20 + seed, 2)
    member, phi, n_rounds = STRATEGIES[strategy]
    estimator = ESTIMATORS["tree"]
    density, scaling = DENSITIES["likelihood, log"]
    model = CASTClassifier(
        estimator, density=density, alpha=0.5, strategy=member, max_rounds=MAX_ROUNDS, random_state=0
    )
    reference = reference_loop.self_train(
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
        score=score_by_accuracy(problem.held_out, problem.y_held_out, problem.table),
    )
    check_run(fit_ours(model, problem, True), problem, reference)


@pytest.mark.parametrize("density", ["likelihood, log", "kernel, log"])
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
        alpha=alphas,
        validation=cv,
        scoring=mean_probability,
        random_state=0,
    )
    fit_ours(model, problem, validated=False)
    reference = reference_loop.search_alpha(
        estimator,
        problem.labeled,
        problem.y,
        problem.pool,
        reference_loop.curriculum(0.2),
        splits=list(cv.split(problem.labeled, problem.y)),
        alphas=alphas,
        make_gamma=lambda rows, y: problem.gamma(member, scaling, rows, y),
        make_score=lambda rows, y: score_by_probability(rows, y, problem.table),
        n_rounds=5,
        table=problem.table,
        n_classes=problem.n_classes,
    )
    tried = model.alpha_scores_
    assert tried["alpha"].tolist() == alphas
    assert tried["best_round"].tolist() == list(reference.best_rounds.values())
    best_scores = [np.mean(reference.scores[alpha][k]) for alpha, k in reference.best_rounds.items()]
    np.testing.assert_allclose(tried["score"], best_scores, **ROUNDED)
    assert model.alpha_ == reference.alpha
    assert tried.loc[tried["chosen"], "alpha"].tolist() == [reference.alpha]
    assert model.best_round_ == reference.best_rounds[reference.alpha]
    scores = np.array(reference.scores[reference.alpha])
    np.testing.assert_allclose(model.history_["score"], scores.mean(axis=1), **ROUNDED)
    np.testing.assert_allclose(model.history_["score_std_error"], scores.std(axis=1, ddof=1) / 3**0.5, rtol=1e-6)
    if model.best_round_:
        check_round(model, problem, reference.final, reference.final, np.arange(problem.n_classes))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("relabel", [True, False], ids=["relabel", "keep"])
@pytest.mark.parametrize("validated", [True, False], ids=["validated", "unvalidated"])
def test_alpha_0_equals_raw_confidence_exactly(strategy, relabel, validated):
    for seed, (density, scaling) in enumerate(DENSITIES.values()):
        problem = Problem(40 + seed, 3)
        member, _, _ = STRATEGIES[strategy]
        settings = {"strategy": member, "relabel": relabel, "validation": None, "random_state": 0}
        estimator = ESTIMATORS[["logistic", "tree", "bayes"][seed]]
        raw = fit_ours(SelfTrainingClassifier(estimator, **settings), problem, validated)
        aware = ClusterAware(density, alpha=0.0, scaling=scaling)
        model = fit_ours(SelfTrainingClassifier(estimator, confidence=aware, **settings), problem, validated)
        pd.testing.assert_frame_equal(model.history_, raw.history_)
        pd.testing.assert_frame_equal(
            model.pseudo_labels_.drop(columns="density"), raw.pseudo_labels_.drop(columns="density")
        )
        assert (model.best_round_, model.termination_reason_) == (raw.best_round_, raw.termination_reason_)
        np.testing.assert_array_equal(model.transduction_, raw.transduction_)
        X = problem.table(problem.held_out)
        np.testing.assert_array_equal(model.predict_proba(X), raw.predict_proba(X))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_markers_in_y_equal_a_separate_pool(strategy):
    """Rows shuffled with markers in y give what labeled rows and X_unlabeled give."""
    problem = Problem(50, 3)
    member, _, _ = STRATEGIES[strategy]
    model = CASTClassifier(GaussianNB(), alpha=0.4, strategy=member, validation=None, random_state=0)
    apart = fit_ours(model, problem, validated=True)
    X = np.array(problem.labeled + problem.pool)
    y = np.array(problem.y + [-1] * len(problem.pool))
    order = np.random.default_rng(0).permutation(len(y))
    held_out = (problem.table(problem.held_out), np.array(problem.y_held_out))
    mixed = clone(model).fit(X[order], y[order], validation_data=held_out)
    assert mixed.best_round_ == apart.best_round_
    np.testing.assert_array_equal(mixed.transduction_, apart.transduction_[order])
    np.testing.assert_array_equal(mixed.labeled_iter_, apart.labeled_iter_[order])
    np.testing.assert_allclose(mixed.predict_proba(X), apart.predict_proba(X), **ROUNDED)
    back = mixed.pseudo_labels_.assign(row=order[mixed.pseudo_labels_["row"]]).sort_values("row", ignore_index=True)
    np.testing.assert_array_equal(back["label"], apart.pseudo_labels_["label"])
    np.testing.assert_allclose(back["confidence"], apart.pseudo_labels_["confidence"], **ROUNDED)
