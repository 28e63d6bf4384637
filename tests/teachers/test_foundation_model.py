"""Foundation models as teachers, with small random weights: what is checked is everything around the weights.

The first classes run everywhere. The others need an extra, and skip without it; `make test-foundation` has both.
"""

import copy
import pickle
import re
import socket
import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from tabcast import SoftSelfTrainingClassifier
from tabcast.progress import Bar
from tabcast.teachers import Committee, FoundationModel, SelfTeacher, resolve_teacher
from tabcast.teachers._committee import make_folds
from tabcast.teachers._foundation_classifier import ContextColumns
from tabcast.teachers._foundation_libraries import LIBRARIES, Limits, check_limits
from tabcast.testing import check_teacher

from .checkpoints import MAX_CLASSES, WRITE, point_cache_to, put_into_cache
from .lessons import draw, make_lesson

NAMES = ("tabpfn", "tabicl")
without = {name: pytest.mark.skipif(find_spec(name) is not None, reason=f"{name} is installed") for name in NAMES}


@pytest.fixture(params=NAMES)
def library(request):
    pytest.importorskip(request.param)
    return request.param


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("weights")


@pytest.fixture
def weights(library, folder):
    path = folder / f"{library}.ckpt"
    return path if path.exists() else WRITE[library](path)


@pytest.fixture
def teacher(library, weights):
    return FoundationModel(library, model_path=weights, n_estimators=1, n_folds=2)


@pytest.fixture
def no_network(monkeypatch):
    """Any attempt to reach a server is an error that nobody catches."""

    def refuse(*_, **__):
        raise SystemError("The network was asked.")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


class TestParameters:
    def test_short_names(self):
        for name in NAMES:
            assert resolve_teacher(name, "Owner").get_params() == FoundationModel(name).get_params()

    @pytest.mark.parametrize(
        ("wrong", "sentence"),
        [
            ({"library": "tabpnf"}, r"Unknown library of FoundationModel: 'tabpnf'\..* Did you mean 'tabpfn'\?"),
            ({"n_folds": 1}, r"`n_folds` of FoundationModel must be an integer of at least 2; got 1\."),
            ({"n_estimators": 0}, r"`n_estimators` of FoundationModel must be an integer of at least 1; got 0\."),
            ({"block_rows": 2.5}, r"`block_rows` of FoundationModel must be an integer of at least 1; got 2\.5\."),
            ({"device": "gpu"}, r"`device` of FoundationModel must be one of 'cpu', 'cuda', .*; got 'gpu'\."),
            ({"device": None}, r"`device` of FoundationModel must be one of .*; got None\."),
            ({"model_path": 3}, r"`model_path` of FoundationModel must be a path or None; got 3\."),
        ],
    )
    def test_what_is_wrong_is_named(self, wrong, sentence):
        with pytest.raises(ValueError, match=sentence):
            FoundationModel(**{"library": "tabpfn", **wrong}).check()

    @pytest.mark.parametrize("name", [pytest.param(name, marks=without[name]) for name in NAMES])
    def test_a_library_that_is_not_installed(self, name):
        X, y, pool, _ = draw()
        sentence = rf"is needed for the teacher '{name}'\. Install it with: pip install 'tabcast\[{name}\]'\.$"
        X_all, y_all = np.concatenate([X, pool]), np.append(y, np.full(len(pool), -1))
        estimator = NeverFitted()
        for teacher in (
            name,
            FoundationModel(name),
            Committee(["own", name]),
            Committee(["own", FoundationModel(name)]),
        ):
            with pytest.raises(ImportError, match=sentence):
                SoftSelfTrainingClassifier(estimator, teacher=teacher).fit(X_all, y_all)

    def test_other_teachers_are_no_members(self):
        with pytest.raises(
            ValueError, match=r"`members` of Committee must be names or .* or a FoundationModel; got Self"
        ):
            Committee(["own", SelfTeacher()]).check()

    def test_importing_the_teachers_imports_no_library(self):
        assert "tabcast.teachers" in sys.modules
        if not any(find_spec(name) for name in NAMES):
            assert not {*NAMES, "huggingface_hub"} & set(sys.modules)


