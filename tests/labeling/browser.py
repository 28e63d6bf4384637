"""Headless Chromium over a pipe of its DevTools protocol: what a person does with keys, and what is on the page."""

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.labeling.conftest import wait_for

OPTIONS = "--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --remote-debugging-pipe"
CODES = {"Enter": ("Enter", 13, "\r"), "Tab": ("Tab", 9, ""), "Escape": ("Escape", 27, "")}


def find_browser():
    """The program; skips where there is none."""
    browser = os.environ.get("TABCAST_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        # .ci/run sets the variable where .ci/install_browser claimed that a browser is there.
        (pytest.fail if os.environ.get("TABCAST_REQUIRE_BROWSER") else pytest.skip)("no Chromium: .ci/install_browser")
    return browser


class Browser:
    """A browser of its own; `open` opens tabs. What pages complain of is in `complaints`."""

    def __init__(self, folder):
        (read, self._out), (self._in, write) = os.pipe(), os.pipe()
        command = [find_browser(), *OPTIONS.split(), f"--user-data-dir={folder}", "about:blank"]

        def give_pipes():  # the protocol wants the numbers 3 and 4
            ours = [os.dup(read), os.dup(write)]
            os.dup2(ours[0], 3)
            os.dup2(ours[1], 4)

        self._process = subprocess.Popen(command, close_fds=False, preexec_fn=give_pipes, stderr=subprocess.DEVNULL)
        os.close(read)
        os.close(write)
        self._reader, self._number, self.complaints = os.fdopen(self._in, "rb"), 0, []
        self._buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._reader.close()
        os.close(self._out)

    def send(self, method, session=None, **params):
        """Do something, and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            got = self._read()
            if got.get("id") == self._number:
                if "error" in got:
                    raise AssertionError(f"{method}: {got['error']}")
                return got["result"]
            is_complaint = got.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")
            if is_complaint and got["params"].get("entry", {}).get("source") != "network":  # refused answers, no server
                self.complaints.append(json.dumps(got["params"]))

    def _read(self):
        while b"\0" not in self._buffer:
            more = os.read(self._in, 1 << 20)
            if not more:
                raise AssertionError("the browser has ended")
            self._buffer += more
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def open(self, address, width=1200, height=900, dark=False):
        """A tab with a page."""
        return Tab(self, address, width, height, dark)


class Tab:
    """A tab: keys go in, texts come out."""

    def __init__(self, browser, address, width, height, dark):
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        session = browser.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.do = lambda method, **params: browser.send(method, session, **params)
        for domain in ("Page", "Runtime", "Log"):
            self.do(f"{domain}.enable")
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.do("Emulation.setEmulatedMedia", features=[scheme])
        mobile = width < 500
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.do("Page.navigate", url=address)

    def run(self, script):
        """The value of an expression of JavaScript."""
        found = self.do("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def text(self, selector):
        """The text of an element as it is seen, None if there is none."""
        return self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def wait(self, script, what=None):
        """The first true value of an expression; an error is none, while a page is loading."""
        tried = f"(() => {{ try {{ return {script}; }} catch {{ return null; }} }})()"
        return wait_for(lambda: self.run(tried), what or script)

    def key(self, key):
        """Press and release a key."""
        name, code, text = CODES.get(key) or (key, ord(key.upper()), key)
        common = {"key": name, "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code}
        self.do("Input.dispatchKeyEvent", type="keyDown", text=text, unmodifiedText=text, **common)
        self.do("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        """Write into what has the focus."""
        self.do("Input.insertText", text=text)

    def save_picture(self, path, whole=True):
        """A screenshot."""
        found = self.do("Page.captureScreenshot", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(found["data"]))
