"""Fitted attributes agree with each other; bad parameters are refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.pseudo_labels import Curriculum, FixedThreshold, TakeAll, TopK
from tabcast.validation import Holdout
from tests.self_training.sample import NearestMean, draw

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")

MODELS = {
    "cv": (SelfTrainingClassifier(LogisticRegression()), False),
    "cv, keep": (SelfTrainingClassifier(LogisticRegression(), relabel=False, strategy=TopK(6), patience=5), False),
    "validation data": (SelfTrainingClassifier(DecisionTreeClassifier(max_depth=3), strategy=TakeAll()), True),
    "unvalidated": (SelfTrainingClassifier(LogisticRegression(), strategy=FixedThreshold(0.8), validation=None), False),
    "cast-l": (CASTClassifier(LogisticRegression()), False),
    "cast-d": (CASTClassifier(DecisionTreeClassifier(max_depth=3), density="kernel"), True),
    "cast, hold-out": (CASTClassifier(LogisticRegression(), strategy="all", alpha=[0.2, 0.9], validation=0.4), False),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(3))
def test_attributes_agree(name, seed):
    model, validated = MODELS[name]
    X, codes, truth = draw(seed, 120, n_classes=3)
    X = X[:, 1:]  # these classifiers would learn from the row number
    names = np.array(["no", "perhaps", "yes"])
    y = np.where(codes == -1, None, names[codes])
    data = (X[:20], names[truth[:20]]) if validated else None
    model.set_params(random_state=seed).fit(X, y, validation_data=data)
    pool, labeled = np.flatnonzero(codes == -1), np.flatnonzero(codes != -1)

    history = model.history_
    assert history["round"].tolist() == list(range(model.n_rounds_ + 1))
    assert history.loc[0, ["n_selected", "n_changed"]].tolist() == [0, 0]
    assert history["n_selected"].le(len(pool)).all()
    if history["score"].notna().all():
        assert model.best_round_ == history["score"].argmax()  # the first of equally good ones
    else:
        assert history["score"].isna().all()
        assert model.best_round_ == model.n_rounds_

    table = model.pseudo_labels_
    assert table["row"].tolist() == pool.tolist()
    assert set(table["label"]) <= set(names)
    assert table["selected"].dtype == bool
    assert (table["selected"] == (table["round"] >= 1)).all()
    assert table["round"].max() <= model.best_round_
    assert table["confidence"].between(0, 1).all()
    assert (table["confidence"] <= table["raw_confidence"] + 1e-12).all()
    if isinstance(model, CASTClassifier):
        assert table["density"].between(0, 1).all()
        expected = table["raw_confidence"] * (1 - model.alpha_ * (1 - table["density"]))
        np.testing.assert_allclose(table["confidence"], expected, rtol=1e-12)
    else:
        assert table["density"].isna().all()

    assert model.transduction_[labeled].tolist() == y[labeled].tolist()
    assert (model.labeled_iter_[labeled] == 0).all()
    assert model.labeled_iter_[pool].tolist() == table["round"].tolist()
    in_use = np.where(table["selected"], table["label"], None)
    assert model.transduction_[pool].tolist() == in_use.tolist()
    if validated or name in ("unvalidated", "cast, hold-out"):  # a single run, which history_ describes
        assert history["n_selected"].iloc[model.best_round_] == table["selected"].sum()
    np.testing.assert_array_equal(model.predict(X), model.estimator_.predict(X))
    np.testing.assert_array_equal(model.classes_, names)

    if isinstance(model, CASTClassifier):
        scores = model.alpha_scores_
        assert scores["alpha"].is_monotonic_increasing
        [chosen] = scores.loc[scores["chosen"]].itertuples()
        assert chosen.alpha == model.alpha_
        assert chosen.best_round == model.best_round_
        assert chosen.score == history["score"].iloc[model.best_round_]
        assert chosen.score_std_error == history["score_std_error"].iloc[model.best_round_]
        assert scores["score"].max() - chosen.score <= 1


def test_given_alphas_are_tried_once_each_smallest_first():
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), alpha=[0.6, 0, 0.6, 0.3], validation=0.3, random_state=0).fit(X, y)
    assert model.alpha_scores_["alpha"].tolist() == [0.0, 0.3, 0.6]


@pytest.mark.parametrize("alpha", [-0.1, 1.5, np.nan, "auto", [0.1, 2], [], None, True])
def test_bad_alpha(alpha):
    X, y, _ = draw()
    with pytest.raises(ValueError, match="`alpha` of CASTClassifier must"):
        CASTClassifier(NearestMean(), alpha=alpha).fit(X, y)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"max_rounds": 0}, "`max_rounds` of SelfTrainingClassifier must be an integer of at least 1; got 0."),
        ({"max_rounds": 2.5}, "`max_rounds` of SelfTrainingClassifier must be an integer of at least 1; got 2.5."),
        ({"patience": 0}, "`patience` of SelfTrainingClassifier must be an integer of at least 1; got 0."),
        ({"pseudo_weight": 0}, "`pseudo_weight` of SelfTrainingClassifier must be a positive number.*; got 0"),
        ({"pseudo_weight": np.inf}, "`pseudo_weight` of SelfTrainingClassifier must be a positive number.*; got inf"),
        ({"strategy": "curriculums"}, "got 'curriculums'. Did you mean 'curriculum'"),
        (
            {"confidence": TakeAll()},
            "`confidence` of SelfTrainingClassifier must be None, .* or a member",
        ),
        ({"strategy": Curriculum(0)}, r"`step` of Curriculum must be a number in \(0, 1\]; got 0."),
        ({"validation": Holdout(1)}, r"`fraction` of Holdout must be a number in \(0, 1\); got 1."),
    ],
)
def test_parameters_are_refused_before_any_work(settings, sentence):
    X, y, _ = draw()
    with pytest.raises(ValueError, match=sentence):
        SelfTrainingClassifier(NearestMean(), **settings).fit(X, y)
    assert not NearestMean.fits


def test_misspelled_name():
    X, y, _ = draw()
    with pytest.raises(ValueError, match=r"got 'kernle'\. Did you mean 'kernel'\?"):
        CASTClassifier(NearestMean(), density="kernle").fit(X, y)


@pytest.mark.parametrize("model", [SelfTrainingClassifier(NearestMean()), CASTClassifier(NearestMean())])
def test_verbose(model, capfd):
    X, y, _ = draw(n_rows=50)
    model.set_params(verbose=0, random_state=0).fit(X, y)
    assert tuple(capfd.readouterr()) == ("", "")
    model.set_params(verbose=1).fit(X, y)
    shown = capfd.readouterr().out
    assert type(model).__name__ in shown
    assert "round" in shown
    assert "fits" in shown


@pytest.mark.parametrize("validation", [None, 0.3, "cv"])
@pytest.mark.parametrize("strategy", [FixedThreshold(0.8), FixedThreshold([0.7, 0.6, 0.8])], ids=repr)
def test_the_required_confidence_is_that_of_the_round_in_use(strategy, validation):
    X, codes, _ = draw(0, 150, n_classes=3)
    model = SelfTrainingClassifier(LogisticRegression(), strategy=strategy, validation=validation, random_state=0)
    table = model.fit(X[:, 1:], codes).pseudo_labels_
    required = model.required_confidence_[table["label"].to_numpy()]
    reached = table["confidence"].to_numpy() >= required - 1e-12
    if model.best_round_:
        assert reached.tolist() == table["selected"].tolist()
    assert reached.any()


def test_a_strategy_that_ranks_requires_no_confidence():
    X, codes, _ = draw(0, 150, n_classes=3)
    assert SelfTrainingClassifier(LogisticRegression(), random_state=0).fit(X, codes).required_confidence_ is None
