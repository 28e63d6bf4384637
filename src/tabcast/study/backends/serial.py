"""One item after the other in this process: the simplest backend, and the one to debug with."""

from __future__ import annotations

import traceback
from collections.abc import Iterable

from threadpoolctl import threadpool_limits

from tabcast.study.backends._base import Backend, Crashed, Function, Results, Ticker


class Serial(Backend):
    """One item after the other, in this process, on one thread.

    `n_workers` must be 1. An item that ends the process ends everything; and as nobody waits here, `poll` is called
    between items.

    Examples
    --------
    >>> from tabcast.study.backends import Serial
    >>> list(Serial().run(abs, [-1, 2]))
    [1, 2]
    >>> list(Serial().run(len, ["ab", 3]))
    [2, Crashed(item=3, traceback_text='Traceback ...')]
    """

    name = "serial"
    most_workers = 1

    def _run(self, function: Function, items: Iterable[object], n_workers: int, ticker: Ticker) -> Results:
        for item in items:
            ticker.tick()
            try:
                with threadpool_limits(limits=1):
                    result = function(item)
            except (Exception, SystemExit):
                result = Crashed(item, traceback.format_exc())
            yield result
        ticker.tick()
