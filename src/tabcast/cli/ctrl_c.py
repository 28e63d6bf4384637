"""What Ctrl-C does to a command. Imports next to nothing: it is in place before anything else is loaded."""

from __future__ import annotations

import os
import signal
import sys


class CtrlC:
    """Ends the process at once with one sentence and code 130, and removes what is unfinished.

    An exception would not do: where it is raised inside a library, that may swallow it or report it as its own failure.
    """

    def __init__(self) -> None:
        self.sentence, self._place, self._before = "Stopped.", "", 0

    def expect(self, sentence: str, place: str | os.PathLike[str]) -> None:
        """Set what to say, and which file is written last: once it is there, Ctrl-C comes too late and does nothing."""
        self.sentence, self._place = sentence, os.path.abspath(place)
        self._before = _stamp(self._place)

    def __call__(self, *_: object) -> None:
        """Handle the signal."""
        files = sys.modules.get("tabcast.files._atomic")
        if (files and files.MOVING) or (self._place and _stamp(self._place) != self._before):
            return
        if processes := sys.modules.get("multiprocessing"):
            for child in processes.active_children():
                child.terminate()
        if files:
            files.remove_unfinished()
        clear = "\n\x1b[?25h" if sys.stderr.isatty() else ""  # below a progress bar, which hides the cursor
        os.write(2, f"{clear}{self.sentence}\n".encode())
        os._exit(130)


CTRL_C = CtrlC()


def _stamp(path: str) -> int:
    """What tells a file from the one that was there before; 0 where there is none."""
    return os.stat(path).st_ino if os.path.exists(path) else 0


def run() -> None:
    """Run a command as a process of its own; once it is done, Ctrl-C does nothing any more."""
    signal.signal(signal.SIGINT, CTRL_C)
    # The process that removes what workers share in memory warns of each piece that a stopped command leaves to it.
    ignored = [os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker:UserWarning"]
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, ignored))
    try:
        from tabcast.cli.main import app

        app(prog_name="tabcast")
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
