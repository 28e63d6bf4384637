"""Reading: what a file holds comes back, and a file that is no table is refused in one sentence."""

import csv
import gzip
import io
import os
import zipfile

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather, parquet

from tabcast.files import TableFileError, read_table_file, write_table_file
from tabcast.files._read import open_table_file, read_notes
from tests.conftest import need_pyarrow, needs, read_dataset

ROWS = "name,age\nAnn,31\nBob,45\n"


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(("delimiter", "ending"), [(",", ".tsv"), (";", ".csv"), ("\t", ".txt"), ("|", "")])
def test_the_delimiter_is_found_whatever_the_name(tmp_path, delimiter, ending):
    path = put(tmp_path, f"table{ending}", ROWS.replace(",", delimiter))
    frame = read_table_file(path)
    assert frame.to_dict("list") == {"name": ["Ann", "Bob"], "age": ["31", "45"]}


TEXTS = {
    "decimal commas": ("a;b\n1,5;2,25\n3,0;4,75\n", [["1,5", "2,25"], ["3,0", "4,75"]]),
    "commas in prose": ("note|b\nwell, then, so|1\nyes, no|2\n", [["well, then, so", "1"], ["yes, no", "2"]]),
    "leading zeros": ("a,b\n007,1e5\n0123,1_000\n", [["007", "1e5"], ["0123", "1_000"]]),
    "quoted newline": ('a,b\n"one\ntwo",2\n"three",4\n', [["one\ntwo", "2"], ["three", "4"]]),
    "quoted delimiter": ('a,b\n"1,5","2,5"\n"3,5","4,5"\n', [["1,5", "2,5"], ["3,5", "4,5"]]),
    "doubled quotes": ('a,b\n"say ""hi""",2\n', [['say "hi"', "2"]]),
    "a quote inside": ('a,b\n5" pipe,2\n', [['5" pipe', "2"]]),
    "words that mean nothing here": ("a,b\nNA,None\nnan,null\n", [["NA", "None"], ["nan", "null"]]),
    "blank lines": ("a,b\n\n1,2\n   \n3,4\n\n", [["1", "2"], ["3", "4"]]),
    "old line ends": ("a,b\r1,2\r3,4\r", [["1", "2"], ["3", "4"]]),
    "windows line ends": ("a,b\r\n1,2\r\n3,4", [["1", "2"], ["3", "4"]]),
    "excel's first line": ("sep=;\na;b\n1,5;2\n", [["1,5", "2"]]),
    "empty fields": ('a,b\n,2\n"",4\n', [[None, "2"], [None, "4"]]),
    "spaces stay": ("a,b\n x ,2\n", [[" x ", "2"]]),
    "one column": ("a\n1\n2\n", [["1"], ["2"]]),
}


@pytest.mark.parametrize("case", TEXTS)
def test_values_stay_the_text_they_were(tmp_path, case):
    text, expected = TEXTS[case]
    frame = read_table_file(put(tmp_path, "table.csv", text))
    got = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    assert got == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom", "cp1252"])
@pytest.mark.parametrize("packed", [False, True])
def test_encodings(tmp_path, encoding, packed):
    text = "größe,straße\nklein,Ä\ngroß,é\n"
    content = b"\xff\xfe" + text.encode("utf-16-le") if encoding == "utf-16-le-bom" else text.encode(encoding)
    path = put(tmp_path, "table.csv.gz" if packed else "table.csv", gzip.compress(content) if packed else content)
    frame = read_table_file(path)
    assert frame.to_dict("list") == {"größe": ["klein", "groß"], "straße": ["Ä", "é"]}
    notes = read_notes(frame)
    assert (["Windows-1252" in note for note in notes] == [True]) if encoding == "cp1252" else notes == []


