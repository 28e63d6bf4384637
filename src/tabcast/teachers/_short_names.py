"""The short names of the family."""

from __future__ import annotations

from typing import Any

from tabcast.checks import resolve_part
from tabcast.teachers._base import Teacher
from tabcast.teachers._committee import Committee
from tabcast.teachers._self_teacher import SelfTeacher

TEACHERS: dict[str | None, type[Teacher]] = {
    None: Committee,
    "committee": Committee,
    "self": SelfTeacher,
}


def resolve_teacher(given: Any, owner: str) -> Teacher:
    """Return the teacher that a user passed, or the one that a short name stands for.

    Parameters
    ----------
    given : None, "committee", "self" or Teacher
        The value that was passed.
    owner : str
        Name of the class that takes it, for the message.

    Returns
    -------
    Teacher
        The object itself, or a new member with default parameters.

    Examples
    --------
    >>> from tabcast.teachers import resolve_teacher
    >>> resolve_teacher("self", "SoftSelfTrainingClassifier")
    SelfTeacher()
    """
    return resolve_part(given, TEACHERS, Teacher, "teacher", owner)
