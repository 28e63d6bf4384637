"""A configuration says which trials there are; what is wrong in it is told in a sentence."""

import re
from pathlib import Path

import pytest

from tabcast.study.config import Grid, read_study
from tabcast.study.records import Learner, Setting, Trial
from tests.conftest import needs
from tests.study.small_study import GRID, N_TRIALS, write_config

PAPER = sorted((Path(__file__).parents[2] / "paper" / "configs").glob("*.toml"))


def trials_of(folder, grid, **options):
    return read_study(write_config(folder, grid, **options)).trials("quick")


class TestGrid:
    def test_is_a_product(self, tmp_path):
        trials = trials_of(
            tmp_path,
            """
            datasets = ["clouds", "diabetes"]
            models = ["xgboost", "random_forest"]
            tunings = ["sane"]
            strategies = ["threshold", "all"]
            noise_filters = ["none", "mahalanobis"]
            methods = ["baseline", "cast-l"]
            label_fractions = [0.05, 0.1]
            corruptions = [0.0, 0.2]
            seeds = [3, 5]
            folds = [0, 2]
            n_tuning_trials = 7
            max_trees = 50
            max_rows = 80
            preprocessing = "native"
            """,
        )
        assert len(trials) == len(set(trials)) == 2 * 2 * 2 * 2 * 2 * 2 * 2 * 2 * 2
        setting = Setting("diabetes", 0.05, 0.2, "native", 80, 5)
        assert Trial(setting, Learner("random_forest", "sane", 7, 50), 2, "cast-l", "all", "mahalanobis") in trials

    def test_methods_without_strategy_run_once(self, tmp_path):
        trials = trials_of(
            tmp_path,
            """
            datasets = ["clouds"]
            models = ["xgboost"]
            tunings = ["none"]
            strategies = ["threshold", "curriculum", "all"]
            noise_filters = ["none", "mahalanobis"]
            methods = ["supervised", "operating-point", "baseline"]
            seeds = 1
            folds = [0]
            """,
        )
        ways = [(trial.method, trial.strategy, trial.noise_filter) for trial in trials]
        assert ways.count(("supervised", "none", "none")) == ways.count(("operating-point", "none", "none")) == 1
        assert len(ways) == 2 + 3 * 2

    def test_tuning_of_a_model_without_such_a_space_is_its_defaults(self, tmp_path):
        trials = trials_of(
            tmp_path,
            """
            datasets = ["clouds"]
            models = ["xgboost", "logistic_regression"]
            tunings = ["paper", "sane", "none"]
            methods = ["supervised"]
            seeds = 1
            folds = [0]
            n_tuning_trials = 5
            """,
        )
        assert [trial.learner for trial in trials] == [
            Learner("xgboost", "paper", 5),
            Learner("xgboost", "sane", 5),
            Learner("xgboost"),
            Learner("logistic_regression"),  # it has no space "paper"
            Learner("logistic_regression", "sane", 5),
        ]

    def test_seeds_are_a_number_or_a_list(self, tmp_path):
        for seeds, expected in (("3", {0, 1, 2}), ("[4, 9]", {4, 9})):
            grid = GRID.replace("seeds = 2", f"seeds = {seeds}")
            assert {trial.setting.seed for trial in trials_of(tmp_path, grid)} == expected

    def test_zero_means_no_limit(self, tmp_path):
        [trial, *_] = trials_of(tmp_path, GRID + "max_rows = 0\nmax_trees = 0\n")
        assert trial.setting.max_rows is None
        assert trial.learner.max_trees is None

    def test_a_single_value_stands_for_a_list_of_one(self, tmp_path):
        grid = GRID.replace('datasets = ["clouds"]', 'datasets = "clouds"') + "label_fractions = 0.5\n"
        assert {trial.setting.label_fraction for trial in trials_of(tmp_path, grid)} == {0.5}

    def test_defaults_are_the_papers(self):
        grid = Grid()
        assert grid.label_fractions == (0.1,)
        assert grid.seeds == 10
        assert grid.folds == (0, 1, 2)
        assert grid.n_tuning_trials == 100
        assert grid.preprocessing == "paper"


