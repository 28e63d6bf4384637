"""Tables of users: reading them from files, and understanding what their columns are.

`read_table_file` reads, `understand` decides, and what it decided turns every later table into the same features.
Beside the method: it knows nothing of classifiers, and nothing here prints.
"""

from tabcast.files._describe import describe
from tabcast.files._errors import TableFileError
from tabcast.files._read import iter_table_file, read_notes, read_table_file
from tabcast.files._rules import Problem
from tabcast.files._understand import ColumnNote, Converted, Understanding, understand
from tabcast.files._write import write_table_file

__all__ = [
    "ColumnNote",
    "Converted",
    "Problem",
    "TableFileError",
    "Understanding",
    "describe",
    "iter_table_file",
    "read_notes",
    "read_table_file",
    "understand",
    "write_table_file",
]
