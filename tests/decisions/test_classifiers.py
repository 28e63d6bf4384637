"""`decision=` of the classifiers: what is predicted, what rounds are evaluated by, what is refused before any fit."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score

from tabcast import CASTClassifier, GuardedClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.decisions import BestF1, Costs, Threshold
from tabcast.decisions._decisions import Evidence
from tabcast.decisions._rule import decide_with
from tabcast.exceptions import NoUnlabeledRowsWarning
from tabcast.statistics._intervals import smoothed_shares
from tabcast.teachers import Committee

KINDS = {
    "hard": lambda **params: SelfTrainingClassifier(LogisticRegression(), random_state=0, **params),
    "cast": lambda **params: CASTClassifier(LogisticRegression(), alpha=0.5, random_state=0, **params),
    "soft": lambda **params: SoftSelfTrainingClassifier(
        LogisticRegression(), teacher=Committee(["own", "linear"]), random_state=0, **params
    ),
}


def make_rows(n_classes=2, n_rows=360, keep=6):
    weights = [0.85] if n_classes == 2 else [0.7, 0.2, 0.1]
    X, truth = make_classification(
        n_rows, 6, n_informative=4, n_classes=n_classes, weights=weights, class_sep=0.7, random_state=0
    )
    names = np.array(["often", "rare"] if n_classes == 2 else ["a", "b", "c"])[truth]
    y = np.where(np.arange(n_rows) % keep == 0, names.astype(object), None)
    return X, y, names


class CountingRegression(LogisticRegression):
    """Counts its fits."""

    n_fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).n_fits += 1
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(("kind", "n_classes"), [("hard", 3), ("cast", 2), ("soft", 3)])
def test_what_is_predicted(kind, n_classes):
    X, y, names = make_rows(n_classes)
    labeled = ~np.equal(y, None)
    classes, codes = np.unique(y[labeled].astype(str), return_inverse=True)
    shares = smoothed_shares(codes, n_classes)
    plain = KINDS[kind]().fit(X, y)
    assert np.array_equal(plain.predict(X), plain.estimator_.predict(X))
    assert plain.decision_.is_most_probable
    balanced = KINDS[kind](decision="balanced").fit(X, y)
    proba = balanced.predict_proba(X)
    assert np.array_equal(balanced.predict(X), classes[(proba / shares).argmax(axis=1)])
    assert balanced.score(X, names) == np.mean(balanced.predict(X) == names)
    costs = KINDS[kind](decision=Costs({(classes[1], classes[0]): 4})).fit(X, y)
    matrix = 1 - np.eye(n_classes)
    matrix[1, 0] = 4
    assert np.array_equal(costs.predict(X), classes[(costs.predict_proba(X) @ matrix).argmin(axis=1)])


def test_soft_is_tuned_on_the_committee_and_its_supervised_model_on_itself():
    X, y, _ = make_rows()
    tuned = BestF1(min_rows=5)
    model = KINDS["soft"](decision=tuned).fit(X, y)
    labeled = np.flatnonzero(~np.equal(y, None))
    codes = (y[labeled] == "rare").astype(int)
    teacher = model.teacher_
    evidence = Evidence(teacher.out_of_fold_, codes[teacher.held_out_], teacher.held_out_)
    expected = tuned.fit(model.classes_, smoothed_shares(codes, 2), evidence)
    np.testing.assert_allclose(model.decision_.payoffs, expected.payoffs)
    assert not np.allclose(model.supervised_decision_.payoffs, model.decision_.payoffs)
    alone = SoftSelfTrainingClassifier(LogisticRegression(), teacher=Committee(["own"]), decision=tuned, random_state=0)
    alone.fit(X, y)  # the committee is the user's estimator
    np.testing.assert_allclose(alone.supervised_decision_.payoffs, alone.decision_.payoffs)


def test_f1_gains_f1_on_rows_nobody_saw():
    X, y, names = make_rows(n_rows=1200, keep=5)
    hidden = np.equal(y, None)
    scores = {
        str(decision): f1_score(
            names[hidden], KINDS["hard"](decision=decision).fit(X, y).predict(X[hidden]), pos_label="rare"
        )
        for decision in ("accuracy", "f1", BestF1(min_rows=5))
    }
    assert min(scores["f1"], scores["BestF1(min_rows=5)"]) > scores["accuracy"] + 0.03


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_rounds_are_evaluated_on_decided_classes(kind):
    """With rows set apart the score of each round can be computed by hand; the rule is that of the training rows."""
    X, y, names = make_rows()
    apart = np.arange(len(y)) >= 300
    model = KINDS[kind](decision="balanced", scoring="balanced_accuracy", max_rounds=1)
    model.fit(X[~apart], y[~apart], validation_data=(X[apart], names[apart]))
    supervised = decide_with(model.supervised_, model.supervised_decision_, model.classes_)
    expected = balanced_accuracy_score(names[apart], supervised.predict(X[apart]))
    undecided = balanced_accuracy_score(names[apart], model.supervised_.predict(X[apart]))
    assert model.history_["score"][0] == pytest.approx(expected)
    assert expected != undecided
    best = model.history_["score"][model.best_round_]
    assert best == pytest.approx(balanced_accuracy_score(names[apart], model.predict(X[apart])))


def test_tuned_decisions_are_evaluated_by_rules_of_other_splits():
    """A shuffled target: tuned on the rows it is evaluated on, F1 would look better than without tuning."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 3)), np.where(np.arange(300) < 120, random.integers(0, 2, 300), -1)
    model = SelfTrainingClassifier(LogisticRegression(), scoring="f1", decision="f1", random_state=0).fit(X, y)
    labeled = y >= 0
    always = f1_score(y[labeled], np.ones(labeled.sum()))
    assert model.history_["score"].max() <= always + 0.02