class TestCaps:
    """What a model gets at most, by profile."""

    GRID = """
        datasets = ["clouds"]
        models = ["bayes", "xgboost"]
        tunings = ["sane", "none"]
        methods = ["supervised"]
        seeds = 3
        folds = [0]
        n_tuning_trials = 20
        max_rows = 80
        """

    @needs("optuna")
    def test_of_one_model_alone(self, tmp_path):
        caps = (
            "[profiles.quick.caps.bayes]\nseeds = 1\nn_tuning_trials = 5\nmax_rows = 60\nrounds = 10\nvar_smoothing = 1"
        )
        trials = trials_of(tmp_path, self.GRID, profile=caps)
        of_bayes = [trial for trial in trials if trial.learner.model == "bayes"]
        assert [trial.learner for trial in of_bayes] == [
            Learner("bayes", "sane", 5, None, (("rounds", 10), ("var_smoothing", 1))),
            Learner("bayes", caps=(("rounds", 10),)),  # what is not searched is not capped by a search space
        ]
        assert {trial.setting for trial in of_bayes} == {Setting("clouds", max_rows=60)}
        others = [trial for trial in trials if trial.learner.model != "bayes"]
        assert others == [trial for trial in trials_of(tmp_path, self.GRID) if trial.learner.model != "bayes"]
        assert {trial.setting.max_rows for trial in others} == {80}

    @needs("optuna")
    def test_above_what_the_profile_says_change_nothing_but_are_part_of_the_trial(self, tmp_path):
        caps = "[profiles.quick.caps.bayes]\nseeds = 9\nn_tuning_trials = 50\nmax_rows = 600"
        assert trials_of(tmp_path, self.GRID, profile=caps) == trials_of(tmp_path, self.GRID)

    @needs("optuna")
    def test_of_listed_seeds_the_first(self, tmp_path):
        grid = self.GRID.replace("seeds = 3", "seeds = [7, 4, 2]")
        trials = trials_of(tmp_path, grid, profile="[profiles.quick.caps.bayes]\nseeds = 2")
        assert {trial.setting.seed for trial in trials if trial.learner.model == "bayes"} == {7, 4}

    @pytest.mark.parametrize(
        ("caps", "message"),
        [
            ("caps.bays.seeds = 1", r"Unknown model in `caps` of small\.toml: 'bays'\. .*Did you mean 'bayes'\?"),
            (
                "caps.bayes.round = 1",
                r"`caps` in small\.toml: Unknown parameter to cap of model 'bayes': 'round'\. Choices: rounds, ",
            ),
            (
                "caps.bayes.seeds = 0",
                r"`caps\.bayes\.seeds` of small\.toml must be an integer of at least 1; got 0\.",
            ),
            ("caps.bayes.rounds = 'few'", r"`caps\.bayes\.rounds` of small\.toml must be a number; got 'few'\."),
            ("caps.bayes.rounds = 0", r"`caps` in small\.toml: A cap on `rounds` must be at least 1; got 0\."),
            (
                "caps.bayes.var_smoothing = 0",
                r"A cap on `var_smoothing` must be at least 1e-09, where its range starts",
            ),
            (
                "caps.bayes = 3",
                r"`caps` in small\.toml must be a table per model, as in \[profiles\.quick\.caps",
            ),
        ],
    )
    @needs("optuna")
    def test_mistakes(self, tmp_path, caps, message):
        with pytest.raises(ValueError, match=message):
            trials_of(tmp_path, self.GRID, profile=caps)

    def test_a_model_with_its_own_preprocessing_gets_that(self, tmp_path):
        trials = trials_of(tmp_path, self.GRID.replace('"xgboost"', '"mlp"').replace('"sane", ', ""))
        kinds = {trial.learner.model: trial.setting.preprocessing for trial in trials}
        assert kinds == {"bayes": "paper", "mlp": "native"}


class TestProfiles:
    def test_override_every_grid(self, tmp_path):
        path = write_config(tmp_path, GRID, profile="seeds = [7]\nmethods = ['supervised']")
        text = path.read_text().replace("[profiles.quick]", f"[[grid]]\n{GRID.replace('0, 1', '2')}\n[profiles.quick]")
        path.write_text(text + "\n[profiles.full]\n")
        study = read_study(path)
        quick, full = study.trials("quick"), study.trials("full")
        assert {trial.setting.seed for trial in quick} == {7}
        assert {trial.method for trial in quick} == {"supervised"}
        assert {trial.fold for trial in quick} == {0, 1, 2}
        assert len(full) == N_TRIALS + N_TRIALS // 2

    def test_trials_of_two_grids_are_there_once(self, tmp_path):
        path = write_config(tmp_path)
        path.write_text(path.read_text().replace("[profiles.quick]", f"[[grid]]\n{GRID}\n[profiles.quick]"))
        assert len(read_study(path).trials("quick")) == N_TRIALS

    def test_unknown_one(self, tmp_path):
        study = read_study(write_config(tmp_path))
        with pytest.raises(
            ValueError, match=r"Unknown profile of small\.toml: 'quik'\. Choices: quick\. Did you mean 'quick'\?"
        ):
            study.trials("quik")


class TestFolders:
    def test_are_relative_to_the_file(self, tmp_path):
        study = read_study(write_config(tmp_path, more='records = "../here"\npublished = "numbers.csv"'))
        assert study.records == tmp_path.parent / "here"
        assert study.published == tmp_path / "numbers.csv"
        assert study.plugins == (tmp_path / "plugins",)
        assert study.name == "small"

    def test_caller_may_name_others(self, tmp_path):
        more = tmp_path / "more"
        more.mkdir()
        study = read_study(write_config(tmp_path), records=tmp_path / "elsewhere", plugins=[more])
        assert study.records == tmp_path / "elsewhere"
        assert study.plugins == (tmp_path / "plugins", more)


