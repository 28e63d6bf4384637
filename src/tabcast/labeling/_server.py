"""The page of a session, served to this machine only, at an address that nobody can guess."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from secrets import compare_digest, token_urlsafe
from typing import Any

from tabcast.labeling._session import Session

HOST = "127.0.0.1"
LONGEST_BODY = 10_000
PARTS = {"": "page.html", "page.css": "page.css", "page.js": "page.js"}
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
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
        self.session, self.token = session, token_urlsafe(24)
        self.hosts = [f"{name}:{self.server_port}" for name in (HOST, "localhost")]
        self.address = f"http://{self.hosts[0]}/{self.token}/"


class Handler(BaseHTTPRequestHandler):
    """Requests with the token, to this host and from this origin; others are refused before they are looked at."""

    server: Server
    timeout = 60  # seconds that a silent connection may keep its thread

    def do_GET(self) -> None:
        """The page, its parts, and what it asks for."""
        name = self._find_name()
        if name in PARTS:
            part = files("tabcast.labeling").joinpath(PARTS[name])
            self._send(200, part.read_bytes(), TYPES[f".{PARTS[name].rpartition('.')[2]}"])
        elif name == "state":
            self._act(lambda: None)
        elif name == "probabilities":
            self._act(self.server.session.probabilities)
        else:
            self._refuse()

    def do_POST(self) -> None:
        """An answer, or the wish for a filled table."""
        name, session, length = self._find_name(), self.server.session, self.headers.get("Content-Length", "")
        is_json = self.headers.get_content_type() == "application/json" and length.isdecimal()
        if name not in ("answer", "fill") or not is_json or int(length) > LONGEST_BODY:
            self._refuse()
            return
        said = self.rfile.read(int(length))
        self._act(session.fill if name == "fill" else lambda: session.answer(**json.loads(said)))

    def _find_name(self) -> str | None:
        """What is asked for; None where the host, the origin or the token is wrong."""
        _, token, name = (*self.path.split("/", 2), "", "")[:3]
        origins = [None, *(f"http://{host}" for host in self.server.hosts)]
        is_ours = self.headers.get("Host") in self.server.hosts and self.headers.get("Origin") in origins
        return name if compare_digest(token.encode(), self.server.token.encode()) and is_ours else None

    def _act(self, act: Callable[[], Any]) -> None:
        """Do something; answer with its result and the new state, or with one sentence on what was wrong."""
        content = {}
        for key, call in (("result", act), ("state", self.server.session.state)):
            try:
                content[key] = call()
            except Exception as error:  # whatever it is, labeling goes on
                content.setdefault("problem", " ".join(str(error).split()) or type(error).__name__)
        self._send(409 if "problem" in content else 200, json.dumps(content).encode(), "application/json")

    def _refuse(self) -> None:
        self._send(403, b"Open the address that tabcast printed, in a browser on this machine.\n", "text/plain")

    def _send(self, status: int, content: bytes, kind: str) -> None:
        self.send_response_only(status)
        length = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(content))}
        for name, value in (HEADERS | length).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Requests are nobody's business."""