class NeverFitted(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        raise AssertionError("A model was fitted before the teacher was checked.")


class TestLimits:
    @pytest.mark.parametrize(
        ("shape", "sentence"),
        [
            ((9, 5, 2), None),
            (
                (9, 5, 11),
                "takes at most 10 classes; the table has 11. Use another teacher, for example 'committee', or",
            ),
            ((9, 501, 2), "takes at most 500 columns; the table has 501. Use another .*, or leave columns out."),
            ((1001, 5, 2), "takes at most 1,000 labeled rows; the table has 1,001. .*, or fewer labeled rows."),
        ],
    )
    def test_a_table_beyond_them_is_refused_in_one_sentence(self, shape, sentence):
        limits = Limits(1000, 500, 10)
        if sentence is None:
            return check_limits(LIBRARIES["tabpfn"], limits, *shape)
        with pytest.raises(ValueError, match=f"^TabPFN with these weights {sentence}"):
            check_limits(LIBRARIES["tabpfn"], limits, *shape)

    def test_without_limits_everything_fits(self):
        check_limits(LIBRARIES["tabicl"], Limits(), 10**9, 10**6, 10**3)


class TestColumns:
    def test_numbers_levels_and_missing_values(self):
        table = pd.DataFrame({"city": ["Ulm", None, "Kiel"], "age": [30.0, None, 50.0], "sold": [True, False, True]})
        columns = ContextColumns().fit(table)
        context = columns.transform(table)
        assert context.dtypes.astype(str).tolist() == ["float64", "category", "category"]
        np.testing.assert_array_equal(context["number_0"], [30.0, np.nan, 50.0])
        assert context["level_0"].isna().tolist() == [False, True, False]
        other = columns.transform(table.assign(city=["Rom", "Kiel", "Ulm"]))
        assert other["level_0"].cat.codes.tolist() == [-1, *context["level_0"].cat.codes[[2, 0]]]
        assert other["level_0"].dtype == context["level_0"].dtype

    def test_numbers_that_are_categories(self):
        context = ContextColumns([False, True]).fit_transform(np.array([[1.5, 7], [2.5, 9]]))
        assert context.dtypes.astype(str).tolist() == ["float64", "category"]


class TestWeights:
    @pytest.mark.usefixtures("no_network")
    def test_a_path_without_a_file(self, library, tmp_path):
        sentence = rf"`model_path` must be a file with weights of {LIBRARIES[library].title}; there is"
        with pytest.raises(
            ValueError, match=rf"{sentence} no file at '.*absent\.ckpt'\. Weights are published at https"
        ):
            FoundationModel(library, model_path=tmp_path / "absent.ckpt").check()
        with pytest.raises(ValueError, match=f"{sentence} a folder at"):
            FoundationModel(library, model_path=tmp_path).check()

    @pytest.mark.usefixtures("no_network")
    def test_an_empty_cache(self, library, tmp_path, monkeypatch):
        point_cache_to(tmp_path, monkeypatch)
        expected, _ = LIBRARIES[library].default_weights()
        assert expected.is_relative_to(tmp_path)
        X, y, pool, _ = draw()
        X_all, y_all = np.concatenate([X, pool]), np.append(y, np.full(len(pool), -1))
        sentence = (
            rf"^{LIBRARIES[library].title} needs the weights file {re.escape(expected.name)}, which is not in "
            rf"{re.escape(str(expected.parent))}\. Download it from https://.* with `model_path`; "
            r"tabcast does not download weights\.$"
        )
        for teacher in (library, Committee(["own", library])):
            with pytest.raises(ValueError, match=sentence):
                SoftSelfTrainingClassifier(NeverFitted(), teacher=teacher).fit(X_all, y_all)
        assert not list(tmp_path.rglob("*.*"))

    @pytest.mark.usefixtures("no_network")
    def test_weights_of_the_cache_are_found(self, library, weights, tmp_path, monkeypatch):
        point_cache_to(tmp_path, monkeypatch)
        expected, _ = LIBRARIES[library].default_weights()
        put_into_cache(library, weights, expected)
        X, y, pool, _ = draw()
        lesson, _ = make_lesson(GaussianNB(), X, y, pool)
        by_name = Committee([library], n_folds=2).fit(lesson)
        by_path = Committee([FoundationModel(library, model_path=weights)], n_folds=2).fit(lesson)
        np.testing.assert_array_equal(by_name.predict_proba(pool), by_path.predict_proba(pool))

    @pytest.mark.usefixtures("no_network")
    def test_a_file_of_something_else(self, library, tmp_path):
        path = tmp_path / "weights.ckpt"
        path.write_bytes(b"not weights")
        X, y, pool, _ = draw()
        lesson, _ = make_lesson(GaussianNB(), X, y, pool)
        with pytest.raises(
            ValueError, match=rf"The weights in .*weights\.ckpt cannot be loaded by {library} [\d.]+ \("
        ):
            FoundationModel(library, model_path=path).fit(lesson)


@pytest.mark.usefixtures("no_network")
class TestTeaching:
    def test_it_keeps_the_contract_of_teachers(self, teacher):
        check_teacher(teacher)

    def test_labeled_rows_are_predicted_out_of_fold(self, library, weights, teacher):
        X, y, pool, _ = draw(n_classes=3)
        lesson, fits = make_lesson(GaussianNB(), X, y, pool, seed=3)
        teacher.fit(lesson)
        assert fits == []  # it needs no fit of the user's estimator
        np.testing.assert_array_equal(teacher.held_out_, np.arange(len(y)))
        plain, columns = library_classifier(library, weights, seed=3), ContextColumns().fit(np.concatenate([X, pool]))
        expected = np.zeros((len(y), 3))
        for train, held_out in make_folds(y, 2, 3):
            fitted = clone(plain).fit(columns.transform(X[train]), y[train])
            expected[held_out] = fitted.predict_proba(columns.transform(X[held_out]))
        np.testing.assert_allclose(teacher.out_of_fold_, expected, atol=1e-6)
        fitted = plain.fit(columns.transform(X), y)
        np.testing.assert_allclose(teacher.teach(None), fitted.predict_proba(columns.transform(pool)), atol=1e-6)

    def test_rows_are_predicted_in_blocks(self, library, weights, teacher, monkeypatch):
        X, y, pool, _ = draw()
        lesson, _ = make_lesson(GaussianNB(), X, y, pool)
        whole = teacher.fit(lesson).predict_proba(pool)
        small = clone(teacher).set_params(block_rows=7).fit(lesson)
        seen = []
        model = small.classifier_.model._model
        kind, predict = type(model), type(model).predict_proba
        monkeypatch.setattr(kind, "predict_proba", lambda self, X: seen.append(len(X)) or predict(self, X))
        np.testing.assert_allclose(small.predict_proba(pool), whole, atol=1e-6)
        assert seen == [7] * 8 + [4]

    def test_the_bar_shows_blocks_and_the_time_left(self, teacher, monkeypatch):
        X, y, pool, _ = draw()
        lesson, _ = make_lesson(GaussianNB(), X, y, pool)
        shown = []
        monkeypatch.setattr(Bar, "detail", lambda self, text: shown.append(text))
        with Bar("Fit", 1):
            clone(teacher).set_params(block_rows=20).fit(lesson)
        pool_blocks = shown[-4:]
        assert pool_blocks[0] == f"{teacher.library}, block 1 of 3"
        assert re.fullmatch(rf"{teacher.library}, block 3 of 3, \d+:\d\d left", pool_blocks[2])
        assert pool_blocks[3] == ""

    def test_a_member_of_a_committee(self, teacher):
        X, y, pool, _ = draw()
        lesson, fits = make_lesson(GaussianNB(), X, y, pool)
        committee = Committee(["own", "linear", teacher], n_folds=2).fit(lesson)
        assert committee.weights_.shape == (3,)
        assert fits == [20, 20]
        members = [member.predict_proba(pool) for member in committee.members_]
        np.testing.assert_allclose(committee.predict_proba(pool), np.tensordot(committee.weights_, members, 1))
        np.testing.assert_allclose(members[2], teacher.fit(lesson).predict_proba(pool), atol=1e-6)

    def test_a_student_of_a_real_table(self, teacher, mixed_table):
        frame, truth = mixed_table
        y = np.where(np.arange(len(truth)) % 3 == 0, truth, None)
        student = SoftSelfTrainingClassifier(teacher=teacher, class_prior=None, random_state=0).fit(frame, y)
        assert student.n_fits_ == 2  # the supervised model and the student
        assert student.sampling_ is not None
        proba = student.teacher_.predict_proba(frame)
        np.testing.assert_allclose(proba.sum(axis=1), 1)
        assert set(student.predict(frame)) <= set(truth)

    def test_the_seed_counts(self, library, weights):
        X, y, pool, _ = draw()
        teacher = FoundationModel(library, model_path=weights, n_estimators=2, n_folds=2)
        lessons = [make_lesson(GaussianNB(), X, y, pool, seed=seed)[0] for seed in (1, 1, 2)]
        first, again, other = [clone(teacher).fit(lesson).predict_proba(pool) for lesson in lessons]
        np.testing.assert_array_equal(first, again)
        assert not np.array_equal(first, other)

    def test_copies_have_no_weights_and_predict_the_same(self, teacher):
        X, y, pool, _ = draw()
        lesson, _ = make_lesson(GaussianNB(), X, y, pool)
        own = {**vars(lesson), "own_out_of_fold": None}
        expected = teacher.fit(type(lesson)(**own)).predict_proba(pool)
        stored = pickle.dumps(teacher)
        assert b"torch" not in stored
        for copied in (pickle.loads(stored), copy.deepcopy(teacher)):
            assert copied.classifier_.model._model is None
            np.testing.assert_array_equal(copied.predict_proba(pool), expected)

    def test_no_rows(self, teacher):
        X, y, pool, _ = draw()
        lesson, _ = make_lesson(GaussianNB(), X, y, pool)
        assert teacher.fit(lesson).predict_proba(pool[:0]).shape == (0, 2)

    def test_a_device_that_is_not_there(self, teacher):
        torch = pytest.importorskip("torch")
        if torch.cuda.is_available():
            pytest.skip("there is a GPU")
        X, y, pool, _ = draw()
        lesson, _ = make_lesson(GaussianNB(), X, y, pool)
        with pytest.raises(
            ValueError, match=r"`device` of FoundationModel is 'cuda:0', which torch does not find here"
        ):
            clone(teacher).set_params(device="cuda:0").fit(lesson)


@pytest.mark.usefixtures("no_network")
class TestLimitsOfWeights:
    def test_tabpfn(self, folder):
        pytest.importorskip("tabpfn")
        path = folder / "tabpfn.ckpt"
        teacher = FoundationModel("tabpfn", model_path=path if path.exists() else WRITE["tabpfn"](path), n_folds=2)
        X, _, pool, _ = draw(n_labeled=1100)
        y = np.arange(1100) % 2
        with pytest.raises(
            ValueError, match="takes at most 1,000 labeled rows; the table has 1,100 on a CPU; use device"
        ):
            teacher.fit(make_lesson(GaussianNB(), X, y, pool)[0])
        many = np.arange(40) % (MAX_CLASSES + 1)
        with pytest.raises(ValueError, match=f"takes at most {MAX_CLASSES} classes; the table has {MAX_CLASSES + 1}"):
            teacher.fit(make_lesson(GaussianNB(), X[:40], many, pool)[0])
        wide = np.random.default_rng(0).normal(size=(30, 501))
        with pytest.raises(ValueError, match="takes at most 500 columns; the table has 501"):
            teacher.fit(make_lesson(GaussianNB(), wide, y[:30], wide)[0])

    def test_tabicl_divides_many_classes(self, folder):
        pytest.importorskip("tabicl")
        path = folder / "tabicl.ckpt"
        path = path if path.exists() else WRITE["tabicl"](path)
        X, _, pool, _ = draw(n_labeled=60)
        y = np.arange(60) % 7  # the weights know three at a time
        teacher = FoundationModel("tabicl", model_path=path, n_estimators=1, n_folds=2)
        proba = teacher.fit(make_lesson(GaussianNB(), X, y, pool)[0]).teach(None)
        assert proba.shape == (len(pool), 7)
        np.testing.assert_allclose(proba.sum(axis=1), 1)


def library_classifier(library, weights, seed):
    """The library's own class, as a user without tabcast would build it."""
    if library == "tabpfn":
        from tabpfn import TabPFNClassifier

        return TabPFNClassifier(model_path=weights, n_estimators=1, device="cpu", random_state=seed)
    from tabicl import TabICLClassifier

    return TabICLClassifier(model_path=weights, n_estimators=1, device="cpu", random_state=seed)
