"""Rows that are not in memory: partitions, numbers about all of them, and engines that train on them."""

from tabcast.partitions._boosting import Boosting, TrainingRows, boost, load_booster, predict_codes
from tabcast.partitions._cuts import NO_VALUE, CutColumns, cut, find_edges
from tabcast.partitions._engine import Engine, StreamEngine, find_engine
from tabcast.partitions._numbers import (
    alignment_terms,
    count_digit,
    find_alignment,
    find_kth_largest,
    find_range,
    join_ranges,
    mean_of,
    order_bits,
    scale_to_range,
    whole_sum,
)
from tabcast.partitions._results import PartitionedTable
from tabcast.partitions._sources import FramePartition, Partition, Partitions, is_dask, is_partitioned, open_partitions
from tabcast.partitions._survey import Survey, read_typed, survey

__all__ = [
    "NO_VALUE",
    "Boosting",
    "CutColumns",
    "Engine",
    "FramePartition",
    "Partition",
    "PartitionedTable",
    "Partitions",
    "StreamEngine",
    "Survey",
    "TrainingRows",
    "alignment_terms",
    "boost",
    "count_digit",
    "cut",
    "find_alignment",
    "find_edges",
    "find_engine",
    "find_kth_largest",
    "find_range",
    "is_dask",
    "is_partitioned",
    "join_ranges",
    "load_booster",
    "mean_of",
    "open_partitions",
    "order_bits",
    "predict_codes",
    "read_typed",
    "scale_to_range",
    "survey",
    "whole_sum",
]
