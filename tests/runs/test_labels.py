"""Labels as the table has them reach the model: what `understand` calls a class is one."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tabcast import fit_table, load_run
from tabcast.cli.main import app
from tabcast.exceptions import TabcastWarning
from tabcast.files import TableFileError

METHODS = {
    "soft": {"time_limit": 0.1},
    "cast-l": {"alpha": 0.5, "strategy": "all", "time_limit": 0.1},
    "cast-d": {"alpha": 0.5, "strategy": "all", "time_limit": 0.1},
    "naive": {"strategy": "all", "time_limit": 0.1},
    "supervised": {},
}


def make_table(labels, n=90, n_labeled=45):
    """A table whose classes are apart, with some labels hidden."""
    random = np.random.default_rng(0)
    classes = np.arange(n) % len(labels)
    table = pd.DataFrame({"a": classes + random.normal(0, 0.3, n), "b": random.normal(0, 1, n)}).round(4)
    table["y"] = [str(labels[one]) if row < n_labeled else None for row, one in enumerate(classes)]
    return table


@pytest.mark.parametrize("labels", [[-1, 0, 1], [-1, 1]], ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_minus_one_is_a_class_where_the_table_says_so(method, labels, tmp_path):
    run = fit_table(make_table(labels), "y", method=method, model="logistic_regression", **METHODS[method])
    assert run.model.classes_.tolist() == labels == run.understanding.classes
    assert len(run.predictions) == 45
    assert set(run.predictions["prediction"]) == set(labels)
    run.save(tmp_path / "out")
    assert load_run(tmp_path / "out").predictions["prediction"].tolist() == run.predictions["prediction"].tolist()


@pytest.mark.parametrize("labels", [[-1, 0, 1], [-1, 1]], ids=str)
def test_minus_one_on_the_command_line(labels, tmp_path):
    make_table(labels).to_csv(tmp_path / "table.csv", index=False)
    arguments = ["fit", tmp_path / "table.csv", "--target", "y", "--out", tmp_path / "out", "--time-limit", "1s"]
    result = CliRunner().invoke(app, [*map(str, arguments), "--model", "logistic_regression", "--jobs", "1"])
    assert result.exit_code == 0, result.output
    assert "Label -1 is treated as a class" in result.output
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert [one["name"] for one in summary["table"]["classes"]] == [str(label) for label in labels]
    assert f"probability_{labels[0]}" in pd.read_csv(tmp_path / "out" / "predictions.csv").columns


def test_minus_one_is_no_class_where_the_user_says_so(tmp_path):
    table = make_table([0, 1]).fillna({"y": "-1"})
    run = fit_table(table, "y", method="supervised", model="logistic_regression", missing_label=-1)
    assert run.model.classes_.tolist() == [0, 1]
    assert len(run.predictions) == 45


@pytest.mark.parametrize("rest", ["?", None], ids=["all filled", "half empty"])
def test_a_marker_among_the_labels_is_not_silent(rest, tmp_path):
    table = make_table(["yes", "no"]).fillna({"y": "?"})
    table.loc[table.index[60:], "y"] = rest
    options = {"model": "logistic_regression", "time_limit": 0.1}
    if rest is None:
        with pytest.warns(TabcastWarning, match=r"Label '\?' is treated as a class \(15 rows of 'y'\)"):
            run = fit_table(table, "y", method="naive", strategy="all", **options)
        assert any("Label '?' is treated as a class" in one for one in run.summary["warnings"])
    else:
        with pytest.raises(TableFileError, match=r"'\?' looks like a marker.*use `missing_label='\?'`"):
            fit_table(table, "y", **options)
    table.to_csv(tmp_path / "table.csv", index=False)
    arguments = ["fit", tmp_path / "table.csv", "--target", "y", "--out", tmp_path / "out", "--time-limit", "0.1s"]
    result = CliRunner().invoke(app, [*map(str, arguments), "--model", "logistic_regression", "--jobs", "1"])
    assert " ".join(result.output.split()).count("use --missing-label '?'") == 1
    assert result.exit_code == (0 if rest is None else 2)


@pytest.mark.parametrize("marker", ["?", "unknown", -1])
def test_nothing_but_a_marker_is_no_class(marker):
    table = make_table(["yes", "no"])
    table["y"] = marker
    with pytest.raises(TableFileError, match=r"No row has a label: column 'y' holds nothing but .*missing_label="):
        fit_table(table, "y", model="logistic_regression")


@pytest.mark.parametrize("label", [2**53 - 1, 2**53, 2**53 + 2, -(2**53)])
def test_labels_as_large_as_floats_can_count(label):
    table = make_table([label, 1])
    run = fit_table(table, "y", method="supervised", model="logistic_regression")
    assert {str(one) for one in run.model.classes_} == {str(label), "1"}


def test_decimal_numbers_are_no_classes():
    with pytest.raises(TableFileError, match=r"Column 'y' holds decimal numbers, for example 1.5; tabcast predicts"):
        fit_table(make_table([0.5, 1.5]), "y", model="logistic_regression")
