"""Changes to a model file: of its bytes, of its entries, of the JSON and the arrays in them."""

import io
import json
import zipfile

import numpy as np

from tabcast.runs._model_file import NOTE, digest_entries

SCHEMA = "schema.json"
HUGE = 10**30
DEEP = "[" * 20_000 + "]" * 20_000
# What a JSON value is replaced by; a callable is given the value.
REPLACEMENTS = {
    "null": None,
    "minus one": -1,
    "huge": HUGE,
    "fraction": 0.5,
    "not a number": float("nan"),
    "text": "x",
    "list": [],
    "mapping": {},
    "true": True,
}


def read_entries(data):
    """Entries of a model file by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_entries(entries, *, forged=True):
    """A model file with these entries (pairs or a dict); forged: with a digest that fits, as a forger would write."""
    pairs = list(entries.items()) if isinstance(entries, dict) else list(entries)
    if forged:
        pairs = [(name, _forge(content, pairs) if name == NOTE else content) for name, content in pairs]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in pairs:
            archive.writestr(name, content)
    return buffer.getvalue()


def _forge(text, pairs):
    """The note with a digest of what is in the file now."""
    try:
        note = json.loads(text)
        note["digest"] = digest_entries(dict(pairs))
    except (ValueError, TypeError, RecursionError):
        return text
    return json.dumps(note)


def flip_bits(data, positions, random):
    """The file with one bit of a byte flipped, for each position."""
    for position in positions:
        changed = bytearray(data)
        changed[position] ^= 1 << int(random.integers(0, 8))
        yield f"bit at {position}", bytes(changed)


def change_entries(data, random, *, forged):
    """Entries removed, doubled, renamed, swapped, emptied, cut short."""
    entries = read_entries(data)
    names = list(entries)
    for name in names:
        others = [other for other in names if other != name]
        other = others[int(random.integers(0, len(others)))]
        content = entries[name]
        pairs = list(entries.items())
        swapped = entries | {name: entries[other], other: content}
        cases = {
            "removed": [pair for pair in pairs if pair[0] != name],
            "renamed": [(one if one != name else f"x{one}", text) for one, text in pairs],
            f"swapped with {other}": swapped,
            "emptied": entries | {name: b""},
            "cut short": entries | {name: content[: len(content) // 2]},
            "longer": entries | {name: content + b"\0" * 8},
        }
        for what, changed in cases.items():
            yield f"{name} {what}", write_entries(changed, forged=forged)


def change_json(data, entry, random, n=None, *, forged=True):
    """Values of a JSON entry deleted or replaced; all of them, or `n` drawn at random."""
    entries = read_entries(data)
    paths = list(_paths(json.loads(entries[entry])))
    cases = [(path, what) for path in paths for what in ("deleted", *REPLACEMENTS, "deep")]
    if n is not None and n < len(cases):
        cases = [cases[i] for i in sorted(random.choice(len(cases), n, replace=False))]
    for path, what in cases:
        text = _change_text(entries[entry], path, what)
        yield f"{entry} {'/'.join(map(str, path))} {what}", write_entries(entries | {entry: text}, forged=forged)


def _paths(value, path=()):
    """The places of all values within a JSON value; what skops keeps as JSON within text is looked into."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inner:
        yield from _paths(entry, (*path, key))
    if path and path[-1] == "content" and isinstance(value, str):
        yield (*path, "<json>")


def _change_text(text, path, what):
    value = json.loads(text)
    *outer, last = path
    if last == "<json>":  # text that is JSON itself
        *outer, last = outer
    owner = value
    for key in outer:
        owner = owner[key]
    if what == "deleted":
        del owner[last]
    elif what == "deep":
        owner[last] = "@deep@"
    elif path[-1] == "<json>":
        owner[last] = json.dumps(REPLACEMENTS[what])
    else:
        owner[last] = REPLACEMENTS[what]
    return json.dumps(value).replace('"@deep@"', DEEP).encode()


def change_arrays(data, random, n=None):
    """Arrays of another shape, type or content, or that claim to be larger than they are."""
    entries = read_entries(data)
    arrays = [name for name in entries if name.endswith(".npy")]
    cases = [(name, what) for name in arrays for what in _array_changes(np.zeros(3))]
    if n is not None and n < len(cases):
        cases = [cases[i] for i in sorted(random.choice(len(cases), n, replace=False))]
    for name, what in cases:
        array = np.load(io.BytesIO(entries[name]))
        changed = _array_changes(array)[what]()
        if changed is not None:
            yield f"{name} {what}", write_entries(entries | {name: changed})


def _array_changes(array):
    def save(value):
        buffer = io.BytesIO()
        np.save(buffer, value, allow_pickle=False)
        return buffer.getvalue()

    def filled(number):
        if array.dtype.kind not in "iuf" or (number is np.nan and array.dtype.kind != "f"):
            return None
        if array.dtype.kind in "iu":
            return save(np.full_like(array, np.clip(number, np.iinfo(array.dtype).min, np.iinfo(array.dtype).max)))
        return save(np.full_like(array, number))

    def claims(shape):
        buffer = io.BytesIO()
        header = {"descr": array.dtype.descr if array.dtype.names else array.dtype.str, "fortran_order": False}
        np.lib.format.write_array_header_1_0(buffer, header | {"shape": shape})
        return buffer.getvalue() + array.tobytes()

    return {
        "empty": lambda: save(array[:0]) if array.ndim else None,
        "shorter": lambda: save(array[:-1]) if array.ndim else None,
        "longer": lambda: save(np.concatenate([array, array])) if array.ndim else None,
        "two axes": lambda: save(array[None]),
        "one axis": lambda: save(array.ravel()),
        "no axis": lambda: save(array.ravel()[0]) if array.size else None,
        "text": lambda: save(np.full(array.shape, "x")),
        "complex": lambda: save(array.astype(complex)) if array.dtype.kind in "iuf" else None,
        "dates": lambda: save(np.full(array.shape, "2020-01-01", dtype="M8[D]")),
        "bytes": lambda: save(np.frombuffer(array.tobytes(), dtype=np.uint8)),
        "minus one": lambda: filled(-1),
        "large": lambda: filled(2**31),
        "missing": lambda: filled(np.nan),
        "infinite": lambda: filled(np.inf) if array.dtype.kind == "f" else None,
        "backwards": lambda: save(array[::-1]) if array.ndim else None,
        "claims a million million": lambda: claims((10**12,)),
        "claims a negative size": lambda: claims((-1,)),
        "claims the largest size": lambda: claims((2**62, 2**62)),
    }