WRONG_NAMES = [
    ("datasets", "['cloud']", "Unknown dataset in small.toml: 'cloud'.", "clouds"),
    ("models", "['xgbost']", "Unknown model in small.toml: 'xgbost'.", "xgboost"),
    ("methods", "['cast-1']", "Unknown method in small.toml: 'cast-1'.", "cast-l"),
    ("strategies", "['thresholdd']", "Unknown strategy in small.toml: 'thresholdd'.", "threshold"),
    ("noise_filters", "['mahalanobbis']", "Unknown noise_filter in small.toml: 'mahalanobbis'.", "mahalanobis"),
    ("tunings", "['sain']", "Unknown tuning in small.toml: 'sain'.", "sane"),
    ("preprocessing", "'papr'", "Unknown preprocessing in small.toml: 'papr'.", "paper"),
    ("dataset", "['clouds']", "Unknown key of a grid or profile in small.toml: 'dataset'.", "datasets"),
]


class TestErrors:
    @pytest.mark.parametrize(("key", "value", "message", "meant"), WRONG_NAMES)
    def test_wrong_names(self, tmp_path, key, value, message, meant):
        others = "\n".join(line for line in GRID.splitlines() if not line.startswith(f"{key} "))
        wrong = f"{key} = {value}"
        with pytest.raises(ValueError, match=re.escape(message)):
            read_study(write_config(tmp_path, profile=wrong))
        with pytest.raises(ValueError, match=re.escape(message)) as caught:
            read_study(write_config(tmp_path, f"{others}\n{wrong}"))
        assert "Choices: " in str(caught.value)
        assert str(caught.value).endswith(f"Did you mean {meant!r}?")

    @pytest.mark.parametrize(
        "line",
        [
            "label_fractions = [0.0]",
            "label_fractions = [1.5]",
            "label_fractions = ['half']",
            "corruptions = [-0.1]",
            "seeds = '12'",
            "seeds = 0",
            "seeds = []",
            "datasets = []",
            "max_rows = -5",
            "n_tuning_trials = -1",
        ],
    )
    def test_values_that_make_no_sense(self, tmp_path, line):
        key = line.split(" = ")[0]
        others = "\n".join(one for one in GRID.splitlines() if not one.startswith(f"{key} "))
        with pytest.raises(ValueError, match=f"`?{key}`? .*small.toml"):
            read_study(write_config(tmp_path, f"{others}\n{line}"))

    def test_wrong_key(self, tmp_path):
        path = write_config(tmp_path, more='publisht = "x.csv"')
        with pytest.raises(ValueError, match=r"Unknown key in small\.toml: 'publisht'.*Did you mean 'published'\?"):
            read_study(path)

    @pytest.mark.parametrize("key", ["title", "item", "grid", "profiles"])
    def test_missing_key(self, tmp_path, key):
        path = write_config(tmp_path)
        text = path.read_text()
        drop = {
            "grid": re.compile(r"\[\[grid\]\].*(?=\[profiles)", re.S),
            "profiles": re.compile(r"\[profiles.*", re.S),
        }
        path.write_text(drop.get(key, re.compile(f"{key} = .*")).sub("", text))
        with pytest.raises(ValueError, match=rf"small\.toml must have '{key}'\."):
            read_study(path)

    def test_missing_file(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"There is no configuration .*nowhere\.toml\."):
            read_study(tmp_path / "nowhere.toml")

    def test_bad_toml(self, tmp_path):
        path = tmp_path / "bad.toml"
        path.write_text("title = \nitem = 1")
        with pytest.raises(ValueError, match=r"bad\.toml is not valid TOML: .*line 1"):
            read_study(path)

    def test_missing_plugin_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"The plug-in folder .*nowhere does not exist\."):
            read_study(write_config(tmp_path), plugins=[tmp_path / "nowhere"])


@pytest.mark.parametrize("path", PAPER, ids=lambda path: path.stem)
class TestPaper:
    def test_has_the_three_profiles(self, path):
        study = read_study(path)
        sizes = {profile: len(study.trials(profile)) for profile in ("smoke", "quick", "full")}
        assert 0 < sizes["smoke"] <= sizes["quick"] <= sizes["full"]
        assert re.match(r"(Table|Figure) A?\d", study.item)
        assert study.published is None or study.published.is_file()

    def test_networks_alone_are_a_part_of_quick(self, path):
        """So that their records are those of quick."""
        study = read_study(path)
        if "nets" in study.profiles:
            nets, quick = study.trials("nets"), study.trials("quick")
            assert set(nets) == {trial for trial in quick if study.catalog.models[trial.learner.model].sizes}
            assert nets

    def test_all_records_lie_in_one_place(self, path):
        """Trials that tables have in common are run once."""
        assert read_study(path).records.resolve() == path.parents[1] / "records"


def test_the_papers_configurations_are_found():
    assert len(PAPER) >= 12


def test_tables_and_figures_share_trials():
    """Figure A2 and Table A2 need no trial that Table 1 does not have, at the same profile."""
    of = {path.stem: set(read_study(path).trials("quick")) for path in PAPER}
    assert of["alpha_winners"] < of["table_1"]
    assert of["cost"] < of["table_1"]
