"""The methods that a study compares.

Your own is an instance of a subclass of `Method` at the top level of a file in a plug-in folder.
"""

from tabcast.study.methods._method import Method, Request
from tabcast.study.work import Answer

__all__ = ["Answer", "Method", "Request"]
