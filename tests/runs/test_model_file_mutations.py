"""Changed model files, by bytes and by structure: refused with one sentence, or the predictions are the same.

A change that leaves the digest in the file alone is always found. A forger writes a digest that fits; then the model
may predict something else, but loading or predicting raises nothing but ModelFileError.
"""

import io
import json
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tabcast import SoftSelfTrainingClassifier
from tabcast.files import TableFileError, understand
from tabcast.models import AdaptedClassifier
from tabcast.models._catalog import make_model
from tabcast.runs import ModelFileError, load_model, predict_file, save_model
from tabcast.teachers import Committee
from tests.runs.mutations import (
    SCHEMA,
    change_arrays,
    change_entries,
    change_json,
    flip_bits,
    read_entries,
    write_entries,
)

KINDS = ["hist_gradient_boosting", "xgboost", "lightgbm", "random_forest", "logistic_regression", "committee"]
NETS = ["mlp", "ft_transformer", "vime", "subtab", "scarf", "switchtab"]
NOTE = "tabcast.json"
ROOT = Path(__file__).parents[2]


def make_table():
    random = np.random.default_rng(0)
    n = 60
    table = pd.DataFrame(
        {
            "age": random.normal(40, 10, n).round(2),
            "income": np.where(random.random(n) < 0.2, np.nan, random.random(n).round(3)),
            "city": random.choice(["Ulm", "Bonn", "Kiel"], n),
            "since": random.choice(["2024-01-01", "2024-05-07", "2023-02-03"], n),
        }
    )
    return table.assign(
        churned=np.where(table["age"] + 10 * (table["city"] == "Ulm") > 42, "stays", "leaves").astype(object)
    )


