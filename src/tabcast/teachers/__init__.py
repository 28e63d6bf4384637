"""Where soft labels of the unlabeled rows come from."""

from tabcast.teachers._committee import Committee
from tabcast.teachers._teachers import SelfTeacher, Teacher

__all__ = ["Committee", "SelfTeacher", "Teacher"]
