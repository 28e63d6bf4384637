"""Self-training on partitions: the same model however rows are partitioned, and that of the in-memory classes."""

import pickle

import numpy as np
import pandas as pd
import pytest

from tabcast import CASTClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.confidence import ClusterAware
from tabcast.density import EmpiricalLikelihood, KernelDensity
from tabcast.partitions import StreamEngine, open_partitions
from tabcast.pseudo_labels import Curriculum, FixedThreshold
from tabcast.runs import load_model, save_model
from tabcast.teachers import Committee
from tests.partitions.pool import Pool

xgboost = pytest.importorskip("xgboost")
pytest.importorskip("pyarrow")


def boosting(**options):
    default = {"n_estimators": 8, "max_depth": 4, "subsample": 0.8, "colsample_bytree": 0.8, "n_jobs": 1}
    return xgboost.XGBClassifier(**{**default, **options})


MODELS = {
    "CAST-L": lambda: CASTClassifier(boosting(), alpha=0.5, max_rounds=2, validation=None, random_state=0),
    "CAST-D": lambda: CASTClassifier(
        boosting(),
        alpha=0.3,
        density="kernel",
        scaling="density",
        strategy=FixedThreshold(0.55),
        max_rounds=2,
        validation=None,
        random_state=0,
    ),
    "naive": lambda: SelfTrainingClassifier(
        boosting(), strategy=Curriculum(0.5), relabel=False, validation=None, random_state=0
    ),
    "soft": lambda: SoftSelfTrainingClassifier(
        boosting(), teacher=Committee(["own", "linear"], n_folds=2), class_prior="labeled", random_state=0
    ),
}


def trees(model):
    return bytes(model.get_booster().save_raw())


@pytest.fixture(scope="module")
def adult(tmp_path_factory):
    return Pool("adult", 200, 2_500, tmp_path_factory.mktemp("adult"))


@pytest.fixture(scope="module")
def cmc(tmp_path_factory):
    return Pool("cmc", 150, 1_000, tmp_path_factory.mktemp("cmc"))


@pytest.fixture(scope="module")
def fitted(adult):
    """Each model on one and on other numbers of partitions."""
    found = {}

    def fit(name, n_parts):
        if (name, n_parts) not in found:
            found[name, n_parts] = MODELS[name]().fit(adult.X, adult.y, X_unlabeled=adult.write(n_parts))
        return found[name, n_parts]

    return fit


@pytest.mark.parametrize(
    ("name", "n_parts"),
    [
        ("CAST-L", 7),
        ("soft", 3),
        *(pytest.param(name, n, marks=pytest.mark.slow) for name in MODELS for n in (2, 3, 7)),
    ],
)
def test_the_model_does_not_depend_on_partitions(fitted, name, n_parts):
    one, many = fitted(name, 1), fitted(name, n_parts)
    assert trees(many.estimator_.estimator_) == trees(one.estimator_.estimator_)
    assert len(many.pseudo_labels_) == n_parts
    pd.testing.assert_frame_equal(many.pseudo_labels_.to_pandas(), one.pseudo_labels_.to_pandas(), check_exact=True)
    pd.testing.assert_frame_equal(many.history_, one.history_)


@pytest.mark.parametrize("name", ["soft", pytest.param("CAST-L", marks=pytest.mark.slow)])
def test_more_than_two_classes(cmc, name):
    one, many = (MODELS[name]().fit(cmc.X, cmc.y, X_unlabeled=cmc.write(n)) for n in (1, 3))
    assert trees(many.estimator_.estimator_) == trees(one.estimator_.estimator_)
    assert many.predict_proba(cmc.unlabeled).shape == (1_000, 3)
    assert set(many.predict(cmc.unlabeled)) <= set(cmc.y)


