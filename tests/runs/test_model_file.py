"""A model in a file: the same model comes back, and nothing else can come with it."""

import errno
import importlib.util
import io
import json
import os
import pickle
import subprocess
import sys
import warnings
import zipfile
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import tabcast
from tabcast import SoftSelfTrainingClassifier
from tabcast.exceptions import TabcastWarning
from tabcast.models import AdaptedClassifier, default_classifier
from tabcast.models._catalog import MODEL_NAMES, make_model
from tabcast.runs import ModelFileError, load_model, save_model
from tabcast.teachers import SelfTeacher
from tests.runs.mutations import read_entries, write_entries

NETS = ["mlp", "ft_transformer", "vime", "subtab", "scarf", "switchtab"]
PACKAGES = {"xgboost": "xgboost", "lightgbm": "lightgbm", "catboost": "catboost", **dict.fromkeys(NETS, "torch")}
INSTALLED = [name for name in MODEL_NAMES[1:] if name not in PACKAGES or importlib.util.find_spec(PACKAGES[name])]
UNDERSTANDING = {"target": "class", "columns": [{"name": "age", "kind": "number"}]}
FACTS = {"method": "soft", "gain": 0.03, "rounds": [1, 2, 3], "none": None}


def make_table():
    """Numbers, categories, text, booleans, missing values, a level that only new rows have; three classes of text."""
    random = np.random.default_rng(3)
    n = 240
    table = pd.DataFrame(
        {
            "age": random.normal(40, 10, n),
            "income": np.where(random.random(n) < 0.2, np.nan, random.lognormal(3, 1, n)),
            "city": random.choice(["Ulm", "Bonn", "Kiel", None], n),
            "plan": pd.Categorical(random.choice(["basic", "gold"], n), categories=["gold", "basic", "never"]),
            "active": random.random(n) < 0.5,
            "visits": pd.array(random.integers(0, 9, n), dtype="Int64"),
        }
    )
    table.loc[4, "visits"] = pd.NA
    table.loc[200:, "city"] = table.loc[200:, "city"].replace("Bonn", "Rome")
    score = table["age"] + 10 * (table["city"] == "Ulm")
    return table, np.select([score > 48, score < 36], ["stays", "leaves"], "<may be>").astype(object)