class Corpus:
    """A small saved model of a kind, and the tables that it predicts."""

    def __init__(self, kind, folder):
        if kind in ("xgboost", "lightgbm", *NETS):
            pytest.importorskip("torch" if kind in NETS else kind)
        self.table = make_table()
        understanding = understand(self.table, "churned")
        self.features = understanding.features(self.table)
        model = self.fit(kind, self.features, self.table["churned"].to_numpy())
        self.expected = model.predict_proba(self.features)
        self.folder = folder
        self.path = folder / "model.skops"
        save_model(self.path, model, understanding.to_dict(), {"trained_by": "me"})
        self.data = self.path.read_bytes()

    def fit(self, kind, X, y):
        """A small model."""
        if kind == "committee":
            y = np.where(np.arange(len(y)) % 3 == 0, None, y)
            forest = make_model("random_forest", seed=0, n_jobs=1).set_params(forest__n_estimators=2)
            student = SoftSelfTrainingClassifier(
                make_model("logistic_regression", seed=0, n_jobs=1),
                teacher=Committee(["own", forest, "linear", "neighbors"], n_folds=2),
                deploy="committee",
                random_state=0,
            )
            return student.fit(X, y).deployed_
        model = make_model(kind, seed=0, n_jobs=1)
        smaller = {"n_estimators": 2, "forest__n_estimators": 2, "max_iter": 2, "epochs": 1, "pretrain_epochs": 1}
        if kind == "logistic_regression":
            del smaller["max_iter"]
        model.set_params(**{name: value for name, value in smaller.items() if name in model.get_params()})
        return AdaptedClassifier(model).fit(X, y)

    def predict(self, data):
        """Probabilities of a changed file, None if it is refused; any other error is the test's failure."""
        self.path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = load_model(self.path)
            except ModelFileError as error:
                check_sentence(error)
                return None
            try:
                model.classifier.predict(self.features)
            except ValueError as error:  # consistently renamed: a model of another table
                if not str(error).startswith("Columns of X differ from those that were learned"):
                    raise
                check_sentence(error)
                return None
            return model.classifier.predict_proba(self.features)

    def predict_file(self, data):
        """The same from file to file, where the table may be refused too."""
        self.path.write_bytes(data)
        source, out = self.folder / "table.csv", self.folder / "out.csv"
        self.table.to_csv(source, index=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                predict_file(load_model(self.path), source, out)
            except (ModelFileError, TableFileError) as error:
                check_sentence(error)


def check_sentence(error):
    text = str(error)
    assert text.endswith((".", "?"))
    assert "\n" not in text
    assert len(text) < 600


@pytest.fixture(
    scope="module", params=[*KINDS, NETS[0], *(pytest.param(net, marks=pytest.mark.slow) for net in NETS[1:])]
)
def corpus(request, tmp_path_factory):
    return Corpus(request.param, tmp_path_factory.mktemp("model"))


@pytest.fixture
def random():
    return np.random.default_rng(13)


def check_same_or_refused(corpus, changes):
    n_refused = 0
    for what, data in changes:
        proba = corpus.predict(data)
        if proba is None:
            n_refused += 1
        else:
            np.testing.assert_array_equal(proba, corpus.expected, err_msg=what)
    return n_refused


class TestDamage:
    """The digest is left alone."""

    def test_flipped_bits(self, corpus, random):
        positions = np.unique(random.integers(0, len(corpus.data), 60))
        assert check_same_or_refused(corpus, flip_bits(corpus.data, positions, random)) > 20

    @pytest.mark.slow
    def test_every_byte(self, corpus, random):
        check_same_or_refused(corpus, flip_bits(corpus.data, range(len(corpus.data)), random))

    def test_bytes_of_the_note(self, corpus, random):
        entries = read_entries(corpus.data)
        positions = random.choice(len(entries[NOTE]), 30, replace=False)
        changes = (
            (what, write_entries(entries | {NOTE: text}, forged=False))
            for what, text in flip_bits(entries[NOTE], positions, random)
        )
        check_same_or_refused(corpus, changes)

    @pytest.mark.filterwarnings("ignore:Duplicate name")
    def test_entries(self, corpus, random):
        changes = list(change_entries(corpus.data, random, forged=False))
        changes = [changes[i] for i in random.choice(len(changes), min(20, len(changes)), replace=False)]
        assert check_same_or_refused(corpus, changes) == len(changes)
        pairs = list(read_entries(corpus.data).items())
        for pair in pairs[-3:]:
            assert corpus.predict(write_entries([*pairs, pair], forged=False)) is None

    def test_values_of_json(self, corpus, random):
        for entry in (NOTE, SCHEMA):
            changes = list(change_json(corpus.data, entry, random, 12, forged=False))
            assert check_same_or_refused(corpus, changes) >= len(changes) - 2  # but for the digest itself taken out


class TestForgery:
    """The digest fits what was changed."""

    def test_values_of_the_schema(self, corpus, random):
        self.check_all(corpus, change_json(corpus.data, SCHEMA, random, 6))

    def test_arrays(self, corpus, random):
        self.check_all(corpus, change_arrays(corpus.data, random, 6))

    def test_entries(self, corpus, random):
        changes = list(change_entries(corpus.data, random, forged=True))
        self.check_all(corpus, [changes[i] for i in random.choice(len(changes), 6, replace=False)])

    @pytest.mark.slow
    def test_many(self, corpus, random):
        self.check_all(corpus, change_json(corpus.data, SCHEMA, random, 1500))
        self.check_all(corpus, change_arrays(corpus.data, random))

    def check_all(self, corpus, changes):
        for what, data in changes:
            self.check(corpus, what, data)

    def check(self, corpus, what, data):
        try:
            proba = corpus.predict(data)
        except Exception as error:
            pytest.fail(f"{what}: {error!r}")
        if proba is not None:
            assert proba.shape == corpus.expected.shape, what
            assert np.isfinite(proba).all(), what


@pytest.fixture(scope="module")
def simple(tmp_path_factory):
    return Corpus("logistic_regression", tmp_path_factory.mktemp("model"))


def check_files(corpus, changes):
    for what, data in changes:
        try:
            corpus.predict_file(data)
        except Exception as error:
            pytest.fail(f"{what}: {error!r}")


def test_forged_notes_from_file_to_file(simple, random):
    check_files(simple, change_json(simple.data, NOTE, random, 30))


@pytest.mark.slow
def test_all_forged_notes_from_file_to_file(simple, random):
    check_files(simple, change_json(simple.data, NOTE, random))


@pytest.mark.parametrize("kind", ["random_forest", "lightgbm", "xgboost"])
@pytest.mark.parametrize("number", [2**31 - 1, "many"])
def test_numbers_of_threads(kind, number, tmp_path):
    """LightGBM and OpenMP ended the process."""
    corpus = Corpus(kind, tmp_path)
    entries = read_entries(corpus.data)

    def change(value):
        if isinstance(value, dict):
            for name, entry in value.items():
                if name == "n_jobs":
                    entry["content"] = json.dumps(number)
                change(entry)
        elif isinstance(value, list):
            for entry in value:
                change(entry)

    schema = json.loads(entries[SCHEMA])
    change(schema)
    assert corpus.predict(write_entries(entries | {SCHEMA: json.dumps(schema)})) is None


@pytest.mark.parametrize("kind", [pytest.param("lightgbm", marks=pytest.mark.slow), "xgboost"])
def test_an_empty_model_of_a_boosting_library(kind, tmp_path):
    """XGBoost ended the process."""
    corpus = Corpus(kind, tmp_path)
    entries = read_entries(corpus.data)
    files = [name for name in entries if name.endswith(".bin")]
    text = json.loads(entries[SCHEMA])
    for node in find_content(text, "Tree=0"):  # LightGBM's model is text in the schema
        node["content"] = '""'
    changed = entries | dict.fromkeys(files, b"") | {SCHEMA: json.dumps(text)}
    assert changed != entries
    _, imported, _ = result = load_elsewhere(corpus, [write_entries(changed)], tmp_path)
    assert result[0] == ["refused"]
    assert imported == "modules []"


@pytest.mark.parametrize("name", [{}, [], "income"])
def test_names_of_columns_that_cannot_be_names(simple, name):
    """A prediction raised a TypeError."""
    entries = read_entries(simple.data)
    schema = json.loads(entries[SCHEMA])
    nodes = list(find_content(schema, '"age"'))
    assert nodes
    for node in nodes:  # each place alone
        node["content"] = json.dumps(name)
        proba = simple.predict(write_entries(entries | {SCHEMA: json.dumps(schema)}))
        assert proba is None or (proba == simple.expected).all()
        node["content"] = '"age"'


def find_content(value, part):
    """Nodes of a schema whose content is text with a part in it."""
    if isinstance(value, dict):
        if isinstance(value.get("content"), str) and part in value["content"]:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            yield from find_content(entry, part)


SCRIPT = """
import resource, sys, warnings
warnings.simplefilter("ignore")
from tabcast.runs import ModelFileError, load_model
load_model(sys.argv[1]).classifier
before, peak = set(sys.modules), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[2:]:
    try:
        load_model(path)
    except ModelFileError as error:
        print("refused")
    else:
        print("loaded", path)
print("modules", sorted(set(sys.modules) - before))
print("mebibytes", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) // 1024)
"""


def load_elsewhere(corpus, files, folder, path_of_modules=ROOT):
    """Load files in a new process: lines of what happened, modules that were imported, growth of memory."""
    corpus.path.write_bytes(corpus.data)
    paths = []
    for number, data in enumerate(files):
        paths.append(folder / f"{number}.skops")
        paths[-1].write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(corpus.path), *map(str, paths)],
        check=True,
        cwd=path_of_modules,
        capture_output=True,
        text=True,
        timeout=120,
    )
    *lines, modules, memory = done.stdout.splitlines()
    return lines, modules, int(memory.split()[1])


