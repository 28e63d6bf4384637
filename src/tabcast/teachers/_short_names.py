"""The short names of the family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tabcast.checks import resolve_part
from tabcast.teachers._base import Teacher
from tabcast.teachers._committee import Committee
from tabcast.teachers._foundation_model import TABICL, TABPFN
from tabcast.teachers._self_teacher import SelfTeacher

TEACHERS: dict[str | None, Callable[[], Teacher]] = {
    None: Committee,
    "committee": Committee,
    "self": SelfTeacher,
    "tabpfn": TABPFN,
    "tabicl": TABICL,
}


def resolve_teacher(given: Any, owner: str) -> Teacher:
    """Return the teacher that a user passed, or the one that a short name stands for.

    Parameters
    ----------
    given : None, "committee", "self", "tabpfn", "tabicl" or Teacher
        The value of the argument `teacher`. None means "committee".
    owner : str
        Class name for error messages.

    Returns
    -------
    Teacher
        The teacher, not fitted.

    Examples
    --------
    >>> from tabcast.teachers import resolve_teacher
    >>> resolve_teacher("self", "SoftSelfTrainingClassifier")
    SelfTeacher()
    """
    return resolve_part(given, TEACHERS, Teacher, "teacher", owner)