def test_a_letter_cut_by_the_end_of_a_block_is_still_utf8(tmp_path, monkeypatch):
    monkeypatch.setattr("tabcast.files._read.BLOCK", 7)
    frame = read_table_file(put(tmp_path, "table.csv", "a,b\n" + "ä,ö\n" * 9))
    assert frame["a"].tolist() == ["ä"] * 9
    assert read_notes(frame) == []


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
@pytest.mark.parametrize("called", [None, "table.csv", "table.dat"])
@needs("pyarrow")
def test_typed_files_keep_their_types_whatever_the_name(tmp_path, ending, called):
    table = pd.DataFrame(
        {
            "n": [1, 2, 3],
            "x": [0.1, np.nan, 1e300],
            "c": pd.Categorical(["u", None, "v"]),
            "t": ["a", "b", None],
            "d": pd.to_datetime(["2020-01-01", None, "2021-05-06"]),
            "b": [True, False, True],
        },
        index=[7, 8, 9],
    )
    path = tmp_path / f"table{ending}"
    (table.to_parquet if ending == ".parquet" else table.reset_index(drop=True).to_feather)(path)
    if called:
        path = path.rename(tmp_path / called)
    frame = read_table_file(path)
    pd.testing.assert_frame_equal(frame, table.reset_index(drop=True), check_freq=False, check_dtype=False)
    assert [str(kind) for kind in frame.dtypes[["n", "x", "c", "b"]]] == ["int64", "float64", "category", "bool"]


@needs("pyarrow")
def test_a_named_index_of_pandas_is_a_column(tmp_path):
    table = pd.DataFrame({"x": [1.0, 2.0]}, index=pd.Index(["p", "q"], name="key"))
    table.to_parquet(tmp_path / "t.parquet")
    frame = read_table_file(tmp_path / "t.parquet")
    assert frame.to_dict("list") == {"x": [1.0, 2.0], "key": ["p", "q"]}


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "t.feather"])
@pytest.mark.parametrize("batch_rows", [7, 1000])
def test_batches_are_the_table(tmp_path, name, batch_rows):
    need_pyarrow(name)
    random = np.random.default_rng(0)
    table = pd.DataFrame({"x": random.normal(size=100), "c": random.choice(["a", "b", ""], 100)})
    write_table_file(table, tmp_path / name)
    table = open_table_file(tmp_path / name)
    batches = [batch for batch, _ in table.batches(batch_rows, table.names)]
    assert [len(batch) for batch in batches] == [min(batch_rows, 100 - start) for start in range(0, 100, batch_rows)]
    pd.testing.assert_frame_equal(pd.concat(batches), read_table_file(tmp_path / name))


@pytest.mark.parametrize("name", ["car", "credit-g"])
@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".parquet", ".feather"])
def test_real_tables_come_back(tmp_path, name, ending):
    need_pyarrow(ending)
    X, y = read_dataset(name)
    table = X.mask(np.random.default_rng(0).random(X.shape) < 0.1).assign(target=y)
    write_table_file(table, tmp_path / f"t{ending}")
    frame = read_table_file(tmp_path / f"t{ending}")
    assert list(frame.columns) == list(table.columns)
    for column in table.columns:
        got, expected = frame[column], table[column]
        if pd.api.types.is_numeric_dtype(expected):
            np.testing.assert_array_equal(got.astype(float), expected.astype(float))
        else:
            assert got.astype(object).where(got.notna(), None).tolist() == [
                None if pd.isna(value) else value for value in expected
            ]


def xlsx():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return packed.getvalue()


def zipped():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("table.csv", ROWS)
    return packed.getvalue()


