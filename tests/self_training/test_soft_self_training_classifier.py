"""Soft self-training: soft labels, fits, fitted attributes and bad parameters."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tabcast import SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.confidence import ClusterAware
from tabcast.density import EmpiricalLikelihood
from tabcast.exceptions import NoUnlabeledRowsWarning, SamplingWarning
from tabcast.pseudo_labels import Curriculum, Soft, TakeAll
from tabcast.study.methods.others import AlignedSelfTraining
from tabcast.table._encoders import TableCodes
from tabcast.teachers import Committee, SelfTeacher
from tabcast.teachers import _committee as committee_module
from tabcast.validation import LabeledScorer, SemiSupervisedSplit

SHARES = {2: [0.6, 0.4], 3: [0.5, 0.3, 0.2]}
LIGHT = Committee(["own", "linear"], n_folds=2)  # the same method in less time


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    trees = committee_module.Recipe(TableCodes, lambda: ExtraTreesClassifier(n_estimators=5))
    monkeypatch.setattr(committee_module, "MEMBERS", {**committee_module.MEMBERS, "trees": trees})


def draw(n_classes=2, n_labeled=40, n=140, seed=0):
    X, truth = make_classification(
        n, 6, n_informative=4, n_redundant=0, n_classes=n_classes, weights=SHARES[n_classes], random_state=seed
    )
    return X, np.where(np.random.default_rng(seed).permutation(n) < n_labeled, truth, -1), truth


class Counting(GaussianNB):
    """Records the arguments of every fit."""

    seen: list = []

    def fit(self, X, y, sample_weight=None, offset=None, flavor=None):
        Counting.seen.append({"X": X, "y": y, "sample_weight": sample_weight, "offset": offset, "flavor": flavor})
        return super().fit(np.asarray(X, dtype=float), y, sample_weight)


@pytest.fixture
def seen():
    Counting.seen = []
    return Counting.seen


def fewer_rows_are_better(model, X, y):
    """A scorer that prefers models trained on few rows: the supervised one wins."""
    return -float(getattr(model, "estimator", model).class_count_.sum())  # a student's output is softened


# Labeled rows that are not a random sample.


def draw_unevenly(balanced, seed=0):
    """A rare class; labeled rows drawn at random, or equally many of each class."""
    X, truth = make_classification(1200, 6, n_informative=4, weights=[0.9], class_sep=2.0, flip_y=0, random_state=seed)
    random = np.random.default_rng(seed)
    labeled = random.permutation(1200)[:80]
    if balanced:
        labeled = np.concatenate([random.permutation(np.flatnonzero(truth == label))[:40] for label in (0, 1)])
    return X, np.where(np.isin(np.arange(1200), labeled), truth, -1), truth


def test_balanced_labels_are_detected():
    X, y, truth = draw_unevenly(balanced=True)
    with pytest.warns(
        SamplingWarning, match=r"do not look like a random sample.*as the teacher gave them, not sharpened"
    ):
        free = SoftSelfTrainingClassifier(GaussianNB(), teacher=LIGHT, random_state=0).fit(X, y)
    assert not free.sampling_.looks_random
    assert free.sampling_.labeled[1] > free.sampling_.unlabeled[1] + 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        by_hand = SoftSelfTrainingClassifier(GaussianNB(), teacher=LIGHT, temperature=1, random_state=0).fit(X, y)
        aligned = AlignedSelfTraining(GaussianNB(), teacher=LIGHT, random_state=0).fit(X, y)
    np.testing.assert_array_equal(free.soft_labels_, by_hand.soft_labels_)
    hidden = y < 0
    assert free.score(X[hidden], truth[hidden]) > aligned.score(X[hidden], truth[hidden]) + 0.05


def test_random_labels_raise_no_alarm():
    alarms = []
    for seed in range(10):
        X, y, _ = draw_unevenly(balanced=False, seed=seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            teacher = Committee(["own", "linear"])
            model = SoftSelfTrainingClassifier(GaussianNB(), teacher=teacher, random_state=0).fit(X, y)
        alarms.append(not model.sampling_.looks_random)
        assert alarms[-1] == any(issubclass(one.category, SamplingWarning) for one in caught)
    assert sum(alarms) <= 1


def test_a_self_teacher_cannot_detect_sampling():
    X, y, _ = draw_unevenly(balanced=True)
    assert SoftSelfTrainingClassifier(GaussianNB(), teacher="self", random_state=0).fit(X, y).sampling_ is None


# Soft labels.


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("teacher", [LIGHT, "self"])
@pytest.mark.parametrize("temperature", ["auto", 0.3])
def test_a_confidence_may_align_labels_with_the_proportions(n_classes, teacher, temperature):
    X, y, _ = draw(n_classes)
    model = AlignedSelfTraining(
        GaussianNB(), teacher=teacher, temperature=temperature, smallest_share=0, random_state=0
    ).fit(X, y)
    known = y[y >= 0]
    shares = (np.bincount(known) + 1) / (len(known) + n_classes)
    np.testing.assert_allclose(model.soft_labels_.mean(axis=0), shares, rtol=0, atol=1e-6)
    np.testing.assert_allclose(model.soft_labels_.sum(axis=1), 1)


def test_without_temperature_soft_labels_are_the_teachers_predictions():
    X, y, _ = draw(3)
    for teacher in (LIGHT, "self"):
        model = SoftSelfTrainingClassifier(
            GaussianNB(), teacher=teacher, temperature=1, smallest_share=0, random_state=0
        ).fit(X, y)
        np.testing.assert_allclose(model.soft_labels_, model.teacher_.predict_proba(X[y < 0]), atol=1e-12)


def test_temperature_sharpens():
    X, y, _ = draw(3)
    proba = GaussianNB().fit(X[y >= 0], y[y >= 0]).predict_proba(X[y < 0])
    for temperature, expected in (
        (1.0, proba),
        (0.5, proba**2),
        (2.0, proba**0.5),
        (1e-3, proba == proba.max(axis=1)[:, None]),
    ):
        model = SoftSelfTrainingClassifier(GaussianNB(), teacher="self", temperature=temperature, smallest_share=0).fit(
            X, y
        )
        np.testing.assert_allclose(model.soft_labels_, expected / expected.sum(axis=1, keepdims=True), atol=1e-9)


def test_auto_temperature_is_the_teachers_own():
    X, y, _ = draw()
    for teacher, temperature in ((LIGHT, 0.5), (SelfTeacher(), 1.0)):
        auto, given = (
            SoftSelfTrainingClassifier(GaussianNB(), teacher=teacher, temperature=t, random_state=0).fit(X, y)
            for t in ("auto", temperature)
        )
        np.testing.assert_array_equal(auto.soft_labels_, given.soft_labels_)


def test_the_student_is_trained_on_weighted_copies():
    X, y, _ = draw(3)
    model = SoftSelfTrainingClassifier(GaussianNB(), teacher="self").fit(X, y)
    pool, soft = X[y < 0], model.soft_labels_
    rows, classes, weights = [*X[y >= 0]], [*y[y >= 0]], [1.0] * int((y >= 0).sum())
    for row, shares in zip(pool, soft, strict=True):
        for label, share in enumerate(shares):
            if share:
                assert share >= 0.02
                rows.append(row)
                classes.append(label)
                weights.append(share)
    reference = GaussianNB().fit(rows, classes, sample_weight=weights)
    np.testing.assert_allclose(model.estimator_.predict_proba(X), reference.predict_proba(X), atol=1e-12)
    assert (soft == 0).any()
    assert ((soft > 0) & (soft < 0.5)).any()


def test_small_shares_are_dropped():
    X, y, _ = draw(3)
    for smallest in (0, 0.02, 0.3):
        soft = SoftSelfTrainingClassifier(GaussianNB(), teacher="self", smallest_share=smallest).fit(X, y).soft_labels_
        assert (soft[soft > 0] >= smallest).all()


# Fits.


def test_seven_fits_with_defaults(seen):
    X, y, _ = draw()
    model = SoftSelfTrainingClassifier(Counting(), random_state=0).fit(X, y)
    assert model.n_fits_ == len(seen) == 7
    sizes = [len(one["y"]) for one in seen]
    assert sizes[0] == 40
    assert sizes[1:6] == [32] * 5
    assert sizes[6] == 40 + (model.soft_labels_ > 0).sum()


@pytest.mark.parametrize(
    ("settings", "n_fits"),
    [
        ({"teacher": "self"}, 2),
        ({"teacher": Committee(["trees", "linear"])}, 2),
        ({"teacher": Committee(["own", "linear"], n_folds=3)}, 5),
        ({"teacher": "self", "max_rounds": 3}, 4),
        ({"teacher": LIGHT, "max_rounds": 2}, 5),
        ({"teacher": LIGHT, "validation": 0.3}, 4),
    ],
)
def test_number_of_fits(seen, settings, n_fits):
    X, y, _ = draw()
    model = SoftSelfTrainingClassifier(Counting(), random_state=0, **settings).fit(X, y)
    assert model.n_fits_ == len(seen) == n_fits


def test_n_jobs_and_seeds():
    X, y, _ = draw(3)
    tree = DecisionTreeClassifier(max_features=1)

    def fit(random_state, n_jobs=None):
        model = SoftSelfTrainingClassifier(
            tree, teacher=Committee(["own", "trees"]), n_jobs=n_jobs, random_state=random_state
        ).fit(X, y)
        return model.soft_labels_, model.predict_proba(X)

    first, second, parallel, other = fit(1), fit(1), fit(1, n_jobs=2), fit(2)
    for one, same, also in zip(first, second, parallel, strict=True):
        np.testing.assert_array_equal(one, same)
        np.testing.assert_array_equal(one, also)
    assert not np.array_equal(first[0], other[0])
    assert tree.random_state is None


def test_sample_weight_and_row_parameters_follow_their_rows(seen):
    X, y, _ = draw()
    X[:, 0] = number = np.arange(len(X), dtype=float)
    offset, weight = number + 0.5, 1 + number / 100
    model = SoftSelfTrainingClassifier(Counting(), teacher=LIGHT, random_state=0)
    model.fit(X, y, sample_weight=weight, offset=offset, flavor="sweet")
    soft = np.zeros((len(X), 2))
    soft[y < 0] = model.soft_labels_
    soft[y >= 0] = np.eye(2)[y[y >= 0]]
    assert len(seen) == 4
    for one in seen:
        rows = one["X"][:, 0].astype(int)
        np.testing.assert_array_equal(one["offset"], offset[rows])
        np.testing.assert_allclose(one["sample_weight"], weight[rows] * soft[rows, one["y"]])
        assert one["flavor"] == "sweet"
    student = seen[-1]["X"][:, 0]
    assert len(np.unique(student)) == len(X) < len(student)  # repeated rows
    total = np.bincount(student.astype(int), seen[-1]["sample_weight"])
    np.testing.assert_allclose(total[y >= 0], weight[y >= 0])
    assert (total[y < 0] <= weight[y < 0] + 1e-12).all()


def test_row_parameters_of_any_kind(seen):
    X, y, _ = draw()
    X[:, 0] = number = np.arange(len(X), dtype=float)
    for offset in (number.tolist(), pd.Series(number, index=number + 7), pl.Series(number)):
        SoftSelfTrainingClassifier(Counting(), teacher="self").fit(X, y, offset=offset)
        np.testing.assert_array_equal(np.asarray(seen[-1]["offset"]), seen[-1]["X"][:, 0])


def test_weights_of_labeled_rows_only_where_the_others_are_apart(seen):
    X, y, _ = draw()
    known = y >= 0
    weight = np.linspace(1, 2, known.sum())
    model = SoftSelfTrainingClassifier(Counting(), teacher="self")
    model.fit(X[known], y[known], X_unlabeled=X[~known], sample_weight=weight)
    np.testing.assert_allclose(seen[-1]["sample_weight"][: known.sum()], weight)
    shares = model.soft_labels_[model.soft_labels_ > 0]
    np.testing.assert_allclose(seen[-1]["sample_weight"][known.sum() :], shares)


# Real tables.


def test_mixed_table_with_text_labels(mixed_table):
    frame, truth = mixed_table
    y = np.where(np.arange(160) % 4 == 0, truth, None)
    model = SoftSelfTrainingClassifier(random_state=0, teacher=Committee(["own", "trees", "linear"], n_folds=2))
    model.fit(frame, y)
    assert set(model.predict(frame)) == {"stays", "leaves"}
    assert model.score(frame, truth) > 0.7
    predicted = model.teacher_.predict_proba(frame.iloc[:7])
    assert predicted.shape == (7, 2)
    np.testing.assert_allclose(predicted.sum(axis=1), 1)
    labels = model.classes_[model.soft_labels_.argmax(axis=1)]
    np.testing.assert_array_equal(model.pseudo_labels_["label"], labels)
    np.testing.assert_array_equal(np.asarray(model.transduction_, dtype=object)[y == None], labels)  # noqa: E711


def test_unlabeled_rows_apart_give_the_same(mixed_table):
    frame, truth = mixed_table
    y = np.where(np.arange(160) < 50, truth, None)
    settings = {"teacher": LIGHT, "random_state": 0}
    together = SoftSelfTrainingClassifier(**settings).fit(frame, y)
    apart = SoftSelfTrainingClassifier(**settings).fit(frame.iloc[:50], truth[:50], X_unlabeled=frame.iloc[50:])
    np.testing.assert_array_equal(together.soft_labels_, apart.soft_labels_)
    np.testing.assert_array_equal(together.predict_proba(frame), apart.predict_proba(frame))


def test_pandas_and_polars_give_the_same():
    X, y, _ = draw()
    values = {**{f"x{j}": X[:, j] for j in range(6)}, "sign": np.where(X[:, 0] > 0, "plus", "minus")}
    soft = [
        SoftSelfTrainingClassifier(teacher=Committee(["own", "trees", "linear"], n_folds=2), random_state=0)
        .fit(make(values), y)
        .soft_labels_
        for make in (pd.DataFrame, pl.DataFrame)
    ]
    np.testing.assert_array_equal(*soft)


def test_xgboost_with_text_labels(mixed_table):
    xgboost = pytest.importorskip("xgboost")
    frame, truth = mixed_table
    y = np.where(np.arange(160) % 4 == 0, truth, None)
    model = SoftSelfTrainingClassifier(
        xgboost.XGBClassifier(n_estimators=10, n_jobs=1), teacher=LIGHT, validation=0.3, random_state=0
    ).fit(frame, y)
    assert set(model.predict(frame)) <= {"stays", "leaves"}
    assert model.teacher_.predict_proba(frame).shape == (160, 2)


def test_declared_categories_reach_the_teacher():
    X, y, _ = draw()
    X[:, 5] = np.arange(len(X)) % 3
    soft = [
        SoftSelfTrainingClassifier(GaussianNB(), teacher=LIGHT, categorical_features=c, random_state=0)
        .fit(X, y)
        .soft_labels_
        for c in (None, [5])
    ]
    assert not np.allclose(*soft)


# Fitted attributes.


def test_pseudo_labels_are_described():
    X, y, _ = draw(3)
    model = SoftSelfTrainingClassifier(GaussianNB(), teacher=LIGHT, random_state=0).fit(X, y)
    table = model.pseudo_labels_
    expected = ["row", "label", "raw_label", "confidence", "raw_confidence", "density", "selected", "round"]
    assert table.columns.tolist() == expected
    np.testing.assert_array_equal(table["row"], np.flatnonzero(y < 0))
    np.testing.assert_allclose(table["confidence"], model.soft_labels_.max(axis=1), atol=1e-12)
    predicted = model.teacher_.predict_proba(X[y < 0])
    np.testing.assert_allclose(
        table["raw_confidence"], predicted[np.arange(len(predicted)), table["label"]], atol=1e-12
    )
    np.testing.assert_array_equal(table["raw_label"], predicted.argmax(axis=1))
    assert table["selected"].all()
    assert (table["round"] == 1).all()
    assert table["density"].isna().all()
    assert model.history_["n_selected"].tolist() == [0, 100]
    assert (model.best_round_, model.n_rounds_, model.termination_reason_) == (1, 1, "max_rounds")
    np.testing.assert_array_equal(model.labeled_iter_, np.where(y < 0, 1, 0))


@pytest.mark.parametrize("validated_on", ["cv", 0.3, "data"])
def test_the_supervised_model_may_win(seen, validated_on):
    X, y, truth = draw()
    model = SoftSelfTrainingClassifier(
        Counting(),
        teacher=LIGHT,
        validation=None if validated_on == "data" else validated_on,
        scoring=fewer_rows_are_better,
        random_state=0,
    ).fit(X, y, validation_data=(X[:30], truth[:30]) if validated_on == "data" else None)
    assert model.best_round_ == 0
    assert model.n_fits_ == len(seen)  # the teacher's fits are counted and not repeated
    trained = [(len(one["y"]), one["X"].tobytes()) for one in seen]
    assert len(set(trained)) == len(trained)
    assert model.soft_labels_.shape == (100, 2)
    np.testing.assert_array_equal(model.pseudo_labels_["label"], model.soft_labels_.argmax(axis=1))
    assert not model.pseudo_labels_["selected"].any()
    assert model.teacher_.predict_proba(X).shape == (140, 2)
    if validated_on != 0.3:  # a fraction is never trained on
        np.testing.assert_allclose(
            model.predict_proba(X), GaussianNB().fit(X[y >= 0], y[y >= 0]).predict_proba(X), atol=1e-12
        )


def test_the_student_may_win():
    X, y, _ = draw()
    model = SoftSelfTrainingClassifier(
        Counting(), teacher=LIGHT, validation="cv", scoring=lambda *a: -fewer_rows_are_better(*a), random_state=0
    ).fit(X, y)
    assert model.best_round_ == 1
    plain = SoftSelfTrainingClassifier(Counting(), teacher=LIGHT, random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        model.soft_labels_, plain.soft_labels_
    )  # the final model is trained on all labeled rows


def test_a_class_that_a_split_does_not_have():
    X, y, _ = draw(3)
    y[np.flatnonzero(y == 2)[1:]] = -1
    fold = np.arange((y >= 0).sum()) // 2 % 2  # the only row of class 2 is trained on once and held out once
    model = SoftSelfTrainingClassifier(
        GaussianNB(), teacher=LIGHT, validation=PredefinedSplit(fold), scoring="accuracy", random_state=0
    ).fit(X, y)
    assert model.soft_labels_.shape == (len(X) - (y >= 0).sum(), 3)
    assert model.predict_proba(X).shape == (len(X), 3)


def test_one_labeled_row_in_each_class():
    X, y, truth = draw()
    few = np.full(len(y), -1)
    for label in (0, 1):
        few[np.flatnonzero(truth == label)[0]] = label
    model = SoftSelfTrainingClassifier(GaussianNB(var_smoothing=0.1), random_state=0).fit(X, few)
    np.testing.assert_array_equal(model.teacher_.weights_, np.full(3, 1 / 3))
    assert model.n_fits_ == 2


def test_without_unlabeled_rows():
    X, _, truth = draw()
    with pytest.warns(NoUnlabeledRowsWarning, match="There are no unlabeled rows"):
        model = SoftSelfTrainingClassifier(GaussianNB()).fit(X, truth)
    assert model.teacher_ is None
    assert model.soft_labels_.shape == (0, 2)
    assert (model.n_fits_, model.best_round_, model.termination_reason_) == (1, 0, "no_unlabeled_rows")
    np.testing.assert_array_equal(model.predict_proba(X), GaussianNB().fit(X, truth).predict_proba(X))


def test_further_rounds_use_the_student_as_a_member():
    X, y, _ = draw()
    once, twice = (
        SoftSelfTrainingClassifier(GaussianNB(), teacher=LIGHT, max_rounds=n, random_state=0).fit(X, y) for n in (1, 2)
    )
    own, other = once.teacher_.weights_
    linear = once.teacher_.members_[1].predict_proba(X[y < 0])
    student = once.estimator_.predict_proba(X[y < 0]) ** once.output_temperature_
    student /= student.sum(axis=1, keepdims=True)
    expected = (own * student + other * linear) ** 2
    expected /= expected.sum(axis=1, keepdims=True)
    expected[expected < 0.02] = 0
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(twice.soft_labels_, expected, atol=1e-9)
    assert twice.n_rounds_ == 2


# Bad parameters.


BAD = [
    ({"temperature": 0}, "`temperature` of SoftSelfTrainingClassifier must be a positive number or 'auto'; got 0."),
    ({"temperature": "cold"}, "must be a positive number or 'auto'; got 'cold'."),
    ({"temperature": True}, "must be a positive number or 'auto'; got True."),
    ({"temperature": np.inf}, "must be a positive number or 'auto'; got inf."),
    ({"temperature": None}, "must be a positive number or 'auto'; got None."),
    ({"smallest_share": 0.5}, "`smallest_share` of SoftSelfTrainingClassifier must be a number in [0, 0.5); got 0.5."),
    (
        {"smallest_share": -0.1},
        "must be a number in [0, 0.5); got -0.1.",
    ),
    (
        {"smallest_share": "no"},
        "must be a number in [0, 0.5); got 'no'.",
    ),
    ({"teacher": "comittee"}, "Unknown `teacher` of SoftSelfTrainingClassifier: 'comittee'. Choices: committee, self."),
    ({"teacher": Committee(["tree"])}, "Unknown member of Committee: 'tree'."),
    ({"teacher": Committee(n_folds=1)}, "`n_folds` of Committee must be an integer of at least 2; got 1."),
    ({"max_rounds": 0}, "`max_rounds` of SoftSelfTrainingClassifier must be an integer of at least 1; got 0."),
    ({"patience": 0}, "`patience` of SoftSelfTrainingClassifier must be an integer of at least 1; got 0."),
]


@pytest.mark.parametrize(("settings", "sentence"), BAD, ids=[f"{one}" for one, _ in BAD])
def test_bad_parameters(seen, settings, sentence):
    X, y, _ = draw()
    with pytest.raises(ValueError, match=re.escape(sentence)):
        SoftSelfTrainingClassifier(Counting(), **settings).fit(X, y)
    assert seen == []


def test_estimators_without_weights():
    X, y, _ = draw()
    with pytest.raises(
        ValueError,
        match=r"`estimator` of SoftSelfTrainingClassifier must take sample_weight in fit, .*KNeighborsClassifier\(\) "
        r"does not\. Use CASTClassifier, or another estimator\.",
    ):
        SoftSelfTrainingClassifier(KNeighborsClassifier()).fit(X, y)


def test_one_class():
    X, y, _ = draw()
    with pytest.raises(ValueError, match="y has only one class among its"):
        SoftSelfTrainingClassifier(GaussianNB()).fit(X, np.where(y == 1, -1, y))


# With scikit-learn.


def test_pipeline_inside_and_outside():
    X, y, truth = draw()
    inside = SoftSelfTrainingClassifier(make_pipeline(StandardScaler(), LogisticRegression()), teacher=LIGHT)
    outside = make_pipeline(StandardScaler(), SoftSelfTrainingClassifier(LogisticRegression(), teacher=LIGHT))
    for model in (inside, outside):
        assert model.fit(X, y).score(X, truth) > 0.6
    weighted = clone(inside).fit(X, y, sample_weight=np.linspace(0.5, 2, len(X)))
    assert not np.allclose(weighted.predict_proba(X), inside.predict_proba(X))


def test_clone_and_parameters():
    model = SoftSelfTrainingClassifier(GaussianNB(), teacher=Committee(["own"], n_folds=3))
    copy = clone(model).set_params(teacher__n_folds=4, estimator__var_smoothing=0.1, temperature=2)
    assert copy.teacher.n_folds == 4
    assert copy.estimator.var_smoothing == 0.1
    assert model.teacher.n_folds == 3


def test_the_given_teacher_stays_as_it_is():
    X, y, _ = draw()
    teacher = Committee(["own", "linear"], n_folds=2)
    model = SoftSelfTrainingClassifier(GaussianNB(), teacher=teacher, random_state=0).fit(X, y)
    assert not hasattr(teacher, "weights_")
    assert model.teacher_ is not teacher


def test_grid_search():
    X, y, _ = draw()
    search = GridSearchCV(
        SoftSelfTrainingClassifier(GaussianNB(), teacher=LIGHT, random_state=0),
        {"temperature": [0.5, 1], "teacher__n_folds": [2, 3]},
        cv=SemiSupervisedSplit(2),
        scoring=LabeledScorer("accuracy"),
        error_score="raise",
    ).fit(X, y)
    assert set(search.best_params_) == {"temperature", "teacher__n_folds"}
    assert search.predict(X).shape == (len(X),)


def test_pickling():
    X, y, _ = draw()
    model = SoftSelfTrainingClassifier(GaussianNB(), random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.teacher_.predict_proba(X), model.teacher_.predict_proba(X))


# Soft labels in hard self-training.


def train_by_hand(X, y, chosen, shares):
    """A classifier trained on the labeled rows and on each selected row once per class."""
    known, pool = np.flatnonzero(y >= 0), np.flatnonzero(y < 0)
    rows, classes, weights = known.tolist(), y[known].tolist(), [1.0] * len(known)
    for i in np.flatnonzero(chosen):
        for label, share in enumerate(shares[i]):
            if share >= 0.02:
                rows.append(pool[i])
                classes.append(label)
                weights.append(share)
    return GaussianNB().fit(X[rows], classes, sample_weight=weights)


@pytest.mark.parametrize("strategy", [TakeAll(), Curriculum(0.5)])
def test_soft_weights_in_the_loop_are_copies_by_hand(strategy):
    X, y, _ = draw(3)
    model = SelfTrainingClassifier(
        GaussianNB(), strategy=strategy, validation=None, pseudo_weight="soft", max_rounds=2, random_state=0
    ).fit(X, y)
    pool = X[y < 0]
    reference = GaussianNB().fit(X[y >= 0], y[y >= 0])
    for round_number in (1, 2):
        predicted = reference.predict_proba(pool)
        reference = train_by_hand(X, y, strategy.select(predicted, round_number), predicted)
    assert model.best_round_ == 2
    np.testing.assert_allclose(model.predict_proba(X), reference.predict_proba(X), atol=1e-9)
    hard = clone(model).set_params(pseudo_weight=1.0).fit(X, y)
    assert not np.allclose(hard.predict_proba(X), reference.predict_proba(X), atol=1e-3)


def test_soft_weights_in_cast_are_shares_of_its_confidence():
    X, y, _ = draw(3)
    aware = ClusterAware(EmpiricalLikelihood(), alpha=0.5)
    model = SelfTrainingClassifier(
        GaussianNB(), confidence=aware, strategy=TakeAll(), validation=None, pseudo_weight="soft", max_rounds=1
    ).fit(X, y)
    predicted = GaussianNB().fit(X[y >= 0], y[y >= 0]).predict_proba(X[y < 0])
    confidence = ClusterAware(EmpiricalLikelihood(), alpha=0.5)
    confidence.prepare(X[y >= 0], y[y >= 0], X[y < 0], n_classes=3)
    regularized = confidence.adjust(predicted)
    assert np.abs(regularized.sum(axis=1) - 1).max() > 0.05  # they do not sum to 1 and have to be normalized
    reference = train_by_hand(
        X, y, np.ones(len(predicted), dtype=bool), regularized / regularized.sum(axis=1, keepdims=True)
    )
    np.testing.assert_allclose(model.predict_proba(X), reference.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(model.pseudo_labels_["confidence"], regularized.max(axis=1))


def test_soft_weights_need_an_estimator_that_takes_them():
    X, y, _ = draw()
    with pytest.raises(ValueError, match=r"`pseudo_weight` \(Soft\(\)\) needs an estimator whose fit takes"):
        SelfTrainingClassifier(KNeighborsClassifier(), pseudo_weight="soft").fit(X, y)


def test_soft_by_name_is_the_soft_weighting():
    X, y, _ = draw()
    by_name, by_hand = (
        SelfTrainingClassifier(GaussianNB(), validation=None, pseudo_weight=weight).fit(X, y).predict_proba(X)
        for weight in ("soft", Soft(0.02))
    )
    np.testing.assert_array_equal(by_name, by_hand)


def test_the_default_estimator_is_boosting():
    X, y, _ = draw()
    model = SoftSelfTrainingClassifier(teacher="self", random_state=0).fit(X, y)
    assert isinstance(model.estimator_, HistGradientBoostingClassifier)
