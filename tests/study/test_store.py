"""A record is there whole or not at all, and only one that says done, of exactly this configuration, is done."""

import json
import os
from pathlib import Path

import pytest

from tabcast.files import _atomic
from tabcast.study.store import Store, write_text
from tabcast.study.trial import Learner, Setting, Trial, configuration

TRIAL = Trial(Setting("diabetes"), Learner("xgboost"), 0, "baseline", "threshold")
CONFIG = configuration(TRIAL, {})
DONE = {"status": "done", "metrics": {"score": 0.5}}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "records")


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


class TestWrite:
    def test_then_read(self, store):
        store.write(TRIAL, CONFIG, DONE)
        assert files(store.root) == [store.path(TRIAL, CONFIG)]
        assert store.read(TRIAL, CONFIG) == {"configuration": CONFIG, **DONE}
        assert store.is_done(TRIAL, CONFIG)

    def test_again_replaces(self, store):
        store.write(TRIAL, CONFIG, {"status": "failed", "reason": "no luck"})
        store.write(TRIAL, CONFIG, DONE)
        assert store.is_done(TRIAL, CONFIG)
        assert len(files(store.root)) == 1

    @pytest.mark.parametrize("value", [object(), float("nan"), float("inf")])
    def test_what_is_no_json_leaves_nothing_behind(self, store, value):
        with pytest.raises((TypeError, ValueError)):
            store.write(TRIAL, CONFIG, {"status": "done", "metrics": {"score": value}})
        assert not store.root.exists() or files(store.root) == []

    def test_what_is_no_json_leaves_the_old_record(self, store):
        store.write(TRIAL, CONFIG, DONE)
        with pytest.raises(TypeError):
            store.write(TRIAL, CONFIG, {"status": object()})
        assert store.read(TRIAL, CONFIG) == {"configuration": CONFIG, **DONE}
        assert len(files(store.root)) == 1


class TestWriteWhole:
    @pytest.mark.parametrize("step", ["fsync", "replace"])
    @pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
    def test_a_failure_on_the_way_keeps_the_old_file_and_no_temporary_one(self, tmp_path, monkeypatch, step, error):
        path = tmp_path / "record.json"
        write_text(path, "old")

        def fail(*arguments):
            raise error

        monkeypatch.setattr(_atomic.os, step, fail)
        with pytest.raises(type(error)):
            write_text(path, "new")
        assert files(tmp_path) == [path]
        assert path.read_text() == "old"

    def test_the_new_name_appears_only_when_all_is_written(self, tmp_path, monkeypatch):
        path, seen = tmp_path / "record.json", []
        replace = os.replace

        def look_first(source, target):
            seen.append((path.exists(), Path(source).read_text()))
            replace(source, target)

        monkeypatch.setattr(_atomic.os, "replace", look_first)
        write_text(path, "text")
        assert seen == [(False, "text")]
        assert path.read_text() == "text"


class TestNotDone:
    def test_nothing_there(self, store):
        assert store.read(TRIAL, CONFIG) is None
        assert not store.is_done(TRIAL, CONFIG)

    def test_every_beginning_of_a_record(self, store):
        store.write(TRIAL, CONFIG, DONE)
        path = store.path(TRIAL, CONFIG)
        whole = path.read_text()
        for length in range(len(whole.rstrip())):
            path.write_text(whole[:length])
            assert not store.is_done(TRIAL, CONFIG), f"done after {length} characters"

    @pytest.mark.parametrize("text", ["", "{}", "\0\0\0", '{"status": "done"}'])
    def test_other_files(self, store, text):
        path = store.path(TRIAL, CONFIG)
        path.parent.mkdir(parents=True)
        path.write_text(text)
        assert not store.is_done(TRIAL, CONFIG)

    @pytest.mark.parametrize("content", [b"null", b"[]", b"\xff\xfe"])
    def test_what_is_no_record_at_all(self, store, content):
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
        assert not store.is_done(TRIAL, CONFIG)

    def test_failed(self, store):
        store.write(TRIAL, CONFIG, {"status": "failed", "reason": "Traceback ..."})
        assert not store.is_done(TRIAL, CONFIG)
        assert store.read(TRIAL, CONFIG)["reason"] == "Traceback ..."
