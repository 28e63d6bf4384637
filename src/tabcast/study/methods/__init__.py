"""The methods that a study compares.

To add one: a file here or in a plug-in folder, with an instance of a subclass of `Method` at its top level.
"""

from tabcast.study.methods._base import Method, Request

__all__ = ["Method", "Request"]