def fit(name, seed=0):
    """A self-trained model of the catalog, as `tabcast fit` saves it."""
    X, y = make_table()
    half_labeled = np.where(np.arange(len(y)) < 90, y, None)
    classifier = make_model(name, seed=seed, n_jobs=1)
    fewer = {"max_iter", "n_estimators", "iterations", "forest__n_estimators"} & set(classifier.get_params())
    classifier.set_params(**dict.fromkeys(fewer, 15))
    classifier.set_params(**dict.fromkeys({"epochs", "pretrain_epochs"} & set(classifier.get_params()), 2))
    return SoftSelfTrainingClassifier(classifier, teacher=SelfTeacher(), random_state=seed).fit(X, half_labeled)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Every model of the catalog, fitted and saved: name -> (estimator, path)."""
    folder = tmp_path_factory.mktemp("models")
    result = {}
    for name in INSTALLED:
        estimator = fit(name).deployed_
        save_model(folder / f"{name}.skops", estimator, UNDERSTANDING, FACTS)
        result[name] = (estimator, folder / f"{name}.skops")
    return result


@pytest.fixture
def simple(tmp_path):
    """A small model in a file."""
    X, y = make_table()
    path = tmp_path / "model.skops"
    save_model(path, make_model("logistic_regression").fit(X, y), UNDERSTANDING, FACTS)
    return path


def rewrite(path, change_schema=None, **entries):
    """Change a model file by hand, its digest too: its schema, or whole entries (None takes one out)."""
    content = read_entries(path.read_bytes())
    if change_schema is not None:
        schema = json.loads(content["schema.json"])
        content["schema.json"] = json.dumps(change_schema(schema) or schema).encode()
    content.update({name.replace("__", "."): data for name, data in entries.items()})
    path.write_bytes(write_entries({name: data for name, data in content.items() if data is not None}))


def parts(schema, kind):
    """The states of all parts of a kind within a schema."""
    if isinstance(schema, dict):
        content = schema.get("content")
        is_part = isinstance(content, dict) and "tabcast.part" in content
        if is_part and json.loads(content["tabcast.part"]["content"]) == kind:
            yield content["state"]["content"]
        for value in schema.values():
            yield from parts(value, kind)
    elif isinstance(schema, list):
        for value in schema:
            yield from parts(value, kind)


class TestSameModel:
    @pytest.mark.parametrize("name", INSTALLED)
    def test_same_probabilities(self, name, models):
        X, _ = make_table()
        estimator, path = models[name]
        saved = load_model(path)
        np.testing.assert_array_equal(saved.classifier.predict_proba(X), estimator.predict_proba(X))
        np.testing.assert_array_equal(saved.classifier.predict(X), estimator.predict(X))
        assert saved.classes.tolist() == ["<may be>", "leaves", "stays"]
        assert saved.understanding == UNDERSTANDING
        assert saved.facts == FACTS

    def test_same_probabilities_in_a_new_process(self, models, tmp_path):
        script = (
            "import sys, numpy as np\n"
            "from tabcast.runs import load_model\n"
            "from tests.runs.test_model_file import make_table\n"
            "X, _ = make_table()\n"
            "for path in sys.argv[2:]:\n"
            "    name = path.rsplit('/', 1)[1].removesuffix('.skops')\n"
            "    np.save(f'{sys.argv[1]}/{name}.npy', load_model(path).classifier.predict_proba(X))\n"
        )
        paths = [str(path) for _, path in models.values()]
        root = Path(__file__).parents[2]
        subprocess.run([sys.executable, "-c", script, str(tmp_path), *paths], check=True, cwd=root)
        X, _ = make_table()
        for name, (estimator, _) in models.items():
            np.testing.assert_array_equal(np.load(tmp_path / f"{name}.npy"), estimator.predict_proba(X), err_msg=name)

    @pytest.mark.parametrize("name", INSTALLED)
    def test_saving_leaves_the_model_as_it_was(self, name, models):
        X, _ = make_table()
        estimator, _ = models[name]
        np.testing.assert_array_equal(estimator.predict_proba(X), fit(name).deployed_.predict_proba(X))

    @pytest.mark.parametrize("name", INSTALLED)
    def test_a_loaded_model_can_be_saved_again(self, name, models, tmp_path):
        X, _ = make_table()
        estimator, path = models[name]
        save_model(tmp_path / "again.skops", load_model(path).classifier, {}, {})
        again = load_model(tmp_path / "again.skops").classifier
        np.testing.assert_array_equal(again.predict_proba(X), estimator.predict_proba(X))

    @pytest.mark.parametrize("labels", [[0, 1], [False, True], [1.0, 2.0], ["a", "b"], [7, 10**15]], ids=str)
    def test_classes_of_every_type(self, labels, tmp_path):
        X = pd.DataFrame({"x": np.arange(40.0), "c": ["u", "v"] * 20})
        y = np.array(labels)[(X["x"] > 20).to_numpy().astype(int)]
        save_model(tmp_path / "m.skops", AdaptedClassifier(default_classifier()).fit(X, y), {})
        saved = load_model(tmp_path / "m.skops")
        assert saved.classes.tolist() == sorted(labels)
        assert saved.classifier.predict(X).tolist() == y.tolist()
        assert saved.facts == {}

    @pytest.mark.parametrize(
        "levels",
        [[1, 2], [1.5, 2.5], [True, False], ["a", 1], [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-05-01")]],
        ids=["int", "float", "bool", "mixed", "date"],
    )
    def test_levels_of_every_type(self, levels, tmp_path):
        X = pd.DataFrame({"c": pd.Categorical([levels[0], levels[1]] * 20), "x": np.arange(40.0)})
        model = AdaptedClassifier(default_classifier()).fit(X, ["u", "v"] * 20)
        save_model(tmp_path / "m.skops", model, {})
        loaded = load_model(tmp_path / "m.skops").classifier
        assert loaded.predict(X).tolist() == ["u", "v"] * 20
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))

    @pytest.mark.parametrize(
        "classifier", [DecisionTreeClassifier(), RandomForestClassifier(5), GradientBoostingClassifier(n_estimators=5)]
    )
    def test_classifiers_of_scikit_learn(self, classifier, tmp_path):
        X = np.random.default_rng(0).normal(size=(80, 3))
        model = classifier.fit(X, (X[:, 0] > 0).astype(int))
        save_model(tmp_path / "m.skops", model, {})
        loaded = load_model(tmp_path / "m.skops").classifier
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))

    @pytest.mark.parametrize("name", ["random_forest", "logistic_regression"])
    def test_an_estimator_that_is_kept_unfitted_beside_the_fitted_one(self, name, tmp_path):
        X, y = make_table()
        model = AdaptedClassifier(make_model(name, seed=0)).fit(X, y.astype(str))
        save_model(tmp_path / "m.skops", model, {})
        loaded = load_model(tmp_path / "m.skops").classifier
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
        assert not hasattr(loaded.estimator[0], "columns_")

    def test_the_note_is_json_that_anybody_can_read(self, simple):
        with zipfile.ZipFile(simple) as archive:
            note = json.loads(archive.read("tabcast.json"))
        assert note["understanding"] == UNDERSTANDING
        assert note["facts"] == FACTS
        assert note["classes"] == ["<may be>", "leaves", "stays"]
        assert note["tabcast"] == tabcast.__version__
        assert "scikit-learn" in note["versions"]

    def test_a_folder_with_a_model(self, simple):
        assert load_model(simple.parent).facts == FACTS


class TestSaving:
    def test_what_could_not_be_loaded_is_not_saved(self, tmp_path):
        model = make_pipeline(FunctionTransformer(make_table), LogisticRegression())
        model.fit = None
        model.steps[-1][1].classes_ = np.array([0, 1])
        with pytest.raises(ModelFileError, match=r"make_table in it cannot be saved: tabcast would not load it again"):
            save_model(tmp_path / "m.skops", model, {})
        assert list(tmp_path.iterdir()) == []

    def test_levels_that_cannot_be_saved(self, tmp_path):
        X = pd.DataFrame({"c": pd.Series([Decimal(1), Decimal(2)] * 20, dtype=object), "x": np.arange(40.0)})
        model = AdaptedClassifier(default_classifier()).fit(X, [0, 1] * 20)
        with pytest.raises(ModelFileError, match=r"decimal\.Decimal"):
            save_model(tmp_path / "m.skops", model, {})

    def test_not_fitted(self, tmp_path):
        with pytest.raises(ValueError, match="must be a fitted classifier; got LogisticRegression"):
            save_model(tmp_path / "m.skops", LogisticRegression(), {})

    @pytest.mark.parametrize("fact", [np.array([1]), float("nan"), {1, 2}])
    def test_facts_must_be_json(self, fact, tmp_path, simple):
        model = load_model(simple).classifier
        with pytest.raises(ValueError, match="`understanding` and `facts` of save_model must be plain JSON"):
            save_model(tmp_path / "m.skops", model, {}, {"fact": fact})
        assert not (tmp_path / "m.skops").exists()

    @pytest.mark.parametrize("reason", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
    def test_a_broken_writing_leaves_what_was_there(self, reason, simple, monkeypatch):
        before = simple.read_bytes()
        model = load_model(simple).classifier
        write_bytes = Path.write_bytes

        def write_half(self, data):
            write_bytes(self, bytes(data)[: len(data) // 2])
            raise reason

        monkeypatch.setattr(Path, "write_bytes", write_half)
        with pytest.raises(type(reason)):
            save_model(simple, model, {}, {"new": True})
        assert simple.read_bytes() == before
        assert list(simple.parent.iterdir()) == [simple]

    def test_a_full_disk(self, simple):
        """A real one: /dev/full takes no byte."""
        if not Path("/dev/full").exists():
            pytest.skip("needs /dev/full")
        model = load_model(simple).classifier
        with pytest.raises(OSError, match=r".") as caught:
            save_model("/dev/full/model.skops", model, {})
        assert caught.value.errno in (errno.ENOTDIR, errno.ENOSPC)


class Witness:
    """Leaves a trace when code of a file runs."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)

    def __setstate__(self, state):
        os.mkdir(state["path"])


