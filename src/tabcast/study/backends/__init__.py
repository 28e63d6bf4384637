"""Where the work of a study is done: in this process, in several on this machine, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tabcast.study.backends._base import Backend, Crashed
from tabcast.study.backends.dask import Dask
from tabcast.study.backends.processes import Processes
from tabcast.study.backends.serial import Serial

BACKENDS: Mapping[str, Backend] = MappingProxyType(
    {backend.name: backend for backend in (Serial(), Processes(), Dask())}
)

__all__ = ["BACKENDS", "Backend", "Crashed", "Dask", "Processes", "Serial"]
