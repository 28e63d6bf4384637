"""`tabcast predict`, as a person types it."""

import errno
import os
import resource
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from tabcast.cli import predict as command
from tabcast.decisions import MostProbable
from tabcast.files import read_table_file, understand
from tabcast.models import AdaptedClassifier
from tabcast.models._catalog import default_classifier
from tabcast.progress import Progress
from tabcast.runs import SavedModel, load_model, predict_file
from tabcast.runs._model_file import save_model
from tabcast.runs._predict import name_columns
from tests.conftest import need_pyarrow

N_ROWS = 300
app = typer.Typer()
app.command()(command.predict)


def run(*arguments):
    need_pyarrow(arguments[arguments.index("-o") + 1])
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def make_table():
    """A table of customers, some of them labeled."""
    random = np.random.default_rng(5)
    table = pd.DataFrame(
        {
            "customer_id": [f"C{number:04d}" for number in random.permutation(N_ROWS)],
            "age": random.normal(40, 10, N_ROWS).round(2),
            "city": random.choice(["Ulm", "Bonn", "Kiel", None], N_ROWS),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, N_ROWS), unit="D"),
        }
    )
    table.loc[::17, "age"] = np.nan
    truth = np.where(table["age"].fillna(0) + 10 * (table["city"] == "Ulm") > 42, "stays", "leaves")
    table["status"] = np.where(np.arange(N_ROWS) < 120, truth, None)
    return table


def write(table, path):
    """A table as a file of the kind that its name says."""
    need_pyarrow(path)
    if path.suffix == ".parquet":
        table.to_parquet(path, row_group_size=70)
    elif path.suffix == ".feather":
        table.to_feather(path)
    else:
        table.to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",")
    return path


def train(table, folder, target="status"):
    """Fit on the labeled rows of a table and save; the features and the probabilities of all rows."""
    understanding = understand(table, target)
    X, y = understanding.features(table), understanding.labels(table)
    labeled = np.array([label is not None for label in y])
    labels = np.array(y[labeled].tolist())
    classifier = AdaptedClassifier(default_classifier().set_params(max_iter=10)).fit(X[labeled], labels)
    n_classes = len(classifier.classes_)
    rule = MostProbable().fit(classifier.classes_, np.full(n_classes, 1 / n_classes))
    save_model(folder / "model.skops", SavedModel(classifier, understanding, rule))
    return classifier.predict_proba(X)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with a model in it, and the probabilities that it gives the table's rows."""
    folder = tmp_path_factory.mktemp("run")
    return folder, train(make_table(), folder)


@pytest.fixture
def model(trained):
    return trained[0] / "model.skops"


@pytest.fixture
def expected(trained):
    return trained[1]


@pytest.fixture
def table(tmp_path):
    return write(make_table(), tmp_path / ("table.parquet" if find_spec("pyarrow") else "table.csv"))


