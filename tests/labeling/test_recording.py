"""The recorded session of the documentation: one page that needs nothing else, and answers as the program did."""

import json
import re
from pathlib import Path

import pytest

from tests.labeling.browser import Browser
from tests.labeling.conftest import make_customers

HOSTILE = "</script><script>alert(1)</script>"
END = "The recording ends here, after 3 answers. On your own table: tabcast label TABLE --target COLUMN"


@pytest.fixture(scope="module")
def recorded(quick):
    """A recording, and its page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[2] / "docs" / "_ext")
        from recording import make_page, record
    table, truth = make_customers(60, n_labeled=20)
    recording = record(table.assign(city=HOSTILE), "churned", truth, 3, "logistic_regression")
    return recording, make_page(recording)


def test_it_is_one_page_in_which_text_stays_text(recorded):
    recording, page = recorded
    assert not re.search(r"(src|href)=\"(?!data:)|@import|url\(", page)
    assert page.count("</script>") == page.count("<script") == 3
    [data] = re.findall(r'<script type="application/json" id="recording">(.*)</script>', page)
    assert json.loads(data) == recording
    assert [len(step) for step in recording["steps"]] == [2, 1, 1, 1]  # the first begins with training
    rows = [step[-1]["state"]["card"]["row"] for step in recording["steps"]]
    assert len(set(rows)) == 4
    assert recording["filled"].startswith("Written to census-tabcast")


def test_every_answer_leads_to_the_next_row(recorded, tmp_path):
    recording, page = recorded
    answers, steps = recording["answers"], [step[-1] for step in recording["steps"]]
    (tmp_path / "page.html").write_text(page, "utf-8")
    with Browser(tmp_path / "browser") as browser:
        tab = browser.open((tmp_path / "page.html").as_uri())
        tab.wait("state.points.length")
        assert HOSTILE in tab.text("#cells")
        tab.key("p")
        tab.wait("find('#guess').innerText.includes('%')")

        def press(key, place):
            tab.key(key)
            tab.wait(f"state.step === {place} && !busy")
            assert tab.text("#title") == f"Row {steps[place]['state']['card']['row']}"
            return tab.text("#problem")

        right = ["12"[answer == "yes"] for answer in answers]
        assert press(right[0], 1) == ""
        assert f"{answers[1]} in the recording" in press("2" if right[1] == "1" else "1", 2)
        assert press("u", 1) == ""
        assert "in the recording" in press("s", 2)
        assert press(right[2], 3) == press(right[2], 3) == END
        tab.run("find('#fill').click()")
        tab.wait(f"find('#filled').textContent.endsWith({json.dumps(recording['filled'])})")
        assert not browser.complaints
