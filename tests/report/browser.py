"""A real browser for tests: Chromium without a window, driven over a pipe in the DevTools protocol.

Standard library only, and no port is opened.

`find_browser` gives None where there is none. All waiting is for a condition, told by the browser itself.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

TIMEOUT = 120.0

# The browser listens on descriptor 3 and answers on 4; the pipes may have these numbers the wrong way round.
LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]]
for end, number in zip(ends, (3, 4)):
    os.dup2(end, number)
    os.close(end)
os.execvp(sys.argv[3], sys.argv[3:])
"""


def find_browser() -> str | None:
    """The program, if there is one: $TABCAST_BROWSER, or Chromium or Chrome on the path."""
    named = os.environ.get("TABCAST_BROWSER")
    candidates = [named] if named else ["chromium", "chromium-browser", "google-chrome"]
    return next((found for one in candidates if (found := shutil.which(one))), None)


class BrowserError(Exception):
    """What the browser, or the page in it, complained of."""


class Browser:
    """A running browser; `open` gives pages. Used as a context."""

    def __init__(self, program: str) -> None:
        self._profile = tempfile.mkdtemp(prefix="tabcast-browser-")
        command = [
            program, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self._profile}", "--no-first-run",
            "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--disable-default-apps", "--disable-extensions", "--no-default-browser-check",
            "--hide-scrollbars", "--force-color-profile=srgb", "--font-render-hinting=none", "--lang=en-US",
        ]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--no-sandbox")
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(to_read), str(to_write), *command],
            pass_fds=(to_read, to_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "HOME": self._profile},
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.call("Browser.close")
            self._process.wait(30)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._read)
        os.close(self._write)
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events that come in between are kept."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def wait_event(self, session: str, method: str) -> dict[str, Any]:
        """The first event of that name which has not been asked for yet."""
        while True:
            for event in self.events:
                if event.get("sessionId") == session and event["method"] == method and not event.get("seen"):
                    event["seen"] = True
                    return event["params"]
            self._note(self._receive())

    def forget(self, session: str) -> None:
        """Drop the events of a page that is closed."""
        self.events = [event for event in self.events if event.get("sessionId") != session]

    def _note(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        # A dialog would stop the page for good.
        if event.get("method") == "Page.javascriptDialogOpening":
            self.call("Page.handleJavaScriptDialog", event["sessionId"], accept=False)

    def _receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + TIMEOUT
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise BrowserError(f"no word from the browser for {TIMEOUT:.0f} s")
            some = os.read(self._read, 1 << 20)
            if not some:
                raise BrowserError("the browser is gone")
            self._buffer += some
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def open(
        self,
        file: Path,
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        phone: bool = False,
        script: bool = True,
    ) -> Page:
        """Load a file and wait until it has loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target, script)
        for domain in ("Page", "Runtime", "Network", "Log", "Audits", "DOM"):
            page.call(f"{domain}.enable")
        page.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        page.call("Emulation.setTouchEmulationEnabled", enabled=phone)
        page.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        page.call("Emulation.setScriptExecutionDisabled", value=not script)
        page.call("Page.navigate", url=file.resolve().as_uri())
        self.wait_event(session, "Page.loadEventFired")
        return page

    @cache  # noqa: B019 (a browser lives as long as the tests)
    def has_font(self, family: str) -> bool:
        """Whether text in a font family is drawn in it, asked of an empty page: the question makes a page load anew."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        with Page(self, session, target, script=True) as page:
            for domain in ("Page", "DOM", "CSS"):
                page.call(f"{domain}.enable")
            page.call("Page.navigate", url=f"data:text/html,<body style='font-family: \"{family}\"'>Some words")
            self.wait_event(session, "Page.loadEventFired")
            root = page.call("DOM.getDocument", depth=0)["root"]["nodeId"]
            body = page.call("DOM.querySelector", nodeId=root, selector="body")["nodeId"]
            used = page.call("CSS.getPlatformFontsForNode", nodeId=body)["fonts"]
        return {one["familyName"] for one in used} == {family}


class Page:
    """A loaded page."""

    def __init__(self, browser: Browser, session: str, target: str, script: bool) -> None:
        self._browser, self._session, self._target, self._script = browser, session, target, script

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self._browser.call("Target.closeTarget", targetId=self._target)
        self._browser.forget(self._session)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, self._session, **parameters)

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until a JavaScript expression is true, looked at once a frame."""
        self.run(
            "new Promise((done, fail) => { const end = performance.now() + 30000; const look = () => "
            f"({condition}) ? done(true) : performance.now() > end "
            f"? fail(new Error('never true: ' + {json.dumps(condition)})) : requestAnimationFrame(look); look(); }})"
        )

    def set_font(self, family: str) -> None:
        """Show the page in a font; what the page's own style names does not count."""
        self.run(f"document.documentElement.style.setProperty('--sans', {json.dumps(json.dumps(family))})")

    def text(self, selector: str = "body") -> str:
        return self.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def texts(self, selector: str) -> list[str]:
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(one => one.textContent)")

    def count(self, selector: str) -> int:
        return self.run(f"document.querySelectorAll({json.dumps(selector)}).length")

    def click(self, selector: str) -> None:
        """A real click in the middle of an element, scrolled into view; made again where the page moved under it."""
        for _ in range(5):
            self.run(
                "window.clicked = 'no'; document.addEventListener('click', event => {"
                f" if (event.composedPath().includes(document.querySelector({json.dumps(selector)})))"
                " window.clicked = 'yes'; }, {capture: true, once: true})"
            )
            x, y = self.middle(selector)
            self.mouse("mouseMoved", x, y)
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
            # A page that was left by the click knows of none.
            if not self._script or self._two_frames("window.clicked") != "no":
                return
        raise BrowserError(f"{selector} cannot be clicked")

    def middle(self, selector: str) -> tuple[float, float]:
        """The middle of an element, scrolled into view; two frames later, when the browser has drawn it there."""
        self.run(
            f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center', behavior: 'instant'}})"
        )
        place = self._two_frames(
            f"(box => [box.left + box.width / 2, box.top + box.height / 2])"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )
        return place[0], place[1]

    def _two_frames(self, expression: str) -> Any:
        """The value of an expression two frames from now."""
        return self.run(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(" + expression + "))))"
        )

    def mouse(self, kind: str, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y)

    def press(self, key: str) -> None:
        codes = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40, "Escape": 27, "Tab": 9, "Enter": 13}
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key], **text)

    def type(self, selector: str, text: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        self.call("Input.insertText", text=text)

    def screenshot(self, file: Path, *, whole: bool = True) -> None:
        shot = self.call(
            "Page.captureScreenshot", format="png", captureBeyondViewport=whole, **(self._whole() if whole else {})
        )
        file.write_bytes(base64.b64decode(shot["data"]))

    def _whole(self) -> dict[str, Any]:
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def print(self) -> bytes:
        """The page as a PDF, with an outline of its headings."""
        made = self.call(
            "Page.printToPDF",
            printBackground=True,
            preferCSSPageSize=True,
            generateTaggedPDF=True,
            generateDocumentOutline=True,
        )
        return base64.b64decode(made["data"])

    def complaints(self) -> list[str]:
        """Console messages, uncaught errors, browser warnings, policy violations and dialogs so far."""
        # What the page did has been told by the time a later question is answered.
        if self._script:
            self.run("new Promise(done => setTimeout(done))")
        self.call("DOM.getDocument", depth=0)
        found = []
        for event in self._mine():
            method, parameters = event["method"], event["params"]
            if method == "Runtime.consoleAPICalled":
                found.append(f"console.{parameters['type']}: {parameters['args']}")
            elif method == "Runtime.exceptionThrown":
                found.append(f"error: {parameters['exceptionDetails']}")
            elif method == "Log.entryAdded":
                found.append(f"log: {parameters['entry']['text']}")
            elif method == "Audits.issueAdded":
                found.append(f"issue: {parameters['issue']}")
            elif method == "Page.javascriptDialogOpening":
                found.append(f"dialog: {parameters['message']}")
        return found

    def requests(self) -> list[str]:
        """Addresses asked for, the page's own among them."""
        return [
            event["params"]["request"]["url"]
            for event in self._mine()
            if event["method"] == "Network.requestWillBeSent"
        ]

    def _mine(self) -> list[dict[str, Any]]:
        return [event for event in self._browser.events if event.get("sessionId") == self._session]