@pytest.mark.parametrize(
    ("density", "scaling", "strategy"),
    [(EmpiricalLikelihood(), "log", Curriculum(0.2)), (KernelDensity(), "density", FixedThreshold(0.55))],
)
def test_labels_and_selection_are_those_of_memory(adult, density, scaling, strategy):
    model = CASTClassifier(
        boosting(), density=density, scaling=scaling, alpha=0.5, strategy=strategy, max_rounds=1, validation=None
    ).fit(adult.X, adult.y, X_unlabeled=adult.write(3))
    table = model.pseudo_labels_.to_pandas()
    proba = np.asarray(model.supervised_.predict_proba(adult.unlabeled), dtype=float)
    codes = np.searchsorted(model.classes_, adult.y)
    part = ClusterAware(density, alpha=0.5, scaling=scaling).prepare(adult.X, codes, adult.unlabeled, n_classes=2)
    confidence = part.adjust(proba)
    labels = confidence.argmax(axis=1)
    every = np.arange(len(labels))
    assert table["label"].tolist() == model.classes_[labels].tolist()
    assert table["raw_label"].tolist() == model.classes_[proba.argmax(axis=1)].tolist()
    assert table["selected"].tolist() == strategy.select(confidence, 1).tolist()
    np.testing.assert_allclose(table["confidence"], confidence[every, labels], rtol=1e-6)
    np.testing.assert_allclose(table["density"], part.gamma_[every, labels], rtol=1e-6, atol=1e-7)
    assert table["row"].tolist() == every.tolist()
    assert set(table["round"]) == {1, -1}


@pytest.mark.slow
def test_soft_labels_are_those_of_memory(adult, fitted):
    model = fitted("soft", 3)
    in_memory = MODELS["soft"]().fit(adult.X, adult.y, X_unlabeled=adult.unlabeled)  # has another supervised model
    ours, theirs = model.soft_labels_.to_pandas().to_numpy(), in_memory.soft_labels_
    assert np.corrcoef(ours[:, 1], theirs[:, 1])[0, 1] > 0.97
    np.testing.assert_allclose(ours.mean(axis=0), theirs.mean(axis=0), atol=0.01)
    assert (ours.argmax(axis=1) == theirs.argmax(axis=1)).mean() > 0.95


@pytest.mark.slow
def test_the_rehearsal_chooses_alpha_and_rounds(adult):
    model = CASTClassifier(boosting(), alpha=[0.2, 0.5], validation=0.3, random_state=0)
    model.fit(adult.X, adult.y, X_unlabeled=adult.write(2))
    rehearsed = model.alpha_scores_
    assert model.alpha_ == rehearsed.loc[rehearsed["chosen"], "alpha"].item()
    assert model.best_round_ == rehearsed.loc[rehearsed["chosen"], "best_round"].item() == len(model.history_) - 1
    assert model.history_["score"].notna().all()


def test_a_model_is_pickled_and_saved_to_a_file(fitted, adult, tmp_path):
    model = fitted("soft", 3)
    expected = model.predict_proba(adult.unlabeled)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(adult.unlabeled), expected)
    assert again.pseudo_labels_.to_pandas().equals(model.pseudo_labels_.to_pandas())
    save_model(tmp_path / "model.tabcast", model.deployed_, {})
    assert np.array_equal(load_model(tmp_path / "model.tabcast").classifier.predict_proba(adult.unlabeled), expected)


def test_rows_in_partitions_are_predicted(fitted, adult, tmp_path):
    model, folder = fitted("CAST-L", 7), adult.write(3)
    labels, proba = model.predict(folder), model.predict_proba(folder)
    assert labels.to_pandas()["prediction"].tolist() == model.predict(adult.unlabeled).tolist()
    assert np.array_equal(proba.to_pandas().to_numpy(), model.predict_proba(adult.unlabeled))
    assert proba.to_pandas().columns.tolist() == model.classes_.tolist()
    assert proba.to_parquet(tmp_path / "out") == len(adult.unlabeled)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [f"part-0000{n}.parquet" for n in range(3)]
    with pytest.raises(ValueError, match="out is there already"):
        proba.to_parquet(tmp_path / "out")


