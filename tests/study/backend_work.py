"""What the tests of backends let workers do. It imports little, because every worker imports it when it starts."""

import os
import pickle
import signal
import socket
import sys
import threading
from pathlib import Path

from tabcast.study.backends._base import ONE_THREAD

SECONDS = 60  # after which a test that waits for something gives up


class Unpicklable:
    def __reduce__(self):
        raise pickle.PicklingError("not me")


class Unreadable:
    """Pickled without trouble, but not readable in a worker."""

    def __reduce__(self):
        return int, ("not a number",)


def connect(path):
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(SECONDS)
    line.connect(path)
    return line


def wait_for_word(path):
    """An item that is done when somebody at the other end of the line says something."""
    with connect(path) as line:
        return line.recv(100).decode()


def square(number):
    return number * number


def work(item):
    """What happens depends on the item."""
    if item == "raise":
        raise KeyError("a bad key")
    if item == "leave":
        sys.exit(3)
    if item == "unpicklable result":
        return threading.Lock()
    if item == "exit":
        os._exit(7)
    if item == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if isinstance(item, Path):  # dies the first time it is tried
        try:
            item.touch(exist_ok=False)
        except FileExistsError:
            return "second time"
        os._exit(1)
    return item


def wait_or_square(item):
    return wait_for_word(item) if isinstance(item, str) else square(item)


def load_libraries():
    """What would like to use many threads."""
    import sklearn.ensemble  # noqa: F401


def threads(_):
    from threadpoolctl import threadpool_info

    load_libraries()
    found = {info["num_threads"] for info in threadpool_info()}
    return found, {name: os.environ.get(name) for name in ONE_THREAD}
