"""Tables: rows, columns, labels, bins, encoders. First stage of the walk."""

from tabcast.table._arrays import Floats, Index, Mask
from tabcast.table._bins import bin_edges, equal_width_bins
from tabcast.table._blocks import MANY_ROWS, join_rows, map_rows, row_blocks, slice_rows
from tabcast.table._categorical import find_categorical
from tabcast.table._column_values import MISSING, UNSEEN, column_names
from tabcast.table._columns import (
    LARGEST_SPREAD,
    CategoricalColumn,
    Columns,
    ContinuousColumn,
    learn_and_encode,
    learn_columns,
    mean_and_spread,
)
from tabcast.table._encoded_table import BLOCK, EncodedTable
from tabcast.table._encoders import NormalScores, TableCodes
from tabcast.table._labels import UNLABELED, Labels, encode_labels, find_unlabeled, read_labels, warn_ambiguous
from tabcast.table._stacking import stack_rows
from tabcast.table._tables import (
    check_lengths,
    describe_difference,
    describe_type,
    find_empty_columns,
    is_dataframe,
    join_blocks,
    n_rows,
    plain_numbers,
    read_table,
    take_columns,
    take_rows,
    warn_empty_columns,
)
from tabcast.table._types import ColumnType, ColumnTypes, align_unlabeled, learn_types

__all__ = [
    "BLOCK",
    "LARGEST_SPREAD",
    "MANY_ROWS",
    "MISSING",
    "UNLABELED",
    "UNSEEN",
    "CategoricalColumn",
    "ColumnType",
    "ColumnTypes",
    "Columns",
    "ContinuousColumn",
    "EncodedTable",
    "Floats",
    "Index",
    "Labels",
    "Mask",
    "NormalScores",
    "TableCodes",
    "align_unlabeled",
    "bin_edges",
    "check_lengths",
    "column_names",
    "describe_difference",
    "describe_type",
    "encode_labels",
    "equal_width_bins",
    "find_categorical",
    "find_empty_columns",
    "find_unlabeled",
    "is_dataframe",
    "join_blocks",
    "join_rows",
    "learn_and_encode",
    "learn_columns",
    "learn_types",
    "map_rows",
    "mean_and_spread",
    "n_rows",
    "plain_numbers",
    "read_labels",
    "read_table",
    "row_blocks",
    "slice_rows",
    "stack_rows",
    "take_columns",
    "take_rows",
    "warn_ambiguous",
    "warn_empty_columns",
]
