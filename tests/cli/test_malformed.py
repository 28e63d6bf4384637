"""More than two hundred broken inputs to `tabcast fit`: one sentence, exit code 2, nothing written, every time."""

import gzip
import io
import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tabcast.cli.main import app
from tests.files.test_read_table_file import REFUSED

RUNNER = CliRunner()


def table(n_rows=60, **columns):
    """A good table, but for the columns given."""
    random = np.random.default_rng(0)
    good = {
        "age": random.integers(18, 80, n_rows),
        "income": random.normal(3000, 500, n_rows).round(2),
        "city": random.choice(["Bonn", "Ulm", "Jena"], n_rows),
        "churned": np.where(np.arange(n_rows) < n_rows // 2, random.choice(["no", "yes"], n_rows), None),
    }
    return pd.DataFrame(good | columns)


def csv(frame, **options):
    return frame.to_csv(index=False, **options).encode()


def parquet(frame):
    """A Parquet file; one that is refused as well where pyarrow is missing."""
    if find_spec("pyarrow") is None:
        return b"PAR1"
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


def feather(frame):
    """A Feather file; one that is refused as well where pyarrow is missing."""
    if find_spec("pyarrow") is None:
        return b"ARROW1"
    file = io.BytesIO()
    frame.to_feather(file)
    return file.getvalue()


GOOD = csv(table())
LINES = GOOD.decode().splitlines(keepends=True)
LABELED = table()["churned"].notna().to_numpy()
LABELS = np.where(np.arange(60) % 2, "yes", "no").astype(object)

# name: (file name, its bytes, options)
TARGET = ["--target", "churned"]
INPUTS = {f"file: {case}": (name, content, TARGET) for case, (name, content, _) in REFUSED.items()}
BROKEN_TABLES = {
    "none labeled": table(churned=None),
    "none labeled, in words": table(churned="NA"),
    "one class": table(churned=np.where(LABELED, "yes", None)),
    "one class and spaces": table(churned=np.where(LABELED, np.where(LABELS == "no", "yes ", " yes"), None)),
    "one labeled row": table(churned=np.where(np.arange(60) == 3, "yes", None)),
    "two labeled rows": table(churned=np.where(np.arange(60) == 3, "yes", np.where(np.arange(60) == 7, "no", None))),
    "a class for every row": table(churned=[f"class {i}" for i in range(60)]),
    "nearly a class for every row": table(churned=[f"class {i % 45}" for i in range(60)]),
    "a quantity": table(churned=np.random.default_rng(0).normal(size=60)),
    "a count": table(churned=np.arange(60) * 7),
    "dates": table(churned=pd.date_range("2020-01-01", periods=60).astype(str)),
    "only the target": table()[["churned"]],
    "only keys": table()[["churned"]].assign(id=np.arange(60), code=[f"w{i}" for i in range(60)]),
    "only constants": table()[["churned"]].assign(a=1, b="x"),
    "only empty columns": table()[["churned"]].assign(a=None, b=np.nan),
    "only free text": table()[["churned"]].assign(note=[f"this is the note with number {i}" for i in range(60)]),
    "all labeled": table(churned=LABELS),
    "no rows": table().iloc[:0],
    "target missing": table().drop(columns="churned"),
    "target in capitals": table().rename(columns={"churned": "CHURNED"}),
    "target misspelled": table().rename(columns={"churned": "churn"}),
    "target with a line end": table().rename(columns={"churned": "churned\nagain"}),
}
for case, broken in BROKEN_TABLES.items():
    INPUTS[f"csv: {case}"] = ("t.csv", csv(broken), TARGET)
    INPUTS[f"tsv.gz: {case}"] = ("t.tsv.gz", gzip.compress(csv(broken, sep="\t")), TARGET)
    INPUTS[f"parquet: {case}"] = ("t.parquet", parquet(broken), TARGET)
    INPUTS[f"feather: {case}"] = ("t.feather", feather(broken), TARGET)
INPUTS |= {
    "no header": ("t.csv", csv(table(), header=False), TARGET),
    "numbers as header": ("t.csv", csv(table()[["age", "income"]], header=False), TARGET),
    "separated by spaces": ("t.csv", csv(table(), sep=" "), TARGET),
    "separated by colons": ("t.csv", csv(table(), sep=":"), TARGET),
    "wrong target name": ("t.csv", GOOD, ["--target", "nothing like it"]),
    "empty target name": ("t.csv", GOOD, ["--target", ""]),
    "target is a space": ("t.csv", GOOD, ["--target", " "]),
    "target in html": ("t.csv", GOOD, ["--target", "<script>alert(1)</script>"]),
    "target of many lines": ("t.csv", GOOD, ["--target", "a\nb\nc"]),
    "everything ignored": ("t.csv", GOOD, [*TARGET, "--ignore", "age", "--ignore", "income", "--ignore", "city"]),
    "ignore what is not there": ("t.csv", GOOD, [*TARGET, "--ignore", "size"]),
    "use what is not there": ("t.csv", GOOD, [*TARGET, "--use", "size"]),
    "category that is not there": ("t.csv", GOOD, [*TARGET, "--category", "size"]),
    "category and ignored": ("t.csv", GOOD, [*TARGET, "--ignore", "age", "--category", "age"]),
    "ignore the target": ("t.csv", GOOD, [*TARGET, "--ignore", "churned"]),
    "use and ignore": ("t.csv", GOOD, [*TARGET, "--ignore", "age", "--use", "age"]),
    "use an empty column": ("t.csv", csv(table(none=None)), [*TARGET, "--use", "none"]),
    "every label means none": ("t.csv", csv(table(churned="?")), [*TARGET, "--missing-label", "?"]),
    "one class is left": ("t.csv", csv(table(churned=LABELS)), [*TARGET, "--missing-label", "no"]),
    "cut in a quote": ("t.csv", GOOD + b'"31,', TARGET),
    "cut in the last line": ("t.csv", GOOD + b"31,2000", TARGET),
    "two tables in one": ("t.csv", GOOD + b"\nname,size\n1,2\n", TARGET),
    "a line before the header": ("t.csv", b"Customers of 2024\n" + GOOD, TARGET),
    "cut parquet": ("t.parquet", parquet(table())[:-100], TARGET),
    "cut feather": ("t.feather", feather(table())[:-100], TARGET),
    "cut gzip": ("t.csv.gz", gzip.compress(GOOD)[:-40], TARGET),
    "gzip with a broken middle": (
        "t.csv.gz",
        (lambda packed: packed[:200] + bytes(40) + packed[240:])(gzip.compress(GOOD)),
        TARGET,
    ),
    "twice gzipped": ("t.csv.gz", gzip.compress(gzip.compress(GOOD)), TARGET),
    "latin zero bytes": ("t.csv", GOOD.replace(b"Bonn", b"Bo\x00nn"), TARGET),
    "utf-16 without a mark": ("t.csv", GOOD.decode().encode("utf-16-be"), TARGET),
    "utf-16 cut in a letter": ("t.csv", GOOD.decode().encode("utf-16")[:-1], TARGET),
    "parquet called feather and cut": ("t.feather", parquet(table())[:-9], TARGET),
    "csv called parquet": ("t.parquet", GOOD, TARGET),
    "csv called xlsx": ("t.xlsx", GOOD, TARGET),
    "csv called json": ("t.json", GOOD, TARGET),
    "csv called py": ("t.py", GOOD, TARGET),
}


def check(folder, path, options):
    """Run `tabcast fit`; one line, exit code 2, nothing written. Returns the line."""
    before = sorted(folder.rglob("*"))
    result = RUNNER.invoke(app, ["fit", str(path), *options, "--out", str(folder / "out")])
    assert result.exit_code == 2, (result.exit_code, result.output, result.exception)
    lines = result.output.rstrip("\n").split("\n")
    assert len(lines) == 1, result.output
    assert len(lines[0]) > 20
    assert lines[0][-1] in ".?"
    assert "Traceback" not in result.output
    assert sorted(folder.rglob("*")) == before
    return lines[0]


@pytest.mark.parametrize("case", INPUTS)
def test_by_hand(tmp_path, case):
    name, content, options = INPUTS[case]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    sentence = check(tmp_path, path, options)
    assert not sentence.startswith("Error")


def test_paths(tmp_path):
    assert "is inside" in check(tmp_path, tmp_path, TARGET)
    (tmp_path / "empty").mkdir()
    assert "no Parquet or CSV file in" in check(tmp_path, tmp_path / "empty", TARGET)
    assert "no file t.csv" in check(tmp_path, tmp_path / "t.csv", TARGET)
    assert "no folder" in check(tmp_path, tmp_path / "nowhere" / "t.csv", TARGET)
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    check(tmp_path, tmp_path / "loop.csv", TARGET)
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "gone.csv")
    check(tmp_path, tmp_path / "dangling.csv", TARGET)
    check(tmp_path, tmp_path / ("x" * 300 + ".csv"), TARGET)
    os.mkfifo(tmp_path / "pipe.csv")
    check(tmp_path, tmp_path / "pipe.csv", TARGET)


