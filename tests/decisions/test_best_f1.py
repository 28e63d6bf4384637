"""BestF1 finds the weights with the best F1, and does not tune on next to nothing."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from tabcast.decisions import Balanced, BestF1, MostProbable
from tabcast.decisions._decisions import Evidence


def draw(n_rows, weights, seed, strength=1.0):
    """Noisy probabilities of classes with these proportions."""
    random = np.random.default_rng(seed)
    y = random.choice(len(weights), n_rows, p=weights)
    logits = np.log(weights) + strength * np.eye(len(weights))[y] + random.normal(size=(n_rows, len(weights)))
    proba = np.exp(logits)
    return Evidence(proba / proba.sum(axis=1, keepdims=True), y, np.arange(n_rows))


def fit(evidence, **params):
    n_classes = evidence.proba.shape[1]
    prior = (np.bincount(evidence.y, minlength=n_classes) + 1) / (len(evidence.y) + n_classes)
    return BestF1(**{"min_rows": 5, **params}).fit(np.arange(n_classes), prior, evidence)


@pytest.mark.parametrize("seed", range(3))
def test_two_classes_get_the_best_threshold(seed):
    """Against every threshold, by scikit-learn's score."""
    evidence = draw(120, [0.8, 0.2], seed)
    p = evidence.proba[:, 1]
    every = [f1_score(evidence.y, (p >= threshold).astype(int)) for threshold in np.unique(p)]
    reached = f1_score(evidence.y, fit(evidence).decide(evidence.proba))
    assert reached == pytest.approx(max(every), abs=1e-12)


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("seed", range(2))
def test_averages_of_two_classes(average, seed):
    evidence = draw(90, [0.7, 0.3], seed)
    p = evidence.proba[:, 1]
    thresholds = [*np.unique(p), 2.0]
    every = [f1_score(evidence.y, (p >= one).astype(int), average=average) for one in thresholds]
    reached = f1_score(evidence.y, fit(evidence, average=average).decide(evidence.proba), average=average)
    assert reached == pytest.approx(max(every), abs=1e-12)


def test_more_classes_do_no_worse_than_fixed_rules_and_no_weight_alone_can_be_bettered():
    evidence = draw(150, [0.6, 0.25, 0.1, 0.05], 0)

    def score(rule_or_weights):
        decided = (
            (evidence.proba * rule_or_weights).argmax(axis=1)
            if isinstance(rule_or_weights, np.ndarray)
            else rule_or_weights.decide(evidence.proba)
        )
        return f1_score(evidence.y, decided, average="macro", zero_division=0)

    rule = fit(evidence, min_rows=1)
    prior = (np.bincount(evidence.y, minlength=4) + 1) / 154
    fixed = [score(member.fit(np.arange(4), prior)) for member in (MostProbable(), Balanced())]
    assert score(rule) >= max(fixed)
    weights = np.diag(rule.payoffs)
    for one in range(4):
        for factor in np.geomspace(1e-3, 1e3, 20):
            other = weights.copy()
            other[one] *= factor
            assert score(other) <= score(rule) + 1e-12


def test_probabilities_of_0_and_1_give_usable_weights():
    y = np.arange(40) % 2
    proba = np.eye(2)[y]
    proba[:4] = proba[:4, ::-1]
    rule = fit(Evidence(proba, y, np.arange(40)))
    assert np.isfinite(rule.payoffs).all()
    assert np.array_equal(rule.decide(np.eye(2)), [0, 1])
    proba = np.column_stack([np.linspace(0.5, 1, 40), np.linspace(0.5, 0, 40)])
    weights = np.diag(fit(Evidence(proba, y, np.arange(40))).payoffs)
    assert 1e-3 < weights[1] / weights[0] < 1e3


@pytest.mark.parametrize("n_rare", [1, 99])
def test_too_few_rows_of_a_class_to_tune(n_rare):
    """Halfway between the most probable class and the balanced one."""
    y = np.array([0] * 300 + [1] * n_rare)
    p = np.linspace(0.01, 0.99, len(y))
    prior = np.array([0.9, 0.1])
    rule = BestF1().fit(np.array(["often", "rare"]), prior, Evidence(np.column_stack([1 - p, p]), y, np.arange(len(y))))
    assert rule.decide([[0.76, 0.24], [0.74, 0.26]]).tolist() == [0, 1]  # 1 / (1 + sqrt(0.9 / 0.1)) = 0.25
    assert "square root" in rule.meaning


def test_a_row_that_was_held_out_several_times_counts_once():
    evidence = draw(40, [0.5, 0.5], seed=0)
    rare = np.flatnonzero(evidence.y == 1)[:3]
    keep = np.concatenate([np.flatnonzero(evidence.y == 0), np.repeat(rare, 5)])
    assert "square root" in fit(Evidence(evidence.proba[keep], evidence.y[keep], evidence.rows[keep])).meaning
    assert "tuned" in fit(evidence).meaning


@pytest.mark.parametrize(("params", "sentence"), [({"average": "micro"}, "average"), ({"min_rows": 0}, "min_rows")])
def test_parameters_that_make_no_sense(params, sentence):
    with pytest.raises(ValueError, match=sentence):
        BestF1(**params).check()


def test_binary_is_for_two_classes():
    with pytest.raises(ValueError, match=r"BestF1\(average='binary'\) is for two classes; there are 3"):
        BestF1("binary").check_classes(np.arange(3))
    with pytest.raises(ValueError, match=r"BestF1\(\) is tuned on out-of-fold probabilities, but there are none"):
        BestF1().fit(np.arange(2), np.array([0.5, 0.5]))
