"""Every public member of every family keeps its contract, and the checks catch members that do not."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from tabcast import confidence, decisions, density, feature_selection, noise_filters, pseudo_labels, teachers, testing
from tabcast.confidence import Chain, ClusterAware, Confidence, DistributionAlignment, TemperatureScaling
from tabcast.decisions import Decision, DecisionRule
from tabcast.density import Density, EmpiricalLikelihood, KernelDensity
from tabcast.feature_selection import FeatureSelection
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Strategy, Weighting
from tabcast.teachers import Teacher

# Members that need arguments, are slow without, or are worth checking in more than one setting. Others: as they are.
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "BestF1": [{}, {"average": "macro"}, {"average": "weighted", "min_rows": 2}],
    "BorutaShap": [{"max_iter": 3}],
    "Chain": [
        {"parts": [TemperatureScaling(), DistributionAlignment()]},
        {"parts": [TemperatureScaling(), ClusterAware(KernelDensity())]},
    ],
    # Without two hundred trees, which tests/reference has.
    "Committee": [
        {"members": ["own", "linear", "neighbors"], "n_folds": 2},
        {"members": ("linear", "own")},
    ],
    "ClusterAware": [{"density": EmpiricalLikelihood()}, {"density": KernelDensity(), "scaling": "density"}],
    "Costs": [{"costs": {(1, 0): 5.0}}, {"costs": [[0, 1], [0.2, -1]]}],
    "DistributionAlignment": [{}, {"temperature": 0.1}, {"exact": False}],
    "EmpiricalLikelihood": [{}, {"smoothing": 0}],
    # Needs weights; tests/teachers/test_foundation_model.py runs the checks on small ones.
    "FoundationModel": [],
    "FlexThreshold": [{}, {"warm_up": True}],
    "GaussianProcessCalibration": [{"max_iter": 3}],
    "KernelDensity": [{}, {"bandwidth": "normal_reference"}],
    "PerClassThreshold": [{"thresholds": {1: 0.7}, "otherwise": 0.9}],
    "TruncatedGaussian": [{}, {"per_class": True, "max_weight": 0.5}],
}
OPTIONAL = {"BorutaShap": "xgboost", "GaussianProcessCalibration": "gpytorch"}
# Public classes that belong to no family, and why.
NO_MEMBERS = {
    "ClassConditional": "holds a density for each class; the density checks and its own tests use it",
    "DecidedClassifier": "a classifier that decides by a rule; has its own tests",
    "DecisionRule": "what decisions fit; the checks of decisions use it",
    "Evidence": "what decisions are tuned on; the checks of decisions make some",
    "Lesson": "what teachers learn from; the checks of teachers make some",
    "NormalScores": "a table for members of a committee; has its own tests",
    "Sampling": "what a committee thinks of the labeled rows as a sample; has its own tests",
    "TableCodes": "a table for members of a committee; has its own tests",
}


class Family(NamedTuple):
    module: ModuleType
    base: type
    checks: list[tuple[str, Callable[[Any], None]]]
    check_all: Callable[[Any], None]


FAMILIES = [
    Family(density, Density, testing.density_checks(), testing.check_density),
    Family(confidence, Confidence, testing.confidence_checks(), testing.check_confidence),
    Family(pseudo_labels, Strategy, testing.strategy_checks(), testing.check_strategy),
    Family(pseudo_labels, Weighting, testing.weighting_checks(), testing.check_weighting),
    Family(noise_filters, NoiseFilter, testing.noise_filter_checks(), testing.check_noise_filter),
    Family(
        feature_selection,
        FeatureSelection,
        testing.feature_selection_checks(),
        testing.check_feature_selection,
    ),
    Family(teachers, Teacher, testing.teacher_checks(), testing.check_teacher),
    Family(decisions, Decision, testing.decision_checks(), testing.check_decision),
]


def public_classes(module: ModuleType) -> list[type]:
    found = [getattr(module, name) for name in module.__all__]
    return [one for one in found if inspect.isclass(one) and not issubclass(one, Warning)]


CASES = [
    pytest.param(member, settings, check, id=f"{member.__name__}-{number}-{name}")
    for family in FAMILIES
    for member in public_classes(family.module)
    if issubclass(member, family.base) and member is not family.base
    for number, settings in enumerate(SETTINGS.get(member.__name__, [{}]))
    for name, check in family.checks
]


@pytest.mark.parametrize(("member", "settings", "check"), CASES)
def test_member_keeps_its_contract(member, settings, check):
    if member.__name__ in OPTIONAL:
        pytest.importorskip(OPTIONAL[member.__name__])
    check(member(**settings))


def test_no_public_class_is_forgotten():
    bases = tuple(family.base for family in FAMILIES)
    for family in FAMILIES:
        strangers = [one.__name__ for one in public_classes(family.module) if not issubclass(one, bases)]
        assert set(strangers) <= set(NO_MEMBERS), f"{strangers}: of no family, so no contract is checked"
    assert len({case.values[0] for case in CASES}) >= 20


def test_lists_of_checks_are_what_check_runs():
    """A list that lost its checks would let every member pass."""
    for family in FAMILIES:
        names = [name for name, _ in family.checks]
        assert len(set(names)) == len(names) >= 7
        assert {"inputs stay as they are", "the same input gives the same result"} < set(names)


# Members that break a contract each, and a word of the sentence that has to say so.


class LonelyPoint(Density):
    """Minus infinity where it saw nothing."""

    def _fit(self, table):
        self._seen = table.continuous[0]

    def _score(self, table):
        with np.errstate(divide="ignore"):
            return np.log((table.continuous == self._seen).all(axis=1).astype(float))


class RelativeDensity(Density):
    """Scores among the rows that happen to be asked about."""

    def _fit(self, table):
        pass

    def _score(self, table):
        return np.arange(float(len(table)))


class Overwriting(Confidence):
    """Saves memory at the caller's cost."""

    def adjust(self, proba):
        proba *= 0.5
        return proba


