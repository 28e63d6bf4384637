"""The page in a real browser: by keyboard alone, through a killed server, in two windows, with hostile tables."""

import os
import re
import signal
import subprocess
import sys

import pandas as pd
import pytest

from tabcast import load_run
from tabcast.labeling._file import read_labels
from tests.labeling.browser import Browser
from tests.labeling.conftest import make_customers
from tests.labeling.test_server import HOSTILE

LABEL = [sys.executable, "-m", "tabcast", "label", "customers.csv", "--target", "churned", "--no-browser"]
LABEL += ["--estimator", "logistic_regression"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture
def start(tmp_path):
    """A function that starts `tabcast label`, and returns the process and the address."""
    processes = []

    def start_it():
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        processes.append(subprocess.Popen(LABEL, cwd=tmp_path, env=environment, **pipes))
        return processes[-1], re.search(r"http://\S+", processes[-1].stdout.readline())[0]

    yield start_it
    for one in processes:
        one.kill()
        one.communicate()


def open_page(browser, address):
    tab = browser.open(address)
    tab.wait("state !== null && find('#title').textContent")
    return tab


def press(tab, key):
    """Press a key that answers, and wait for the next card."""
    step = tab.run("state.step")
    tab.key(key)
    tab.wait(f"state.step === {step + 1} && !busy", f"an answer to {key}")


def label_by_keyboard(tab, truth, n):
    """Label as somebody who knows the truth; the rows in the order in which they came."""
    rows = []
    for _ in range(n):
        rows.append(tab.run("state.card.row"))
        press(tab, "12"[truth[rows[-1]] == tab.run("state.classes[1][0]")])
    return rows


def test_thirty_rows_by_keyboard_through_a_killed_server_until_the_table_is_filled(browser, start, tmp_path):
    table, truth = make_customers(100)
    table.to_csv(tmp_path / "customers.csv", index=False)
    before, path = (tmp_path / "customers.csv").read_bytes(), tmp_path / "customers-labels.csv"
    process, address = start()
    tab = open_page(browser, address)
    for name in ("no", "yes"):
        tab.wait("document.activeElement.id === 'name'")  # there is nothing else to do yet
        tab.type(name)
        press(tab, "Enter")
    rows = label_by_keyboard(tab, truth, 16)
    press(tab, "s")
    press(tab, "u")
    process.send_signal(signal.SIGKILL)
    process.wait()
    tab.key("1")
    tab.wait("find('#problem').textContent.includes('start tabcast label again')")
    process, address = start()
    tab = open_page(browser, address)
    assert tab.run("state.n_labels") == 16
    rows += label_by_keyboard(tab, truth, 14)
    tab.run("find('#fill').focus()")
    tab.key("Enter")
    tab.wait("find('#filled').textContent.startsWith('Written to')")
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert "the same command goes on from there" in process.stderr.read()

    found = read_labels(path, table, "churned")
    assert sorted(rows) == found["row"].tolist()
    assert found["label"].tolist() == truth[found["row"]].tolist()
    run = load_run(tmp_path / "customers-tabcast")
    assert run.summary["table"]["n_labeled"] == 30
    assert sorted([*rows, *run.predictions["row"]]) == list(range(100))
    assert (tmp_path / "customers.csv").read_bytes() == before
    strangers = {one.name for one in tmp_path.iterdir()}
    assert strangers == {"customers.csv", "customers-labels.csv", "customers-tabcast"}
    assert not browser.complaints


def test_two_windows(browser, open_session, serve):
    table, _ = make_customers(n_labeled=10)
    server = serve(open_session(table))
    first, second = open_page(browser, server.address), open_page(browser, server.address)
    row = first.run("state.card.row")
    first.run("clearTimeout(timer)")  # or it would ask and know
    second.run("clearTimeout(timer)")
    press(first, "1")
    second.key("2")
    second.wait("find('#problem').textContent.includes('answered in another window')")
    assert second.run("state.card.row") == first.run("state.card.row") != row
    press(second, "2")
    found = read_labels(server.session.path, table, "churned")
    assert len(found) == 2
    assert found.set_index("row").loc[row, "label"] == "no"


def test_hostile_cells_and_classes_are_shown_as_text(browser, open_session, serve):
    long = "A long text.\n" * 40 + "The end."
    table = pd.DataFrame({HOSTILE[0]: HOSTILE * 5, "long": [long] * 30, "churned": [*HOSTILE, *[None] * 24]})
    server = serve(open_session(table))
    tab = open_page(browser, server.address)
    assert tab.run("find('#cells dt').textContent") == HOSTILE[0]
    assert tab.run("find('#cells dd').textContent") in HOSTILE
    assert tab.run("[...find('#classes').children].map((one) => one.firstChild.textContent).sort()") == sorted(HOSTILE)
    assert tab.run("document.querySelectorAll('main script, main img').length") == 0
    assert tab.run("find('#cells .long dd').textContent") == long
    press(tab, str(1 + tab.run(f"state.classes.findIndex(([name]) => name === {HOSTILE[1]!r})")))
    assert tab.text("#said").endswith(f"{HOSTILE[1]}.")
    assert server.session.labels[next(iter(server.session.answers))] == HOSTILE[1]
    assert not browser.complaints


def test_probabilities_are_hidden_until_asked_for_and_many_classes_have_numbers(browser, open_session, serve):
    table, truth = make_customers(n_labeled=40)
    session = open_session(table)
    session.fit()
    tab = open_page(browser, serve(session).address)
    assert not re.search(r"\d%", tab.text("main"))
    tab.key("p")
    tab.wait("find('#guess').innerText.includes('%')")
    press(tab, "1")
    assert tab.run("find('#guess').hidden")
    for number in range(3, 13):
        tab.key("n")
        tab.type(f"class {number}")
        press(tab, "Enter")
    tab.key("1")
    assert "press Enter" in tab.text("#said")
    press(tab, "2")
    assert session.counts["class 12"] == 1
    tab.key("1")
    press(tab, "Enter")
    assert session.counts["no"] == (truth[:40] == "no").sum() + 2


def test_it_fits_a_phone(browser, open_session, serve):
    table, _ = make_customers(n_labeled=40)
    long = {"a_rather_" + "long_" * 12 + "name": "x" * 300}
    tab = browser.open(serve(open_session(table.assign(**long))).address, 390, 844)
    tab.wait("state !== null && find('#title').textContent")
    assert tab.run("document.documentElement.scrollWidth") <= 390
    assert tab.run("[...document.querySelectorAll('button')].every((one) => one.offsetWidth <= 390)")
    assert tab.run("find('#classes').getBoundingClientRect().bottom") <= 844
