"""All diagnostics of a fitted classifier, from table to JSON."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tabcast import CASTClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.confidence import Chain, ClusterAware, TemperatureScaling
from tabcast.decisions import Threshold
from tabcast.density import ClassConditional, EmpiricalLikelihood
from tabcast.diagnostics import diagnose
from tabcast.diagnostics._case import Case
from tabcast.exceptions import NoUnlabeledRowsWarning, TabcastWarning
from tabcast.guard import GuardedClassifier
from tabcast.noise_filters import MahalanobisFilter
from tabcast.pseudo_labels import (
    FixedThreshold,
    FlexThreshold,
    PerClassCurriculum,
    PerClassThreshold,
    SelfAdaptiveThreshold,
    Strategy,
)
from tabcast.teachers import SelfTeacher
from tests.conftest import hide_labels

PER_CLASS = {
    "class", "n", "n_predicted", "recall", "recall_low", "recall_high", "precision", "precision_low", "precision_high",
    "supervised_recall", "supervised_low", "supervised_high",
}  # fmt: skip
KEYS = {
    "quality": {
        "classes", "confusion", "per_class", "accuracy", "accuracy_low", "accuracy_high", "balanced_accuracy",
        "balanced_accuracy_low", "balanced_accuracy_high", "supervised_accuracy", "supervised_balanced_accuracy",
        "n_rows",
    },
    "curves": {"areas", "roc", "precision_recall", "n_rows", "n_classes"},
    "thresholds": {"positive", "negative", "in_use", "counts", "n_rows"},
    "importance": {"columns", "whole", "n_rows", "n_repeats", "n_columns"},
    "class_prior": {"classes", "n_rows"},
    "cluster_assumption": {"deciles", "correlation", "p_value", "holds", "n_rows"},
    "class_overlap": {"classes", "matrix", "overlap"},
    "fisher_information": {"regions"},
    "covariate_shift": {"auc", "low", "high", "strength", "columns", "n_labeled", "n_unlabeled"},
    "selection_curve": {"thresholds", "alphas", "threshold", "never_n", "never_share"},
    "class_mix": {"classes", "labeled", "rounds"},
    "flipped_labels": {"n", "n_pool", "pairs", "rows"},
    "reliability": {"supervised", "self_trained", "kept"},
    "rows_to_label": {"rows"},
}  # fmt: skip
ROW_KEYS = {
    ("quality", "per_class"): PER_CLASS,
    ("curves", "areas"): {"class", "n", "proportion", "auc", "low", "high", "average_precision"},
    ("curves", "roc"): {"class", "false_positive_rate", "recall"},
    ("curves", "precision_recall"): {"class", "recall", "precision"},
    ("importance", "columns"): {"name", "importance", "low", "high"},
    ("class_prior", "classes"): {"class", "n", "proportion", "low", "high"},
    ("cluster_assumption", "deciles"): {"decile", "n", "density_low", "density_high", "accuracy", "low", "high"},
    ("fisher_information", "regions"): {"region", "n", "density_low", "density_high", "information", "low", "high"},
    ("covariate_shift", "columns"): {"name", "importance", "labeled", "unlabeled"},
    ("selection_curve", "thresholds"): {"threshold", "n", "share"},
    ("selection_curve", "alphas"): {"alpha", "n", "share"},
    ("class_mix", "rounds"): {"round", "n", "shares"},
    ("flipped_labels", "pairs"): {"from", "to", "n"},
    ("flipped_labels", "rows"): {"row", "raw_label", "label", "raw_confidence", "confidence", "density"},
    ("rows_to_label", "rows"): {"row", "score", "uncertainty", "representativeness", "likely", "why"},
}

CAST = CASTClassifier(LogisticRegression(), alpha=0.5, strategy=FixedThreshold(0.7), validation=None, max_rounds=1)
SOFT = SoftSelfTrainingClassifier(LogisticRegression(), teacher=SelfTeacher())
PLAIN = SelfTrainingClassifier(LogisticRegression(), validation=None, max_rounds=2)


def three_classes(n=300, keep=60, spread=2.0, seed=0):
    X, truth = make_blobs(n, n_features=4, centers=3, cluster_std=spread, center_box=(-4, 4), random_state=seed)
    names = np.array(["red", "green", "blue"], dtype=object)
    return X, hide_labels(names[truth], keep, seed, marker=None)


def guard(classifier, X, y, **more):
    return GuardedClassifier(classifier, n_repeats=1, n_splits=4, random_state=0).fit(X, y, **more)


@pytest.fixture(scope="module")
def cast_case():
    X, y = three_classes()
    return guard(CAST, X, y), X, y


def check_keys(found):
    """Exactly the promised keys, at every level; and nothing that JSON does not know."""
    assert set(found) == set(KEYS)
    for name, value in found.items():
        assert value is None or set(value) == KEYS[name]
    for (name, inner), keys in ROW_KEYS.items():
        for row in (found[name] or {}).get(inner) or []:
            assert set(row) == keys
    for model in found["reliability"].values():
        assert set(model) == {"bins", "ece", "log_loss"}
        assert all(set(row) == {"confidence", "accuracy", "low", "high", "n"} for row in model["bins"])
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize("classifier", [CAST, SOFT, PLAIN], ids=["cast", "soft", "plain"])
def test_every_method_gives_the_promised_keys(classifier):
    X, y = three_classes()
    found = diagnose(guard(classifier, X, y), X, y).to_dict()
    check_keys(found)
    assert (found["selection_curve"]["alphas"] is None) == (classifier is not CAST)
    assert (found["flipped_labels"] is None) == (classifier is PLAIN)
    assert found["class_overlap"]["classes"] == ["blue", "green", "red"]
    assert found["cluster_assumption"]["n_rows"] == 60
    assert found["class_mix"]["rounds"][0]["n"] > 0


def test_quality_is_that_of_the_model_that_was_kept(cast_case):
    guarded, X, y = cast_case
    found, out_of_fold = diagnose(guarded, X, y), guarded.out_of_fold_
    assert found.quality.accuracy == (out_of_fold.kept_labels == out_of_fold.codes).mean()
    assert found.quality.confusion.sum() == found.quality.n_rows == found.importance.n_rows == len(out_of_fold.rows)
    assert found.thresholds is None  # three classes
    kept = found.reliability.kept
    other = found.reliability.supervised if guarded.chosen_ == "supervised" else found.reliability.self_trained
    assert (kept.ece, kept.log_loss) == (other.ece, other.log_loss)
    if guarded.chosen_ == "supervised":
        assert found.quality.per_class["recall"].tolist() == found.quality.per_class["supervised_recall"].tolist()


def test_two_classes_have_the_threshold_of_the_decision():
    X, y = three_classes()
    y[y == "blue"] = None
    guarded = GuardedClassifier(PLAIN, n_repeats=1, n_splits=3, random_state=0, decision=Threshold(0.25)).fit(X, y)
    found = diagnose(guarded, X, y)
    assert (found.thresholds.negative, found.thresholds.positive) == ("green", "red")
    assert found.thresholds.in_use == pytest.approx(0.25, abs=1e-6)
    at = found.thresholds.counts.set_index("threshold").loc[0.25]
    # Green and red, true classes by rows, are counted at the threshold in use.
    assert (
        found.quality.confusion.ravel().tolist()
        == at[["true_negatives", "false_positives", "false_negatives", "true_positives"]].tolist()
    )


class NeedsNames(LogisticRegression):
    """Fits classes that have names, nothing else."""

    def fit(self, X, y, sample_weight=None):
        if np.asarray(y).dtype.kind in "iu" and len(y) < 60:
            raise RuntimeError("names, please")
        return super().fit(X, y, sample_weight)


def test_a_model_that_cannot_be_fitted_again_has_no_importance_and_a_warning(cast_case):
    guarded, X, y = cast_case
    case = replace(Case.read(guarded, X, y, None, 0), supervised=NeedsNames())
    with pytest.warns(TabcastWarning, match=r"importance of columns is left out.*RuntimeError: names, please"):
        assert case.importance() is None


def test_the_same_seed_gives_the_same_answer(cast_case):
    one, again = (diagnose(*cast_case, random_state=1).to_dict() for _ in range(2))
    assert one == again


def test_densities_of_held_out_rows_come_from_the_other_folds(cast_case):
    guarded, X, y = cast_case
    case = Case.read(guarded, X, y, None, 0)
    found, out_of_fold = case.held_out_density(), guarded.out_of_fold_
    for fold in np.unique(out_of_fold.folds):
        train, rows = out_of_fold.train(fold), out_of_fold.rows[out_of_fold.folds == fold]
        assert not set(train) & set(rows)
        twin = ClassConditional(EmpiricalLikelihood()).fit(X[train], case.codes[train], classes=np.arange(3))
        assert found.log_density[out_of_fold.folds == fold] == pytest.approx(twin.score_samples(X[rows]))
    assert found.gamma.min() >= 0
    assert found.gamma.max() <= 1


def test_selection_is_that_of_the_method(cast_case):
    guarded, X, y = cast_case
    model, case = guarded.self_trained_, Case.read(guarded, X, y, None, 0)
    table = model.pseudo_labels_
    labels = np.searchsorted(model.classes_, table["label"].to_numpy())
    assert case.parts.confidence.gamma[np.arange(len(table)), labels] == pytest.approx(table["density"].to_numpy())
    curve = diagnose(guarded, X, y).selection_curve
    assert curve.threshold == 0.7
    n_used = int(table["selected"].sum())
    assert n_used > 0
    assert curve.thresholds.set_index("threshold")["n"].loc[0.7] == n_used
    assert curve.alphas.set_index("alpha")["n"].loc[0.5] == n_used  # made in round 1, by the supervised model
    assert 0 < curve.never_n < len(table)
    assert not table["selected"][case.parts.confidence.gamma.max(axis=1) < 0.4].any()
    assert curve.never_n == (case.parts.confidence.gamma.max(axis=1) < 0.4).sum()  # 0.5 * 0.4 + 0.5 = 0.7


def test_a_schedule_reports_the_confidence_that_was_enough():
    X, y = three_classes()
    cast = CASTClassifier(LogisticRegression(), alpha=0.5, validation=None, max_rounds=1)
    guarded = guard(cast, X, y)
    table = guarded.self_trained_.pseudo_labels_
    curve = diagnose(guarded, X, y).selection_curve
    assert curve.threshold == table.loc[table["selected"], "confidence"].min()
    assert curve.never_n == 0


def no_round_is_better(estimator, X, y):
    return 0.0


def test_where_the_supervised_model_won_the_first_round_is_described():
    X, y = three_classes()
    cast = CASTClassifier(LogisticRegression(), alpha=0.5, validation=0.3, scoring=no_round_is_better, random_state=3)
    guarded = guard(cast, X, y)
    assert guarded.self_trained_.best_round_ == 0
    curve = diagnose(guarded, X, y).selection_curve
    confidence = guarded.self_trained_.pseudo_labels_["confidence"]
    assert (confidence >= curve.threshold).mean() == pytest.approx(0.2, abs=0.02)


class EverySecondRow(Strategy):
    """A plug-in that diagnose knows nothing about."""

    def select(self, confidence, round_number):
        return np.arange(len(confidence)) % 2 == 0


@pytest.mark.parametrize(
    "strategy",
    [FlexThreshold(0.8), SelfAdaptiveThreshold(), PerClassCurriculum(), EverySecondRow()],
    ids=lambda strategy: type(strategy).__name__,
)
@pytest.mark.parametrize("scoring", [None, no_round_is_better])
def test_strategies_without_a_fixed_threshold(strategy, scoring):
    X, y = three_classes()
    plain = SelfTrainingClassifier(
        LogisticRegression(), strategy=strategy, validation=0.3, max_rounds=2, scoring=scoring, random_state=0
    )
    guarded = guard(plain, X, y)
    curve = diagnose(guarded, X, y).selection_curve
    table = guarded.self_trained_.pseudo_labels_
    if guarded.self_trained_.best_round_ > 0:
        assert curve.threshold == table.loc[table["selected"], "confidence"].min()
    else:
        assert table["confidence"].min() <= curve.threshold <= table["confidence"].max()
    assert curve.never_n == 0


def test_thresholds_per_class_refuse_what_no_class_can_reach():
    X, y = three_classes()
    strategy = PerClassThreshold([0.95, 0.7, 0.8])
    cast = CASTClassifier(LogisticRegression(), alpha=0.5, strategy=strategy, validation=None, max_rounds=1)
    guarded = guard(cast, X, y)
    gamma = guarded.self_trained_.parts_.confidence.gamma
    assert diagnose(guarded, X, y).selection_curve.never_n == (0.5 * gamma.max(axis=1) + 0.5 < 0.7).sum() > 0


def test_a_calibrated_density_is_that_of_the_method():
    X, y = three_classes()
    confidence = Chain([TemperatureScaling(), ClusterAware(EmpiricalLikelihood(), alpha=0.5)])
    strategy = FixedThreshold(0.7)
    chained = SelfTrainingClassifier(
        LogisticRegression(), confidence=confidence, strategy=strategy, validation=0.3, max_rounds=1, random_state=0
    )
    guarded = guard(chained, X, y)
    found, gamma = diagnose(guarded, X, y), guarded.self_trained_.parts_.confidence.gamma
    assert found.selection_curve.alphas is None  # the temperature would be another with each alpha
    assert found.selection_curve.never_n == (gamma.max(axis=1) < 0.4).sum() > 0
    assert found.flipped_labels is not None


def test_rows_that_the_noise_filter_refuses_can_never_pass():
    X, y = three_classes()
    strict = MahalanobisFilter(max_ratio=0.5)  # a row halfway between two classes may be of neither
    cast = CASTClassifier(LogisticRegression(), alpha=0.2, noise_filter=strict, validation=None, max_rounds=1)
    guarded, unlabeled = guard(cast, X, y), pd.isna(y)
    codes = np.searchsorted(guarded.classes_, y[~unlabeled].astype(str))
    distances = np.sort(strict.fit(X[~unlabeled], codes).distances(X[unlabeled]), axis=1)
    halfway = int((distances[:, 0] > 0.5 * distances[:, 1]).sum())
    assert 0 < halfway < unlabeled.sum()
    assert diagnose(guarded, X, y).selection_curve.never_n == halfway


def cores_and_ring(broken, seed, n_labeled=260, n_unlabeled=400):
    """Half the rows in dense cores, half in a wide ring. The class is clear in the cores and a coin in the ring;
    broken: a coin in the (one) core and clear in the ring."""
    random = np.random.default_rng(seed)
    n = n_labeled + n_unlabeled
    inside, side, coin = random.random(n) < 0.5, random.integers(0, 2, n), random.integers(0, 2, n)
    angle, radius = random.uniform(0, 2 * np.pi, n), random.uniform(4, 9, n)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * radius[:, None]
    core = random.normal(size=(n, 2)) * 0.7 + (0 if broken else np.where(side, 2, -2)[:, None])
    X = np.where(inside[:, None], core, ring)
    truth = np.where(inside, coin, X[:, 0] > 0) if broken else np.where(inside, side, coin)
    return X, np.where(np.arange(n) < n_labeled, truth, -1)


@pytest.mark.parametrize(("broken", "word"), [(False, "yes"), (True, "no")])
def test_the_cluster_assumption_on_problems_made_to_keep_and_to_break_it(broken, word):
    said = []
    for seed in range(4):
        X, y = cores_and_ring(broken, seed)
        plain = SelfTrainingClassifier(KNeighborsClassifier(7), validation=None, max_rounds=1)
        found = diagnose(guard(plain, X, y), X, y)
        said.append(found.cluster_assumption.holds)
        regions = found.fisher_information.regions.set_index("region")["information"]
        assert (regions["dense"] > regions["sparse"]) == (not broken)
    assert said.count(word) >= 3
    assert {"yes", "no"} - {word} - set(said)


def test_mixed_tables_with_text_labels(mixed_table):
    frame, truth = mixed_table
    y = pd.Series(hide_labels(truth, 60, 0, marker=None))
    found = diagnose(guard(SelfTrainingClassifier(validation=None, max_rounds=1), frame, y), frame, y)
    check_keys(found.to_dict())
    assert found.covariate_shift.strength == "none"
    assert set(found.rows_to_label.rows["row"]) <= set(np.flatnonzero(y.isna()))


@pytest.mark.parametrize("classifier", [CAST, SOFT, PLAIN], ids=["cast", "soft", "plain"])
@pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")
def test_two_labeled_rows_a_class(classifier):
    X, y = three_classes(n=40, keep=6)
    check_keys(
        diagnose(GuardedClassifier(classifier, n_repeats=2, n_splits=2, random_state=0).fit(X, y), X, y).to_dict()
    )


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [2.0, 3.0], ["no", "yes"]])
def test_labels_of_any_kind_are_plain_in_json(labels):
    X, truth = make_blobs(80, centers=2, random_state=0)
    y = np.array(labels, dtype=object)[truth]
    y[20:] = None
    tree = SelfTrainingClassifier(DecisionTreeClassifier(max_depth=2), validation=None, max_rounds=1)
    found = diagnose(guard(tree, X, y), X, y).to_dict()
    check_keys(found)
    assert found["class_mix"]["classes"] == labels
    assert found["rows_to_label"] == {"rows": []} or found["rows_to_label"]["rows"][0]["likely"][0]["label"] in labels


def test_a_second_table_of_unlabeled_rows_is_the_same_as_one_table():
    X, y = three_classes()
    known = ~pd.isna(y)
    X_both = np.vstack([X[known], X[~known]])
    y_both = np.concatenate([y[known], y[~known]])
    apart = diagnose(guard(CAST, X[known], y[known], X_unlabeled=X[~known]), X[known], y[known], X_unlabeled=X[~known])
    assert apart.to_dict() == diagnose(guard(CAST, X_both, y_both), X_both, y_both).to_dict()


def test_without_unlabeled_rows_only_the_held_out_questions_are_answered():
    X, truth = make_blobs(60, centers=2, cluster_std=4, random_state=0)
    with pytest.warns(NoUnlabeledRowsWarning):
        guarded = guard(PLAIN, X, truth)
    found = diagnose(guarded, X, truth).to_dict()
    check_keys(found)
    for name in ("covariate_shift", "selection_curve", "class_mix", "flipped_labels", "rows_to_label"):
        assert found[name] is None
    assert found["cluster_assumption"]["n_rows"] == 60


def test_another_table_than_that_of_fit_is_refused(cast_case):
    guarded, X, y = cast_case
    with pytest.raises(ValueError, match="must be what the classifier was fitted on: it knows 300 rows, 240 of them"):
        diagnose(guarded, X[:200], y[:200])
    other = y.copy()
    other[np.flatnonzero(pd.isna(y))[0]] = "red"
    with pytest.raises(ValueError, match="got 300 rows, 239 of them unlabeled"):
        diagnose(guarded, X, other)
    with pytest.raises(TypeError, match="must be a fitted GuardedClassifier; got CASTClassifier"):
        diagnose(guarded.self_trained_, X, y)


def test_models_that_need_encoded_tables(mixed_table):
    xgboost = pytest.importorskip("xgboost")
    frame, truth = mixed_table
    y = hide_labels(truth, 50, 1, marker=None)
    model = xgboost.XGBClassifier(n_estimators=10, max_depth=2, n_jobs=1)
    cast = CASTClassifier(model, alpha=0.4, validation=None, max_rounds=1)
    check_keys(diagnose(guard(cast, frame, y), frame, y).to_dict())


# Some of the unlabeled rows


@pytest.mark.parametrize(
    "classifier",
    [
        CAST,
        pytest.param(SOFT, marks=pytest.mark.slow),
        pytest.param(PLAIN, marks=pytest.mark.slow),
    ],
    ids=["cast", "soft", "plain"],
)
def test_a_sample_of_the_pool_is_looked_at(classifier):
    X, y = three_classes()
    guarded = guard(classifier, X, y)
    found, whole = diagnose(guarded, X, y, judge_rows=50), diagnose(guarded, X, y, judge_rows=None)
    check_keys(found.to_dict())
    assert found.selection_curve.thresholds["n"][0] == 50
    assert set(found.rows_to_label.rows["row"]) <= set(np.flatnonzero(pd.isna(y)))
    if found.flipped_labels is not None:
        assert found.flipped_labels.n_pool == 50
        assert found.flipped_labels.n <= whole.flipped_labels.n
    if found.selection_curve.alphas is not None:
        assert (found.selection_curve.alphas["n"] <= 50).all()
    assert found.quality.to_dict() == whole.quality.to_dict()
    again = diagnose(guarded, X, y, judge_rows=240)  # as many rows as there are
    assert again.to_dict() == whole.to_dict() == diagnose(guarded, X, y).to_dict()


def test_rows_that_did_not_train_are_not_looked_at():
    X, y = three_classes()
    guarded = GuardedClassifier(CAST, n_repeats=1, n_splits=4, random_state=0, judge_rows=60, max_pool=80).fit(X, y)
    found = diagnose(guarded, X, y)
    assert found.selection_curve.thresholds["n"][0] == 80
    assert set(found.rows_to_label.rows["row"]) <= set(guarded.self_trained_.pseudo_labels_["row"])
    with pytest.raises(ValueError, match="it knows 300 rows, 240 of them unlabeled"):
        diagnose(guarded, X[:-1], y[:-1])


def test_a_number_of_rows_is_needed(cast_case):
    guarded, X, y = cast_case
    with pytest.raises(ValueError, match="`judge_rows` of diagnose must be an integer of at least 1"):
        diagnose(guarded, X, y, judge_rows=0)
