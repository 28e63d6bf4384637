"""One way to check a number, and one way to resolve a short name."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from tabcast.checks import check_integer, check_number, is_integer, is_number, resolve_part
from tabcast.confidence import CONFIDENCES, Confidence, Raw
from tabcast.decisions import DECISIONS, Decision
from tabcast.density import DENSITIES, Density, KernelDensity
from tabcast.feature_selection import FEATURE_SELECTIONS, FeatureSelection, KeepAll
from tabcast.noise_filters import NOISE_FILTERS, KeepAllRows, NoiseFilter
from tabcast.pseudo_labels import STRATEGIES, Curriculum, PerClassCurriculum, Strategy
from tabcast.teachers import Committee
from tabcast.teachers._committee import resolve_teacher


class TestNumbers:
    @pytest.mark.parametrize("value", [0.5, 1, np.float32(0.5), np.int64(1), np.float64(1.0), Fraction(1, 2)])
    def test_numbers_of_python_and_numpy_are_accepted(self, value):
        check_number(value, "step", "Curriculum", "(0, 1]")

    @pytest.mark.parametrize(
        "value", [0, -0.0, 1.5, True, False, np.True_, np.nan, np.inf, "0.5", None, [0.5], np.array([0.5]), 0.5j]
    )
    def test_anything_else_is_refused_by_name(self, value):
        with pytest.raises(ValueError, match=r"^`step` of Curriculum must be a number in \(0, 1\]; got "):
            check_number(value, "step", "Curriculum", "(0, 1]")

    @pytest.mark.parametrize(
        ("interval", "inside", "outside"),
        [
            ("[0, 1]", [0, 1], [-1e-300, 1.0000001]),
            ("(0, 1)", [1e-300], [0, 1]),
            ("[0, 0.5)", [0, 0.4999], [0.5]),
            ("(0, inf)", [1e-300, 1e300], [0, np.inf]),
            ("(0, inf]", [np.inf], [0]),
            ("(-inf, inf)", [-1e300, 0], [np.inf, np.nan]),
        ],
    )
    def test_brackets_hold_their_end_and_parentheses_do_not(self, interval, inside, outside):
        assert all(is_number(value, interval) for value in inside)
        assert not any(is_number(value, interval) for value in outside)

    @pytest.mark.parametrize(
        ("interval", "wanted"),
        [
            ("(0, 1]", r"a number in \(0, 1\]"),
            ("(0, inf)", "a positive number"),
            ("[0, inf)", "a number of at least 0"),
            ("(2.5, inf)", "a number above 2.5"),
            ("(-inf, 0)", r"a number in \(-inf, 0\)"),
            ("(-inf, inf)", "a number"),
        ],
    )
    def test_the_interval_in_words(self, interval, wanted):
        with pytest.raises(ValueError, match=f"^`x` of f must be {wanted}; got 'no'\\.$"):
            check_number("no", "x", "f", interval)

    def test_other_allowed_values(self):
        check_number("auto", "x", "f", allowed=["auto", None])
        check_number(None, "x", "f", allowed=["auto", None])
        with pytest.raises(ValueError, match=r"`x` of f must be a number, 'auto' or None; got 'other'\."):
            check_number("other", "x", "f", allowed=["auto", None])


class TestIntegers:
    @pytest.mark.parametrize("value", [1, 10**30, np.int8(3), np.uint64(2)])
    def test_integers_of_python_and_numpy_are_accepted(self, value):
        check_integer(value, "k", "TopK", 1)

    @pytest.mark.parametrize("value", [0, -1, True, np.True_, 1.0, np.float64(2), "1", None, np.nan, np.array(1)])
    def test_anything_else_is_refused_by_name(self, value):
        with pytest.raises(ValueError, match=r"^`k` of TopK must be an integer of at least 1; got "):
            check_integer(value, "k", "TopK", 1)

    @pytest.mark.parametrize(
        ("low", "high", "wanted"),
        [
            (2, 5, r"an integer in \[2, 5\]"),
            (None, 5, "an integer of at most 5"),
            (2, None, "an integer of at least 2"),
            (None, None, "an integer"),
        ],
    )
    def test_the_range_in_words(self, low, high, wanted):
        with pytest.raises(ValueError, match=f"must be {wanted} or None; got 'no'"):
            check_integer("no", "x", "f", low, high, allowed=[None])

    def test_both_ends_belong_to_the_range(self):
        assert [is_integer(value, 2, 4) for value in range(1, 6)] == [False, True, True, True, False]


FAMILIES = [
    pytest.param(partial(resolve_part, names=names, family=family, argument=argument), names, family, id=argument)
    for argument, names, family in [
        ("confidence", CONFIDENCES, Confidence),
        ("decision", DECISIONS, Decision),
        ("density", DENSITIES, Density),
        ("feature_selection", FEATURE_SELECTIONS, FeatureSelection),
        ("noise_filter", NOISE_FILTERS, NoiseFilter),
        ("strategy", STRATEGIES, Strategy),
    ]
]


class TestShortNames:
    @pytest.mark.parametrize(("resolve", "names", "family"), FAMILIES)
    def test_every_short_name_makes_a_new_member(self, resolve, names, family):
        for name, kind in names.items():
            member = resolve(name, owner="Owner")
            assert type(member) is getattr(kind, "func", kind)  # a class, or a class with its argument
            assert isinstance(member, family)
            assert resolve(name, owner="Owner") is not member

    @pytest.mark.parametrize(("resolve", "names", "family"), FAMILIES)
    def test_a_member_stays_itself(self, resolve, names, family):
        member = next(iter(names.values()))()
        assert resolve(member, owner="Owner") is member

    @pytest.mark.parametrize(("resolve", "names", "family"), FAMILIES)
    def test_a_typo_is_answered_with_the_choices_and_a_suggestion(self, resolve, names, family):
        name = list(names)[-1]
        with pytest.raises(ValueError, match=r"of Owner must be .* or a member of tabcast") as caught:
            resolve(name + "x", owner="Owner")
        assert all(repr(choice) in str(caught.value) for choice in names)
        assert f"got {name + 'x'!r}. Did you mean {name!r}?" in str(caught.value)

    @pytest.mark.parametrize("given", [3, np.array(["all"]), Curriculum])
    def test_other_objects_are_refused(self, given):
        with pytest.raises(ValueError, match=r"`strategy` of Owner must be None, 'curriculum', .* or a member of"):
            resolve_part(given, STRATEGIES, Strategy, "strategy", "Owner")

    def test_none_is_the_default_member(self):
        defaults = [
            resolve_part(None, CONFIDENCES, Confidence, "confidence", "Owner"),
            resolve_part(None, FEATURE_SELECTIONS, FeatureSelection, "feature_selection", "Owner"),
            resolve_part(None, NOISE_FILTERS, NoiseFilter, "noise_filter", "Owner"),
            resolve_part(None, STRATEGIES, Strategy, "strategy", "Owner"),
            resolve_teacher(None, "Owner"),
        ]
        assert [type(member) for member in defaults] == [Raw, KeepAll, KeepAllRows, Curriculum, Committee]
        with pytest.raises(ValueError, match="`density` of Owner must be 'likelihood'"):
            resolve_part(None, DENSITIES, Density, "density", "Owner")

    def test_a_family_of_ones_own(self):
        assert isinstance(resolve_part("mine", {"mine": KernelDensity}, Density, "density", "f"), KernelDensity)


@pytest.mark.parametrize("kind", [Curriculum, PerClassCurriculum])
def test_curricula_agree_about_booleans(kind):
    with pytest.raises(ValueError, match=rf"`step` of {kind.__name__} must be a number in \(0, 1\]; got True"):
        kind(True).check()