class TestResult:
    @pytest.mark.parametrize(
        ("read", "written"),
        [
            *(("parquet", written) for written in ("csv", "tsv", "csv.gz", "tsv.gz", "parquet", "feather")),
            *((read, written) for read in ("csv", "tsv.gz", "feather") for written in ("csv", "parquet")),
        ],
    )
    def test_labels_and_probabilities_in_the_order_of_the_table(self, read, written, model, expected, tmp_path):
        source = write(make_table(), tmp_path / f"table.{read}")
        out = tmp_path / f"out.{written}"
        result = run(model, source, "-o", out, "--batch-rows", 70)
        assert (result.exit_code, result.stderr) == (0, "")
        got = read_table_file(out)
        assert got.columns.tolist() == ["customer_id", "prediction", "probability_leaves", "probability_stays"]
        assert got["customer_id"].tolist() == make_table()["customer_id"].tolist()
        np.testing.assert_array_equal(got.iloc[:, 2:].to_numpy(dtype=float), expected)
        assert got["prediction"].tolist() == np.array(["leaves", "stays"])[expected.argmax(axis=1)].tolist()
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([source.name, out.name])

    @pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
    def test_batches_change_nothing_and_are_never_larger(self, ending, model, tmp_path, monkeypatch):
        source = write(make_table(), tmp_path / f"table.{ending}")
        sizes = []
        original = AdaptedClassifier.predict_proba

        def watch(self, X):
            sizes.append(len(X))
            return original(self, X)

        results = []
        monkeypatch.setattr(AdaptedClassifier, "predict_proba", watch)
        for batch_rows in (1_000, 64, 7):
            sizes.clear()
            assert run(model, source, "-o", tmp_path / "out.csv", "--batch-rows", batch_rows).exit_code == 0
            assert max(sizes) <= batch_rows
            assert sum(sizes) == N_ROWS
            results.append((tmp_path / "out.csv").read_bytes())
        assert results[0] == results[1] == results[2]

    def test_what_it_says(self, model, table, expected, tmp_path):
        result = run(model, table, "-o", tmp_path / "out.csv")
        n_leaves = int((expected.argmax(axis=1) == 0).sum())
        assert result.stdout.splitlines() == [
            f"300 rows in {tmp_path / 'out.csv'}: prediction and 2 columns of probabilities beside customer_id.",
            f"Predicted: leaves {n_leaves} ({n_leaves / 300:.0%}), "
            f"stays {300 - n_leaves} ({(300 - n_leaves) / 300:.0%}). The prediction is the class with the highest "
            "probability.",
        ]

    def test_the_folder_of_a_fit(self, trained, table, tmp_path):
        assert run(trained[0], table, "-o", tmp_path / "out.csv").exit_code == 0

    def test_columns_in_another_order_and_more_of_them(self, model, expected, tmp_path):
        shuffled = make_table().assign(more=1)[["more", "since", "city", "age"]]
        write(shuffled, tmp_path / "table.parquet")
        assert run(model, tmp_path / "table.parquet", "-o", tmp_path / "out.parquet").exit_code == 0
        got = read_table_file(tmp_path / "out.parquet")
        assert got.columns.tolist() == ["prediction", "probability_leaves", "probability_stays"]
        np.testing.assert_array_equal(got.iloc[:, 1:].to_numpy(), expected)

    def test_cells_that_cannot_be_used_are_counted_over_all_batches(self, model, tmp_path):
        odd = make_table().astype({"age": object})
        odd.loc[[5, 100, 250], "age"] = "forty"
        odd.loc[[6, 200], "city"] = "Rome"
        write(odd, tmp_path / "table.csv")
        result = run(model, tmp_path / "table.csv", "-o", tmp_path / "out.csv", "--batch-rows", 50)
        assert result.exit_code == 0
        assert "Column 'age': 3 values counted as missing: not a number (for example 'forty')." in result.stdout
        assert "Column 'city': 2 values counted as missing: unseen level" in result.stdout

    @pytest.mark.parametrize("labels", [[0, 1], ["0", "1"]], ids=["numbers", "text"])
    def test_labels_keep_their_type(self, labels, tmp_path):
        table = make_table()
        table["status"] = pd.Series([labels[0], labels[1], None] * 100, dtype=object).convert_dtypes()
        train(table, tmp_path)
        write(table, tmp_path / "table.parquet")
        assert run(tmp_path / "model.skops", tmp_path / "table.parquet", "-o", tmp_path / "out.parquet").exit_code == 0
        got = read_table_file(tmp_path / "out.parquet")["prediction"]
        assert set(got) <= set(load_model(tmp_path).classes.tolist())

    @pytest.mark.parametrize("batch_rows", [1, 3, 1_000])
    def test_decimal_commas_and_dates_are_read_the_same_in_every_batch(self, batch_rows, tmp_path):
        random = np.random.default_rng(0)
        table = pd.DataFrame(
            {"price": random.normal(5, 2, 60).round(3), "when": [f"{day}.3.2024" for day in range(1, 31)] * 2}
        )
        table["status"] = np.where(np.arange(60) < 40, np.where(table["price"] > 5, "high", "low"), None)
        text = table.assign(
            price=[f"{price:.3f}".replace(".", ",") for price in table["price"]],
        )
        text.to_csv(tmp_path / "table.csv", sep=";", index=False)
        expected = train(read_table_file(tmp_path / "table.csv"), tmp_path)
        out = tmp_path / "out.csv"
        assert run(tmp_path, tmp_path / "table.csv", "-o", out, "--batch-rows", batch_rows).exit_code == 0
        np.testing.assert_array_equal(read_table_file(out).iloc[:, 1:].to_numpy(dtype=float), expected)


