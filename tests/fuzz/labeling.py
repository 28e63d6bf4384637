"""The server of `tabcast label`: random answers, wrong requests, killed processes, and what must be left of them."""

from __future__ import annotations

import http.client
import json
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import pandas as pd

from tabcast import load_run
from tabcast.labeling._file import HEADER, read_labels
from tabcast.labeling._server import Server
from tabcast.labeling._session import Session
from tabcast.runs._fit_table import Options, read_options
from tests.fuzz.generator import Random, draw_file_table, draw_notation, pick, write_bytes
from tests.fuzz.invariants import Refusal, attempt, check_file_classes, is_clear, require

FILE, FOLDER = Path("labels.csv"), Path("out")
CLASSES = ["no", "yes", "<b>new</b>", '"quoted"', "=1+1", "a,b", "Größe", "日本", "7", "x" * 80]
NO_CLASSES = ["", " x", "x" * 81, "line\nend", "nul\x00", "null", "NA", "\u202eevil"]
NONSENSE: list[Any] = [b"", b"{", b"[1]", b"null", {}, {"step": "0", "event": "label"}, {"step": 0, "event": ["label"]}]
NONSENSE += [{"step": 0, "event": "label", "label": 7}, {"event": "undo"}, b'{"step": NaN, "event": "skip"}', b"\xff"]
STRANGERS: list[dict[str, str]] = [
    {"path": "/state"},
    {"path": "/wrong-token/answer"},
    {"Host": "evil.example"},
    {"Origin": "https://evil.example"},
    {"Content-Type": "text/plain"},
    {"Content-Length": "-1"},
]


@dataclass
class Visitor:
    """Somebody who labels a table, and an account of the answers that count: row (-1: a new class), event and label."""

    frame: pd.DataFrame
    options: Options
    table: str
    said: list[tuple[int, str, str]] = field(default_factory=list)
    foreign: Exception | None = None  # of a fit in the background
    torn: bytes = b""  # half a line at the end of the file, which the next answer removes

    def start(self) -> Refusal | None:
        """Start the command, for the first time or again."""
        session = attempt(Session, self.table, "target", FILE, FOLDER, self.options, True)
        if isinstance(session, Refusal):
            return session
        self.session, fit = session, session.fit

        def fit_and_remember() -> Any:
            try:
                return fit()
            except Exception as error:  # which the session puts into words, whatever it is
                self.foreign = self.foreign if is_clear(error) else error
                raise

        session.fit = fit_and_remember
        return None

    @contextmanager
    def serve(self) -> Iterator[None]:
        """Serve the session, as the command does."""
        self.server = Server(self.session)
        Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield
        finally:
            self.server.shutdown()
            self.server.server_close()

    def ask(self, name: str, body: Any = None, path: str = "", **headers: str) -> tuple[int, Any]:
        """Status and content of a request; a fit that it started is awaited, so that a case is the same every time."""
        text = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        sent = {"Host": self.server.hosts[0], "Content-Type": "application/json"} | headers
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=300)
        connection.request("GET" if text is None else "POST", path or f"/{self.server.token}/{name}", text, sent)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        while self.session.fit_lock.locked():
            with self.session.fit_lock:
                pass
        return answer.status, json.loads(content) if content.startswith(b"{") else content

    def ask_wrongly(self, status: int, *arguments: Any, **headers: str) -> None:
        """Ask for what must be refused: in a sentence, and nothing is written."""
        before = read_bytes()
        found, content = self.ask(*arguments, **headers)
        require(found == status, f"status {found} instead of {status} of {arguments} {headers}: {content!r:.200}")
        require(status == 403 or content["problem"], "refused without a sentence")
        require(read_bytes() == before, "a refused request wrote to the label file")

    def answer(self, row: int, event: str, label: str = "") -> None:
        """Give an answer that must be taken: one more line, and the earlier ones as they were."""
        before, self.torn = read_bytes().removesuffix(self.torn).removeprefix(HEADER.encode()), b""
        said = {"step": self.state["step"], "event": event, "label": label}
        status, content = self.ask("answer", said)
        require(status == 200, f"{event} {label!r} was refused: {content}")
        lines = read_bytes().removeprefix(HEADER.encode())
        require(lines.startswith(before) and lines[len(before) :].count(b"\n") == 1, "not one more line")
        self.said = self.said[:-1] if event == "undo" else [*self.said, (row, event, label)]
        self.ask_wrongly(409, "answer", said)  # the same from another window

    def look(self) -> None:
        """The page shows what was answered, and a row that needs an answer, with its own cells."""
        status, content = self.ask("state")
        require(status == 200, f"no state: {content}")
        self.state = state = content["state"]
        if self.foreign is not None:
            raise self.foreign
        last = {row: event for row, event, _ in self.said if row >= 0}
        is_given = self.frame["target"].notna()
        require(state["n_labels"] == is_given.sum() + len(self.labels()), f"{state['n_labels']} labels of {self.said}")
        require(state["n_left"] == (~is_given).sum() - len(last), f"{state['n_left']} rows left of {self.said}")
        require(sum(n for _, n in state["classes"]) == state["n_labels"], "classes do not add up to the labels")
        new = {label for row, _, label in self.said if row < 0}
        require(new <= {name for name, _ in state["classes"]}, "a new class is not shown")
        if state["card"] is None:
            require(state["n_left"] == 0 and "skip" not in last.values(), "no row is shown, and one is left")
            return
        row, cells = state["card"]["row"], dict(state["card"]["cells"])
        require(not is_given[row] and last.get(row, "skip") == "skip", "a row is shown that needs no answer")
        require(cells["id"] == self.frame["id"][row], "a row is shown with the cells of another")
        require(len(cells) == self.frame.shape[1] - 1, "a row is shown without some of its cells")

    def labels(self) -> dict[int, str]:
        """The label of each row whose last answer is one."""
        last = {row: (event, label) for row, event, label in self.said if row >= 0}
        return {row: label for row, (event, label) in last.items() if event == "label"}

    def check_file(self) -> None:
        """The file has the labels that were given, whoever reads it."""
        found = (
            read_labels(FILE, self.session.frame, "target") if FILE.exists() else pd.DataFrame({"row": [], "label": []})
        )
        known = dict(zip(found["row"].tolist(), found["label"].tolist(), strict=True))
        require(known == self.labels(), f"labels in the file {known}, given {self.labels()}")

    def fill(self) -> None:
        """A prediction for every row without a label, in order, and all classes."""
        status, content = self.ask("fill", {})
        if status != 200:
            require(isinstance(attempt(self.session.fill), Refusal), f"refused once, not again: {content['problem']}")
            return
        run, labels, given = load_run(FOLDER), self.labels(), self.frame["target"].dropna().tolist()
        left = [row for row in self.frame.index[self.frame["target"].isna()] if row not in labels]
        require(run.predictions["row"].tolist() == left, "the filled table has other rows")
        check_file_classes(run.model.classes_, [*given, *labels.values()])


