"""Every public member of every family keeps its contract, and the checks catch members that do not."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from tabcast import confidence, decisions, density, feature_selection, noise_filters, pseudo_labels, teachers, testing
from tabcast.confidence import Chain, ClusterAware, Confidence, DistributionAlignment, TemperatureScaling
from tabcast.decisions import Decision
from tabcast.density import Density, EmpiricalLikelihood, KernelDensity
from tabcast.feature_selection import FeatureSelection
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Strategy
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
        {"members": ["own", "linear", "boosting"], "n_folds": 2},
        {"members": ("linear", "own")},
    ],
    "ClusterAware": [{"density": EmpiricalLikelihood()}, {"density": KernelDensity(), "scaling": "density"}],
    "Costs": [{"costs": {(1, 0): 5.0}}, {"costs": [[0, 1], [0.2, -1]]}],
    "DistributionAlignment": [{}, {"temperature": 0.1}],
    "EmpiricalLikelihood": [{}, {"smoothing": 0}],
    "GaussianProcessCalibration": [{"max_iter": 1}],
    "KernelDensity": [{}, {"bandwidth": "normal_reference"}],
}
OPTIONAL = {"BorutaShap": "xgboost", "GaussianProcessCalibration": "gpytorch"}
FAMILIES = {
    Density: (density, testing.check_density),
    Confidence: (confidence, testing.check_confidence),
    Strategy: (pseudo_labels, testing.check_strategy),
    NoiseFilter: (noise_filters, testing.check_noise_filter),
    FeatureSelection: (feature_selection, testing.check_feature_selection),
    Teacher: (teachers, testing.check_teacher),
    Decision: (decisions, testing.check_decision),
}
CASES = [
    pytest.param(member, settings, check, id=f"{member.__name__}-{number}")
    for base, (module, check) in FAMILIES.items()
    for member in (getattr(module, name) for name in module.__all__)
    if inspect.isclass(member) and issubclass(member, base) and member is not base
    for number, settings in enumerate(SETTINGS.get(member.__name__, [{}]))
]


@pytest.mark.parametrize(("member", "settings", "check"), CASES)
def test_member_keeps_its_contract(member, settings, check):
    if member.__name__ in OPTIONAL:
        pytest.importorskip(OPTIONAL[member.__name__])
    check(member(**settings))


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
            raise NotFittedError
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


class Certain(Decision):
    """Payoffs that are not finite."""

    name = "certain"

    def fit(self, classes, prior, evidence=None):
        with np.errstate(divide="ignore"):
            return self.make_rule(np.diag(1 / (prior - prior.min())), "")


class LastRow(Decision):
    """Tuned on whichever row comes last."""

    name = "last row"
    needs_out_of_fold = True

    def fit(self, classes, prior, evidence=None):
        if evidence is None:
            raise ValueError("there are no probabilities")
        return self.make_rule(np.diag(evidence.proba[-1]), "")


BROKEN = [
    (Certain(), r"Certain breaks the contract of Decision: with 2 classes .* not finite"),
    (LastRow(), r"rows in another order give another rule"),
    (Overconfident(), r"rows miss a sum of 1 by 1\."),
    (Greedy(), r"it requests 1 fits .* n_own_fits is 0\."),
    (LonelyPoint(), r"LonelyPoint breaks the contract of Density: .* not finite"),
    (RelativeDensity(), r"rows get other scores among other rows"),
    (Overwriting(), r"depends on earlier calls|changes `proba`"),
    (Doubling(), r"with an array, 2 classes and .* miss a sum of 1 by 1\."),
    (Eager(), r"round 2 drops \d+ rows"),
    (Growing(), r"a second run remembers the first"),
    (Impatient(), r"__init__ raises TypeError for a strange `share`"),
    (Trusting(), r"`share` is a number, but share='strange' is accepted|does not name `share`"),
    (Rounded(), r"__init__ does not store `share`"),
    (NumbersOnly(), r"NumbersOnly breaks the contract of NoiseFilter: it raises \w+Error: "),
    (Coin(), r"two copies give different results"),
    (Nothing(), r"no column to look at"),
    (Names(), r"array of int64 with shape \(4,\), not a boolean"),
]


@pytest.mark.parametrize(("broken", "sentence"), BROKEN, ids=[type(broken).__name__ for broken, _ in BROKEN])
def test_broken_members_are_caught(broken, sentence):
    [check] = [check for base, (_, check) in FAMILIES.items() if isinstance(broken, base)]
    with pytest.raises(AssertionError, match=sentence):
        check(broken)


def test_a_class_or_a_member_of_another_family_cannot_be_checked():
    with pytest.raises(TypeError, match=r"An instance of Density is needed to check its contract; got .*KernelDensity"):
        testing.check_density(KernelDensity)
    with pytest.raises(TypeError, match=r"An instance of Strategy is needed to check its contract; got KernelDensity"):
        testing.check_strategy(KernelDensity())


def test_a_part_that_knows_only_the_pool_need_not_give_probabilities():
    testing.check_confidence(Chain([TemperatureScaling(), ClusterAware(EmpiricalLikelihood(), alpha=1.0)]))