def test_an_interrupted_fit_goes_on_from_the_last_finished_round(adult, tmp_path, monkeypatch):
    source = open_partitions(adult.write(2), checkpoint=tmp_path / "rounds")
    whole = MODELS["CAST-L"]().fit(adult.X, adult.y, X_unlabeled=adult.write(2))
    trained, train = [], StreamEngine.train

    def stop_in_round_2(self, *args):
        trained.append(len(trained) + 1)
        if trained == [1, 2]:
            raise KeyboardInterrupt
        return train(self, *args)

    monkeypatch.setattr(StreamEngine, "train", stop_in_round_2)
    with pytest.raises(KeyboardInterrupt):
        MODELS["CAST-L"]().fit(adult.X, adult.y, X_unlabeled=source)
    assert sorted(path.name for path in (tmp_path / "rounds").iterdir()) == ["round-000.model", "round-001.model"]
    resumed = MODELS["CAST-L"]().fit(adult.X, adult.y, X_unlabeled=source)
    assert trained == [1, 2, 3]  # round 1 was not trained again
    assert trees(resumed.estimator_.estimator_) == trees(whole.estimator_.estimator_)
    assert resumed.pseudo_labels_.to_pandas().equals(whole.pseudo_labels_.to_pandas())
    other = MODELS["CAST-L"]().set_params(estimator__max_depth=2).fit(adult.X, adult.y, X_unlabeled=source)
    assert trained == [1, 2, 3, 4, 5]  # another model uses no checkpoint
    assert trees(other.estimator_.estimator_) != trees(whole.estimator_.estimator_)


@pytest.mark.slow
def test_weights_count(adult):
    weight = np.where(adult.y == adult.y[0], 10.0, 1.0)
    folder = adult.write(2)
    plain, weighted = (
        MODELS["CAST-L"]().fit(adult.X, adult.y, X_unlabeled=folder, sample_weight=one) for one in (None, weight)
    )
    position = list(plain.classes_).index(adult.y[0])
    means = [model.predict_proba(adult.unlabeled)[:, position].mean() for model in (plain, weighted)]
    assert means[1] > means[0]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CASTClassifier(), "trains partitions with XGBoost only"),
        (CASTClassifier(boosting(booster="dart")), "`booster` of XGBClassifier must be"),
        (CASTClassifier(boosting(early_stopping_rounds=5)), "`early_stopping_rounds`"),
        (CASTClassifier(boosting(), strategy="top_k"), "`strategy` of CASTClassifier must be"),
        (CASTClassifier(boosting(), scaling="robust"), "`scaling` of CASTClassifier must be"),
        (CASTClassifier(boosting(), pseudo_weight="soft"), "`pseudo_weight` of CASTClassifier"),
        (CASTClassifier(boosting(), noise_filter="mahalanobis"), "`noise_filter` of CASTClassifier"),
        (SelfTrainingClassifier(boosting(), confidence="temperature"), "`confidence` of SelfTrainingClassifier"),
        (SoftSelfTrainingClassifier(boosting(), deploy="retrained"), "`deploy`='retrained'"),
    ],
)
def test_what_partitions_cannot_do_is_refused_before_any_work(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(pd.DataFrame({"a": [1.0]}), [0], X_unlabeled="no such folder")


def test_labeled_rows_are_a_frame_of_labeled_rows(adult):
    with pytest.raises(ValueError, match="1 rows of X have no label"):
        MODELS["CAST-L"]().fit(adult.X[:20], np.append(adult.y[:19].astype(object), None), X_unlabeled=adult.write(2))
    with pytest.raises(TypeError, match="X of CASTClassifier must be a DataFrame"):
        MODELS["CAST-L"]().fit(np.zeros((2, 1)), [0, 1], X_unlabeled=adult.write(2))
