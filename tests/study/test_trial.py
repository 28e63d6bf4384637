"""Another value of anything that decides numbers is another record; the same values are the same one."""

import json
from dataclasses import fields, replace

import pytest

from tabcast.study.catalog import load_catalog
from tabcast.study.trial import Learner, Setting, Trial, TuningTask, configuration, record_path
from tests.conftest import needs

SETTING = Setting("diabetes", 0.1, 0.0, "paper", None, 0)
LEARNER = Learner("xgboost", "paper", 10, None)
TRIAL = Trial(SETTING, LEARNER, 2, "cast-l", "threshold", "none")
OTHERS = {
    "dataset": "cmc",
    "label_fraction": 0.2,
    "corruption": 0.2,
    "preprocessing": "native",
    "max_rows": 300,
    "seed": 1,
    "model": "random_forest",
    "tuning": "sane",
    "n_tuning_trials": 11,
    "max_trees": 100,
    "caps": (("epochs", 10),),
    "fold": 1,
    "method": "cast-d",
    "strategy": "curriculum",
    "noise_filter": "mahalanobis",
}
OF_SETTING = [one.name for one in fields(Setting)]
OF_LEARNER = [one.name for one in fields(Learner)]
OF_TRIAL = [one.name for one in fields(Trial) if one.name not in ("setting", "learner")]
DESCRIBED = {"method": {"type": "Cast", "alphas": (0.2, 0.5)}}


def path_of(task, described=DESCRIBED):
    return str(record_path(task, configuration(task, described)))


def changed(task, name):
    """The same task with one field of it, or of its parts, changed."""
    value = {name: OTHERS[name]}
    if name in OF_SETTING:
        return replace(task, setting=replace(task.setting, **value))
    if name in OF_LEARNER:
        return replace(task, learner=replace(task.learner, **value))
    return replace(task, **value)


class TestPath:
    @pytest.mark.parametrize(
        ("trial", "text"),
        [
            (TRIAL, "diabetes/xgboost-paper/cast-l-threshold/label0.1-seed0-fold2"),
            (
                Trial(Setting("cmc", 0.05, 0.2, "native", 500, 3), Learner("mlp"), 0, "supervised"),
                "cmc/mlp-none/supervised/label0.05-corrupted0.2-native-rows500-seed3-fold0",
            ),
            (
                replace(TRIAL, noise_filter="mahalanobis"),
                "diabetes/xgboost-paper/cast-l-threshold-mahalanobis/label0.1-seed0-fold2",
            ),
        ],
    )
    def test_is_readable(self, trial, text):
        assert str(trial) == text
        path = path_of(trial)
        assert path.startswith(f"{text}-")
        assert path.endswith(".json")

    def test_of_a_search_for_parameters(self):
        path = path_of(TuningTask(SETTING, LEARNER))
        assert path.startswith("diabetes/xgboost-paper/tuning/label0.1-seed0-")

    def test_every_field_is_listed_here(self):
        assert set(OTHERS) == {*OF_SETTING, *OF_LEARNER, *OF_TRIAL}

    @pytest.mark.parametrize("name", OTHERS)
    def test_every_field_changes_the_record_of_a_trial(self, name):
        digest = path_of(TRIAL)[-13:]
        assert path_of(changed(TRIAL, name))[-13:] != digest
        assert path_of(replace(TRIAL))[-13:] == digest

    @pytest.mark.parametrize("name", [*OF_SETTING, *OF_LEARNER])
    def test_every_field_changes_the_record_of_a_search(self, name):
        task = TuningTask(SETTING, LEARNER)
        assert path_of(changed(task, name)) != path_of(task)

    @pytest.mark.parametrize(
        "described", [{}, {"method": {"type": "Cast", "alphas": (0.2, 0.6)}}, {**DESCRIBED, "space": "Space({})"}]
    )
    def test_what_names_stand_for_changes_it(self, described):
        assert path_of(TRIAL, described) != path_of(TRIAL)

    def test_order_of_what_is_described_does_not(self):
        assert path_of(TRIAL, {"a": 1, "b": {"c": 2, "d": 3}}) == path_of(TRIAL, {"b": {"d": 3, "c": 2}, "a": 1})


class TestConfiguration:
    @pytest.mark.parametrize("task", [TRIAL, TuningTask(SETTING, LEARNER)])
    @needs("optuna", "xgboost")
    def test_is_plain_json(self, task):
        config = load_catalog().configuration(task)
        assert json.loads(json.dumps(config)) == config  # a tuple or a number as key would not survive

    def test_holds_everything(self):
        config = configuration(TRIAL, DESCRIBED)
        assert config["setting"] == {name: getattr(SETTING, name) for name in OF_SETTING}
        assert config["learner"] == {name: getattr(LEARNER, name) for name in OF_LEARNER if name != "caps"}
        assert {name: config[name] for name in OF_TRIAL} == {name: getattr(TRIAL, name) for name in OF_TRIAL}
        assert config["schema"] == 1
        assert config["described"]["method"] == {"type": "Cast", "alphas": [0.2, 0.5]}

    def test_records_from_before_there_were_caps_stay_valid(self):
        """The digest of a trial without any, as it was then."""
        assert path_of(TRIAL) == "diabetes/xgboost-paper/cast-l-threshold/label0.1-seed0-fold2-fb89475d.json"

    def test_caps(self):
        capped = replace(TRIAL, learner=replace(LEARNER, caps=(("epochs", 10), ("p_m", 0.5))))
        assert configuration(capped, DESCRIBED)["learner"]["caps"] == [["epochs", 10], ["p_m", 0.5]]
        assert capped.columns()["caps"] == "epochs <= 10, p_m <= 0.5"

    def test_columns_of_the_results_table(self):
        columns = TRIAL.columns()
        assert set(columns) == set(OTHERS) - {"caps"}
        assert {name: columns[name] for name in ("dataset", "model", "fold", "method")} == {
            "dataset": "diabetes",
            "model": "xgboost",
            "fold": 2,
            "method": "cast-l",
        }


class TestDescribed:
    """What the catalog says about the names, so that a changed member is not taken for the old one."""

    @needs("optuna", "xgboost")
    def test_methods_of_one_name_and_other_settings_differ(self):
        catalog = load_catalog()
        changed = {**catalog.methods, "cast-l": replace(catalog.methods["cast-l"], alphas=(0.5,))}
        assert replace(catalog, methods=changed).configuration(TRIAL) != catalog.configuration(TRIAL)

    @needs("optuna", "xgboost")
    def test_spaces_of_one_name_and_other_ranges_differ(self):
        catalog = load_catalog()
        model = catalog.models["xgboost"]
        other = replace(model, spaces={**model.spaces, "paper": model.spaces["sane"]})
        changed = replace(catalog, models={**catalog.models, "xgboost": other})
        for task in (TRIAL, TuningTask(SETTING, LEARNER)):
            assert changed.configuration(task) != catalog.configuration(task)

    def test_every_method_differs_from_every_other(self):
        catalog = load_catalog()
        settings = [json.dumps(method.settings(), sort_keys=True) for method in catalog.methods.values()]
        assert len(set(settings)) == len(settings)
