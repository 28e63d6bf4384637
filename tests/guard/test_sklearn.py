"""scikit-learn's own checks on the guard, with a reason for each exception."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from tabcast import SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.guard import GuardedClassifier

EXPECTED = {
    "check_classifiers_classes": (
        "uses -1 as a class, which by default marks unlabeled rows of a numeric y, as in scikit-learn; the check "
        "exempts scikit-learn's classes by name"
    ),
}


@pytest.mark.filterwarnings("ignore::tabcast.exceptions.TabcastWarning")
@parametrize_with_checks(
    [
        GuardedClassifier(SelfTrainingClassifier(LogisticRegression(), validation=None), n_splits=2, n_repeats=1),
        GuardedClassifier(SoftSelfTrainingClassifier(LogisticRegression(), teacher="self"), n_splits=2, n_repeats=1),
    ],
    expected_failed_checks=lambda estimator: EXPECTED,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
