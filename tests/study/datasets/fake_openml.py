"""OpenML on this machine: scikit-learn's own client asks, an answer made on the fly comes back, no network is used."""

import hashlib
import io
import json
import urllib.request
from contextlib import contextmanager
from email.message import Message
from urllib.response import addinfourl

import pandas as pd

ARFF_HOME = "https://www.openml.org/data/v1/download"


def to_arff(frame):
    """A table as ARFF: category columns nominal, text columns strings, the rest numeric, missing as a question mark."""
    lines = ["@RELATION table"]
    for name, column in frame.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            kind = "{" + ",".join(f"'{level}'" for level in column.cat.categories) + "}"
        else:
            kind = "REAL" if pd.api.types.is_numeric_dtype(column.dtype) else "STRING"
        lines.append(f"@ATTRIBUTE '{name}' {kind}")
    lines.append("@DATA")
    for row in frame.itertuples(index=False):
        cells = ("?" if pd.isna(cell) else f"'{cell}'" if isinstance(cell, str) else repr(cell) for cell in row)
        lines.append(",".join(cells))
    return ("\n".join(lines) + "\n").encode()


def answers_for(info, frame, ignored=()):
    """What OpenML says at each address that scikit-learn asks about one dataset."""
    arff, number = to_arff(frame), info.openml_id
    kinds = {
        name: "nominal"
        if isinstance(column.dtype, pd.CategoricalDtype)
        else "numeric"
        if pd.api.types.is_numeric_dtype(column.dtype)
        else "string"
        for name, column in frame.items()
    }
    description = {
        "id": str(number),
        "name": info.name,
        "version": "1",
        "format": "ARFF",
        "status": "active",
        "description": "made for a test",
        "url": f"{ARFF_HOME}/{number}/table.arff",
        "md5_checksum": hashlib.md5(arff).hexdigest(),
    }
    features = [
        {
            "index": str(position),
            "name": name,
            "data_type": kind,
            "is_target": str(name == info.target).lower(),
            "is_ignore": str(name in ignored).lower(),
            "is_row_identifier": "false",
            "number_of_missing_values": str(int(frame[name].isna().sum())),
        }
        for position, (name, kind) in enumerate(kinds.items())
    ]
    qualities = [{"name": "NumberOfInstances", "value": f"{len(frame)}.0"}]
    api = "https://www.openml.org/api/v1/json/data"
    return {
        f"{api}/{number}": json.dumps({"data_set_description": description}).encode(),
        f"{api}/features/{number}": json.dumps({"data_features": {"feature": features}}).encode(),
        f"{api}/qualities/{number}": json.dumps({"data_qualities": {"quality": qualities}}).encode(),
        description["url"]: arff,
    }


class _Handler(urllib.request.BaseHandler):
    def __init__(self, answers):
        self.answers = answers
        self.asked = []

    def https_open(self, request):
        self.asked.append(request.full_url)
        address = request.full_url.replace("//api.openml.org/", "//www.openml.org/")  # which of them depends on sklearn
        return addinfourl(io.BytesIO(self.answers[address]), Message(), request.full_url, 200)


@contextmanager
def serve(*answers):
    """Answer https requests of this process from dictionaries; gives the list of addresses that were asked for."""
    handler = _Handler({address: body for one in answers for address, body in one.items()})
    opener = urllib.request.OpenerDirector()
    opener.add_handler(handler)
    urllib.request.install_opener(opener)
    try:
        yield handler.asked
    finally:
        urllib.request.install_opener(None)
