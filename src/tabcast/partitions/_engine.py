"""The contract of the engines, and the engine of this process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import add
from typing import Any

import pandas as pd

from tabcast.partitions._boosting import Boosting, TrainingRows, boost
from tabcast.partitions._partition import Partition
from tabcast.partitions._results import PartitionedTable

Placed = Sequence[Any]  # one entry per partition, wherever it is kept


class Engine(ABC):
    """Runs functions on partitions, in order, wherever they are.

    See Also
    --------
    StreamEngine : Runs them in this process.
    DaskEngine : Runs them on the workers of a Dask cluster.
    """

    @abstractmethod
    def place(self, members: Sequence[Any]) -> Placed:
        """Make partitions, or small objects, available to functions.

        Parameters
        ----------
        members : sequence
            One per partition.

        Returns
        -------
        sequence
            What the other methods take.
        """

    @abstractmethod
    def map(self, function: Callable[..., Any], *placed: Placed) -> Placed:
        """Call a function per partition and keep the results where they are.

        Parameters
        ----------
        function : callable
            Can be pickled; gets one entry of each argument.
        *placed : sequence
            One entry per partition each.

        Returns
        -------
        sequence
            One result per partition.
        """

    @abstractmethod
    def reduce(self, function: Callable[..., Any], *placed: Placed, join: Callable[[Any, Any], Any] = add) -> Any:
        """Call a function per partition and join the results.

        Parameters
        ----------
        function : callable
            Returns something small.
        *placed : sequence
            One entry per partition each.
        join : callable, default=operator.add
            Joins two results; must be associative and commutative.

        Returns
        -------
        object
            The joined result.
        """

    @abstractmethod
    def collect(self, function: Callable[..., Any], *placed: Placed) -> list[Any]:
        """Call a function per partition and bring the results here.

        Parameters
        ----------
        function : callable
            Returns something small.
        *placed : sequence
            One entry per partition each.

        Returns
        -------
        list
            One result per partition, in order.
        """

    @abstractmethod
    def train(
        self, labeled: TrainingRows, plan: Boosting, function: Callable[..., TrainingRows], *placed: Placed
    ) -> bytes:
        """Train XGBoost on labeled rows and the rows of all partitions.

        Parameters
        ----------
        labeled : TrainingRows
            The labeled rows.
        plan : Boosting
            How to train.
        function : callable
            Makes the rows of a partition that train.
        *placed : sequence
            One entry per partition each.

        Returns
        -------
        bytes
            The booster in XGBoost's UBJSON.
        """

    @abstractmethod
    def tabulate(self, function: Callable[..., pd.DataFrame], *placed: Placed) -> Any:
        """Make a table in partitions, each computed when it is looked at.

        Parameters
        ----------
        function : callable
            Makes the table of a partition.
        *placed : sequence
            One entry per partition each.

        Returns
        -------
        PartitionedTable or dask DataFrame
            The table.
        """


class StreamEngine(Engine):
    """This process, a partition at a time.

    See Also
    --------
    DaskEngine : The same on other machines.

    Examples
    --------
    >>> from tabcast.partitions import StreamEngine
    >>> StreamEngine().reduce(len, ["ab", "cde"])
    5
    """

    def place(self, members: Sequence[Any]) -> Placed:
        """As they are."""
        return list(members)

    def map(self, function: Callable[..., Any], *placed: Placed) -> Placed:
        """One call after the other."""
        return [function(*one) for one in zip(*placed, strict=True)]

    def reduce(self, function: Callable[..., Any], *placed: Placed, join: Callable[[Any, Any], Any] = add) -> Any:
        """One call after the other, joined as they come."""
        return reduce(join, (function(*one) for one in zip(*placed, strict=True)))

    def collect(self, function: Callable[..., Any], *placed: Placed) -> list[Any]:
        """One call after the other."""
        return list(self.map(function, *placed))

    def train(
        self, labeled: TrainingRows, plan: Boosting, function: Callable[..., TrainingRows], *placed: Placed
    ) -> bytes:
        """In this process."""
        return boost([labeled, *(function(*one) for one in zip(*placed, strict=True))], plan)

    def tabulate(self, function: Callable[..., pd.DataFrame], *placed: Placed) -> PartitionedTable:
        """A table that computes its partitions one after the other."""
        return PartitionedTable([partial(function, *one) for one in zip(*placed, strict=True)])


def find_engine(given: Any, members: Sequence[Partition]) -> Engine:
    """Find the engine that a user asked for.

    Parameters
    ----------
    given : {"stream"}, address, client, Engine or None
        As in :func:`open_partitions`.
    members : sequence of Partition
        What it will work on.

    Returns
    -------
    Engine
        The engine.
    """
    if isinstance(given, Engine):
        return given
    if isinstance(given, str) and given == "stream":
        return StreamEngine()
    if given is None:
        from tabcast.partitions._dask_engine import find_client

        client = find_client(members)
        if client is None:
            return StreamEngine()
        given = client
    from tabcast.partitions._dask_engine import connect

    return connect(given)
