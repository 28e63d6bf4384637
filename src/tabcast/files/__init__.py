"""Tables of users: reading them from files, and understanding what their columns are.

`read_table_file` reads, `understand` decides, and what it decided turns every later table into the same features.
Independent of the method: nothing here knows of classifiers, and nothing prints.
"""

from tabcast.files._errors import TableFileError
from tabcast.files._facts import ColumnNote, Fact
from tabcast.files._notation import Notation
from tabcast.files._read import iter_table_file, open_table_file, read_notes, read_table_file
from tabcast.files._rules import Problem
from tabcast.files._understand import understand
from tabcast.files._understanding import Converted, Understanding
from tabcast.files._wording import PYTHON, Argument, ArgumentError, Wording
from tabcast.files._words import describe
from tabcast.files._write import TableWriter, write_table_file

__all__ = [
    "PYTHON",
    "Argument",
    "ArgumentError",
    "ColumnNote",
    "Converted",
    "Fact",
    "Notation",
    "Problem",
    "TableFileError",
    "TableWriter",
    "Understanding",
    "Wording",
    "describe",
    "iter_table_file",
    "open_table_file",
    "read_notes",
    "read_table_file",
    "understand",
    "write_table_file",
]
