"""Every backend keeps the same contract: each item once, failures isolated, deaths survived, interrupts obeyed."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from tempfile import TemporaryDirectory

import pytest

from tabcast.study.backends import BACKENDS, Crashed, Dask, Processes, Serial
from tabcast.study.backends._base import ONE_THREAD
from tests.conftest import needs
from tests.study.backend_work import (
    SECONDS,
    Unpicklable,
    Unreadable,
    load_libraries,
    square,
    threads,
    wait_or_square,
    work,
)

N_WORKERS = {"serial": 1, "processes": 2, "dask": 2}
DASK = pytest.param("dask", marks=needs("distributed"))
EVERY = pytest.mark.parametrize("name", ["serial", "processes", DASK])
SEPARATE = pytest.mark.parametrize(
    "name", ["processes", pytest.param("dask", marks=[needs("distributed"), pytest.mark.slow])]
)


def run(name, function, items, **options):
    """A run with workers of its own."""
    return BACKENDS[name].run(function, items, n_workers=N_WORKERS[name], **options)


@pytest.fixture(scope="module")
def scheduler():
    """A Dask cluster that is there already: starting one takes seconds, so most tests share this one."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def shared(request):
    """As `run`, but on the cluster that is there already."""

    def start(name, function, items, **options):
        backend = Dask(request.getfixturevalue("scheduler")) if name == "dask" else BACKENDS[name]
        return backend.run(function, items, n_workers=N_WORKERS[name], **options)

    return start


class Listener:
    """A meeting point: workers connect to it and hold the line for as long as they live."""

    def __init__(self, path):
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(self.path)
        self._socket.listen()
        self._socket.settimeout(SECONDS)

    def accept(self):
        line = self._socket.accept()[0]
        line.settimeout(SECONDS)
        return line

    def close(self):
        self._socket.close()


@pytest.fixture
def listener():
    with TemporaryDirectory() as folder, closing(Listener(f"{folder}/line")) as found:  # such paths must be short
        yield found


@EVERY
class TestContract:
    def test_every_item_once(self, name, shared):
        assert sorted(shared(name, square, range(25))) == [number**2 for number in range(25)]

    def test_nothing_to_do(self, name, shared):
        assert list(shared(name, square, [])) == []

    def test_failures_stay_with_their_item(self, name, shared):
        items = [1, "raise", 2, "leave", 3]
        results = list(shared(name, work, items))
        crashed = {result.item: result.traceback_text for result in results if isinstance(result, Crashed)}
        assert sorted(result for result in results if not isinstance(result, Crashed)) == [1, 2, 3]
        assert set(crashed) == {"raise", "leave"}
        assert "KeyError: 'a bad key'" in crashed["raise"]
        assert "in work" in crashed["raise"]
        assert "SystemExit: 3" in crashed["leave"]

    def test_one_thread(self, name, monkeypatch):
        monkeypatch.setenv("OMP_NUM_THREADS", "2")
        load_libraries()
        before = {variable: os.environ.get(variable) for variable in ONE_THREAD}
        ((found, environment),) = run(name, threads, [0])
        assert found == {1}
        assert {variable: os.environ.get(variable) for variable in ONE_THREAD} == before
        if name != "serial":
            assert environment == ONE_THREAD

    @pytest.mark.parametrize("n_workers", [0, -1, 1.5, True])
    def test_number_of_workers_is_checked_at_once(self, name, n_workers):
        with pytest.raises(ValueError, match=f"`n_workers` of the {name} backend must be .*; got {n_workers}"):
            BACKENDS[name].run(square, [1], n_workers=n_workers)


@SEPARATE
class TestWorkers:
    def test_deaths_are_survived(self, name, tmp_path):
        # One that dies once has a run of its own: it must not also lie on a worker that another one kills.
        assert sorted(run(name, work, [tmp_path / "once", *range(3)]), key=str) == [0, 1, 2, "second time"]
        results = list(run(name, work, [*range(6), "exit", *range(6, 12), "kill", *range(12, 18)]))
        crashed = [result for result in results if isinstance(result, Crashed)]
        assert {result.item for result in crashed} == {"exit", "kill"}
        assert all(len(result.traceback_text.splitlines()) == 2 for result in crashed)  # it was tried twice
        others = [result for result in results if not isinstance(result, Crashed)]
        assert sorted(others) == list(range(18))

    def test_what_cannot_travel(self, name, shared):
        unpicklable, unreadable = Unpicklable(), Unreadable()
        results = list(shared(name, work, [1, unpicklable, unreadable, "unpicklable result", 2]))
        crashed = {result.item: result.traceback_text for result in results if isinstance(result, Crashed)}
        assert set(crashed) == {unpicklable, unreadable, "unpicklable result"}
        assert "not me" in crashed[unpicklable]
        assert "not a number" in crashed[unreadable]
        assert "lock" in crashed["unpicklable result"]
        assert sorted(result for result in results if not isinstance(result, Crashed)) == [1, 2]

    def test_results_come_as_they_are_done_and_poll_meanwhile(self, name, shared, listener):
        """An item is held up until the others are in; then until poll has been called often enough."""
        held, calls = [], []

        def poll():
            calls.append(len(held))
            if held and sum(count > 0 for count in calls) == 2:
                held[0].sendall(b"go on")

        results = shared(name, wait_or_square, [listener.path, 3, 4], poll=poll)
        with closing(results):
            assert sorted([next(results), next(results)]) == [9, 16]
            with listener.accept() as line:
                held.append(line)
                assert list(results) == ["go on"]

    def test_closing_ends_the_workers(self, name, listener):
        results = run(name, wait_or_square, [2, listener.path, listener.path, listener.path])
        assert next(results) == 4
        with listener.accept() as line:
            results.close()
            assert line.recv(1) == b""  # the worker is gone, and the line with it

    def test_functions_that_cannot_be_imported(self, name):
        with pytest.raises(TypeError, match=f"`function` of the {name} backend must stand at the top level"):
            list(run(name, lambda item: item, [1]))