def read_bytes() -> bytes:
    """The label file."""
    return FILE.read_bytes() if FILE.exists() else b""


def drive_labeling(options: Options, random: Random, notes: list[str]) -> Refusal | None:
    """Label a random table over HTTP, with nonsense between the answers and processes that are killed; fill it."""
    frame, _ = draw_file_table(random)
    notation = draw_notation(random)
    notes.append(f"{len(frame)} rows, {dict(frame.dtypes.astype(str))}, {notation}")
    with tempfile.TemporaryDirectory() as place, chdir(place):
        visitor = Visitor(frame, options, f"table{notation.ending}")
        Path(visitor.table).write_bytes(write_bytes(frame, notation))
        for _ in range(int(random.integers(1, 4))):
            refusal = visitor.start()
            if refusal is not None:
                require(not visitor.said, f"refused when started again: {refusal.sentence}")
                return refusal
            with visitor.serve():
                for _ in range(int(random.integers(1, 20))):
                    visitor.look()
                    _act(visitor, random)
                visitor.look()
                visitor.check_file()
                if random.random() < 0.2:
                    visitor.fill()
            if FILE.exists() and random.random() < 0.5:  # killed while it wrote
                torn = b'3,0123456789ab,label,"half'[: int(random.integers(1, 27))]
                FILE.write_bytes(FILE.read_bytes() + torn)
                visitor.torn += torn
        notes.append(f"{len(visitor.said)} answers")
    return None


def _act(visitor: Visitor, random: Random) -> None:
    """One request of a person, or of somebody else."""
    state = visitor.state
    step, names = state["step"], [name for name, _ in state["classes"]]
    free = [one for one in CLASSES if one.casefold() not in (name.casefold() for name in names)]
    kinds = ["nonsense", "stranger", "no class", "probabilities", "stale"]
    kinds += ["class"] * (3 if len(names) < 2 else bool(free)) + ["undo"] * (2 * state["can_undo"])
    if state["card"] is not None:
        kinds += ["skip", "cannot tell", *["label"] * (14 if names else 0)]
    kind = pick(random, kinds)
    row = -1 if state["card"] is None else state["card"]["row"]
    if kind in ("skip", "cannot tell", "undo"):
        visitor.answer(row, kind)
    elif kind == "label":
        visitor.answer(row, kind, pick(random, names))
    elif kind == "class":
        visitor.answer(-1, kind, pick(random, free))
    elif kind == "no class":
        visitor.ask_wrongly(409, "answer", {"step": step, "event": "class", "label": pick(random, NO_CLASSES + names)})
    elif kind == "stale":
        visitor.ask_wrongly(409, "answer", {"step": step + 1, "event": "label", "label": pick(random, names or ["no"])})
    elif kind == "nonsense":
        visitor.ask_wrongly(409, "answer", pick(random, NONSENSE))
    elif kind == "stranger":
        visitor.ask_wrongly(403, "answer", {"step": step, "event": "undo"}, **pick(random, STRANGERS))
    else:
        status, content = visitor.ask("probabilities")
        require(status == 200, f"no probabilities: {content}")
        found = [value for _, value in content["result"]]
        require(not found or abs(sum(found) - 1) < 1e-6, "probabilities do not sum to 1")


def quick_options(random: Random, estimator: Any) -> Options:
    """Options of a session with a quick estimator, sometimes with a precision."""
    training = {"estimator": estimator, "random_state": 0, "n_jobs": 1, "verbose": 0, "max_pool": 1000}
    others = dict.fromkeys(("scoring", "decision", "dask"))
    return read_options(precision=pick(random, [None], [0.7], 0.2), **training, **others)