@pytest.fixture
def trace(tmp_path):
    """What a file's code would leave behind; checked to be absent at the end of the test."""
    path = tmp_path / "trace"
    yield path
    assert not path.exists()


def node(loader, module, name, content=None):
    """A node of skops' schema."""
    return {"__class__": name, "__module__": module, "__loader__": loader, "content": content}


class TestNothingRuns:
    def test_a_pickle(self, trace):
        path = trace.with_name("model.skops")
        path.write_bytes(pickle.dumps(Witness(trace)))
        with pytest.raises(ModelFileError, match=r"is not a model of tabcast, or is damaged\.$"):
            load_model(path)

    def test_the_witness_works(self, tmp_path):
        pickle.loads(pickle.dumps(Witness(tmp_path / "trace")))
        assert (tmp_path / "trace").exists()

    def test_an_unknown_type(self, simple, trace):
        rewrite(simple, schema__json=self.schema_of(Witness(str(trace))))
        with pytest.raises(
            ModelFileError, match=r"was not loaded, because it holds tests\.runs\.test_model_file\.Witness: no"
        ):
            load_model(simple)

    @staticmethod
    def schema_of(value):
        with zipfile.ZipFile(io.BytesIO(skops.io.dumps(value))) as archive:
            return archive.read("schema.json")

    def test_an_unknown_type_deep_inside(self, simple, trace):
        estimator = LogisticRegression()
        estimator.hidden = [{"deep": (Witness(str(trace)),)}]
        rewrite(simple, schema__json=self.schema_of(estimator))
        with pytest.raises(ModelFileError, match=r"Witness"):
            load_model(simple)

    @pytest.mark.parametrize(
        ("module", "name"), [("posix", "mkdir"), ("os", "mkdir"), ("subprocess", "Popen"), ("builtins", "eval")]
    )
    @pytest.mark.parametrize("loader", ["ConstructorFromReduceNode", "ObjectNode", "FunctionNode", "TypeNode"])
    def test_a_changed_schema(self, simple, trace, module, name, loader):
        """The type of a part is exchanged for something that acts."""
        argument = node("JsonNode", "builtins", "str", json.dumps(str(trace)))
        call = node(loader, module, name, node("TupleNode", "builtins", "tuple", [argument]))

        def change(schema):
            schema["content"]["content"]["verbose"] = call

        rewrite(simple, change)
        with pytest.raises(ModelFileError, match=rf"because it holds {module}\.{name}: no part of a tabcast model\.$"):
            load_model(simple)

    def test_functions_that_are_called_later(self, simple, trace):
        arguments = node("TupleNode", "builtins", "tuple", [node("JsonNode", "builtins", "str", f'"{trace}"')])
        content = {
            "func": node("FunctionNode", "os", "mkdir"),
            "args": arguments,
            "kwds": node("JsonNode", "builtins", "str", "{}"),
            "namespace": node("JsonNode", "builtins", "str", "{}"),
        }

        def change(schema):
            schema["content"]["content"]["func"] = node("PartialNode", "functools", "partial", content)

        rewrite(simple, change)
        with pytest.raises(ModelFileError, match=r"functools\.partial, os\.mkdir"):
            load_model(simple)

    def test_a_pickle_within_an_array(self, simple, trace):
        array = np.array([Witness(trace)], dtype=object)
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=True)
        with zipfile.ZipFile(simple) as archive:
            names = [name for name in archive.namelist() if name.endswith(".npy")]
        rewrite(simple, **{name.replace(".", "__"): buffer.getvalue() for name in names})
        with pytest.raises(ModelFileError, match="is damaged or was changed by hand"):
            load_model(simple)

    def test_an_unknown_part(self, simple):
        def change(schema):
            text = json.dumps(schema).replace('\\"NormalScores\\"', '\\"Popen\\"')
            assert "Popen" in text
            return json.loads(text)

        rewrite(simple, change)
        with pytest.raises(ModelFileError, match=r"is damaged or was changed by hand \('Popen'\)"):
            load_model(simple)

    @pytest.mark.parametrize("name", ["xgboost", "catboost"])
    def test_a_model_is_data_not_the_name_of_a_file(self, name, models, tmp_path):
        if name not in models:
            pytest.skip(f"needs {name}")
        path = tmp_path / "model.skops"
        path.write_bytes(models[name][1].read_bytes())
        kind = {"xgboost": "XGBClassifier", "catboost": "CatBoostClassifier"}[name]

        def change(schema):
            for state in parts(schema, kind):
                state["model"] = node("JsonNode", "builtins", "str", '"/etc/passwd"')

        rewrite(path, change)
        with pytest.raises(ModelFileError, match="a model must be bytes; got str"):
            load_model(path)


