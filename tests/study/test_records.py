"""Another value of anything that decides numbers is another record; a record is there whole or not at all."""

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from tabcast.study.catalog import load_catalog
from tabcast.study.records import Learner, Setting, Store, Trial, TuningTask, configuration
from tests.conftest import needs

SETTING = Setting("diabetes", 0.1, 0.0, "paper", None, 0)
LEARNER = Learner("xgboost", "paper", 10, None)
TRIAL = Trial(SETTING, LEARNER, 2, "cast-l", "threshold", "none")
TASK = TuningTask(SETTING, LEARNER)
OTHERS = {
    **{"dataset": "cmc", "label_fraction": 0.2, "corruption": 0.2, "preprocessing": "native", "max_rows": 300},
    **{"seed": 1, "model": "random_forest", "tuning": "sane", "n_tuning_trials": 11, "max_trees": 100},
    **{"caps": (("epochs", 10),), "fold": 1, "method": "cast-d", "strategy": "curriculum"},
    "noise_filter": "mahalanobis",
}
OF_SETTING = [one.name for one in fields(Setting)]
OF_LEARNER = [one.name for one in fields(Learner)]
OF_TRIAL = [one.name for one in fields(Trial) if one.name not in ("setting", "learner")]
DESCRIBED = {"method": {"type": "Cast", "alphas": (0.2, 0.5)}}
CONFIG = configuration(TRIAL, {})
DONE = {"status": "done", "metrics": {"score": 0.5}}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "records")


def path_of(task, described=DESCRIBED):
    store = Store(Path("records"))
    return str(store.path(task, configuration(task, described))).removeprefix("records/")


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
        ("task", "text"),
        [
            (TRIAL, "diabetes/xgboost-paper/cast-l-threshold/label0.1-seed0-fold2"),
            (
                Trial(Setting("cmc", 0.05, 0.2, "native", 500, 3), Learner("mlp"), 0, "supervised"),
                "cmc/mlp-none/supervised/label0.05-corrupted0.2-native-rows500-seed3-fold0",
            ),
            (TASK, "diabetes/xgboost-paper/tuning/label0.1-seed0"),
        ],
    )
    def test_is_readable(self, task, text):
        assert str(task) == text
        assert path_of(task).startswith(f"{text}-")

    def test_is_the_same_tomorrow(self):
        assert path_of(TRIAL) == "diabetes/xgboost-paper/cast-l-threshold/label0.1-seed0-fold2-fb89475d.json"

    @pytest.mark.parametrize("name", OTHERS)
    def test_every_field_changes_it(self, name):
        assert set(OTHERS) == {*OF_SETTING, *OF_LEARNER, *OF_TRIAL}
        assert path_of(changed(TRIAL, name))[-13:] != path_of(TRIAL)[-13:]
        if name not in OF_TRIAL:
            assert path_of(changed(TASK, name)) != path_of(TASK)

    @pytest.mark.parametrize("described", [{}, {"method": {"type": "Cast", "alphas": (0.2, 0.6)}}])
    def test_what_names_stand_for_changes_it(self, described):
        assert path_of(TRIAL, described) != path_of(TRIAL)
        assert path_of(TRIAL, {"a": 1, "b": {"c": 2, "d": 3}}) == path_of(TRIAL, {"b": {"d": 3, "c": 2}, "a": 1})


class TestConfiguration:
    @pytest.mark.parametrize("task", [TRIAL, TASK])
    @needs("optuna", "xgboost")
    def test_is_plain_json(self, task):
        config = load_catalog().configuration(task)
        assert json.loads(json.dumps(config)) == config  # a tuple or a number as key would not survive

    def test_caps_and_columns_of_the_results_table(self):
        capped = replace(TRIAL, learner=replace(LEARNER, caps=(("epochs", 10), ("p_m", 0.5))))
        assert configuration(capped, DESCRIBED)["learner"]["caps"] == [["epochs", 10], ["p_m", 0.5]]
        assert capped.columns()["caps"] == "epochs <= 10, p_m <= 0.5"
        assert set(TRIAL.columns()) == set(OTHERS) - {"caps"}

    @needs("optuna", "xgboost")
    def test_members_of_one_name_and_other_settings_differ(self):
        catalog = load_catalog()
        methods = {**catalog.methods, "cast-l": replace(catalog.methods["cast-l"], alphas=(0.5,))}
        assert replace(catalog, methods=methods).configuration(TRIAL) != catalog.configuration(TRIAL)
        model = catalog.models["xgboost"]
        other = replace(model, spaces={**model.spaces, "paper": model.spaces["sane"]})
        models = replace(catalog, models={**catalog.models, "xgboost": other})
        for task in (TRIAL, TASK):
            assert models.configuration(task) != catalog.configuration(task)
        settings = [json.dumps(method.settings(), sort_keys=True) for method in catalog.methods.values()]
        assert len(set(settings)) == len(settings)


class TestStore:
    def test_write_then_read_then_write_again(self, store):
        store.write(TRIAL, CONFIG, {"status": "failed", "reason": "no luck"})
        assert not store.is_done(TRIAL, CONFIG)
        assert store.read(TRIAL, CONFIG)["reason"] == "no luck"
        store.write(TRIAL, CONFIG, DONE)
        assert store.is_done(TRIAL, CONFIG)
        assert store.read(TRIAL, CONFIG) == {"configuration": CONFIG, **DONE}
        assert [path for path in store.root.rglob("*") if path.is_file()] == [store.path(TRIAL, CONFIG)]

    @pytest.mark.parametrize("value", [object(), float("nan"), float("inf")])
    def test_what_is_no_json_leaves_the_old_record(self, store, value):
        store.write(TRIAL, CONFIG, DONE)
        with pytest.raises((TypeError, ValueError)):
            store.write(TRIAL, CONFIG, {"status": "done", "metrics": {"score": value}})
        assert store.read(TRIAL, CONFIG) == {"configuration": CONFIG, **DONE}

    def test_the_beginning_of_a_record_is_not_done(self, store):
        assert not store.is_done(TRIAL, CONFIG)
        store.write(TRIAL, CONFIG, DONE)
        path = store.path(TRIAL, CONFIG)
        whole = path.read_text()
        for length in range(0, len(whole.rstrip()), 7):
            path.write_text(whole[:length])
            assert not store.is_done(TRIAL, CONFIG), f"done after {length} characters"

    @pytest.mark.parametrize("content", [b"", b"null", b"\xff\xfe", b'{"status": "done"}'])
    def test_other_files_are_not_done(self, store, content):
        path = store.path(TRIAL, CONFIG)
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        assert not store.is_done(TRIAL, CONFIG)

    def test_record_of_another_configuration(self, store):
        other = configuration(TRIAL, {"method": {"alphas": [0.5]}})
        path = store.path(TRIAL, CONFIG)
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"configuration": other, **DONE}))
        assert store.read(TRIAL, CONFIG) is None