class Doubling(Confidence):
    """Calibrates to something that is no probability."""

    needs_held_out = True

    def calibrate(self, proba, y):
        self.factor_ = 2.0
        return self

    def adjust(self, proba):
        if not hasattr(self, "factor_"):
            raise testing.NotFittedError
        return proba * self.factor_


class Eager(Strategy):
    """Forgets rows that keep their label: infinity is not below 1."""

    def select(self, confidence: NDArray[np.float64], round_number: int) -> NDArray[np.bool_]:
        best = confidence.max(axis=1)
        return (best > 0.6) & (best <= 1)


class Growing(Strategy):
    """Remembers from one run to the next."""

    def select(self, confidence, round_number):
        self._calls = getattr(self, "_calls", 0) + 1
        return confidence.max(axis=1) >= 1 / self._calls


class Impatient(Strategy):
    """Checks in __init__."""

    def __init__(self, share=0.5):
        if share > 1:
            raise ValueError(f"`share` of Impatient must be at most 1; got {share}.")
        self.share = share

    def select(self, confidence, round_number):
        return confidence.max(axis=1) >= self.share


class Trusting(Strategy):
    """Checks nothing."""

    def __init__(self, share=0.5):
        self.share = share

    def select(self, confidence, round_number):
        return confidence.max(axis=1) >= self.share


class Rounded(Strategy):
    """Stores something else than it is given."""

    def __init__(self, share=0.55):
        self.share = round(share, 1)

    def select(self, confidence, round_number):
        return confidence.max(axis=1) >= self.share


class Standardized(Weighting):
    """Divides by a spread that may be 0."""

    def weigh(self, confidence, labels):
        best = confidence.max(axis=1)
        with np.errstate(all="ignore"):
            return (best - best.min()) / np.ptp(best) if len(best) else np.empty(0)


class Moving(Weighting):
    """Averages over whoever asks."""

    def weigh(self, confidence, labels):
        self._mean = 0.5 * getattr(self, "_mean", 0.5) + 0.5 * (confidence.max(axis=1).mean() if len(labels) else 0.5)
        return np.full(len(labels), self._mean)


class NumbersOnly(NoiseFilter):
    """Cannot read a DataFrame with text."""

    def fit(self, X, y):
        self._center = np.nanmean(np.asarray(X, dtype=float), axis=0)
        return self

    def keep(self, X, labels):
        return np.nansum(np.abs(np.asarray(X, dtype=float) - self._center), axis=1) < 10


class Coin(NoiseFilter):
    """Keeps rows at random."""

    def fit(self, X, y):
        return self

    def keep(self, X, labels):
        return np.random.default_rng().random(len(labels)) < 0.5


class Nothing(FeatureSelection):
    """Leaves no column."""

    def fit(self, X, y, categorical_features=None):
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        return self


class Names(FeatureSelection):
    """Positions instead of a mask."""

    def fit(self, X, y, categorical_features=None):
        self.support_ = np.arange(X.shape[1])
        return self


class Overconfident(Teacher):
    """Writes something that is no probability."""

    def fit(self, lesson):
        self._own = lesson.own
        return self

    def teach(self, own_proba):
        return 2 * own_proba

    def predict_proba(self, X):
        return self._own.predict_proba(X)