class TestTreesAreChecked:
    """A tree that points outside of itself would make scikit-learn read memory that is not the tree's."""

    def spoil(self, path, field, value, row=0):
        """Change a field of a node in every tree of the file."""
        with zipfile.ZipFile(path) as archive:
            content = {name: archive.read(name) for name in archive.namelist()}
        changed = {}
        for name, data in content.items():
            if name.endswith(".npy"):
                array = np.load(io.BytesIO(data))
                if array.dtype.names and field in array.dtype.names:
                    array = array.copy()
                    array[field][row] = value
                    buffer = io.BytesIO()
                    np.save(buffer, array)
                    changed[name.replace(".", "__")] = buffer.getvalue()
        assert changed
        rewrite(path, **changed)

    def save(self, classifier, path):
        X = np.random.default_rng(0).normal(size=(80, 3))
        save_model(path, classifier.fit(X, (X[:, 2] > 0).astype(int)), {})

    @pytest.mark.parametrize(
        ("field", "value", "reason"),
        [
            ("left_child", 10**6, "a node that is not there"),
            ("right_child", 0, "a node that is not there"),
            ("right_child", -7, "a node that is not there"),
            ("feature", 3, "a column that is not there"),
            ("feature", -5, "a column that is not there"),
        ],
    )
    @pytest.mark.parametrize("classifier", [DecisionTreeClassifier(), RandomForestClassifier(3)])
    def test_forests(self, classifier, field, value, reason, tmp_path):
        self.save(classifier, tmp_path / "m.skops")
        self.spoil(tmp_path / "m.skops", field, value)
        with pytest.raises(ModelFileError, match=reason):
            load_model(tmp_path / "m.skops")

    @pytest.mark.parametrize(
        ("field", "value", "reason"),
        [
            ("left", 10**6, "a node that is not there"),
            ("right", 0, "a node that is not there"),
            ("feature_idx", 3, "a column that its estimator does not have"),
            ("feature_idx", -1, "a column that is not there"),
            ("is_categorical", 1, "a set of categories that is not there"),
        ],
    )
    def test_boosting(self, field, value, reason, tmp_path):
        self.save(default_classifier(), tmp_path / "m.skops")
        self.spoil(tmp_path / "m.skops", field, value)
        with pytest.raises(ModelFileError, match=reason):
            load_model(tmp_path / "m.skops")

    def test_a_tree_with_more_columns_than_its_forest_looks_at(self, tmp_path):
        self.save(RandomForestClassifier(3), tmp_path / "m.skops")

        def change(schema):
            schema["content"]["content"]["n_features_in_"] = node("JsonNode", "builtins", "str", "1")

        rewrite(tmp_path / "m.skops", change)
        with pytest.raises(ModelFileError, match="a column that its estimator does not have"):
            load_model(tmp_path / "m.skops")

    def test_skops_own_trees_are_refused(self, tmp_path, simple):
        """Trees come in as checked arrays only, not as objects of scikit-learn."""
        X = np.random.default_rng(0).normal(size=(80, 3))
        tree = DecisionTreeClassifier().fit(X, X[:, 0] > 0)
        with zipfile.ZipFile(io.BytesIO(skops.io.dumps(tree))) as archive:
            rewrite(simple, **{name.replace(".", "__"): archive.read(name) for name in archive.namelist()})
        with pytest.raises(ModelFileError, match=r"because it holds sklearn\.tree\._tree\.Tree"):
            load_model(simple)


