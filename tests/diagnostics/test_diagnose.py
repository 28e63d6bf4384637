"""All diagnostics of a fitted classifier, from table to JSON."""

import json
import re
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from tabcast import CASTClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.decisions import Threshold
from tabcast.diagnostics import Diagnostics, diagnose
from tabcast.exceptions import NoUnlabeledRowsWarning
from tabcast.guard import GuardedClassifier
from tabcast.pseudo_labels import FixedThreshold
from tabcast.teachers import SelfTeacher
from tests.conftest import hide_labels

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


def check_plain(found):
    """All questions, and nothing that JSON does not know."""
    assert set(found) == {field.name for field in fields(Diagnostics)}
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize("classifier", [CAST, SOFT, PLAIN], ids=["cast", "soft", "plain"])
def test_every_method_answers_in_plain_json(classifier):
    X, y = three_classes()
    found = diagnose(guard(classifier, X, y), X, y).to_dict()
    check_plain(found)
    assert found["quality"]["classes"] == ["blue", "green", "red"]
    assert found["quality"]["n_rows"] == 60


def test_answers_are_read_without_print(cast_case):
    shown = repr(diagnose(*cast_case))
    assert shown.startswith(
        "Diagnostics(decisions=<DataFrame of 3 rows>, thresholds=None, n_chosen=0)\n    quality: Quality(classes="
    )
    assert re.search(
        r"\n    reliability: Reliability\(\)\n        supervised: ModelReliability\(.*, ece=0\.\d+,", shown
    )
    assert len(shown) < 2_000


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


class NeedsWords(LogisticRegression):
    """Fits only where a parameter of `fit` is given."""

    def fit(self, X, y, *, words):
        self.words_ = words
        return super().fit(X, y)


def test_a_model_that_needs_fit_parameters_has_importance(cast_case):
    _, X, y = cast_case
    guarded = GuardedClassifier(CASTClassifier(NeedsWords(), alpha=0.5), n_splits=3, random_state=0)
    found = diagnose(guarded.fit(X, y, words="please"), X, y)
    assert found.importance.n_rows == found.quality.n_rows
    assert found.importance.columns["importance"].max() > 0.1


def test_the_same_seed_gives_the_same_answer(cast_case):
    one, again = (diagnose(*cast_case, random_state=1).to_dict() for _ in range(2))
    assert one == again


def test_mixed_tables_with_text_labels(mixed_table):
    frame, truth = mixed_table
    y = pd.Series(hide_labels(truth, 60, 0, marker=None))
    found = diagnose(guard(SelfTrainingClassifier(validation=None, max_rounds=1), frame, y), frame, y)
    check_plain(found.to_dict())
    assert found.covariate_shift.strength == "none"


@pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")
def test_two_labeled_rows_per_class():
    X, y = three_classes(n=40, keep=6)
    guarded = GuardedClassifier(CAST, n_repeats=2, n_splits=2, random_state=0).fit(X, y)
    check_plain(diagnose(guarded, X, y).to_dict())


@pytest.mark.parametrize("labels", [[False, True], [2.0, 3.0]])
def test_labels_of_any_kind_are_plain_in_json(labels):
    X, truth = make_blobs(80, centers=2, random_state=0)
    y = np.array(labels, dtype=object)[truth]
    y[20:] = None
    tree = SelfTrainingClassifier(DecisionTreeClassifier(max_depth=2), validation=None, max_rounds=1)
    found = diagnose(guard(tree, X, y), X, y).to_dict()
    check_plain(found)
    assert found["quality"]["classes"] == labels


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
    check_plain(found)
    assert found["covariate_shift"] is None


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
    check_plain(diagnose(guard(cast, frame, y), frame, y).to_dict())