class TestKeptColumns:
    def test_more_columns(self, model, table, tmp_path):
        out = tmp_path / "out.parquet"
        assert run(model, table, "-o", out, "--keep", "since", "--keep", "age").exit_code == 0
        got = read_table_file(out)
        assert got.columns.tolist()[:3] == ["customer_id", "age", "since"]
        pd.testing.assert_frame_equal(got.iloc[:, :3], read_table_file(table)[["customer_id", "age", "since"]])

    def test_all_columns(self, model, table, tmp_path):
        assert run(model, table, "-o", tmp_path / "out.parquet", "--keep-all").exit_code == 0
        got = read_table_file(tmp_path / "out.parquet")
        pd.testing.assert_frame_equal(got.iloc[:, :5], read_table_file(table))

    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_large_whole_numbers_with_gaps_are_not_rounded(self, ending, model, tmp_path):
        pa = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        keys = [2**53 + number if number % 3 else None for number in range(N_ROWS)]
        columns = pa.Table.from_pandas(make_table(), preserve_index=False)
        parquet.write_table(columns.append_column("key", pa.array(keys, pa.int64())), tmp_path / "table.parquet")
        out = tmp_path / f"out.{ending}"
        assert run(model, tmp_path / "table.parquet", "-o", out, "--keep", "key", "--batch-rows", 50).exit_code == 0
        if ending == "parquet":
            assert parquet.read_table(out)["key"].to_pylist() == keys
        else:
            assert read_table_file(out)["key"].dropna().tolist() == [str(key) for key in keys if key]

    def test_a_column_that_is_empty_in_the_first_batch(self, model, tmp_path):
        notes = [None] * 200 + ["late"] * 100
        write(make_table().assign(note=pd.Series(notes, dtype=object)), tmp_path / "table.csv")
        out = tmp_path / "out.parquet"
        result = run(model, tmp_path / "table.csv", "-o", out, "--keep", "note", "--batch-rows", 50)
        assert result.exit_code == 0
        assert pytest.importorskip("pyarrow.parquet").read_table(out)["note"].to_pylist() == notes

    def test_categories_of_parquet(self, model, tmp_path):
        write(make_table().astype({"city": "category"}), tmp_path / "table.parquet")
        out = tmp_path / "out.parquet"
        run(model, tmp_path / "table.parquet", "-o", out, "--keep", "city", "--batch-rows", 50)
        cities = read_table_file(out)["city"]
        assert cities.fillna("-").tolist() == make_table()["city"].fillna("-").tolist()

    def test_a_column_that_is_not_there(self, model, table, tmp_path):
        result = run(model, table, "-o", tmp_path / "out.csv", "--keep", "Since")
        assert result.exit_code == 2
        assert result.stderr.startswith("There is no column 'Since' to keep; did you mean 'since'?")


class TestNames:
    def test_unique_and_harmless(self):
        label, names = name_columns(["a\nb", "a b", "", "\x1b[31m", "x" * 500, 1, "1", "=cmd()"], taken=["prediction"])
        assert label == "prediction_2"
        assert names[:4] == ["probability_a b", "probability_a b_2", "probability_3", "probability_[31m"]
        assert len(names[4]) < 100
        assert names[5:] == ["probability_1", "probability_1_2", "probability_=cmd()"]
        assert len(set(names)) == len(names)

    def test_kept_columns_keep_their_names(self, model, tmp_path):
        taken = make_table().rename(columns={"customer_id": "probability_stays"}).assign(prediction="mine")
        write(taken, tmp_path / "table.parquet")
        run(model, tmp_path / "table.parquet", "-o", tmp_path / "out.parquet", "--keep-all")
        got = read_table_file(tmp_path / "out.parquet")
        assert got["prediction"].unique().tolist() == ["mine"]
        assert got.columns[-3:].tolist() == ["prediction_2", "probability_leaves", "probability_stays_2"]


