"""Random tables and table files, plain and odd ones. The same seed draws the same table."""

from __future__ import annotations

import datetime
import decimal
import gzip
import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

Random = np.random.Generator


def pick(random: Random, options: Any, odd: Any = (), odds: float = 0.1) -> Any:
    """One of the options; with a probability of `odds`, one of the odd ones."""
    chosen = list(odd) if len(odd) and random.random() < odds else list(options)
    return chosen[random.integers(len(chosen))]


# --- Columns: functions of the random generator and of the true class of each row, so that there is something to learn.


def _floats(random: Random, truth: Any) -> Any:
    return np.round(random.normal(truth, 1.0), 2)


def _integers(random: Random, truth: Any) -> Any:
    return random.integers(0, 6, len(truth)) + truth


def _words(random: Random, truth: Any) -> Any:
    return np.array(["Ulm", "Bonn", "Kiel", "Köln"], dtype=object)[(truth + random.integers(0, 2, len(truth))) % 4]


def _dates(random: Random, truth: Any) -> Any:
    return pd.Timestamp("2021-03-04") + pd.to_timedelta(random.integers(0, 900, len(truth)) + 99 * truth, unit="D")


def _missing(values: Any, random: Random, dtype: Any = None) -> Any:
    """Values of which some are missing."""
    series = pd.Series(values, dtype=dtype)
    return series.mask(random.random(len(series)) < random.choice([0.1, 0.5, 0.95]))


PLAIN_COLUMNS: dict[str, Callable[[Random, Any], Any]] = {
    "float": _floats,
    "float with missing values": lambda r, t: _missing(_floats(r, t), r),
    "float32": lambda r, t: _floats(r, t).astype("float32"),
    "integer": _integers,
    "int8": lambda r, t: _integers(r, t).astype("int8"),
    "bool": lambda r, t: r.random(len(t)) < 0.3 + 0.3 * (t % 2),
    "text": _words,
    "text with missing values": lambda r, t: _missing(_words(r, t), r, object),
    "category": lambda r, t: pd.Categorical(_words(r, t), categories=["Ulm", "Bonn", "Kiel", "Köln", "never"]),
    "Int64": lambda r, t: _missing(_integers(r, t), r, "Int64"),
    "boolean": lambda r, t: _missing(r.random(len(t)) < 0.5, r, "boolean"),
    "string": lambda r, t: _missing(_words(r, t), r, "string"),
    "digits as text": lambda r, t: _integers(r, t).astype(str).astype(object),
    "constant": lambda r, t: np.full(len(t), 7.0),
}
ODD_COLUMNS: dict[str, Callable[[Random, Any], Any]] = {
    "constant text": lambda r, t: np.full(len(t), "same", dtype=object),
    "date": _dates,
    "date with zone": lambda r, t: _dates(r, t).tz_localize("Europe/Berlin"),
    "dates as text": lambda r, t: _dates(r, t).strftime("%d.%m.%Y").astype(object),
    "python dates": lambda r, t: np.array([one.date() for one in _dates(r, t)], dtype=object),
    "duration": lambda r, t: _dates(r, t) - pd.Timestamp("2021-01-01"),
    "period": lambda r, t: pd.Series(_dates(r, t)).dt.to_period("M"),
    "category of numbers": lambda r, t: pd.Categorical(_integers(r, t), ordered=True),
    "Float64": lambda r, t: _missing(_floats(r, t), r, "Float64"),
    "uint64": lambda r, t: _integers(r, t).astype("uint64"),
    "int64[pyarrow]": lambda r, t: _missing(_integers(r, t), r, "int64[pyarrow]"),
    "string[pyarrow]": lambda r, t: _missing(_words(r, t), r, "string[pyarrow]"),
    "timestamp[pyarrow]": lambda r, t: pd.Series(_dates(r, t)).astype("timestamp[us][pyarrow]"),
    "empty": lambda r, t: np.full(len(t), np.nan),
    "empty object": lambda r, t: np.full(len(t), None, dtype=object),
    "empty category": lambda r, t: pd.Categorical([None] * len(t), categories=[]),
    "huge": lambda r, t: 1e300 * r.normal(size=len(t)),
    "tiny": lambda r, t: 1e-300 * r.normal(size=len(t)),
    "huge integers": lambda r, t: 2**53 + r.integers(0, 9, len(t)),
    "infinite": lambda r, t: np.where(r.random(len(t)) < 0.2, np.inf, _floats(r, t)),
    "numbers and words": lambda r, t: np.where(r.random(len(t)) < 0.3, _words(r, t), _integers(r, t).astype(object)),
    "python integers": lambda r, t: np.array([int(one) for one in _integers(r, t)], dtype=object),
    "long python integers": lambda r, t: np.array([10**30 + int(one) for one in t], dtype=object),
    "Decimal": lambda r, t: np.array([decimal.Decimal(int(one)) / 4 for one in _integers(r, t)], dtype=object),
    "lists": lambda r, t: pd.Series([[int(one)] for one in t], dtype=object),
    "tuples": lambda r, t: pd.Series([(int(one), 1) for one in t], dtype=object),
    "bytes": lambda r, t: np.array([word.encode() for word in _words(r, t)], dtype=object),
    "complex": lambda r, t: _floats(r, t) + 1j,
    "times": lambda r, t: np.array([datetime.time(int(one) % 24) for one in t], dtype=object),
    "different words": lambda r, t: np.array([f"w{i}" for i in r.permutation(len(t))], dtype=object),
    "long text": lambda r, t: np.array([("many words " * 9) + str(i) for i in range(len(t))], dtype=object),
}
BINARY_ENDINGS = [".parquet", ".feather", *([".xlsx"] if find_spec("openpyxl") else [])]
if find_spec("pyarrow") is None:  # an extra
    ODD_COLUMNS = {kind: make for kind, make in ODD_COLUMNS.items() if "pyarrow" not in kind}
    BINARY_ENDINGS = []
