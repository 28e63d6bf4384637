"""scikit-learn's own checks on the networks, with a reason for each exception."""

import pytest

pytest.importorskip("torch")

from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.models.neural.nets import NETS

BATCHES = "a row of weight 2 counts in one batch of an epoch, a repeated row in two; pretraining does not use weights"
EXPECTED = {"check_sample_weight_equivalence_on_dense_data": BATCHES}


ALWAYS = ("mlp",)  # the others, which are pretrained, are in `make slow`
SMALL = {name: clone(net).set_params(epochs=8, random_state=None) for name, net in NETS.items()}


@parametrize_with_checks([SMALL[name] for name in ALWAYS], expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [net for name, net in SMALL.items() if name not in ALWAYS], expected_failed_checks=lambda estimator: EXPECTED
)
def test_scikit_learn_checks_of_the_others(estimator, check):
    check(estimator)
