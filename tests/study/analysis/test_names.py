"""What readers see instead of the study's names."""

from tabcast.study.analysis.trials import STAND_INS, WORDS, display_name, order_values
from tabcast.study.catalog import load_catalog


def test_members_say_what_they_are_called():
    labels = load_catalog().labels
    shown = [
        display_name("method", name, labels)
        for name in ("supervised", "baseline", "ts", "hb", "sp", "gp", "cast-d", "cast-l", "soft-two-rounds")
    ]
    assert shown == ["w/o ST", "Baseline", "TS", "HB", "SP", "GP", "CAST-D", "CAST-L", "Soft, two rounds"]
    assert display_name("model", "ft_transformer", labels) == "FT-Transformer"
    assert display_name("dataset", "ozone-level-8hr", labels) == "ozone"
    for name in STAND_INS:
        assert display_name("dataset", name, labels) == f"{name} (stand-in)"


def test_strategies_have_the_names_of_the_paper():
    assert [display_name("strategy", name) for name in ("threshold", "curriculum", "all")] == ["FPL", "CPL", "Naive"]


def test_none_depends_on_the_column():
    assert display_name("strategy", "none") == ""
    assert display_name("noise_filter", "none") == "no filter"
    assert display_name("tuning", "none") == "untuned"


def test_unknown_names_and_numbers_are_shown_as_they_are():
    assert display_name("method", "mine", load_catalog().labels) == "mine"
    assert display_name("label_fraction", 0.05) == "0.05"
    assert display_name("seed", 3) == "3"


def test_no_two_names_look_the_same():
    for names in (*WORDS.values(), *load_catalog().labels.values()):
        assert len(set(names.values())) == len(names)


def test_order():
    assert order_values("strategy", ["curriculum", "none", "threshold"]) == ["none", "threshold", "curriculum"]
    assert order_values("dataset", ["zebra", "cmc", "ape", "cmc"]) == ["zebra", "cmc", "ape"]
    assert order_values("seed", [10, 9]) == [9, 10]
