"""What `tabcast demo` prints: sentences, a table and a picture of the comparison, as lines of plain text."""

from __future__ import annotations

import shlex
import textwrap
from collections import Counter
from typing import TYPE_CHECKING

from tabcast.statistics import Interval, corrected_interval, standard_error

if TYPE_CHECKING:
    from tabcast.cli.demo import Comparison
    from tabcast.table import Floats

LEVEL = 0.95
COLUMNS = 80  # of the terminal
WIDTH = 60  # characters of the picture
# Plus or minus, the line of an interval, its mean, no change, one repetition.
UNICODE = "±─●│·"
ASCII = "~-o|."
METHODS = {"CAST": "CAST", "soft": "soft self-training"}


def describe_table(n_labels: int, n_repeats: int, n_trees: int) -> list[str]:
    """What is about to be compared, before the work."""
    times = "Once," if n_repeats == 1 else f"{n_repeats} times,"
    return [
        "569 real tumors in 30 columns (scikit-learn's breast cancer data): benign or",
        f"malignant? {times} {n_labels} rows keep their diagnosis, {341 - n_labels} lose it, and 228 are",
        "held out for testing.",
        "",
        f"  supervised  gradient boosting, {n_trees} trees, on the labeled rows only",
        "  CAST        the paper's self-training with the same model, on all rows",
        "  soft        the same model on soft labels from a committee; the default of",
        "              `tabcast fit`",
        "",
    ]


def find_interval(gains: Floats, n_held_out: int) -> Interval | None:
    """Student's interval of the mean gain; None for a single repetition.

    Repetitions that agree are not certain: the variance is at least that of one held-out row.
    """
    if len(gains) < 2:
        return None
    return corrected_interval(gains, test_share=0.0, level=LEVEL, resolution=1 / n_held_out)


def judge(interval: Interval | None) -> str:
    """What an interval of a gain means, in a word or two."""
    if interval is None:
        return "cannot tell"
    if interval.low > 0:
        return "better"
    return "worse" if interval.high < 0 else "could be chance"


def word_comparison(found: Comparison, marks: str, max_fits: int, options: str = "") -> list[str]:
    """Table, picture, caveats and the next command."""
    intervals = {name: find_interval(found.gains(name), found.n_held_out) for name in found.scores}
    return [
        *table_lines(found, intervals, marks),
        "",
        *picture_lines(found, intervals, marks),
        "",
        *caveats(found, intervals, max_fits),
        "",
        "Next, the same table as a file, and a report on it:",
        f"    tabcast demo --write tumors.csv{options}",
        "    tabcast fit tumors.csv --target diagnosis",
    ]


def table_lines(found: Comparison, intervals: dict[str, Interval | None], marks: str) -> list[str]:
    """One line per model: accuracy and gain in percentage points, with standard errors."""
    sign = "+/-" if marks == ASCII else marks[0]
    lines = [f"{'':10}  {'accuracy':>13}  {'change':>13}  {f'{LEVEL:.0%} interval':>14}"]
    for name, scores in found.scores.items():
        line = f"{name:10}  {number(scores, sign, ''):>13}"
        interval = intervals[name]
        if name != "supervised":
            shown = "" if interval is None else f"{100 * interval.low:+.1f} to {100 * interval.high:+.1f}"
            line += f"  {number(found.gains(name), sign, '+'):>13}  {shown:>14}  {judge(interval)}"
        lines.append(line.rstrip())
    return lines


def number(values: Floats, sign: str, form: str) -> str:
    """A mean in percent with its standard error, if there is one."""
    mean = f"{100 * values.mean():{form}.1f}"
    return f"{mean} {sign} {100 * standard_error(values):.1f}" if len(values) > 1 else mean


def picture_lines(found: Comparison, intervals: dict[str, Interval | None], marks: str) -> list[str]:
    """Each repetition's gain as a dot or a count, the mean with its interval below, on one scale for all models."""
    names = [name for name in found.scores if name != "supervised"]
    ends = [0.0, *(float(gain) for name in names for gain in found.gains(name))]
    ends += [
        end for name in names if (interval := intervals[name]) is not None for end in (interval.low, interval.high)
    ]
    low, high = min(ends), max(max(ends), min(ends) + 1 / found.n_held_out)

    def place(value: float) -> int:
        return round((value - low) / (high - low) * (WIDTH - 1))

    lines = [f"{'points':10}  {scale(100 * low, 100 * high, place(0.0))}"]
    for name in names:
        gains, interval = found.gains(name), intervals[name]
        dots = draw([(place(0.0), marks[3]), *count_marks([place(gain) for gain in gains], marks[4])])
        drawn = []
        if interval is not None:
            drawn += [(at, marks[1]) for at in range(place(interval.low), place(interval.high) + 1)]
        drawn += [(place(0.0), marks[3]), (place(float(gains.mean())), marks[2])]
        lines += [f"{name:10}  {dots}", f"{'':10}  {draw(drawn)}"]
    return lines


def count_marks(places: list[int], dot: str) -> list[tuple[int, str]]:
    """A dot where one repetition is, the number of them where there are several."""
    return [(at, dot if n == 1 else str(min(n, 9))) for at, n in Counter(places).items()]


def draw(characters: list[tuple[int, str]]) -> str:
    """A line with characters at places; later ones cover earlier ones."""
    line = [" "] * WIDTH
    for at, character in characters:
        line[at] = character
    return "".join(line).rstrip()


def scale(low: float, high: float, zero: int) -> str:
    """The ends of the scale and 0, where there is room for it."""
    left, right = f"{low:+.1f}" if low < 0 else "0", f"{high:+.1f}"
    line = list(left.ljust(WIDTH - len(right)) + right)
    if len(left) < zero < WIDTH - len(right) - 1:
        line[zero] = "0"
    return "".join(line)


def caveats(found: Comparison, intervals: dict[str, Interval | None], max_fits: int) -> list[str]:
    """What the numbers mean, and what they do not."""
    if found.n_repeats == 1:
        return ["One repetition tells nothing about chance: use --repeats 6."]
    meanings = {name: judge(interval) for name, interval in intervals.items() if name != "supervised"}
    sentences = [
        f"The unlabeled rows {effect} {METHODS[name]} here, by more than chance explains."
        for meaning, effect in (("better", "improved"), ("worse", "harmed"))
        for name, found_meaning in meanings.items()
        if found_meaning == meaning
    ] or ["No change is larger than what chance explains; more --repeats may tell."]
    sentences += [
        f"A dot is one repetition (a digit: so many), compared on the same {found.n_held_out} held-out rows.",
        f"CAST kept the supervised model in {found.kept_supervised} of {found.n_repeats} repetitions; to be quick, it "
        f"searches with {max_fits} fits here instead of 120.",
        "This is one table. On yours, `tabcast fit` compares models with and without the unlabeled rows and keeps the "
        "better one.",
    ]
    return textwrap.wrap(" ".join(sentences), COLUMNS)


def word_written(path: str, n_rows: int, n_labels: int, target: str) -> list[str]:
    """What was written, and the next command."""
    quoted = shlex.quote(path)
    return [
        f"{path}: {n_rows} tumors, {n_labels} with a {target}. Next:",
        f"    tabcast fit {quoted} --target {target}",
    ]
