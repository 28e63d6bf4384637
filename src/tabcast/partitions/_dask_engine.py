"""The engine of a Dask cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabcast.partitions._engine import Engine
from tabcast.partitions._sources import DelayedPartition, Partition


def find_client(members: Sequence[Partition]) -> Any | None:
    """The current Dask client, if partitions are those of a Dask DataFrame and there is one."""
    if not any(isinstance(member, DelayedPartition) for member in members):
        return None
    return None


def connect(given: Any) -> Engine:
    """An engine on the cluster at an address, or of a client."""
    raise NotImplementedError