def test_held_out_rows_by_their_own_numbers(monkeypatch):
    """The final rule is tuned on the held-out probabilities of the chosen round, the supervised one on round 0."""
    X, y, _ = make_rows(n_rows=600)
    seen = []
    original = BestF1.fit

    def watch(self, classes, prior, evidence=None):
        seen.append(evidence)
        return original(self, classes, prior, evidence)

    monkeypatch.setattr(BestF1, "fit", watch)
    model = KINDS["hard"](decision="f1", validation=3).fit(X, y)
    final, supervised = seen[-2:]
    n_labeled = int((~np.equal(y, None)).sum())
    assert len(final.y) == len(supervised.y) == n_labeled
    assert len(np.unique(final.rows)) == n_labeled
    assert np.array_equal(final.proba, supervised.proba) == (model.best_round_ == 0)


@pytest.mark.parametrize(
    ("kind", "params", "n_classes", "sentence"),
    [
        (
            "hard",
            {"decision": "f1", "validation": None},
            2,
            r"`decision` of SelfTrainingClassifier \(BestF1\(\)\) is tuned",
        ),
        ("cast", {"decision": "f1", "validation": None}, 2, r"validation=None holds out none\. Use validation='cv'"),
        ("soft", {"decision": "f1", "teacher": "self"}, 2, r"`decision` of SoftSelfTrainingClassifier"),
        ("hard", {"decision": Threshold(0.3)}, 3, "is a decision between two classes; there are 3"),
        ("soft", {"decision": Costs({("a", "x"): 2})}, 3, "names 'x', which is not among the classes"),
        ("cast", {"decision": "cheapest"}, 2, r"`decision` of CASTClassifier must be 'accuracy', 'balanced', 'f1'"),
        ("hard", {"decision": Threshold(2)}, 2, r"`value` of Threshold must be a number in \(0, 1\); got 2\."),
        ("hard", {"decision": None}, 2, "`decision` of SelfTrainingClassifier must be"),
    ],
)
def test_refused_before_any_fit(kind, params, n_classes, sentence):
    X, y, _ = make_rows(n_classes)
    CountingRegression.n_fits = 0
    model = KINDS[kind]().set_params(estimator=CountingRegression(), **params)
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, y)
    assert CountingRegression.n_fits == 0


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_few_rows_of_a_class_are_not_tuned(kind):
    X, y, _ = make_rows(n_rows=240)
    labeled = y[~np.equal(y, None)]
    prior = smoothed_shares((labeled == "rare").astype(int), 2)
    model = KINDS[kind](decision="f1").fit(X, y)
    for rule in (model.decision_, model.supervised_decision_):
        weights = np.diag(rule.payoffs)
        assert weights[1] / weights[0] == pytest.approx((prior[0] / prior[1]) ** 0.5)


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_without_unlabeled_rows(kind):
    X, _, names = make_rows()
    for decision in ("balanced", "f1"):
        with pytest.warns(NoUnlabeledRowsWarning):
            model = KINDS[kind](decision=decision).fit(X, names)
        assert model.decision_.name == decision
        assert set(model.predict(X)) == {"often", "rare"}
        assert np.array_equal(model.decision_.payoffs, model.supervised_decision_.payoffs)


def test_parameters_of_the_decision_can_be_set():
    model = clone(KINDS["hard"](decision=Threshold(0.3))).set_params(decision__value=0.05)
    X, y, _ = make_rows()
    assert np.array_equal(model.fit(X, y).predict(X) == "rare", model.predict_proba(X)[:, 1] >= 0.05)


class TestGuard:
    def make(self, decision=None):
        options = {"scoring": "balanced_accuracy", "decision": decision, "n_splits": 3, "random_state": 0}
        return GuardedClassifier(KINDS["soft"](), **options)

    def test_held_out_rows_are_evaluated_as_predict_decides(self):
        """Each split by hand, with the class proportions of its training rows."""
        X, y, _ = make_rows()
        model = self.make("balanced").fit(X, y)
        out, scores = model.out_of_fold_, model.verdict_.scores
        for fold in range(3):
            inside = out.folds == fold
            train = np.setdiff1d(np.flatnonzero(~np.equal(y, None)), out.rows[inside])
            shares = smoothed_shares((y[train] == "rare").astype(int), 2)
            for name, proba in (("supervised", out.supervised), ("self_trained", out.self_trained)):
                decided = (proba[inside] / shares).argmax(axis=1)
                assert scores[name][fold] == pytest.approx(balanced_accuracy_score(out.codes[inside], decided))

    def test_the_rule_of_the_model_that_was_kept(self):
        X, y, _ = make_rows()
        labeled = ~np.equal(y, None)
        with pytest.warns(NoUnlabeledRowsWarning):
            supervised = self.make("f1").fit(X[labeled], y[labeled])
        assert supervised.chosen_ == "supervised"
        assert supervised.decision_ is supervised.self_trained_.supervised_decision_
