"""The page of a session, served to this machine only, at an address that nobody can guess."""

from __future__ import annotations

import json
import secrets
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from tabcast.labeling._session import Session

HOST = "127.0.0.1"
LONGEST_BODY = 100_000
TYPES = {"page.html": "text/html", "page.css": "text/css", "page.js": "text/javascript"}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Server(ThreadingHTTPServer):
    """A server of one session on a free port of the loopback interface."""

    daemon_threads = True

    def __init__(self, session: Session) -> None:
        super().__init__((HOST, 0), Handler)
        self.session, self.token = session, secrets.token_urlsafe(24)
        self.hosts = [f"{name}:{self.server_port}" for name in (HOST, "localhost")]
        self.address = f"http://{self.hosts[0]}/{self.token}/"


class Handler(BaseHTTPRequestHandler):
    """Requests with the token, for this host and of this origin; all others are refused before they are looked at."""

    server: Server
    timeout = 60

    def do_GET(self) -> None:
        """The page, its parts, and what is asked while it is open."""
        name = self._check()
        if name in ("", *TYPES):
            name = name or "page.html"
            self._send(200, files("tabcast.labeling").joinpath(name).read_bytes(), TYPES[name])
        elif name == "state":
            self._act(lambda session: None)
        elif name == "probabilities":
            self._send_json(200, self.server.session.probabilities())
        elif name is not None:
            self._send_json(404, {"problem": "There is nothing at this address."})

    def do_POST(self) -> None:
        """An answer, or the wish for a filled table; both return the new state."""
        name = self._check()
        if name is None:
            return
        length = self.headers.get("Content-Length", "")
        if self.headers.get_content_type() != "application/json" or not length.isdecimal() or int(length) > LONGEST_BODY:
            self._send_json(400, {"problem": "A request needs a short body of JSON."})
            return
        try:
            said = json.loads(self.rfile.read(int(length)))
            step, event, label = int(said["step"]), str(said["event"]), str(said.get("label", ""))
        except (ValueError, TypeError, KeyError, AttributeError):
            self._send_json(400, {"problem": "A request needs the step and the event."})
            return
        if name == "answer":
            self._act(lambda session: session.answer(step, event, label))
        elif name == "fill":
            self._act(lambda session: session.fill())
        else:
            self._send_json(404, {"problem": "There is nothing at this address."})

    def _check(self) -> str | None:
        """What is asked for, None where the request was refused."""
        _, token, *name = self.path.split("?")[0].split("/", 2) + [""]
        origins = [None, *(f"http://{host}" for host in self.server.hosts)]
        if self.headers.get("Host") not in self.server.hosts or self.headers.get("Origin") not in origins:
            self._send_json(403, {"problem": "This address is for the page of tabcast on this machine only."})
            return None
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            self._send_json(404, {"problem": "This address needs its token: open the one that tabcast printed."})
            return None
        return name[0]

    def _act(self, act: Any) -> None:
        """Do something, and answer with the state; with one sentence where it could not be done."""
        session, problem = self.server.session, None
        try:
            act(session)
        except ValueError as error:
            problem = str(error)
        except OSError as error:
            problem = f"{session.path} could not be written ({error.strerror or error}); the answer was not taken."
        try:
            state = session.state()
        except (ValueError, OSError) as error:
            self._send_json(409, {"problem": str(error)})
            return
        self._send_json(200 if problem is None else 409, {"problem": problem, "state": state})

    def _send_json(self, status: int, content: Any) -> None:
        self._send(status, json.dumps(content).encode(), "application/json")

    def _send(self, status: int, content: bytes, kind: str) -> None:
        self.send_response_only(status)
        for name, value in (HEADERS | {"Content-Type": f"{kind}; charset=utf-8"}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Requests are nobody's business."""
