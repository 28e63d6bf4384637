"""Contract checks for every family of parts: what a member has to do so that it works wherever its family does.

For authors of plug-ins, and run over every member of tabcast itself. Each function takes a member and raises an
AssertionError that says which promise it breaks.
"""

from tabcast.testing._families import (
    check_confidence,
    check_decision,
    check_density,
    check_feature_selection,
    check_noise_filter,
    check_strategy,
    check_teacher,
)

__all__ = [
    "check_confidence",
    "check_decision",
    "check_density",
    "check_feature_selection",
    "check_noise_filter",
    "check_strategy",
    "check_teacher",
]
