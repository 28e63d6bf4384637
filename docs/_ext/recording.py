"""A real session of `tabcast label`, recorded, and a page that plays it back: the real one, in a single file."""

import contextlib
import html
import json
import tempfile
from importlib.resources import files
from pathlib import Path

import pandas as pd

from tabcast.files._write import write_table_file
from tabcast.labeling._session import Session
from tabcast.runs._fit_table import read_options

NAME = "census"
SAFETY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"
HEAD = """\
<meta http-equiv="Content-Security-Policy" content="{safety}">
<style>
{style}
.recording {{ flex-basis: 100%; margin-bottom: 0.5rem; color: var(--ink); text-wrap: balance; }}
.recording code {{ display: inline-block; }}
#problem:not(:empty) {{ color: var(--ink); }} /* what the recording says is no problem */
</style>"""
ABOUT = """
<p class="recording"><b>Recording of a real session</b> of <code>tabcast label {table} --target {target}</code> with {n}
correct answers. Each of your answers leads to the next recorded row; training is cut short, and nothing is saved.</p>
"""


def record(table: pd.DataFrame, target: str, truth: pd.Series, n_answers: int, estimator: str = "auto") -> dict:
    """What the program behind the page says to an expert who knows the truth, and waits for every model."""
    training = {"estimator": estimator, "precision": None, "random_state": 0, "n_jobs": 1}  # as `tabcast label`
    others = {"max_pool": 50_000, "verbose": 0} | dict.fromkeys(("scoring", "decision", "dask"))
    answers, steps = [], []
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        write_table_file(table, f"{NAME}.csv")
        paths = Path(f"{NAME}-labels.csv"), Path(f"{NAME}-tabcast")
        session = Session(f"{NAME}.csv", target, *paths, read_options(**training | others), overwrite=False)
        for number in range(n_answers + 1):
            steps.append([take(session)])
            state = steps[-1][0]["state"]
            if state["is_training"]:
                session.fit()
                steps[-1].append(take(session))
            if number < n_answers:
                answers.append(str(truth[state["card"]["row"]]))
                session.answer(state["step"], "label", answers[-1])
        return {"answers": answers, "steps": steps, "filled": session.fill()}


def take(session: Session) -> dict:
    """What it says now: the probabilities and the state, which starts a fit where one is due."""
    result, state = session.probabilities(), session.state()
    # The thread of a fit takes its lock a moment later.
    state["is_training"] = session.tried_at == session.n_changes != session.fitted_at
    return json.loads(json.dumps({"result": result, "state": state}))


def make_page(recording: dict) -> str:
    """The page of `tabcast label` with the recording in place of the program; text of the table stays text."""
    parts = {name: files("tabcast.labeling").joinpath(f"page.{name}").read_text("utf-8") for name in ("css", "js")}
    page = files("tabcast.labeling").joinpath("page.html").read_text("utf-8")
    data, state = json.dumps(recording).replace("<", "\\u003c"), recording["steps"][0][0]["state"]
    named = {name: html.escape(state[name]) for name in ("table", "target")}
    replay = Path(__file__).with_name("replay.js").read_text("utf-8")
    changes = {
        '<link rel="stylesheet" href="page.css">': HEAD.format(safety=SAFETY, style=parts["css"]),
        '<script src="page.js" defer></script>\n': "",
        "<header>": "<header>" + ABOUT.format(n=len(recording["answers"]), **named),
        "Every answer is saved": "Every answer was saved",
        "the next row is shown": "the next row was shown",
        "</body>": f'<script type="application/json" id="recording">{data}</script>\n'
        f"<script>\n{replay}</script>\n<script>\n{parts['js']}</script>\n</body>",
    }
    for old, new in changes.items():
        if page.count(old) != 1:
            raise ValueError(f"page.html must have {old!r} once, so that it can be replaced.")
        page = page.replace(old, new)
    return page
