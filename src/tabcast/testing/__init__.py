"""Contract checks for every family of parts: what a member has to do so that it works wherever its family does.

For authors of plug-ins, and run over every member of tabcast itself. `check_density`, `check_confidence`,
`check_strategy`, `check_weighting`, `check_noise_filter`, `check_feature_selection`, `check_teacher` and
`check_decision` run all checks of a family on one member and raise an AssertionError that names the broken promise.
`density_checks()` and so on list the same checks as (name, function), to make each of them a test of its own::

    @pytest.mark.parametrize(("name", "check"), strategy_checks())
    def test_contract(name, check):
        check(MyStrategy())
"""

from tabcast.testing._confidence import check_confidence, confidence_checks
from tabcast.testing._decision import check_decision, decision_checks
from tabcast.testing._density import check_density, density_checks
from tabcast.testing._feature_selection import check_feature_selection, feature_selection_checks
from tabcast.testing._noise_filter import check_noise_filter, noise_filter_checks
from tabcast.testing._strategy import check_strategy, strategy_checks
from tabcast.testing._teacher import check_teacher, teacher_checks
from tabcast.testing._weighting import check_weighting, weighting_checks

__all__ = [
    "check_confidence",
    "check_decision",
    "check_density",
    "check_feature_selection",
    "check_noise_filter",
    "check_strategy",
    "check_teacher",
    "check_weighting",
    "confidence_checks",
    "decision_checks",
    "density_checks",
    "feature_selection_checks",
    "noise_filter_checks",
    "strategy_checks",
    "teacher_checks",
    "weighting_checks",
]