def test_no_module_is_imported(simple, tmp_path):
    """A module beside the caller, named in the file in place of one type after the other."""
    corpus = simple
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "trap.py").write_text("open('trapped', 'w').close()\nclass Trap: pass\n")
    entries = read_entries(corpus.data)
    named = [("trap", "Trap"), ("antigravity", "x"), ("sklearn.trap", "Trap"), ("tabcast.cli.main", "app")]
    schema = json.loads(entries[SCHEMA])
    owners = list(find_types(schema))
    files = []
    for i, owner in enumerate(owners[:: max(1, len(owners) // 12)]):
        before = dict(owner)
        owner["__module__"], owner["__class__"] = named[i % len(named)]
        files.append(write_entries(entries | {SCHEMA: json.dumps(schema)}))
        owner.clear()
        owner.update(before)
    lines, imported, _ = load_elsewhere(corpus, files, tmp_path, modules)
    assert imported == "modules []"
    assert not (modules / "trapped").exists()
    assert len(lines) == len(files)


def find_types(value):
    """Nodes of a schema that name a type, values in JSON aside."""
    if isinstance(value, dict):
        if "__module__" in value and value["__loader__"] != "JsonNode":
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            yield from find_types(entry)


def test_bombs(simple, tmp_path):
    """A small file that would fill the memory is refused before it does."""
    entries = read_entries(simple.data)
    zeros = io.BytesIO()
    np.save(zeros, np.zeros(20 * 2**20, dtype=np.uint8))
    array = next(name for name in entries if name.endswith(".npy"))
    schema = json.loads(entries[SCHEMA])
    reference = {"__class__": "ndarray", "__module__": "numpy", "__loader__": "NdArrayNode", "type": "numpy"}
    many = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
    schema["content"]["state"]["content"]["more"] = many | {"content": [reference | {"file": array}] * 50}
    files = [
        write_entries(entries | {"zeros.npy": bytes(120 * 2**20)}),
        write_entries(entries | {NOTE: b" " * (120 * 2**20)}, forged=False),
        write_entries(entries | {SCHEMA: json.dumps(schema), array: zeros.getvalue()}),
        lie_about_sizes(entries),
    ]
    assert max(map(len, files)) < 2 * 2**20
    lines, imported, mebibytes = load_elsewhere(simple, files, tmp_path)
    assert lines == ["refused"] * len(files)
    assert imported == "modules []"
    assert mebibytes < 100


def lie_about_sizes(entries):
    """An entry of 120 MiB that the file's table of contents calls small."""
    buffer = io.BytesIO(write_entries(entries))
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.npy", bytes(120 * 2**20))
        archive.getinfo("zeros.npy").file_size = 100
    return buffer.getvalue()