SCRIPT = """
import socket, threading
from tabcast.study.backends import BACKENDS

def hold(path):
    line = socket.socket(socket.AF_UNIX)
    line.connect(path)
    threading.Event().wait()

if __name__ == "__main__":
    try:
        for _ in BACKENDS[{name!r}].run(hold, [{path!r}] * 100, n_workers={n_workers}):
            print("a result")
    except KeyboardInterrupt:
        print("interrupted")
        raise
"""


def start_script(path, text):
    path.write_text(text)
    return subprocess.Popen(
        [sys.executable, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=path.parent,
    )


@pytest.mark.parametrize(
    ("name", "send"),
    [
        pytest.param("serial", os.kill, id="serial"),
        pytest.param("processes", os.kill, id="processes"),
        pytest.param("processes", os.killpg, id="processes-group"),
        pytest.param("dask", os.killpg, id="dask-group", marks=[needs("distributed"), pytest.mark.slow]),
    ],
)
def test_interrupt(name, send, tmp_path, listener):
    """Ctrl-C reaches all processes of the terminal, `kill -INT` only one: both end the run and its workers."""
    text = SCRIPT.format(name=name, n_workers=N_WORKERS[name], path=listener.path)
    script = start_script(tmp_path / "script.py", text)
    try:
        lines = [listener.accept() for _ in range(N_WORKERS[name])]
        send(script.pid, signal.SIGINT)
        out, err = script.communicate(timeout=SECONDS)
    finally:
        if script.poll() is None:
            os.killpg(script.pid, signal.SIGKILL)
            script.communicate()
    assert out == "interrupted\n"
    assert script.returncode in (1, -signal.SIGINT)
    assert err.count("Traceback") == 1, err  # the parent's own; workers say nothing
    for line in lines:
        assert line.recv(1) == b""
        line.close()


class TestSerial:
    def test_in_order_and_not_before_asked(self):
        seen = []
        results = Serial().run(seen.append, ["a", "b"])
        assert seen == []
        next(results)
        assert seen == ["a"]

    def test_poll_between_items(self):
        seen = []
        list(Serial().run(square, range(3), poll=lambda: seen.append(1)))
        assert len(seen) >= 1

    def test_more_workers_are_refused(self):
        with pytest.raises(ValueError, match="`n_workers` of the serial backend must be 1; got 2"):
            Serial().run(square, [1], n_workers=2)


class TestProcesses:
    def test_reason_of_a_death(self):
        (crashed,) = Processes().run(work, ["kill"])
        assert crashed.traceback_text.splitlines()[0] == (
            "The worker process was killed by SIGKILL (out of memory?) before it gave a result."
        )
        (crashed,) = Processes().run(work, ["exit"])
        assert "ended with exit code 7" in crashed.traceback_text

    def test_script_without_a_guard(self, tmp_path):
        """Workers that cannot start are not blamed on the items."""
        text = "from tabcast.study.backends import Processes\nprint(list(Processes().run(abs, range(500))))\n"
        script = start_script(tmp_path / "script.py", text)
        out, err = script.communicate(timeout=SECONDS)
        assert script.returncode == 1
        assert out == ""
        assert "3 worker processes in a row could not start" in err
        assert 'under `if __name__ == "__main__":`' in err


class TestDask:
    def test_without_the_package(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "distributed", None)
        with pytest.raises(ImportError, match=r"pip install 'tabcast\[dask\]'"):
            list(Dask().run(square, [1]))


def test_names():
    assert list(BACKENDS) == ["serial", "processes", "dask"]
    assert all(backend.name == name for name, backend in BACKENDS.items())