class Greedy(Teacher):
    """Requests more fits than it declares."""

    def fit(self, lesson):
        rows = np.arange(len(lesson.y))
        if len(rows) > 4:
            lesson.own_out_of_fold([(rows[2:], rows[:2])])
        self._own = lesson.own
        return self

    def teach(self, own_proba):
        return own_proba

    def predict_proba(self, X):
        return self._own.predict_proba(X)


class Losing(Weighting):
    """Drops rows of which no class has much."""

    def weigh(self, confidence, labels):
        return np.ones(len(labels))

    def divide(self, confidence):
        return np.where(confidence < 0.4, 0.0, 0.5)


class Certain(Decision):
    """Payoffs that are not finite."""

    name = "certain"

    def fit(self, classes, prior, evidence=None):
        with np.errstate(divide="ignore"):
            return DecisionRule(self.name, np.diag(1 / (prior - prior.min())))


class LastRow(Decision):
    """Tuned on whichever row comes last."""

    name = "last row"
    needs_out_of_fold = True

    def fit(self, classes, prior, evidence=None):
        if evidence is None:
            raise ValueError("there are no probabilities")
        return DecisionRule(self.name, np.diag(evidence.proba[-1]))


BROKEN = [
    (Certain(), r"Certain breaks 'a rule has a payoff for each pair of classes': .* not finite"),
    (LastRow(), r"LastRow breaks 'the order of rows does not matter': rows in another order give another rule"),
    (Overconfident(), r"Overconfident breaks 'what it writes are probabilities': .* rows miss a sum of 1 by 1\."),
    (Greedy(), r"Greedy breaks 'it requests no more fits than n own fits': it requests 1 fits .* n_own_fits is 0\."),
    (Losing(), r"Losing breaks 'divided rows have shares of the classes': .* rows that were chosen are lost"),
    (LonelyPoint(), r"LonelyPoint breaks 'scores are finite for any row': .* not finite"),
    (RelativeDensity(), r"RelativeDensity breaks 'a score depends on its row alone': .* among other rows"),
    (Overwriting(), r"Overwriting breaks 'inputs stay as they are': .* changes `proba`"),
    (Doubling(), r"Doubling breaks 'rows of a calibrator sum to one': with 2 classes .* miss 1 by 1\."),
    (Eager(), r"Eager breaks 'rows that keep their label stay selected': round 2 drops \d+ rows"),
    (Growing(), r"Growing breaks 'round 1 starts afresh': a second run remembers the first"),
    (Impatient(), r"Impatient breaks 'nothing is checked in init': __init__ raises TypeError for a strange `share`"),
    (Trusting(), r"Trusting breaks 'strange numbers are refused by name': `share` is a number"),
    (Rounded(), r"Rounded breaks 'parameters survive a copy': __init__ does not store `share`"),
    (Standardized(), r"Standardized breaks 'weights are finite and not negative': .* not finite"),
    (
        Moving(),
        r"Moving breaks 'runs that share a weighting do not disturb each other': `weigh` depends on earlier calls",
    ),
    (NumbersOnly(), r"NumbersOnly breaks 'keep gives a mask over the rows': it raises \w+Error: "),
    (Coin(), r"Coin breaks 'the same input gives the same result': .* two copies give different results"),
    (Nothing(), r"Nothing breaks 'support is a mask over the columns': .* no column to look at"),
    (Names(), r"Names breaks 'support is a mask over the columns': .* array of int64 with shape \(4,\), not a boolean"),
]


@pytest.mark.parametrize(("broken", "sentence"), BROKEN, ids=[type(broken).__name__ for broken, _ in BROKEN])
def test_broken_members_are_caught(broken, sentence):
    [family] = [family for family in FAMILIES if isinstance(broken, family.base)]
    with pytest.raises(AssertionError, match=sentence):
        family.check_all(broken)


def test_every_family_has_a_broken_member():
    for family in FAMILIES:
        assert any(isinstance(broken, family.base) for broken, _ in BROKEN)


def test_a_class_or_a_member_of_another_family_cannot_be_checked():
    with pytest.raises(TypeError, match=r"An instance of Density is needed to check its contract; got .*KernelDensity"):
        testing.check_density(KernelDensity)
    with pytest.raises(TypeError, match=r"An instance of Strategy is needed to check its contract; got KernelDensity"):
        testing.check_strategy(KernelDensity())


def test_a_part_that_knows_only_the_pool_need_not_give_probabilities():
    testing.check_confidence(Chain([TemperatureScaling(), ClusterAware(EmpiricalLikelihood(), alpha=1.0)]))