class TestBadFiles:
    def test_missing(self, tmp_path):
        with pytest.raises(ModelFileError, match=r"^There is no file .*none\.skops\.$"):
            load_model(tmp_path / "none.skops")

    def test_a_folder_without_a_model(self, tmp_path):
        with pytest.raises(ModelFileError, match=r"is a folder without a model \(model\.skops\) in it\.$"):
            load_model(tmp_path)

    @pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PK\x03\x04", b"\x00" * 1000])
    def test_not_a_model(self, content, tmp_path):
        (tmp_path / "m.skops").write_bytes(content)
        with pytest.raises(ModelFileError, match=r"is not a model of tabcast, or is damaged\.$"):
            load_model(tmp_path / "m.skops")

    def test_a_skops_file_of_somebody_else(self, tmp_path):
        skops.io.dump(LogisticRegression(), tmp_path / "m.skops")
        with pytest.raises(ModelFileError, match=r"is not a model of tabcast, or is damaged\.$"):
            load_model(tmp_path / "m.skops")

    def test_cut_short_anywhere(self, simple):
        data = simple.read_bytes()
        for end in np.linspace(0, len(data) - 1, 40).astype(int):
            simple.write_bytes(data[:end])
            with pytest.raises(ModelFileError):
                load_model(simple)

    def test_damaged_anywhere(self, simple):
        """A flipped byte is noticed, or is where nobody looks (as in the time stamps of a zip file)."""
        X, _ = make_table()
        data, expected = simple.read_bytes(), load_model(simple).classifier.predict_proba(X)
        random = np.random.default_rng(0)
        n_noticed = 0
        for position in random.integers(0, len(data), 80):
            damaged = bytearray(data)
            damaged[position] ^= 1 << random.integers(0, 8)
            simple.write_bytes(damaged)
            try:
                proba = load_model(simple).classifier.predict_proba(X)
            except ModelFileError:
                n_noticed += 1
            else:
                np.testing.assert_array_equal(proba, expected)
        assert n_noticed > 40

    def test_from_a_newer_tabcast(self, simple):
        note = {"format": 4, "tabcast": "9.0", "understanding": {}, "facts": {}, "more": "things"}
        rewrite(simple, tabcast__json=json.dumps(note))
        with pytest.raises(ModelFileError, match=r"was written by tabcast 9\.0, this is .* pip install --upgrade"):
            load_model(simple)

    def test_from_an_older_tabcast_that_saved_no_decision(self, simple):
        note = {"format": 1, "tabcast": "0.1.0", "understanding": {}, "facts": {}}
        rewrite(simple, tabcast__json=json.dumps(note))
        with pytest.raises(
            ModelFileError, match=r"earlier version of tabcast .*how a class is predicted .* Fit .* again"
        ):
            load_model(simple)

    @pytest.mark.parametrize("decision", [None, {}, {"name": "balanced", "payoffs": [[1, 0]], "meaning": ""}, "eye"])
    def test_a_decision_that_is_none(self, decision, simple):
        with zipfile.ZipFile(simple) as archive:
            note = json.loads(archive.read("tabcast.json"))
        if decision == "eye":
            decision = {**note["decision"], "payoffs": np.eye(4).tolist()}
        note["decision"] = decision
        rewrite(simple, tabcast__json=json.dumps(note))
        with pytest.raises(ModelFileError, match=r"is damaged or was changed by hand \("):
            load_model(simple)

    @pytest.mark.parametrize(
        "note", ["[]", "{}", "x", '{"format": "one", "tabcast": 1, "understanding": {}, "facts": {}}']
    )
    def test_a_changed_note(self, note, simple):
        rewrite(simple, tabcast__json=note)
        with pytest.raises(ModelFileError, match=r"is not a model of tabcast, or is damaged\.$"):
            load_model(simple)

    @pytest.mark.parametrize(
        ("name", "title"), [("xgboost", "XGBoost"), ("lightgbm", "LightGBM"), ("catboost", "CatBoost")]
    )
    def test_a_library_that_is_not_installed(self, name, title, models, monkeypatch):
        if name not in models:
            pytest.skip(f"needs {name}")
        for module in [module for module in sys.modules if module.partition(".")[0] == name]:
            monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ModelFileError) as caught:
            load_model(models[name][1])
        path = models[name][1]
        assert str(caught.value) == f"{title} is needed for {path}. Install it with: pip install 'tabcast[{name}]'."

    def test_another_version_of_scikit_learn(self, simple):
        """One sentence, not one for each part of the model; and in errors a possible reason."""
        with zipfile.ZipFile(simple) as archive:
            note = json.loads(archive.read("tabcast.json"))
        note["versions"]["scikit-learn"] = "0.99"
        here = version("scikit-learn")
        rewrite(
            simple, lambda schema: json.loads(json.dumps(schema).replace(here, "0.99")), tabcast__json=json.dumps(note)
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            load_model(simple)
        assert [str(one.message) for one in caught if issubclass(one.category, TabcastWarning)] == [
            f"{simple} was written with scikit-learn 0.99 (here {here}): its predictions may differ."
        ]
        assert len(caught) == 1

    def test_no_permission(self, simple):
        simple.chmod(0)
        if os.access(simple, os.R_OK):
            pytest.skip("this user may read everything")
        with pytest.raises(ModelFileError, match=r"cannot be read: Permission denied"):
            load_model(simple)
