"""What readers see instead of the study's names."""

from tabcast.study.analysis.names import NAMES, STAND_INS, display_name, order_values


def test_the_papers_names():
    shown = [
        display_name("method", name) for name in ("supervised", "baseline", "ts", "hb", "sp", "gp", "cast-d", "cast-l")
    ]
    assert shown == ["w/o ST", "Baseline", "TS", "HB", "SP", "GP", "CAST-D", "CAST-L"]
    assert [display_name("model", name) for name in ("xgboost", "ft_transformer", "mlp")] == ["XGB", "FT", "MLP"]


def test_a_stand_in_says_so():
    for name in STAND_INS:
        assert display_name("dataset", name) == f"{name} (stand-in)"


def test_none_depends_on_the_column():
    assert display_name("strategy", "none") == ""
    assert display_name("noise_filter", "none") == "no filter"
    assert display_name("tuning", "none") == "untuned"


def test_unknown_names_and_numbers_are_shown_as_they_are():
    assert display_name("method", "mine") == "mine"
    assert display_name("label_fraction", 0.05) == "0.05"
    assert display_name("seed", 3) == "3"


def test_no_two_names_look_the_same():
    for names in NAMES.values():
        assert len(set(names.values())) == len(names)


def test_order():
    assert order_values("strategy", ["cpl", "none", "fpl"]) == ["none", "fpl", "cpl"]
    assert order_values("dataset", ["zebra", "cmc", "ape", "diabetes"]) == ["diabetes", "cmc", "zebra", "ape"]
    assert order_values("seed", [10, 9]) == [9, 10]