class TestBadInput:
    def refuse(self, folder, *arguments, code=2):
        """Run, and see that there is one sentence, no traceback, and nothing new on the disk."""
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        result = run(*arguments)
        assert result.exit_code == code
        assert result.stdout == ""
        assert len(result.stderr.splitlines()) == 1
        assert "Traceback" not in result.stderr
        assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
        return result.stderr.strip()

    def test_columns_that_differ_are_named(self, model, tmp_path):
        write(make_table().rename(columns={"age": "Age", "city": "town"}), tmp_path / "table.csv")
        said = self.refuse(tmp_path, model, tmp_path / "table.csv", "-o", tmp_path / "out.csv")
        assert said == "The table lacks columns 'age', 'city' of the training table; add what is missing."
        write(make_table().rename(columns={"age": "Age"}), tmp_path / "table.csv")
        said = self.refuse(tmp_path, model, tmp_path / "table.csv", "-o", tmp_path / "out.csv")
        assert said == "The table lacks column 'age' of the training table; did you mean 'Age'?"

    def test_columns_that_differ_leave_an_old_result(self, model, tmp_path):
        write(make_table().drop(columns="age"), tmp_path / "table.parquet")
        (tmp_path / "out.csv").write_text("old")
        said = self.refuse(tmp_path, model, tmp_path / "table.parquet", "-o", tmp_path / "out.csv")
        assert "lacks column 'age'" in said
        assert (tmp_path / "out.csv").read_text() == "old"

    def test_the_table_is_not_overwritten(self, model, table, tmp_path):
        said = self.refuse(tmp_path, model, table, "-o", table)
        assert said == f"{table.name} is the table itself; give the predictions another name."
        symbolic, hard = (table.with_stem(stem) for stem in ("symbolic", "hard"))
        symbolic.symlink_to(table)
        os.link(table, hard)
        self.refuse(tmp_path, model, table, "-o", symbolic)
        self.refuse(tmp_path, model, table, "-o", hard)

    def test_the_model_is_not_overwritten(self, model, table, tmp_path):
        (tmp_path / "model.csv").write_bytes(model.read_bytes())
        said = self.refuse(tmp_path, tmp_path / "model.csv", table, "-o", tmp_path / "model.csv")
        assert said == "model.csv is the model itself; give the predictions another name."

    @pytest.mark.parametrize(
        ("out", "said"),
        [
            ("out.xlsx", "out.xlsx must end in .csv, .tsv, .csv.gz, .tsv.gz, .parquet or .feather"),
            ("out", "out must end in .csv"),
            ("out.parquet.gz", "out.parquet.gz must end in .csv"),
            ("none/out.csv", "There is no folder"),
            ("folder.csv", "is a directory; name a file in it"),
        ],
    )
    def test_bad_places(self, out, said, model, table, tmp_path):
        (tmp_path / "folder.csv").mkdir()
        assert said in self.refuse(tmp_path, model, table, "-o", tmp_path / out)

    @pytest.mark.parametrize(
        ("name", "content", "said"),
        [
            ("none.csv", None, "There is no file none.csv"),
            ("empty.csv", b"", "is empty"),
            ("head.csv", b"age,city,since\n", "no rows"),
            ("ragged.csv", b"age,city,since\n1,Ulm,2020-01-01\n1,2\n", "Line 3 of ragged.csv"),
            ("bad.parquet", b"PAR1 nothing PAR1", "damaged"),
            ("bad.feather", b"ARROW1 nothing", "damaged"),
            ("wrong.parquet", b"age,city\n1,2\n", "is not what its ending '.parquet' says"),
        ],
    )
    def test_bad_tables(self, name, content, said, model, tmp_path):
        if said == "damaged":
            need_pyarrow(name)
        if content is not None:
            (tmp_path / name).write_bytes(content)
        assert said in self.refuse(tmp_path, model, tmp_path / name, "-o", tmp_path / "out.csv")

    def test_a_damaged_page_of_parquet_leaves_nothing(self, model, table, tmp_path):
        """What was written before the damage was met is taken away."""
        parquet = pytest.importorskip("pyarrow.parquet")
        data = bytearray(table.read_bytes())
        start = parquet.ParquetFile(table).metadata.row_group(3).column(1).data_page_offset
        data[start : start + 40] = b"\xff" * 40
        table.write_bytes(data)
        said = self.refuse(tmp_path, model, table, "-o", tmp_path / "out.csv", "--batch-rows", 70)
        assert "table.parquet is a damaged or incomplete Parquet file" in said

    @pytest.mark.parametrize("content", [None, b"", b"not a model"])
    def test_bad_models(self, content, table, tmp_path):
        path = tmp_path / "model.skops"
        if content is not None:
            path.write_bytes(content)
        said = self.refuse(tmp_path, path, table, "-o", tmp_path / "out.csv")
        assert said in (f"There is no file {path}.", f"{path} is not a model of tabcast, or is damaged.")


