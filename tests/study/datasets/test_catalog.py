"""What the catalog says is what the files hold."""

from pathlib import Path

import numpy as np
import pytest

from tabcast.study.datasets import list_datasets, load_dataset
from tabcast.study.datasets._dataset import find_info, in_natural_order
from tests.conftest import dataset_folder, read_dataset, read_meta

FILES = [  # the large ones only in `make slow`
    pytest.param(info, id=info.name, marks=pytest.mark.slow if info.n_rows * info.n_columns > 400_000 else ())
    for info in list_datasets()
    if info.load is None
]

# The paper's table of datasets: classes, "features" (the target counted), rows, metric.
PAPER = {
    "diabetes": (2, 9, 768, "accuracy"),
    "ozone": (2, 73, 2534, "f1"),
    "cmc": (3, 10, 1473, "balanced_accuracy"),
    "kr-vs-kp": (2, 37, 3196, "accuracy"),
    "credit-g": (2, 21, 1000, "balanced_accuracy"),
    "bank": (2, 17, 45211, "f1"),
    "splice": (3, 62, 3190, "balanced_accuracy"),
    "vehicle": (4, 19, 846, "accuracy"),
    "pc4": (2, 38, 1458, "f1"),
    "pc3": (2, 38, 1563, "f1"),
    "jm1": (2, 22, 10885, "f1"),  # 10855 in print
    "bioresponse": (2, 1777, 3751, "f1"),
    "kc2": (2, 22, 522, "f1"),
    "adult": (2, 15, 48842, "balanced_accuracy"),
    "blood-transfusion-service-center": (2, 5, 748, "accuracy"),
    "qsar-biodeg": (2, 42, 1055, "balanced_accuracy"),
    "wall-robot-navigation": (4, 25, 5456, "f1"),
    "churn": (2, 21, 5000, "f1"),
    "car": (4, 7, 1728, "balanced_accuracy"),
    "steel-plates-fault": (7, 28, 1941, "f1"),
}


@pytest.mark.parametrize("name", PAPER)
def test_catalog_agrees_with_the_paper(name):
    info = find_info(name)
    n_features = info.n_columns + len(info.dropped) + 1
    assert (info.n_classes, n_features, info.n_rows, info.metric) == PAPER[name]


def test_catalog_is_the_paper_a_stand_in_and_a_toy():
    names = [info.name for info in list_datasets()]
    assert len(set(names)) == len(names)
    assert set(names) == {find_info(name).name for name in PAPER} | {"gusto", "blob"}
    assert all(name == name.lower() for name in names)
    assert [info.name for info in list_datasets() if info.stand_in_for] == ["gusto"]
    assert find_info("gusto").stand_in_for == "6M-mortality registry (private)"
    assert find_info("gusto").n_rows == 15_628  # as many as the registry


@pytest.mark.parametrize("info", FILES)
def test_catalog_agrees_with_the_file(info):
    folder = dataset_folder(info.file)
    X, labels = read_dataset(info.file)
    meta = read_meta(folder)[info.file]
    assert info.target == meta["target"] == labels.name
    if info.openml_id is not None:
        assert str(info.openml_id) == meta["openml"].split()[0]
    dataset = load_dataset(info.name, data_dir=folder)
    assert dataset.X.shape == (info.n_rows, info.n_columns)
    assert len(dataset.classes) == info.n_classes
    assert dataset.X.columns.tolist() == [name for name in X.columns if name not in info.dropped]
    assert set(dataset.classes) == set(labels.unique())
    # The same cells as another reader gives.
    np.testing.assert_array_equal(dataset.classes[dataset.y], labels.astype(object))
    for name, column in dataset.X.items():
        if name in meta["categories"]:
            assert column.cat.categories.tolist() == in_natural_order(X[name].dropna().unique().tolist())
            assert column.astype(object).equals(X[name].astype(object)), name
        else:
            assert column.equals(X[name].astype(float)), name
    if info.n_classes == 2:
        assert info.positive_class == dataset.classes[1]
        # The positive class is rare in all datasets that are evaluated by F1, except for molecules chosen to respond.
        assert info.metric != "f1" or info.name == "bioresponse" or dataset.y.mean() < 0.25


@pytest.mark.parametrize(
    ("given", "name"),
    [("ozone", "ozone-level-8hr"), ("bank", "bank-marketing"), ("Bioresponse", "bioresponse"), ("KC2", "kc2")],
)
def test_other_names(given, name):
    assert find_info(given).name == name


@pytest.mark.parametrize(
    ("given", "hint"), [("diabets", "'diabetes'"), ("Chrun", "'churn'"), ("ozon", "'ozone'"), ("pc5", "'pc[34]'")]
)
def test_unknown_name(given, hint):
    with pytest.raises(ValueError, match=f"^Unknown dataset: '{given}'. Choices: gusto, .*blob. Did you mean {hint}?"):
        load_dataset(given)


def test_table_of_the_docs_is_the_catalog():
    text = (Path(__file__).parents[3] / "docs" / "datasets.md").read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    metrics = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "f1": "F1"}
    assert rows[2:] == [
        [
            info.name,
            f"{info.n_rows:,}",
            f"{info.n_columns:,}",
            str(info.n_classes),
            metrics[info.metric],
            f"`{info.positive_class}`" if info.positive_class else "-",
            str(info.openml_id or "-"),
        ]
        for info in list_datasets()
    ]