REFUSED = {
    "empty file": ("t.csv", "", "t.csv is empty"),
    "blank lines only": ("t.csv", "\n\n  \n", "no column names"),
    "byte-order mark only": ("t.csv", b"\xff\xfe", "no column names"),
    "utf-8 mark only": ("t.csv", b"\xef\xbb\xbf", "no column names"),
    "header only": ("t.csv", "a,b\n", "has a header line but no rows"),
    "header only, no line end": ("t.csv", "a,b", "has a header line but no rows"),
    "no name": ("t.csv", "a,,c\n1,2,3\n", "Column 2 of t.csv has no name"),
    "short row": ("t.csv", "a,b\n1,2\n3\n4,5\n", "Line 3 of t.csv has only 1 fields, the header has 2"),
    "long row": ("t.csv", "a,b\n1,2\n\n3,4,5\n", "Line 4 of t.csv has 3 fields, the header has 2"),
    "long after a quoted newline": ("t.csv", 'a,b\n"1\n1",2\n3,4,5\n', "Line 4 of t.csv has 3 fields"),
    "open quote": ("t.csv", 'a,b\n1,2\n"3,4\n5,6\n', "Line 3 of t.csv opens a double quote that is never closed"),
    "after a quote": ("t.csv", 'a,b\n"1"2,3\n', "Line 2 of t.csv has characters after a closing double quote"),
    "huge field": ("t.csv", 'a,b\n"' + "x" * 10_000_001 + '",2\n', "Line 2 .* more than 10,000,000 characters"),
    "long field, open quote": ("t.csv", 'a,b\n"' + "x" * 200_000 + ",2\n", "Line 2 .* quote that is never closed"),
    "zero bytes": ("t.csv", b"a,b\n1,\x002\n", "zero bytes"),
    "utf-16 without a mark": ("t.csv", "a,b\n1,2\n".encode("utf-16-le"), "UTF-16"),
    "controls": ("t.csv", bytes(range(1, 32)) * 9, "control characters"),
    "broken utf-16": ("t.csv", b"\xff\xfe" + b"\x00\xd8\x00\xd8" * 5, "broken encoding"),
    "cut utf-16": ("t.csv", b"\xff\xfe\x00\x01\x00", "broken encoding"),
    "utf-16 cut after many lines": ("t.csv", ROWS.encode("utf-16")[:-1], "broken encoding"),
    "utf-8 mark, then none": ("t.csv", b"\xef\xbb\xbfa,b\n" + b"1,2\n" * 5 + b"\xe4,2\n", "broken encoding"),
    "broken encoding": ("t.csv", b"a,b\n\x81\x8d\xff,2\n", "neither UTF-8 nor Windows-1252"),
    "xlsx": ("t.xlsx", xlsx(), "damaged or incomplete Excel file|openpyxl is needed for t.xlsx"),
    "xlsx called csv": ("t.csv", xlsx(), "an Office file not called .xlsx"),
    "cut xlsx": ("t.xlsx", xlsx()[:90], "damaged or incomplete Excel file|openpyxl is needed"),
    "old xls": ("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "old Excel"),
    "zip": ("t.zip", zipped(), "zip archive.* unpack it"),
    "zip called csv": ("t.csv", zipped(), "zip archive"),
    "bzip2": ("t.csv.bz2", b"BZh91AY&SY", "bzip2"),
    "tar.gz": (
        "t.tar.gz",
        gzip.compress(b"t.csv" + bytes(252) + b"ustar" + bytes(250)),
        "so it is not a text table; unpack it",
    ),
    "gzip of parquet": ("t.parquet.gz", gzip.compress(b"PAR1" + bytes(99)), "damaged or incomplete Parquet"),
    "gzip of nothing": ("t.csv.gz", gzip.compress(b""), "t.csv.gz is empty"),
    "cut gzip": (
        "t.csv.gz",
        gzip.compress(f"a,b\n1,{os.urandom(5000).hex()}\n".encode())[:-700],
        "damaged or incomplete gzip",
    ),
    "sqlite": ("t.csv", b"SQLite format 3\x00" + bytes(99), "SQLite"),
    "pdf": ("t.csv", b"%PDF-1.7 ...", "PDF"),
    "web page": ("t.csv", "<!DOCTYPE html><html>sign in</html>", "web page"),
    "json": ("t.csv", '[{"a": 1}]', "JSON"),
    "json lines": ("t.csv", '{"a": 1}\n{"a": 2}\n', "JSON"),
    "text called parquet": (
        "t.parquet",
        ROWS,
        "holds text, and is not what its ending '.parquet' says; rename it to .csv",
    ),
    "text called feather": ("t.feather", ROWS, "holds text, and is not what its ending"),
    "unknown ending": ("t.docx", ROWS, "its ending '.docx'"),
    "cut parquet": ("t.parquet", b"PAR1" + bytes(50), "damaged or incomplete Parquet"),
    "cut feather": ("t.feather", b"ARROW1\x00\x00" + bytes(50), "damaged or incomplete Feather"),
    "only delimiters": ("t.csv", ",,,\n,,,\n", "no column names"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_table_is_refused_in_one_sentence(tmp_path, case):
    name, content, sentence = REFUSED[case]
    if sentence.startswith("damaged"):
        need_pyarrow(name)
    with pytest.raises(TableFileError, match=sentence) as error:
        read_table_file(put(tmp_path, name, content))
    assert "\n" not in str(error.value)


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(TableFileError, match="a folder or no regular file; name a file"):
        read_table_file(tmp_path)
    with pytest.raises(TableFileError, match=r"There is no file t.csv \(not in"):
        read_table_file(tmp_path / "t.csv")
    with pytest.raises(TableFileError, match="there is no folder"):
        read_table_file(tmp_path / "nowhere" / "t.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(TableFileError, match="no regular file"):
        read_table_file(tmp_path / "pipe.csv")


def test_no_permission(tmp_path, monkeypatch):
    path = put(tmp_path, "t.csv", ROWS)
    path.chmod(0)
    if os.access(path, os.R_OK):  # root reads everything: let the system's refusal be played

        def refuse(*args, **kwargs):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr("tabcast.files._read.open", refuse, raising=False)
    with pytest.raises(TableFileError, match=r"t\.csv cannot be opened: Permission denied"):
        read_table_file(path)


# A first column that is never empty: a line of nothing but missing values looks like a blank one in a narrow table.
cells = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=12)
filled = cells.filter(lambda text: text.strip(" \t\x1a") != "")
grids = st.integers(2, 5).flatmap(
    lambda width: st.lists(
        st.tuples(filled, *[cells] * (width - 1)).map(list) | st.tuples(*[filled] * width).map(list),
        min_size=1,
        max_size=12,
    )
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=grids, encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), ending=st.sampled_from(["csv", "tsv"]))
def test_any_text_comes_back(tmp_path, rows, encoding, ending):
    names = [f"column {number}" for number in range(len(rows[0]))]
    rows = [row for row in rows if len(row) == len(names)]
    table = pd.DataFrame(rows, columns=names, dtype=object)
    path = tmp_path / f"t.{ending}"
    text = table.to_csv(index=False, sep="," if ending == "csv" else "\t", quoting=1)
    path.write_bytes(text.encode(encoding))
    got = read_table_file(path)
    assert list(got.columns) == names
    assert got.astype(object).where(got.notna(), "").to_numpy().tolist() == rows


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.sampled_from(
        [b"", b"a,b\n", b"PAR1", b"ARROW1", b"FEA1", b"\x1f\x8b\x08\x00", b"PK\x03\x04", b"\xff\xfe"]
    ),
    content=st.binary(max_size=300) | st.text(max_size=100).map(lambda text: text.encode("utf-16-le")),
    ending=st.sampled_from(["csv", "csv.gz", "parquet", "feather"]),
)
def test_any_bytes_are_a_table_or_refused(tmp_path, start, content, ending):
    path = put(tmp_path, f"t.{ending}", start + content)
    frame, sentence = None, ""
    try:
        frame = read_table_file(path)
    except TableFileError as error:
        sentence = str(error)
    assert sentence.isprintable()
    assert frame is None or (len(frame) > 0 and frame.columns.is_unique)


def test_line_breaks_in_column_names_become_spaces(tmp_path):
    (tmp_path / "table.csv").write_text('"annual\n income","a\r\nb",c\n1,2,3\n')
    frame = read_table_file(tmp_path / "table.csv")
    assert frame.columns.tolist() == ["annual income", "a b", "c"]


@needs("pyarrow")
def test_line_breaks_in_column_names_of_parquet_become_spaces(tmp_path):
    pd.DataFrame({"a\nb": [1], "c": [2]}).to_parquet(tmp_path / "table.parquet")
    frame = read_table_file(tmp_path / "table.parquet")
    assert frame.columns.tolist() == ["a b", "c"]
    assert frame["a b"].tolist() == [1]
    (tmp_path / "twice.csv").write_text('"a\nb",a b\n1,2\n')
    assert read_table_file(tmp_path / "twice.csv").columns.tolist() == ["a b", "a b.2"]


@pytest.mark.parametrize(
    ("header", "names"),
    [("a,b,a", ["a", "b", "a.2"]), ("a,a, a", ["a", "a.2", "a.3"]), ("a,a.2,a", ["a", "a.2", "a.3"])],
)
def test_later_columns_of_the_same_name_are_renamed(header, names, tmp_path):
    (tmp_path / "table.csv").write_text(f"{header}\n1,2,3\n")
    frame = read_table_file(tmp_path / "table.csv")
    assert frame.columns.tolist() == names
    assert frame.iloc[0].tolist() == ["1", "2", "3"]
    assert "More than one column has the same name" in frame.attrs["notes"][0]
    assert repr(names[2]) in frame.attrs["notes"][0]


def test_an_index_without_a_name_gets_one(tmp_path):
    pd.DataFrame({"a": [5, 6], "b": [7, 8]}).to_csv(tmp_path / "table.csv")
    frame = read_table_file(tmp_path / "table.csv")
    assert frame.columns.tolist() == ["Unnamed: 0", "a", "b"]
    assert "like an index that pandas writes" in frame.attrs["notes"][0]


def test_a_cell_of_a_million_characters_is_read(tmp_path):
    path, limit = tmp_path / "t.csv", csv.field_size_limit()
    text = "long, " * 200_000
    pd.DataFrame({"a": [1, 2], "note": [text, "short"]}).to_csv(path, index=False)
    assert read_table_file(path)["note"].tolist() == [text, "short"]
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize("write", [parquet.write_table, feather.write_feather])
def test_two_columns_of_one_name_are_named(write, tmp_path):
    columns = [pa.array([1, 2]), pa.array([3, 4]), pa.array(["x", "y"])]
    write(pa.table(columns, names=["income", "income", "b"]), tmp_path / "t.parquet")
    with pytest.raises(TableFileError, match=r"^t\.parquet has columns of the same name, 'income'; rename or remove"):
        read_table_file(tmp_path / "t.parquet")


@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
def test_integers_of_128_bits_are_the_cause_that_is_named(name, tmp_path):
    frame = polars.DataFrame({"account": polars.Series([1, 2]).cast(polars.Int128)})
    try:
        (frame.write_parquet if name == "t.parquet" else frame.write_ipc)(tmp_path / name)
    except polars.exceptions.ComputeError as error:
        pytest.skip(f"this polars cannot write them: {error}")
    with pytest.raises(TableFileError, match=r"has a column of a type that is not read \(Integers with more than 64 "):
        read_table_file(tmp_path / name)


def test_levels_that_differ_in_spaces_or_case(tmp_path):
    levels = pd.Categorical([" red", "red ", "Red", "blue"], categories=["red ", " red", "blue", "Red"])
    pd.DataFrame({"color": levels}).to_parquet(tmp_path / "t.parquet")
    pd.DataFrame({"color": levels}).to_csv(tmp_path / "t.csv", index=False)
    for name in ("t.parquet", "t.csv"):
        assert read_table_file(tmp_path / name)["color"].astype(str).str.strip().tolist() == [
            "red",
            "red",
            "Red",
            "blue",
        ]
