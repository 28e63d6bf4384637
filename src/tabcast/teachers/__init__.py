"""Where soft labels of the unlabeled rows come from.

To add a teacher, subclass `Teacher` in a file of its own, write `fit(lesson)`, `teach(own_proba)` and
`predict_proba(X)`, and list it here.
"""

from tabcast.table import NormalScores, TableCodes
from tabcast.teachers._base import Folds, Lesson, Teacher
from tabcast.teachers._committee import Committee
from tabcast.teachers._foundation_model import FoundationModel
from tabcast.teachers._mixing import mixture_weights
from tabcast.teachers._sampling import Sampling, compare_samples
from tabcast.teachers._self_teacher import SelfTeacher
from tabcast.teachers._short_names import TEACHERS, resolve_teacher

__all__ = [
    "TEACHERS",
    "Committee",
    "Folds",
    "FoundationModel",
    "Lesson",
    "NormalScores",
    "Sampling",
    "SelfTeacher",
    "TableCodes",
    "Teacher",
    "compare_samples",
    "mixture_weights",
    "resolve_teacher",
]
