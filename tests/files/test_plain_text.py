"""Large plain text tables are read by pyarrow: the same frames, notes and errors as by the csv module."""

import gzip

import numpy as np
import pandas as pd
import pytest

from tabcast.files import TableFileError, read_table_file
from tabcast.files import _delimited as delimited
from tabcast.files import _plain_text as plain_text

PLAIN = {
    "plain": b"a,b,c\n1,x,007\n2,,\n",
    "no line end": b"a,b\n1,2",
    "windows": b"a;b\r\n1;2\r\n;3\r\n",
    "tabs, spaces and letters": "größe\tname\n 1 \t Zoë \n2\tNA\n".encode(),
    "blank lines between": b"a,b\n\n1,2\n\n\n3,4\n\n",
    "a missing name": b"a,,c\n1,2,3\n",
    "a vertical tab in a field": b"a,b\n1,x\x0by\n",
    "a line separator in a field": "a,b\n1,x\u2028y\n".encode(),
}
NOT_PLAIN = {
    "quotes": b'a,b\n1,"x,y"\n2,""\n',
    "lone carriage returns": b"a,b\r1,2\r3,4\r",
    "one of them": b"a,b\n1,2\r3,4\n",
    "another encoding": "a,b\n1,\xe9\n".encode("latin-1"),
    "a byte-order mark": b"\xef\xbb\xbfa,b\n1,2\n",
    "excel says the delimiter": b"sep=;\na;b\n1;2\n",
    "blank lines above the header": b"\n\na,b\n1,2\n",
    "a line of spaces": b"a,b\n1,2\n   \n3,4\n",
    "an old end of file": b"a,b\n1,2\n\x1a",
    "one column": b"a\n1\n2\n",
    "spaces before quotes": b'a, "b"\n1, "2"\n',
}
BROKEN = {
    "too few fields": b"a,b\n1,2\n3\n",
    "too many fields": b"a,b\n1,2\n3,4,5\n",
    "a field that is too long": b"a,b\n1," + b"x" * (delimited.LONGEST_FIELD + 1) + b"\n",
    "no rows": b"a,b\n",
}


def read(path):
    """The frame with its notes, or the error."""
    try:
        frame = read_table_file(path)
    except TableFileError as error:
        return str(error)
    return frame, frame.attrs


@pytest.mark.parametrize(
    "content", {**PLAIN, **NOT_PLAIN, **BROKEN}.values(), ids={**PLAIN, **NOT_PLAIN, **BROKEN}.keys()
)
@pytest.mark.parametrize("zipped", [False, True])
def test_both_ways_of_reading_agree(content, zipped, tmp_path, monkeypatch):
    path = tmp_path / ("table.csv.gz" if zipped else "table.csv")
    path.write_bytes(gzip.compress(content) if zipped else content)
    slow = read(path)
    monkeypatch.setattr(plain_text, "FEWEST_BYTES", 0)
    fast = read(path)
    if isinstance(slow, str):
        assert fast == slow
    else:
        pd.testing.assert_frame_equal(fast[0], slow[0])
        assert fast[1] == slow[1]


@pytest.mark.parametrize(("content", "taken"), [(PLAIN["plain"], True), (NOT_PLAIN["quotes"], False)])
def test_which_files_are_plain(content, taken, tmp_path, monkeypatch):
    monkeypatch.setattr(plain_text, "FEWEST_BYTES", 0)
    path, seen = tmp_path / "table.csv", []
    path.write_bytes(content)
    monkeypatch.setattr(delimited, "read_plain", lambda *given: seen.append(plain_text.read_plain(*given)) or seen[-1])
    read_table_file(path)
    assert [one is not None for one in seen] == [taken]


def test_a_line_end_on_the_edge_of_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr(plain_text, "FEWEST_BYTES", 0)
    monkeypatch.setattr(plain_text, "BLOCK_BYTES", 20)
    path = tmp_path / "table.csv"
    for length in range(12):  # the carriage return wanders over the edge
        path.write_bytes(b"a,b\r\n" + b"x" * length + b",1\r\n" + b"2,3\r\n" * 8)
        assert read_table_file(path)["b"].tolist() == ["1", *["3"] * 8]


def test_random_tables(tmp_path, monkeypatch):
    random, path = np.random.default_rng(0), tmp_path / "table.csv"
    pieces = ["", "0", "x", " ", "é", "\t", "NA", "1e5", "-"]
    for trial in range(30):
        rows = [[random.choice(pieces) + random.choice(pieces) for _ in range(3)] for _ in range(random.integers(1, 9))]
        path.write_text("a,b,c\n" + "\n".join(map(",".join, rows)) + "\n" * int(trial % 3), encoding="utf-8")
        monkeypatch.setattr(plain_text, "FEWEST_BYTES", 1 << 60)
        slow = read(path)
        monkeypatch.setattr(plain_text, "FEWEST_BYTES", 0)
        pd.testing.assert_frame_equal(read(path)[0], slow[0])
