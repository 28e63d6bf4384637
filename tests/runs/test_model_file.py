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
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from tabcast import SoftSelfTrainingClassifier
from tabcast.decisions import MostProbable
from tabcast.exceptions import TabcastWarning
from tabcast.files import understand
from tabcast.models import MODEL_NAMES, AdaptedClassifier, make_model
from tabcast.models._catalog import default_classifier
from tabcast.runs import ModelFileError, SavedModel, load_model
from tabcast.runs._model_file import NOTE, _digest, save_model
from tabcast.teachers import Committee, SelfTeacher

NETS = ["mlp", "ft_transformer", "vime", "subtab", "scarf", "switchtab"]
PACKAGES = {"xgboost": "xgboost", "lightgbm": "lightgbm", "catboost": "catboost", **dict.fromkeys(NETS, "torch")}
INSTALLED = [name for name in MODEL_NAMES if name not in PACKAGES or importlib.util.find_spec(PACKAGES[name])]
TABLE = pd.DataFrame({"age": ["20", "30", "61", "70"] * 5, "old": ["no", "no", "yes", "yes"] * 5})


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


def fit(name):
    """A self-trained model of the catalog, as `tabcast fit` saves it."""
    X, y = make_table()
    classifier = make_model(name, seed=0, n_jobs=1)
    parameters = classifier.get_params()
    fewer = {"max_iter", "n_estimators", "iterations", "forest__n_estimators"} & set(parameters)
    classifier.set_params(**dict.fromkeys(fewer, 15))
    classifier.set_params(**dict.fromkeys({"epochs", "pretrain_epochs"} & set(parameters), 2))
    model = SoftSelfTrainingClassifier(classifier, teacher=SelfTeacher(), random_state=0)
    return model.fit(X, np.where(np.arange(len(y)) < 90, y, None)).deployed_


def saved(classifier):
    """A fitted classifier with what a file needs besides."""
    n_classes = len(classifier.classes_)
    rule = MostProbable().fit(classifier.classes_, np.full(n_classes, 1 / n_classes))
    return SavedModel(classifier, understand(TABLE, "old"), rule)


def round_trip(classifier, folder):
    save_model(folder / "m.skops", saved(classifier))
    return load_model(folder / "m.skops").classifier


@pytest.fixture
def simple(tmp_path):
    """A small model in a file."""
    path = tmp_path / "model.skops"
    save_model(path, saved(make_model("logistic_regression").fit(*make_table())))
    return path