OTHERS = {
    "empty": ("more.csv", b""),
    "not there": ("more.csv", None),
    "other columns": ("more.csv", b"size,weight\n1,2\n"),
    "ragged": ("more.csv", b"age,income,city\n1,2,Bonn\n1,2\n"),
    "header only": ("more.csv", b"age,income,city\n"),
    "excel": ("more.csv", b"PK\x03\x04 xl/ [Content_Types].xml"),
    "cut parquet": ("more.parquet", b"PAR1" + bytes(30)),
}


@pytest.mark.parametrize("case", OTHERS)
def test_a_broken_table_of_unlabeled_rows(tmp_path, case):
    name, content = OTHERS[case]
    (tmp_path / "t.csv").write_bytes(GOOD)
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert name in check(tmp_path, tmp_path / "t.csv", [*TARGET, "--unlabeled", str(tmp_path / name)])


ANY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@ANY
@given(content=st.binary(max_size=400), name=st.sampled_from(["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "t.feather"]))
def test_any_bytes(tmp_path, content, name):
    (tmp_path / name).write_bytes(content)
    check(tmp_path, tmp_path / name, TARGET)


@ANY
@given(
    start=st.sampled_from([b"PAR1", b"ARROW1", b"FEA1", b"\x1f\x8b\x08", b"PK\x03\x04", b"\xff\xfe", b"\xef\xbb\xbf"]),
    content=st.binary(max_size=400),
)
def test_any_bytes_that_begin_like_something(tmp_path, start, content):
    (tmp_path / "t.csv").write_bytes(start + content)
    check(tmp_path, tmp_path / "t.csv", TARGET)


@ANY
@given(text=st.text(max_size=300))
def test_any_text(tmp_path, text):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8", newline="")
    check(tmp_path, tmp_path / "t.csv", TARGET)


@ANY
@given(
    line=st.integers(1, len(LINES) - 1),
    damage=st.sampled_from(["shorter", "longer", "open quote", "after a quote", "zero byte", "broken letter"]),
)
def test_a_good_table_with_one_broken_line(tmp_path, line, damage):
    lines = list(LINES)
    lines[line] = {
        "shorter": lines[line].split(",", 1)[1],
        "longer": "1," + lines[line],
        "open quote": '"' + lines[line],
        "after a quote": '"x"y' + lines[line],
        "zero byte": "\x00" + lines[line],
        "broken letter": "\x81" + lines[line],
    }[damage]
    (tmp_path / "t.csv").write_bytes("".join(lines).encode("latin-1"))
    sentence = check(tmp_path, tmp_path / "t.csv", TARGET)
    if damage in ("shorter", "longer", "open quote", "after a quote"):
        assert f"Line {line + 1} of t.csv" in sentence


@ANY
@given(
    names=st.lists(
        st.sampled_from(["age", "income", "city", "churned", "", " age", "churned "]), min_size=4, max_size=4
    ),
    ending=st.sampled_from([".csv", ".tsv", ".csv.gz"]),
)
def test_a_good_table_with_broken_names(tmp_path, names, ending):
    stripped = [name.strip() for name in names]
    if "" not in stripped[1:] and "churned" in stripped:  # an index may have no name, and a name may be there twice
        names[1] = ""
    rows = "\t".join(names) + "\n" + "".join(LINES[1:]).replace(",", "\t")
    content = rows.encode() if ending == ".tsv" else rows.replace("\t", ",").encode()
    (tmp_path / f"t{ending}").write_bytes(gzip.compress(content) if ending == ".csv.gz" else content)
    check(tmp_path, tmp_path / f"t{ending}", TARGET)


@ANY
@given(
    packed=st.sampled_from(["t.csv.gz", "t.parquet", "t.feather"]),
    cut=st.floats(0.02, 0.98),
)
def test_a_good_file_that_is_cut(tmp_path, packed, cut):
    content = {"t.csv.gz": gzip.compress(GOOD), "t.parquet": parquet(table()), "t.feather": feather(table())}[packed]
    (tmp_path / packed).write_bytes(content[: int(cut * len(content))])
    check(tmp_path, tmp_path / packed, TARGET)


IN_A_PROCESS = ["csv: one class", "csv called parquet", "cut in a quote"]


@pytest.mark.parametrize(
    "case", [IN_A_PROCESS[0], *(pytest.param(case, marks=pytest.mark.slow) for case in IN_A_PROCESS[1:])]
)
def test_in_a_process_of_its_own(tmp_path, case):
    name, content, options = INPUTS[case]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert_refused(tmp_path, name, options)


def test_no_permission(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes(GOOD)
    path.chmod(0)
    if not os.access(path, os.R_OK):
        assert_refused(tmp_path, "t.csv", TARGET, "t.csv cannot be opened: Permission denied")
        return

    def refuse(*args, **kwargs):  # root reads everything: let the system's refusal be played
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("tabcast.files._read.open", refuse, raising=False)
    assert "t.csv cannot be opened: Permission denied" in check(tmp_path, path, TARGET)


def assert_refused(folder, name, options, sentence="", **process):
    before = sorted(folder.rglob("*"))
    command = [sys.executable, "-c", "from tabcast.cli.main import app; app()"]
    result = subprocess.run(
        [*command, "fit", name, *options, "--out", "out"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        **process,
    )
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert sentence in result.stderr
    assert sorted(folder.rglob("*")) == before


def test_there_are_enough_of_them():
    assert len(INPUTS) > 150  # and 40 of each of the six kinds above
