"""The door of the page: who is let in, and that nothing in a table or a class name becomes code."""

import http.client
import json
import re

import pandas as pd
import pytest

from tests.labeling.conftest import make_customers

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "=1+1", "'; --", "\u202eevil", "</dd>"]
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def server(open_session, serve):
    return serve(open_session(make_customers(n_labeled=10)[0]))


def ask(server, path="", body=None, host=None, method=None, **headers):
    """Status, headers and content of a request."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    sent = {"Host": host or server.hosts[0], **(JSON if body is not None else {}), **headers}
    text = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    path = path if path.startswith("/") else f"/{server.token}/{path}"
    connection.request(method or ("GET" if body is None else "POST"), path, text, sent)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, dict(answer.headers), content


def test_the_page_and_its_parts_load_nothing_from_elsewhere(server):
    for name in ("", "page.css", "page.js"):
        status, headers, content = ask(server, name)
        assert status == 200
        assert not re.search(rb"(src|href)=\"(https?:)?//|@import|url\(", content)
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
    state = json.loads(ask(server, "state")[2])["state"]
    assert state["n_labels"] == 10
    assert len(state["card"]["cells"]) == 3


@pytest.mark.parametrize(
    "how",
    [
        {"path": "/"},
        {"path": "/state"},
        {"path": "/wrong-token/state"},
        {"path": "//state"},
        {"path": "nothing"},
        {"path": "../page.html"},
        {"path": "__init__.py"},
        {"host": "evil.example"},
        {"host": "evil.example:{port}"},
        {"host": "127.0.0.1"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("body", [None, {"step": 0, "event": "label", "label": "no"}], ids=["GET", "POST"])
def test_strangers_are_refused(server, how, body):
    how = {"path": "state" if body is None else "answer"} | how
    how = {name: value.replace("{port}", str(server.server_port)) for name, value in how.items()}
    status, _, content = ask(server, how.pop("path"), body, how.pop("host", None), **how)
    assert status == 403
    assert b"Open the address that tabcast printed" in content
    assert not server.session.entries


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"step=0&event=label&label=no", {"Content-Type": "application/x-www-form-urlencoded"}),
        (b'{"step": 0, "event": "label", "label": "no"}', {"Content-Type": "text/plain"}),
        (b" " * 20_000, {}),
    ],
    ids=["form", "text", "long"],
)
def test_what_a_form_of_another_page_can_send_is_refused(server, body, headers):
    assert ask(server, "answer", body, **headers)[0] == 403
    assert not server.session.entries


@pytest.mark.parametrize("body", [b"", b"{", [], {}, {"step": "0", "event": "label"}, {"step": 0, "event": ["label"]}])
def test_nonsense_is_answered_with_a_sentence_and_writes_nothing(server, body):
    status, _, content = ask(server, "answer", body)
    assert status == 409
    assert json.loads(content)["problem"]
    assert not server.session.entries


def test_an_answer_moves_on_and_a_stale_one_is_told_so(server):
    said = {"step": 0, "event": "label", "label": "no"}
    status, _, content = ask(server, "answer", said, Origin=f"http://{server.hosts[1]}", host=server.hosts[1])
    assert status == 200
    first = json.loads(content)["state"]
    assert first["step"] == 1
    assert first["n_labels"] == 11
    status, _, content = ask(server, "answer", said | {"label": "yes"})
    answer = json.loads(content)
    assert status == 409
    assert "answered in another window" in answer["problem"]
    assert answer["state"]["card"] == first["card"]
    assert len(server.session.entries) == 1


def test_hostile_cells_and_classes_are_data(open_session, serve):
    table = pd.DataFrame({"note": HOSTILE * 5, HOSTILE[0]: range(30), "churned": [*HOSTILE, *[None] * 24]})
    server = serve(open_session(table))
    page = ask(server)[2].decode()
    state = json.loads(ask(server, "state")[2])["state"]
    assert not any(one in page for one in HOSTILE)  # the page is the same for every table
    assert sorted(name for name, _ in state["classes"]) == sorted(HOSTILE)
    assert dict(state["card"]["cells"])["note"] in HOSTILE
    for number, name in enumerate(["<b>new</b>", "=cmd|' /C calc'!A0"]):
        assert ask(server, "answer", {"step": number, "event": "class", "label": name})[0] == 200
    assert "=cmd|' /C calc'!A0" in open_session().classes


def test_a_broken_label_file_is_told_in_a_sentence(server):
    server.session.path.write_text("something else\n")
    status, _, content = ask(server, "state")
    assert status == 409
    assert "is not a label file" in json.loads(content)["problem"]
