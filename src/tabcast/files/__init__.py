"""Tables of users: reading them from files, and interpreting their columns.

`read_table_file` reads, `understand` decides, and what it decided turns every later table into the same features.
Independent of the method: nothing here knows of classifiers, and nothing prints.
"""

from tabcast.files._read import read_table_file
from tabcast.files._understand import Understanding, describe, understand
from tabcast.files._write import write_table_file
from tabcast.wording import TableFileError

__all__ = ["TableFileError", "Understanding", "describe", "read_table_file", "understand", "write_table_file"]
