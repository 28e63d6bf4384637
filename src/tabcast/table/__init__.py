"""Tables: rows, columns, labels, bins, encoders. First stage of the walk."""

from tabcast.table._arrays import Floats, Index, Mask
from tabcast.table._bins import bin_edges, equal_width_bins
from tabcast.table._columns import (
    BLOCK,
    LARGEST_SPREAD,
    MISSING,
    UNSEEN,
    CategoricalColumn,
    Columns,
    ContinuousColumn,
    EncodedTable,
    column_names,
    find_categorical,
    learn_and_encode,
    learn_columns,
    mean_and_spread,
)
from tabcast.table._encoders import NormalScores, TableCodes
from tabcast.table._labels import UNLABELED, Labels, encode_labels, find_unlabeled, read_labels, warn_ambiguous
from tabcast.table._stacking import stack_rows
from tabcast.table._tables import (
    check_lengths,
    describe_difference,
    describe_type,
    is_dataframe,
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
    "find_unlabeled",
    "is_dataframe",
    "learn_and_encode",
    "learn_columns",
    "learn_types",
    "mean_and_spread",
    "n_rows",
    "plain_numbers",
    "read_labels",
    "read_table",
    "stack_rows",
    "take_columns",
    "take_rows",
    "warn_ambiguous",
    "warn_empty_columns",
]