class TestInterrupted:
    def interrupt(self, monkeypatch, action):
        """Do something in the middle of the third batch."""
        original, calls = AdaptedClassifier.predict_proba, []

        def fail(self, X):
            calls.append(len(X))
            if len(calls) == 3:
                action()
            return original(self, X)

        monkeypatch.setattr(AdaptedClassifier, "predict_proba", fail)
        return calls

    def test_an_error_of_the_disk(self, model, table, tmp_path, monkeypatch):
        def fail():
            raise OSError(errno.ENOSPC, "No space left on device")

        self.interrupt(monkeypatch, fail)
        out = tmp_path / "out.parquet"
        result = run(model, table, "-o", out, "--batch-rows", 50)
        assert result.exit_code == 2
        assert result.stderr == f"{out} could not be written: No space left on device.\n"
        assert list(tmp_path.iterdir()) == [table]

    @pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "feather"])
    def test_a_disk_that_takes_no_more(self, ending, model, table, tmp_path):
        """The system itself refuses to let a file grow beyond 500 bytes."""
        out = tmp_path / f"out.{ending}"
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, hard))
        try:
            result = run(model, table, "-o", out, "--batch-rows", 50)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert result.exit_code == 2
        assert result.stderr == f"{out} could not be written: File too large.\n"
        assert list(tmp_path.iterdir()) == [table]


class TestProgress:
    @pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "feather"])
    def test_counts_rows(self, ending, model, tmp_path):
        reached, totals = [], []

        class Recorder(Progress):
            def reach(self, completed):
                reached.append(completed)

        def show(n_rows):
            totals.append(n_rows)
            return Recorder()

        source = write(make_table(), tmp_path / f"table.{ending}")
        predict_file(load_model(model), source, tmp_path / "out.csv", batch_rows=100, progress=show)
        assert totals == [N_ROWS]
        assert reached[-1] == N_ROWS
        assert len(reached) >= 3

    def test_a_bar_on_a_terminal_only(self, model, table, tmp_path, monkeypatch):
        assert "Predicting" not in run(model, table, "-o", tmp_path / "out.csv").output
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.setattr("rich._console", None)  # rich keeps its console: this one must not outlive the test
        output = run(model, table, "-o", tmp_path / "out.csv").output
        assert "Predicting" in output
        assert "300/300" in output


def test_starting_is_cheap():
    """Typing `tabcast predict --help` loads neither pandas nor scikit-learn."""
    heavy = ("pandas", "sklearn", "skops", "pyarrow")
    script = f"import sys, tabcast.cli.predict; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
