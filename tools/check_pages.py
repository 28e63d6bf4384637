"""Open every page of the built site in headless Chromium, and fail where something is cut off.

    make docs && python tools/check_pages.py [build/docs]

At the width of a laptop and of a phone (1280 and 400 pixels) no block of code and no table may be wider than its place,
and no page may scroll sideways. The pages are served on the loopback device while the check runs. Chromium is found on
the path, or by the variable TABCAST_BROWSER.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

WIDTHS = (1280, 400)
SECONDS = 1800
# Loads one page after the other into a frame of each width, and sends what is cut off.
SCRIPT = """<!DOCTYPE html><meta charset="utf-8"><iframe style="border:0;height:900px"></iframe><script>
const pages = PAGES, widths = WIDTHS, frame = document.querySelector("iframe"), found = [];
const load = (page) => new Promise((done) => { frame.onload = done; frame.src = page; });
const isWider = (one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0;
async function check() {
  for (const width of widths) {
    frame.style.width = width + "px";
    for (const page of pages) {
      await load(page);
      const root = frame.contentDocument.scrollingElement;
      if (isWider(root)) found.push([page, width, "the page scrolls sideways", root.scrollWidth]);
      for (const one of root.querySelectorAll("pre, table"))
        if (isWider(one) || isWider(one.parentElement))
          found.push([page, width, one.tagName.toLowerCase() + " is cut off", one.innerText.trim().slice(0, 60)]);
    }
  }
  await fetch("/found", { method: "POST", body: JSON.stringify(found) });
}
check();
</script>"""


class Site(SimpleHTTPRequestHandler):
    """The built site, the page that looks at it, and what it found."""

    def __init__(self, *args, script: str, answer: list, done: threading.Event, **options) -> None:
        self.script, self.answer, self.done = script, answer, done
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        """Serve the script, or a file."""
        if self.path != "/check":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.script.encode())
        return None

    def do_POST(self) -> None:
        """Take what was found."""
        self.answer += json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.done.set()

    def log_message(self, *args) -> None:
        """Stay silent."""


def look(folder: Path, pages: list[str]) -> list[list]:
    """Page, width, fault and place of everything that is cut off."""
    browser = os.environ.get("TABCAST_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("check_pages: Chromium is needed (Debian's package is called chromium).")
    script = SCRIPT.replace("PAGES", json.dumps(pages)).replace("WIDTHS", json.dumps(WIDTHS))
    answer, done = [], threading.Event()
    handler = partial(Site, directory=str(folder), script=script, answer=answer, done=done)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"]
        options += [f"--user-data-dir={profile}", "--remote-debugging-port=0"]  # keeps it open
        address = f"http://127.0.0.1:{server.server_port}/check"
        process = subprocess.Popen([browser, *options, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        in_time = done.wait(SECONDS)
        process.terminate()
        process.wait()
    server.shutdown()
    if not in_time:
        sys.exit(f"check_pages: Chromium did not finish in {SECONDS} seconds.")
    return answer


def main() -> None:
    """Check the pages, or some of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("build/docs"), help="The built site.")
    parser.add_argument("--page", action="append", help="Only this page, such as study.html; repeatable.")
    options = parser.parse_args()
    pages = options.page or sorted(str(page.relative_to(options.folder)) for page in options.folder.rglob("*.html"))
    pages = [page for page in pages if not page.startswith("reports/")]  # not of the site: tests/report looks at them
    if not pages:
        sys.exit(f"check_pages: no pages in {options.folder}; `make docs` builds them.")
    found = look(options.folder, ["/" + page for page in pages])
    for page, width, fault, place in found:
        print(f"{page} at {width} pixels: {fault}: {place!r}")
    print(f"{len(pages)} pages at {' and '.join(map(str, WIDTHS))} pixels: {len(found)} faults.")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