def forge(path, note=None, **entries):
    """Change entries of a model file by hand, and the digest with them."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    content.update({name.replace("__", "."): data for name, data in entries.items()})
    note = json.loads(content.pop(NOTE)) | (note or {})
    note.pop("digest")
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
        archive.writestr(NOTE, json.dumps({**note, "digest": _digest(archive, note)}))


def schema_of(value):
    with zipfile.ZipFile(io.BytesIO(skops.io.dumps(value))) as archive:
        return archive.read("schema.json")


class TestSameModel:
    @pytest.mark.parametrize("name", INSTALLED)
    def test_same_probabilities(self, name, tmp_path):
        X, _ = make_table()
        estimator = fit(name)
        loaded = round_trip(estimator, tmp_path)
        np.testing.assert_array_equal(loaded.predict_proba(X), estimator.predict_proba(X))
        np.testing.assert_array_equal(loaded.predict(X), estimator.predict(X))
        again = round_trip(loaded, tmp_path)  # a loaded model can be saved
        np.testing.assert_array_equal(again.predict_proba(X), estimator.predict_proba(X))

    @pytest.mark.parametrize(
        "member", ["trees", "linear", "boosting", KNeighborsClassifier(), MLPClassifier((4,), max_iter=1000)], ids=str
    )
    def test_a_committee_of_any_members(self, member, tmp_path):
        X, y = make_table()
        teacher = Committee(["own", member], n_folds=2)
        model = SoftSelfTrainingClassifier(
            teacher=teacher, random_state=0
        )  # without an estimator the committee predicts
        estimator = model.fit(X, np.where(np.arange(len(y)) < 90, y, None)).deployed_
        np.testing.assert_array_equal(round_trip(estimator, tmp_path).predict_proba(X), estimator.predict_proba(X))

    def test_in_a_new_process(self, tmp_path):
        X, _ = make_table()
        estimator = fit("hist_gradient_boosting")
        save_model(tmp_path / "m.skops", saved(estimator))
        script = (
            "import sys, numpy as np\n"
            "from tabcast.runs import load_model\n"
            "from tests.runs.test_model_file import make_table\n"
            "model = load_model(sys.argv[1] + '/m.skops').classifier\n"
            "np.save(sys.argv[1] + '/proba.npy', model.predict_proba(make_table()[0]))\n"
        )
        subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, cwd=Path(__file__).parents[2])
        np.testing.assert_array_equal(np.load(tmp_path / "proba.npy"), estimator.predict_proba(X))

    @pytest.mark.parametrize("labels", [[0, 1], [False, True], [1.0, 2.0], ["a", "b"], [7, 10**15]], ids=str)
    def test_classes_of_every_type(self, labels, tmp_path):
        X = pd.DataFrame({"x": np.arange(40.0), "c": ["u", "v"] * 20})
        y = np.array(labels)[(X["x"] > 20).to_numpy().astype(int)]
        loaded = round_trip(AdaptedClassifier(default_classifier()).fit(X, y), tmp_path)
        assert loaded.classes_.tolist() == sorted(labels)
        assert loaded.predict(X).tolist() == y.tolist()

    @pytest.mark.parametrize(
        "levels",
        [[1, 2], [1.5, 2.5], [True, False], ["a", 1], [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-05-01")]],
        ids=["int", "float", "bool", "mixed", "date"],
    )
    def test_levels_of_every_type(self, levels, tmp_path):
        X = pd.DataFrame({"c": pd.Categorical([levels[0], levels[1]] * 20), "x": np.arange(40.0)})
        model = AdaptedClassifier(default_classifier()).fit(X, ["u", "v"] * 20)
        loaded = round_trip(model, tmp_path)
        assert loaded.predict(X).tolist() == ["u", "v"] * 20
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))

    @pytest.mark.parametrize(
        "classifier",
        [DecisionTreeClassifier(), GradientBoostingClassifier(n_estimators=5), KNeighborsClassifier()],
        ids=lambda one: type(one).__name__,
    )
    def test_classifiers_of_scikit_learn(self, classifier, tmp_path):
        X = np.random.default_rng(0).normal(size=(80, 3))
        model = classifier.fit(X, (X[:, 0] > 0).astype(int))
        np.testing.assert_array_equal(round_trip(model, tmp_path).predict_proba(X), model.predict_proba(X))

    def test_what_is_saved_along(self, simple):
        model = load_model(simple.parent)
        assert model.understanding == understand(TABLE, "old")
        assert model.decision.is_most_probable
        assert model.classes.tolist() == ["<may be>", "leaves", "stays"]


class TestSaving:
    def test_what_could_not_be_loaded_is_not_saved(self, tmp_path):
        model = make_pipeline(FunctionTransformer(make_table), LogisticRegression())
        model.steps[-1][1].classes_ = np.array([0, 1])
        with pytest.raises(ModelFileError, match=r"make_table in it cannot be saved: tabcast would not load it again"):
            save_model(tmp_path / "m.skops", saved(model))
        assert list(tmp_path.iterdir()) == []

    def test_levels_that_cannot_be_saved(self, tmp_path):
        X = pd.DataFrame({"c": pd.Series([Decimal(1), Decimal(2)] * 20, dtype=object), "x": np.arange(40.0)})
        model = AdaptedClassifier(default_classifier()).fit(X, [0, 1] * 20)
        with pytest.raises(ModelFileError, match=r"cannot be saved"):
            save_model(tmp_path / "m.skops", saved(model))

    @pytest.mark.parametrize("reason", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
    def test_a_broken_writing_leaves_what_was_there(self, reason, simple, monkeypatch):
        before, model, write_bytes = simple.read_bytes(), load_model(simple), Path.write_bytes

        def write_half(self, data):
            write_bytes(self, bytes(data)[: len(data) // 2])
            raise reason

        monkeypatch.setattr(Path, "write_bytes", write_half)
        with pytest.raises(type(reason)):
            save_model(simple, model)
        assert simple.read_bytes() == before
        assert list(simple.parent.iterdir()) == [simple]


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

    def test_an_unknown_type_deep_inside(self, simple, trace):
        estimator = LogisticRegression()
        estimator.hidden = [{"deep": (Witness(str(trace)),)}]
        forge(simple, schema__json=schema_of(estimator))
        with pytest.raises(
            ModelFileError, match=r"was not loaded, because it holds tests\.runs\.test_model_file\.Witness: no part of"
        ):
            load_model(simple)

    @pytest.mark.parametrize(("module", "name"), [("posix", "mkdir"), ("subprocess", "Popen"), ("builtins", "eval")])
    @pytest.mark.parametrize("loader", ["ConstructorFromReduceNode", "ObjectNode", "FunctionNode", "TypeNode"])
    def test_a_type_exchanged_for_something_that_acts(self, simple, trace, module, name, loader):
        argument = node("JsonNode", "builtins", "str", json.dumps(str(trace)))
        schema = json.loads(schema_of(LogisticRegression()))
        schema["content"]["content"]["C"] = {
            **node(loader, module, name, argument),
            "args": node("TupleNode", "builtins", "tuple", [argument]),
            "__id__": 12345,
        }
        forge(simple, schema__json=json.dumps(schema))
        with pytest.raises(ModelFileError, match=f"{name}|cannot be loaded"):
            load_model(simple)


class TestBadFiles:
    def test_missing(self, tmp_path):
        with pytest.raises(ModelFileError, match=r"^There is no file .*none\.skops\.$"):
            load_model(tmp_path / "none.skops")
        with pytest.raises(ModelFileError, match=r"is a folder without a model \(model\.skops\) in it\.$"):
            load_model(tmp_path)

    @pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PK\x03\x04", "of somebody else"])
    def test_not_a_model(self, content, tmp_path):
        content = skops.io.dumps(LogisticRegression()) if isinstance(content, str) else content
        (tmp_path / "m.skops").write_bytes(content)
        with pytest.raises(ModelFileError, match=r"is not a model of tabcast, or is damaged\.$"):
            load_model(tmp_path / "m.skops")

    def test_truncated(self, simple):
        data = simple.read_bytes()
        for end in np.linspace(0, len(data) - 1, 10).astype(int):
            simple.write_bytes(data[:end])
            with pytest.raises(ModelFileError, match=r"is not a model of tabcast, or is damaged\.$"):
                load_model(simple)

    def test_altered_anywhere(self, simple):
        """A flipped bit is noticed, or is where nobody looks (as in the time stamps of a zip file)."""
        X, _ = make_table()
        data, expected = simple.read_bytes(), load_model(simple).classifier.predict_proba(X)
        random, n_noticed = np.random.default_rng(0), 0
        for position in random.integers(0, len(data), 40):
            damaged = bytearray(data)
            damaged[position] ^= 1 << random.integers(0, 8)
            simple.write_bytes(damaged)
            try:
                proba = load_model(simple).classifier.predict_proba(X)
            except ModelFileError:
                n_noticed += 1
            else:
                np.testing.assert_array_equal(proba, expected)
        assert n_noticed > 20

    @pytest.mark.parametrize("part", ["decision", "understanding"])
    def test_a_note_that_does_not_fit(self, part, simple):
        forge(simple, {part: {"name": "balanced", "payoffs": [[1, 0]], "meaning": ""}})
        with pytest.raises(ModelFileError, match=r"cannot be loaded \(.*; it was written with tabcast"):
            load_model(simple)

    @pytest.mark.parametrize("name", ["xgboost", "lightgbm", "catboost"])
    def test_a_library_that_is_not_installed(self, name, tmp_path, monkeypatch):
        pytest.importorskip(name)
        save_model(tmp_path / "m.skops", saved(fit(name)))
        for module in [module for module in sys.modules if module.partition(".")[0] == name]:
            monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ModelFileError, match=rf"{name} is needed for .*pip install 'tabcast\[{name}\]'\.$"):
            load_model(tmp_path / "m.skops")

    def test_another_version_of_scikit_learn(self, simple):
        """One sentence, not one for each part of the model."""
        forge(simple, {"scikit-learn": "0.99"})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            load_model(simple)
        (warning,) = caught
        assert issubclass(warning.category, TabcastWarning)
        assert "scikit-learn 0.99" in str(warning.message)
