"""Faults that are known and not fixed yet: a pattern of what happened and of the case, and the reason.

A case that matches counts as "known" instead of as a failure. Remove an entry together with its fault.
"""

KNOWN: dict[str, str] = {}
