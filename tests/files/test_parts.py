"""Folders: every file is read as a single file is, in its own notation, and nothing is lost silently."""

import numpy as np
import pandas as pd
import pytest

from tabcast.files import TableFileError, read_table_file, understand, write_table_file
from tabcast.files._parts import is_folder, list_parts, open_parts, sample_rows

N = 40
RANDOM = np.random.default_rng(0)
DAYS = pd.date_range("2024-01-01", periods=N, freq="9D")


def table(n=N, **columns):
    labels = np.where(np.arange(n) % 4 == 0, np.where(np.arange(n) % 8, "yes", "no"), None)
    return pd.DataFrame({"x": RANDOM.normal(size=n).round(3), "churned": labels} | columns)


def write(folder, **frames):
    folder.mkdir(exist_ok=True)
    for name, frame in frames.items():
        stem, _, ending = name.partition("_")
        write_table_file(frame, folder / f"{stem}.{ending or 'csv'}")
    return folder


def sample(folder, target="churned", **options):
    return sample_rows(open_parts(list_parts(folder)), target, **options)


def test_files_are_listed_in_order_and_mixed_formats_are_all_read(tmp_path):
    folder = write(tmp_path / "big", b=table(), c_parquet=table(), a_tsv=table())
    (folder / "_SUCCESS").write_text("")
    (folder / ".hidden.csv").write_text("x\n1\n")
    assert [path.name for path in list_parts(folder)] == ["a.tsv", "b.csv", "c.parquet"]
    assert [path.name for path in list_parts(f"{folder}/*.csv")] == ["b.csv"]
    assert is_folder(folder)
    assert is_folder(f"{folder}/*.csv")
    assert not is_folder(folder / "b.csv")
    assert not is_folder(table())
    found = sample(folder)
    assert len(found.frame) == 3 * N
    understanding = understand(found.frame, "churned")
    assert (understanding.n_labeled, understanding.columns[0].kind) == (3 * N // 4, "number")


@pytest.mark.parametrize(("path", "sentence"), [("none*", "no file matches"), ("", "path of the table is empty")])
def test_nothing_to_list(tmp_path, path, sentence):
    with pytest.raises(TableFileError, match=sentence):
        list_parts(tmp_path / path if path else path)
    with pytest.raises(TableFileError, match=r"no Parquet or CSV file in .*: it is empty"):
        list_parts(tmp_path)


def test_labeled_rows_of_all_files_and_a_uniform_sample_of_the_others(tmp_path):
    frames = {name: table(200, key=np.arange(200) + start) for name, start in (("a", 0), ("b", 200), ("c", 400))}
    folder = write(tmp_path / "big", **frames)
    whole = pd.concat(read_table_file(path) for path in list_parts(folder))
    counts = np.zeros(600)
    for seed in range(12):
        found = sample(folder, most=90, random_state=seed)
        assert len(found.frame) == 150 + 90
        assert (found.n_unlabeled, found.n_sampled) == (450, 90)
        rows = found.origin["file"].map({"a.csv": 0, "b.csv": 200, "c.csv": 400}) + found.origin["file_row"]
        np.testing.assert_array_equal(found.frame["key"].astype(int), rows)
        pd.testing.assert_frame_equal(found.frame, whole.iloc[rows].reset_index(drop=True), check_dtype=False)
        counts[found.frame["key"].astype(int)] += 1
    labeled = whole["churned"].notna().to_numpy()
    assert (counts[labeled] == 12).all()
    thirds = counts[~labeled].reshape(3, -1).sum(axis=1)
    assert np.abs(thirds - 360).max() < 4 * np.sqrt(360 * 2 / 3)
    assert len(sample(folder, most=None).frame) == 600


@pytest.mark.parametrize("word", ["NA", "NULL", "nan"])
def test_a_missing_label_is_missing_in_a_folder_as_in_a_file(tmp_path, word):
    column = [word, "yes", "no", ""] * 10
    folder = write(tmp_path / "big", a=table(churned=column), b=table(churned=column))
    found = sample(folder)
    assert found.n_unlabeled == 40
    alone = understand(read_table_file(folder / "a.csv"), "churned")
    assert (alone.n_unlabeled, alone.classes) == (20, understand(found.frame, "churned").classes)


def test_a_declared_missing_label_is_missing_in_a_folder(tmp_path):
    folder = write(
        tmp_path / "big", a=table(churned=[-1, 0, 1, None] * 10), b_parquet=table(churned=[-1, 0, 1, 1] * 10)
    )
    assert sample(folder, missing_label=-1).n_unlabeled == 30
    assert sample(folder).n_unlabeled == 10


def test_levels_that_look_missing_are_read_as_in_a_file(tmp_path):
    level = ["NA", "None", "some", "x"] * 10
    folder = write(tmp_path / "big", a=table(level=level), b=table(level=level))
    together, alone = sample(folder).frame, read_table_file(folder / "a.csv")
    for frame in (together, alone):
        got = understand(frame, "churned").features(frame)["level"][:4]
        assert got.astype(object).where(got.notna(), None).tolist() == [None, "None", "some", "x"]


def test_a_file_without_a_column_is_refused(tmp_path):
    folder = write(tmp_path / "big", a=table(age=1), b=table(Age=1))
    with pytest.raises(TableFileError, match=r"b\.csv has no column 'age', which a\.csv has; did you mean 'Age'\?"):
        sample(folder)


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_a_file_that_changes_during_the_run_is_refused(tmp_path, ending):
    folder = write(tmp_path / "big", **{f"a_{ending}": table(), f"b_{ending}": table()})
    parts = open_parts(list_parts(folder))
    sample_rows(parts, "churned")
    assert sum(len(frame) for frame, _ in parts[1].batches(7, ["x"])) == N
    write(folder, **{f"b_{ending}": table(N - 1)})
    with pytest.raises(TableFileError, match=rf"b\.{ending} has changed .* had 40 rows .* has 39 now"):
        list(parts[1].batches(7, ["x"]))
    write(folder, **{f"b_{ending}": table().rename(columns={"x": "z"})})
    with pytest.raises(TableFileError, match=rf"b\.{ending} has changed .* columns 'x', 'churned'"):
        list(parts[1].batches(7, ["x"]))


@pytest.mark.parametrize("order", ["abc", "bca", "cab"])
def test_each_file_is_read_in_its_own_notation(tmp_path, order):
    plain = table(3 * N, x=RANDOM.normal(0, 1e4, 3 * N).round(3), day=np.tile(DAYS, 3))
    frames = [plain[start : start + N] for start in (0, N, 2 * N)]
    written = {
        "a": frames[0].assign(
            x=[f"{value}".replace(".", ",") for value in frames[0]["x"]], day=DAYS.strftime("%d/%m/%Y")
        ),
        "b": frames[1].assign(x=[f"{value:,.3f}" for value in frames[1]["x"]], day=DAYS.strftime("%m/%d/%Y")),
        "c": frames[2].assign(day=DAYS.strftime("%Y-%m-%d")),
    }
    folder = write(tmp_path / "big", **{f"{place}": written[name] for place, name in enumerate(order)})
    found = sample(folder)
    features = understand(found.frame, "churned").features(found.frame)
    expected = pd.concat(frames["abc".index(name)] for name in order)
    np.testing.assert_allclose(features["x"], expected["x"])
    np.testing.assert_array_equal(features["day"], (expected["day"] - DAYS[0]).dt.days)


def test_what_a_column_leaves_open_the_other_columns_of_its_file_tell(tmp_path):
    (tmp_path / "0.csv").write_text("id;a;b;churned\n" + "".join(f"{n};2,9{n};0,8{n};yes\n" for n in range(6)))
    (tmp_path / "1.csv").write_text("id|a|b|churned\n" + "".join(f"{n}|1.0{n}|1.12{n}|\n" for n in range(1, 7)))
    found = sample(tmp_path).frame
    values = [*(0.8 + n / 100 for n in range(6)), *(1.12 + n / 1000 for n in range(1, 7))]
    assert found["b"].tolist() == pytest.approx(values)


@pytest.mark.parametrize("empty", ["", "NA"])
def test_a_file_without_a_value_does_not_hide_that_others_are_written_differently(empty, tmp_path):
    for number, value in enumerate(["1,46", empty, "0.46"]):
        lines = "".join(f"{n};{value if n < 2 else ''};{'yes' if n else 'no'}\n" for n in range(6))
        (tmp_path / f"{number}.csv").write_text("id;plan;churned\n" + lines)
    found = sample(tmp_path).frame
    assert found["plan"].dropna().tolist() == [1.46, 1.46, 0.46, 0.46]
