"""Tries random cases for some minutes and counts their outcomes: `make soak MINUTES=15`.

`python -m tests.fuzz.soak --case classifier 123` tries one case again and shows its traceback.
"""

from __future__ import annotations

import argparse
import json
import re
import secrets
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.fuzz.drivers import DRIVERS
from tests.fuzz.invariants import Wrong, is_clear

CORPUS = Path(__file__).parent / "corpus"
# How often each driver is tried; what takes seconds each is left to the soak and to tests of its own.
SUITE = {"classifier": 0.72, "run": 0.08, "command_line": 0.06, "folder": 0.04, "model_file": 0.05, "network": 0.05}
SOAK = {"classifier": 0.51, "run": 0.1, "command_line": 0.1, "folder": 0.08, "model_file": 0.05, "network": 0.09}
SOAK |= {"dask": 0.01, "self_trained_run": 0.01, "labeling": 0.05}


@dataclass(frozen=True)
class Outcome:
    """How a case ended: "ok", "refused", "foreign" or "wrong"."""

    driver: str
    seed: int
    kind: str
    what: str = ""
    notes: str = ""

    @property
    def failed(self) -> bool:
        """Whether something is broken."""
        return self.kind in ("foreign", "wrong")


def try_case(driver: str, seed: int) -> Outcome:
    """Draw the case of a seed and try it."""
    notes: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            refusal = DRIVERS[driver](np.random.default_rng(seed), notes)
            kind, what = ("ok", "") if refusal is None else ("refused", refusal.sentence)
        except Wrong as error:
            kind, what = "wrong", str(error)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a panic of polars is no Exception
            message = " ".join(f"{type(error).__name__}: {error}".split())
            kind, what = ("wrong", f"refused too late: {message}") if is_clear(error) else ("foreign", message)
    return Outcome(driver, seed, kind, what, "; ".join(notes))


def draw_cases(seed: int, weights: dict[str, float]):
    """Drivers and seeds of cases, without end."""
    random = np.random.default_rng(seed)
    while True:
        driver, one_seed = str(random.choice(list(weights), p=list(weights.values()))), int(random.integers(2**32))
        if driver in DRIVERS:
            yield driver, one_seed


def sentence_kind(sentence: str) -> str:
    """A sentence without its names and numbers."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\d[\d.,]*", "…", sentence)[:110]


def print_counts(outcomes: list[Outcome]) -> None:
    """Counts by outcome, and sentences by kind."""
    kinds = Counter(one.kind for one in outcomes)
    print(f"{len(outcomes):,} cases:", ", ".join(f"{kinds[kind]:,} {kind}" for kind in kinds))
    for kind in ("refused", "foreign", "wrong"):
        counts = Counter(sentence_kind(one.what) for one in outcomes if one.kind == kind)
        if counts:
            print(f"\n{kind}:")
            print(*(f"{n:7,}  {what}" for what, n in counts.most_common()), sep="\n")


def keep(outcome: Outcome) -> None:
    """Add a failed case to the corpus, which the suite replays."""
    entry = {"driver": outcome.driver, "seed": outcome.seed, "what": outcome.what, "case": outcome.notes}
    path = CORPUS / f"{outcome.driver}-{outcome.seed}.json"
    path.write_text(json.dumps(entry, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Parse arguments, soak, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--case", nargs=2, metavar=("DRIVER", "SEED"))
    parser.add_argument("--forget", action="store_true", help="Do not add failed cases to the corpus.")
    options = parser.parse_args()
    if options.case:
        show_case(options.case[0], int(options.case[1]))
        return
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    print(f"Soaking for {options.minutes:g} minutes with --seed {seed}", flush=True)
    end, outcomes, seen = time.monotonic() + 60 * options.minutes, [], set()
    for driver, one_seed in draw_cases(seed, SOAK):
        if time.monotonic() > end:
            break
        outcome = try_case(driver, one_seed)
        outcomes.append(outcome)
        if outcome.failed and sentence_kind(outcome.what) not in seen:
            seen.add(sentence_kind(outcome.what))
            print(f"{outcome.kind}: --case {driver} {one_seed}: {outcome.what:.300}", flush=True)
            print(f"    {outcome.notes:.600}", flush=True)
            if not options.forget:
                keep(outcome)
    print_counts(outcomes)
    raise SystemExit(any(one.failed for one in outcomes))


def show_case(driver: str, seed: int) -> None:
    """One case, with its traceback."""
    notes: list[str] = []
    try:
        print(DRIVERS[driver](np.random.default_rng(seed), notes))
    except Exception:
        traceback.print_exc()
    print(*notes, sep="\n")


if __name__ == "__main__":
    main()
