"""A fixed seed of the fuzzer, and every case of its corpus: success or one clear sentence, and right results."""

import json
from itertools import islice

import numpy as np
import pytest

from tabcast import SelfTrainingClassifier
from tabcast.checks import check_number
from tests.fuzz.drivers import DRIVERS
from tests.fuzz.invariants import Refusal, Wrong, attempt, check_same, is_clear
from tests.fuzz.soak import CORPUS, SUITE, Outcome, draw_cases, try_case

N_PARTS = 4
CASES = list(islice(draw_cases(13, SUITE), 300))
N_FIRST = 16  # the others are in `make slow`


def assert_none_failed(outcomes: list[Outcome]) -> None:
    failed = [f"{one.kind}: --case {one.driver} {one.seed}: {one.what}\n{one.notes}" for one in outcomes if one.failed]
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("part", range(N_PARTS))
def test_random_cases(part):
    assert_none_failed([try_case(driver, seed) for driver, seed in CASES[:N_FIRST][part::N_PARTS]])


@pytest.mark.slow
def test_more_random_cases():
    assert_none_failed([try_case(driver, seed) for driver, seed in CASES[N_FIRST:]])


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.json")), ids=lambda path: path.stem)
def test_past_failures(path):
    entry = json.loads(path.read_text(encoding="utf-8"))
    if entry["driver"] not in DRIVERS:
        pytest.skip(f"the driver {entry['driver']} needs an optional package")
    assert_none_failed([try_case(entry["driver"], entry["seed"])])


def test_labeling():
    assert_none_failed([try_case("labeling", seed) for seed in range(2)])


@pytest.mark.slow
@pytest.mark.parametrize(("driver", "seeds"), [("self_trained_run", range(5)), ("labeling", range(2, 20))])
def test_what_takes_seconds(driver, seeds):
    assert_none_failed([try_case(driver, seed) for seed in seeds])


def test_most_cases_get_past_the_checks():
    outcomes = [try_case("classifier", seed) for seed in range(10)]
    assert sum(one.kind == "ok" for one in outcomes) >= 4
    assert try_case("classifier", 7) == outcomes[7]


class Stumbles:
    """Fails as some foreign code does."""

    def __init__(self, error):
        self.error = error

    def __call__(self):
        raise self.error


def test_a_sentence_of_ours_is_a_refusal():
    refusal = attempt(check_number, 2.0, "alpha", "CASTClassifier", "[0, 1]")
    assert isinstance(refusal, Refusal)
    assert "alpha" in refusal.sentence


@pytest.mark.parametrize("error", [ValueError("bad"), KeyError("x"), ZeroDivisionError("division by zero")])
def test_another_error_is_foreign(error):
    with pytest.raises(type(error)):
        attempt(Stumbles(error))


def test_an_error_within_our_code_that_nobody_raised_is_foreign():
    with pytest.raises(TypeError) as caught:
        SelfTrainingClassifier().fit()  # Python's own words
    assert not is_clear(caught.value)


def test_a_difference_is_found():
    check_same(np.array([0.25, 0.5]), np.array([0.25, 0.5 + 1e-12]), "same")
    with pytest.raises(Wrong, match="1 of 2 values differ"):
        check_same(np.array([0.25, 0.5]), np.array([0.25, 0.6]), "not the same")
    with pytest.raises(Wrong, match="shapes"):
        check_same(np.array(["a"]), np.array(["a", "b"]), "not the same")