PLAIN_NAMES = ["age", "income", "city", "plan", "a", "b", "c", "d", "x1", "x2", "x3"]
ODD_NAMES = ["a b", " padded ", "Größe", "a,b", 'quo"te', "=1+1", "line\nend", "[<x>]", "", "Age", "prediction", "row"]
ODD_NAMES += ["x" * 300, "日本", "nul\x00", "probability_1", "id"]


def _name_columns(random: Random, n: int) -> list[Any]:
    """Names, all different as a rule; sometimes integers, sometimes one twice."""
    style = pick(random, ["plain"], ["odd", "integers", "mixed", "twice"], 0.3)
    if style == "integers":
        return list(range(n))
    names: list[Any] = random.choice(PLAIN_NAMES, n, replace=False).tolist()
    if style == "odd":
        names[: n // 2 + 1] = random.permutation(np.array(ODD_NAMES, dtype=object))[: n // 2 + 1].tolist()
    elif style == "mixed":
        names[0] = 0
    elif style == "twice":
        names[-1] = names[0]
    return names


# --- Labels: the classes to choose from.

PLAIN_LABELS: dict[str, list[Any]] = {
    "integers": [0, 1, 2],
    "text": ["no", "yes", "maybe"],
    "other integers": [3, 7, 40],
    "booleans": [False, True],
    "whole floats": [1.0, 2.0, 3.0],
}
ODD_LABELS: dict[str, list[Any]] = {
    "odd text": ["", " x", 'Größe, "quoted"\nline'],
    "words for nothing": ["none", "?", "-"],
    "with -1": [-1, 0, 1],
    "-1 and 1": [-1, 1],
    "text digits": ["1", "2", "10"],
    "NUL": ["a", "a\x00", "b"],
    "long integers": [2**53, 2**53 + 1, 2**53 + 2],
    "longer integers": [2**70, 2**70 + 1],
    "fractions": [0.5, 1.5, 2.5],
    "mixed": [0, "a", 1],
    "tuples": [(0, 1), (1, 0)],
    "dates": [datetime.date(2021, 1, 1), datetime.date(2022, 1, 1)],
    "one class": ["only"],
    "infinite": [0.0, np.inf],
    "formulas": ["=1+1", "@x", "+2"],
}
MARKERS = [None, np.nan, -1, "?"]


@dataclass(frozen=True)
class Table:
    """A table of features with labels, and how both are passed.

    Attributes
    ----------
    frame : DataFrame
        The features.
    kinds : list of str
        What each column is.
    labels : list
        The label of each row, None where it is unlabeled.
    label_kind : str
        What the labels are.
    marker : object
        What stands for unlabeled in y.
    container : str
        What X is passed as.
    wrapper : str
        What y is passed as.
    weights : ndarray or None
        Sample weights.
    """

    frame: pd.DataFrame
    kinds: list[str]
    labels: list[Any]
    label_kind: str
    marker: Any
    container: str
    wrapper: str
    weights: Any

    def __len__(self) -> int:
        return len(self.frame)

    def take(self, rows: Any) -> Table:
        """Some rows, in this order."""
        weights = self.weights
        if weights is not None and len(weights) == len(self):
            weights = weights[rows]
        return replace(self, frame=self.frame.iloc[rows], labels=[self.labels[one] for one in rows], weights=weights)

    @property
    def X(self) -> Any:
        """The features in their container."""
        return put_into(self.frame, self.container)

    @property
    def y(self) -> Any:
        """Labels and markers in their wrapper."""
        values = [self.marker if one is None else one for one in self.labels]
        if self.wrapper == "list":
            return values
        kinds = {type(one) for one in values}
        if self.wrapper == "array" and (kinds <= {bool, int, float} or kinds <= {str}):
            return np.array(values)
        if self.wrapper in ("array", "object array"):
            array = np.empty(len(values), dtype=object)
            array[:] = values
            return array
        if self.wrapper == "polars":
            import polars

            text = str in kinds  # polars would make text of -1, which is a class then
            gone = [one is self.marker and (one != one or (text and one == -1)) for one in values]
            return polars.Series(
                [None if missing else one for one, missing in zip(values, gone, strict=True)], strict=False
            )
        exact = "long" in self.label_kind  # pandas would make floats of integers beside None, and round these
        series = pd.Series(values, index=self.frame.index, dtype=object if exact else None)
        return series.astype("category") if self.wrapper == "category" else series

    def __repr__(self) -> str:
        columns = ", ".join(f"{name!r:.30}: {kind}" for name, kind in zip(self.frame.columns, self.kinds, strict=True))
        n_labeled = sum(one is not None for one in self.labels)
        weights = "" if self.weights is None else f", weights {self.weights[:3]}..."
        return (
            f"{self.container} of {len(self)} rows ({n_labeled} labeled) with {{{columns}}}; "
            f"y: {self.wrapper} of {self.label_kind}, unlabeled {self.marker!r}{weights}"
        )


def put_into(frame: pd.DataFrame, container: str) -> Any:
    """A DataFrame as another kind of table."""
    if container == "array":
        return frame.to_numpy()
    if container == "list":
        return frame.to_numpy().tolist()
    if container == "polars":
        import polars

        return polars.from_pandas(frame.reset_index(drop=True))
    if container == "arrow":
        import pyarrow

        return pyarrow.Table.from_pandas(frame.reset_index(drop=True))
    return frame


def convert(frame: pd.DataFrame, container: str) -> Any:
    """The same, or None where the other library cannot hold these values."""
    try:
        return put_into(frame, container)
    except Exception:
        return None


def draw_frame(random: Random, truth: Any, *, odd: float = 0.15) -> tuple[pd.DataFrame, list[str]]:
    """Up to five columns of any kind, and their kinds."""
    kinds = [pick(random, PLAIN_COLUMNS, ODD_COLUMNS, odd) for _ in range(random.integers(1, 6))]
    makers = {**PLAIN_COLUMNS, **ODD_COLUMNS}
    columns = [pd.Series(makers[kind](random, truth)).reset_index(drop=True) for kind in kinds]
    frame = pd.concat(columns, axis=1)
    frame.columns = _name_columns(random, len(kinds))
    return frame, kinds


def draw_rows(random: Random, n_classes: int) -> tuple[Any, Any]:
    """The true class of each row, and which rows are labeled; sometimes a class is rare or absent."""
    n = int(pick(random, [random.integers(20, 60), random.integers(60, 120)], [random.integers(2, 12), 300], 0.2))
    rare = random.random() < 0.15
    truth = random.choice(
        n_classes,
        n,
        p=np.array([1.0] * (n_classes - 1) + [0.05 if rare else 1.0]) / (n_classes - (0.95 if rare else 0.0)),
    )
    labeled = random.random(n) < pick(random, [0.3, 0.5], [0.05, 1.0], 0.1)
    return truth, labeled


def draw_table(random: Random) -> Table:
    """A table for a classifier."""
    label_kind = pick(random, PLAIN_LABELS, ODD_LABELS, 0.2)
    classes = {**PLAIN_LABELS, **ODD_LABELS}[label_kind]
    truth, labeled = draw_rows(random, len(classes))
    frame, kinds = draw_frame(random, truth)
    if random.random() < 0.1:
        frame.index = random.integers(0, 5, len(frame))
    labels = [classes[one] if known else None for one, known in zip(truth, labeled, strict=True)]
    marker = pick(random, [None, np.nan], MARKERS, 0.2)
    if label_kind == "integers":
        marker = pick(random, MARKERS[:3])
    wrapper = pick(random, ["object array", "list", "series"], ["array", "category", "polars"], 0.3)
    numeric = all(frame.dtypes.map(lambda dtype: isinstance(dtype, np.dtype) and dtype.kind in "fiub"))
    container = pick(random, ["pandas"], ["polars", "array", "list"] if numeric else ["polars", "arrow", "array"], 0.25)
    return Table(frame, kinds, labels, label_kind, marker, container, wrapper, _draw_weights(random, len(frame)))


def _draw_weights(random: Random, n: int) -> Any:
    """None as a rule."""
    style = pick(random, ["none"], ["positive", "ones", "with zeros", "negative", "missing", "short"], 0.15)
    weights = random.uniform(0.5, 2.0, n)
    if style == "none":
        return None
    if style == "ones":
        return np.ones(n)
    if style == "short":
        return weights[:-1]
    if style != "positive":
        weights[random.integers(0, n, 2)] = {"with zeros": 0.0, "negative": -1.0, "missing": np.nan}[style]
    return weights


# --- The same table in another form that holds the same values.


def _as_object(series: pd.Series) -> pd.Series:
    return series.astype(object)


LOSSLESS: dict[str, dict[str, Callable[[pd.Series], pd.Series]]] = {
    "integer": {"float": lambda s: s.astype(float), "Int64": lambda s: s.astype("Int64"), "object": _as_object},
    "float": {"Float64": lambda s: s.astype("Float64"), "object": _as_object, "text": lambda s: s.astype(str)},
    "bool": {"0 and 1": lambda s: s.astype(int), "boolean": lambda s: s.astype("boolean"), "object": _as_object},
    "text": {"category": lambda s: s.astype("category"), "string": lambda s: s.astype("string")},
    "category": {"object": _as_object, "other levels": lambda s: s.astype(object).astype("category")},
    "digits as text": {"integers": lambda s: s.astype(int), "category": lambda s: s.astype("category")},
    "Int64": {"float": lambda s: s.astype(float)},
    "boolean": {"object": _as_object, "float": lambda s: s.astype(float)},
    "string": {"object": _as_object},
}


def change_types(frame: pd.DataFrame, kinds: list[str], random: Random) -> tuple[pd.DataFrame, list[str]]:
    """The same values in columns of other types, and what was done."""
    columns, done = [], []
    for position, kind in enumerate(kinds):
        column = frame.iloc[:, position]
        if kind in LOSSLESS and random.random() < 0.7:
            name = pick(random, LOSSLESS[kind])
            column = LOSSLESS[kind][name](column)
            done.append(f"{kind} -> {name}")
        columns.append(column)
    changed = pd.concat(columns, axis=1)
    changed.columns = frame.columns
    return changed, done


def spoil(frame: pd.DataFrame, random: Random) -> tuple[pd.DataFrame, str]:
    """A table unlike that of training: unseen levels, a column less or more, other types, no rows."""
    how = pick(random, ["unseen", "less", "more", "types", "no rows", "missing"])
    frame = frame.copy()
    position = int(random.integers(frame.shape[1]))
    columns = [frame.iloc[:, one] for one in range(frame.shape[1])]
    if how == "less":
        return frame.iloc[:, [one for one in range(frame.shape[1]) if one != position]], how
    if how == "no rows":
        return frame.iloc[:0], how
    if how == "more":
        return pd.concat([frame, pd.Series(1.0, index=frame.index, name="one more")], axis=1), how
    makers = {"unseen": lambda n: ["new"] * n, "types": lambda n: [pd.Timestamp("2020-01-01")] * n}
    maker = makers.get(how, lambda n: [None] * n)
    columns[position] = pd.Series(maker(len(frame)), index=frame.index, dtype=object if how != "types" else None)
    spoiled = pd.concat(columns, axis=1)
    spoiled.columns = frame.columns
    return spoiled, how


# --- Files.


@dataclass(frozen=True)
class Notation:
    """How a table is written to a file."""

    delimiter: str = ","
    encoding: str = "utf-8"
    quoting: int = 0
    newline: str = "\n"
    decimal: str = "."
    date: str = "%Y-%m-%d"
    ending: str = ".csv"


def draw_notation(random: Random) -> Notation:
    """A notation that people use."""
    decimal_mark = pick(random, ".", ",", 0.3)
    return Notation(
        pick(random, ";\t|" if decimal_mark == "," else ",;\t|"),
        pick(random, ["utf-8", "utf-8-sig"], ["utf-16", "cp1252"], 0.3),
        pick(random, [0, 1]),
        pick(random, ["\n", "\r\n"]),
        decimal_mark,
        pick(random, ["%Y-%m-%d"], ["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y"], 0.4),
        pick(random, [".csv", ".tsv", ".csv.gz", ".txt"], BINARY_ENDINGS, 0.2),
    )


FILE_COLUMNS: dict[str, Callable[[Random, Any], Any]] = {
    "float": _floats,
    "float with missing values": lambda r, t: _missing(_floats(r, t), r),
    "float of three decimals": lambda r, t: np.round(r.normal(t, 1.0), 3),
    "integer": _integers,
    "text": _words,
    "text with missing values": lambda r, t: _missing(_words(r, t), r, object),
    "date": lambda r, t: pd.Series(_dates(r, t)),
    "constant": lambda r, t: np.full(len(t), 7.0),
}


def draw_file_table(random: Random) -> tuple[pd.DataFrame, list[Any]]:
    """A table with the columns `id` and `target`, and its classes."""
    labels = {**PLAIN_LABELS, **{kind: ODD_LABELS[kind] for kind in ("with -1", "-1 and 1", "text digits", "formulas")}}
    classes = labels[pick(random, PLAIN_LABELS, [kind for kind in labels if kind not in PLAIN_LABELS], 0.3)]
    truth, labeled = draw_rows(random, len(classes))
    kinds = [pick(random, FILE_COLUMNS) for _ in range(random.integers(2, 5))]
    frame = pd.concat([pd.Series(FILE_COLUMNS[kind](random, truth)) for kind in kinds], axis=1)
    frame.columns = random.choice(PLAIN_NAMES, len(kinds), replace=False).tolist()
    frame.insert(0, "id", [f"r{number}" for number in random.permutation(len(frame))])
    target = [classes[one] if known else None for one, known in zip(truth, labeled, strict=True)]
    frame["target"] = pd.Series(target, dtype=object)
    return frame, sorted({one for one in target if one is not None})


def write_bytes(frame: pd.DataFrame, notation: Notation) -> bytes:
    """The file's content."""
    frame = frame.copy()
    if notation.ending in BINARY_ENDINGS:
        frame["target"] = frame["target"].map(lambda value: None if value is None else str(value))
        buffer = io.BytesIO()
        if notation.ending == ".xlsx":
            with pd.ExcelWriter(buffer, engine="openpyxl") as writer:
                frame.to_excel(writer, index=False)
                for cell in (one for row in writer.book.active.iter_rows() for one in row if one.data_type == "f"):
                    cell.data_type = "s"  # a label is text, even if it begins with =
        else:
            (frame.to_parquet if notation.ending == ".parquet" else frame.to_feather)(buffer)
        return buffer.getvalue()
    text = frame.to_csv(
        index=False,
        sep=notation.delimiter,
        quoting=notation.quoting,
        lineterminator=notation.newline,
        decimal=notation.decimal,
        date_format=notation.date,
    )
    data = text.encode(notation.encoding)
    return gzip.compress(data) if notation.ending.endswith(".gz") else data


def damage(data: bytes, random: Random) -> tuple[bytes, str]:
    """Bytes that somebody else's program, disk or network left."""
    how = pick(random, ["cut", "flip", "noise", "empty", "nul", "repeat", "quote", "header", "swap"])
    place = int(random.integers(0, max(len(data), 1)))
    changed = bytearray(data)
    if how == "flip":
        for at in random.integers(0, max(len(data), 1), 5):
            changed[at] = int(random.integers(256))
    elif how == "quote":
        changed[place:place] = b'"'
    elif how == "nul":
        changed[place:place] = b"\x00"
    results = {
        "cut": data[:place],
        "noise": random.bytes(300),
        "empty": pick(random, [b"", b"\n\n", b" ", b"\xef\xbb\xbf"]),
        "repeat": data + data,
        "header": data.split(b"\n", 1)[0],
        "swap": data[place:] + data[:place],
    }
    return results.get(how, bytes(changed)), how
