"""Rows that are not in memory: partitions, numbers about all of them, and engines that train on them."""

from tabcast.partitions._cuts import CutColumns
from tabcast.partitions._dask_engine import DaskEngine
from tabcast.partitions._engine import Engine, StreamEngine
from tabcast.partitions._partition import Partition
from tabcast.partitions._results import PartitionedTable
from tabcast.partitions._sources import Partitions, is_partitioned, open_partitions

__all__ = [
    "CutColumns",
    "DaskEngine",
    "Engine",
    "Partition",
    "PartitionedTable",
    "Partitions",
    "StreamEngine",
    "is_partitioned",
    "open_partitions",
]
