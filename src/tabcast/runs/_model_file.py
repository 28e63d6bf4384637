"""Writing a fitted model to one file, and reading it without running anything that is in the file."""

from __future__ import annotations

import hashlib
import io
import json
import math
import platform
import warnings
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import skops.io
from numpy.typing import NDArray
from sklearn.exceptions import InconsistentVersionWarning

import tabcast
from tabcast.decisions import DecisionRule, MostProbable
from tabcast.exceptions import TabcastWarning
from tabcast.files import Understanding
from tabcast.files._atomic import write_whole
from tabcast.runs._folder import MODEL
from tabcast.runs._loaded_model import check_estimators, check_threads
from tabcast.runs._serialization import pack, unpack
from tabcast.runs._trial import can_be_tried, known_names, try_out

MODEL_NAME = MODEL  # in the folder of a run
FORMAT = 3  # raised when files can no longer be read by older versions, or older ones by this version
NOTE = "tabcast.json"  # the entry of the file that anybody may read
PACKAGES = ("numpy", "pandas", "scikit-learn", "skops", "xgboost", "xgboost-cpu", "lightgbm", "catboost", "torch")
SCHEMA = "schema.json"  # skops' entry
# What the entries of a file may take in memory: a file of nothing but zeros would become a thousand times larger.
SPARE_BYTES, MOST_COMPRESSED = 64 * 2**20, 100
EXTRAS = {  # modules: what they are called, and which extra installs them
    "xgboost": ("XGBoost", "xgboost"),
    "lightgbm": ("LightGBM", "lightgbm"),
    "catboost": ("CatBoost", "catboost"),
    "torch": ("PyTorch", "nn"),
}


class ModelFileError(ValueError):
    """A file that is not a model, is damaged, or holds what tabcast does not load."""


@dataclass(frozen=True)
class SavedModel:
    """A model from a file.

    Parameters
    ----------
    classifier : classifier
        Fitted; takes what `Understanding.features` makes of the user's table.
    understanding : dict
        How the training table was interpreted, for `tabcast.files.Understanding.from_dict`.
    classes : ndarray of shape (n_classes,)
        The classes, in the order of the columns of `predict_proba`.
    facts : dict
        Whatever was saved along.
    decision : DecisionRule
        The rule by which a class follows from the probabilities.

    See Also
    --------
    load_model : Load a model.
    """

    classifier: Any
    understanding: dict[str, Any]
    classes: NDArray[Any]
    facts: dict[str, Any]
    decision: DecisionRule


def save_model(
    path: str | Path,
    classifier: Any,
    understanding: Mapping[str, Any],
    facts: Mapping[str, Any] | None = None,
    decision: DecisionRule | None = None,
) -> None:
    """Write a fitted classifier to one file.

    The file gets its name only when it is whole. What could not be loaded again is refused here.

    Parameters
    ----------
    path : str or Path
        Where to; by custom, with the ending ".skops".
    classifier : classifier
        A fitted classifier of scikit-learn, XGBoost, LightGBM or CatBoost, alone, within a pipeline, or as the
        `deployed_` of tabcast's classifiers is: encoded, softened, or an average of several.
    understanding : mapping
        `Understanding.to_dict()` of the training table, plain JSON.
    facts : mapping, default=None
        Anything worth knowing about the model, plain JSON.
    decision : DecisionRule, default=None
        How a class is predicted from the probabilities, such as `decision_` of tabcast's classifiers. None: the most
        probable one.

    See Also
    --------
    load_model : Load it again.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from sklearn.datasets import load_iris
    >>> from tabcast.runs import load_model, save_model
    >>> from tabcast.models import default_classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = default_classifier().fit(X, y)
    >>> path = Path(mkdtemp()) / "model.skops"
    >>> save_model(path, model, {}, {"trained_by": "me"})
    >>> saved = load_model(path)
    >>> saved.facts, saved.classes.tolist(), (saved.classifier.predict(X) == model.predict(X)).all().item()
    ({'trained_by': 'me'}, [0, 1, 2], True)
    """
    if not hasattr(classifier, "classes_"):
        raise ValueError(f"`classifier` of save_model must be a fitted classifier; got {type(classifier).__name__}.")
    classes = np.asarray(classifier.classes_)
    decision = decision or MostProbable().fit(classes, np.full(len(classes), 1 / len(classes)))
    if decision.n_classes != len(classes):
        raise ValueError(
            f"`decision` of save_model must be a rule for the {len(classes)} classes of the classifier; got one for "
            f"{decision.n_classes}."
        )
    note = {
        "format": FORMAT,
        "tabcast": tabcast.__version__,
        "versions": _installed_versions(),
        "classes": [_plain(label) for label in classes],
        "decision": decision.to_dict(),
        "understanding": understanding,
        "facts": facts or {},
        "tried": can_be_tried(classifier),
    }
    try:
        json.dumps(note, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`understanding` and `facts` of save_model must be plain JSON; {error}.") from None
    buffer = io.BytesIO()
    skops.io.dump(pack(classifier), buffer, compression=zipfile.ZIP_DEFLATED)
    foreign = skops.io.get_untrusted_types(data=buffer.getvalue())
    if foreign:
        raise ModelFileError(
            f"A classifier with {_listed(foreign)} in it cannot be saved: tabcast would not load it again."
        )
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
        note["digest"] = digest_entries(entries | {NOTE: json.dumps(note).encode()})
        archive.writestr(NOTE, json.dumps(note, indent=1))
    with write_whole(path) as unfinished:
        unfinished.write_bytes(buffer.getbuffer())


def load_model(path: str | Path) -> SavedModel:
    """Read a model that :func:`save_model` wrote.

    Nothing in the file is run. It may hold what skops trusts by itself (scikit-learn's estimators, arrays, plain
    values) and the types that tabcast writes as plain data; anything else is refused by name, and so is a tree that
    points to nodes or columns that do not exist. The content must have the digest that was saved along, and the model
    must be able to predict a few synthetic rows.

    Parameters
    ----------
    path : str or Path
        The file, or the folder of a run.

    Returns
    -------
    SavedModel
        The classifier, and what was saved along.

    Raises
    ------
    ModelFileError
        If the file is not a model of tabcast, is damaged, or holds anything that is not trusted.

    See Also
    --------
    load_run : Load everything that a run saved.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from tabcast.runs import load_model, save_model
    >>> model = GaussianNB().fit([[0.0], [0.5], [3.0]], ["no", "no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(Path(folder, "model.skops"), model, {})
    ...     load_model(Path(folder, "model.skops")).classes.tolist()
    ...
    ['no', 'yes']
    """
    path = Path(path)
    if path.is_dir():
        path = path / MODEL_NAME
        if not path.exists():
            raise ModelFileError(f"{path.parent} is a folder without a model ({MODEL_NAME}) in it.")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ModelFileError(f"There is no file {path}.") from None
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}.") from None
    entries = _read_entries(path, data)
    note = _read_note(path, entries)
    try:
        _check_arrays(entries)
        foreign = skops.io.get_untrusted_types(data=data)
    except Exception as error:  # whatever a damaged file makes skops stumble over
        raise _damaged(path, note, error) from error
    if foreign:
        raise ModelFileError(f"{path} was not loaded, because it holds {_listed(foreign)}: no part of a tabcast model.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InconsistentVersionWarning)  # one for each part of the model
            packed = skops.io.loads(data)
            check_threads(packed)
            classifier = unpack(packed)
        classes = np.asarray(classifier.classes_)
        check_estimators(classifier)
        if [_plain(label) for label in classes] != note["classes"]:
            raise ValueError("its classes are not those that were saved")
        decision = DecisionRule.from_dict(note["decision"])
        if decision.n_classes != len(classes):
            raise ValueError("its decision rule is not for its classes")
        if note.get("tried") is True:
            try_out(classifier)
    except ModuleNotFoundError as error:
        raise ModelFileError(_say_missing(path, str(error.name))) from error
    except Exception as error:  # the same, and what the boosting libraries raise
        raise _damaged(path, note, error) from error
    differing = _differing_versions(note, ["scikit-learn"])
    if differing:
        warnings.warn(f"{path} was written with {differing}: its predictions may differ.", TabcastWarning, stacklevel=2)
    return SavedModel(classifier, note["understanding"], classes, note["facts"], decision)


def read_understanding(model: SavedModel) -> Understanding:
    """How the training table was interpreted, as saved."""
    if not model.understanding:
        raise ModelFileError("The model does not say what its training table was; it does not come from a run.")
    try:
        understanding = Understanding.from_dict(model.understanding)
        names = [note.name for note in understanding.columns]
        if not all(type(name) is str for name in [*names, *understanding.feature_names, understanding.target]):
            raise ValueError("a column name is not text")
        if known_names(model.classifier) not in (None, set(understanding.output_names)):
            raise ValueError("its columns are not those of the model")
        empty = pd.Series([None, None], dtype=object)
        understanding.convert(pd.DataFrame(dict.fromkeys(understanding.feature_names, empty)))
    except Exception as error:  # whatever is not as `to_dict` wrote it
        raise ModelFileError(f"What the model says of its training table is damaged ({_reason(error)}).") from error
    return understanding


def digest_entries(entries: Mapping[str, bytes]) -> str:
    """A digest of everything in a file, the note included but for the digest in it."""
    note = json.loads(entries[NOTE])
    note.pop("digest", None)
    digest = hashlib.sha256(json.dumps(note, sort_keys=True).encode())
    for name in sorted(set(entries) - {NOTE}):
        digest.update(f"\n{name} {len(entries[name])}\n".encode())
        digest.update(entries[name])
    return digest.hexdigest()


def _read_entries(path: Path, data: bytes) -> dict[str, bytes]:
    """All entries of the file, if they are not far larger than the file itself."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len({member.filename for member in members}) < len(members):
                raise ValueError("an entry is there twice")
            _check_size(sum(member.file_size for member in members), data)
            entries = {member.filename: _read_member(archive, member) for member in members}
        schema = json.loads(entries[SCHEMA]) if NOTE in entries else {}
        _check_size(sum(len(entries[name]) for name in _find_files(schema)), data)
    except Exception:  # not a zip file, cut short, without an entry
        raise ModelFileError(f"{path} is not a model of tabcast, or is damaged.") from None
    return entries


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """An entry, never more of it than the file declares: `ZipFile.read` would unpack all of it first."""
    with archive.open(member) as stream:
        return stream.read(member.file_size)


def _check_size(n_bytes: int, data: bytes) -> None:
    if n_bytes > SPARE_BYTES + MOST_COMPRESSED * len(data):
        raise ValueError("the file would become too large")


def _find_files(schema: Any) -> Iterable[str]:
    """The entries that a schema refers to, as often as it does: each time one is read."""
    if isinstance(schema, dict):
        if "__loader__" in schema and "file" in schema:
            yield schema["file"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for value in schema:
            yield from _find_files(value)


def _check_arrays(entries: Mapping[str, bytes]) -> None:
    """Arrays are as large as they claim, before memory is reserved for them."""
    for name, content in entries.items():
        if name.endswith(".npy"):
            stream = io.BytesIO(content)
            numbers = np.lib.format.read_magic(stream)
            read = np.lib.format.read_array_header_1_0 if numbers == (1, 0) else np.lib.format.read_array_header_2_0
            shape, _, dtype = read(stream)
            if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
                raise ValueError("an array is not as large as it claims")


def _read_note(path: Path, entries: Mapping[str, bytes]) -> dict[str, Any]:
    """What the file says about itself, before anything else is looked at."""
    try:
        note = json.loads(entries[NOTE])
        number, writer = note["format"], note["tabcast"]
        complete = isinstance(note["understanding"], dict) and isinstance(note["facts"], dict)
    except Exception:  # without a note, or with another one
        raise ModelFileError(f"{path} is not a model of tabcast, or is damaged.") from None
    if type(number) is not int or not complete:
        raise ModelFileError(f"{path} is not a model of tabcast, or is damaged.")
    if number > FORMAT:
        raise ModelFileError(
            f"{path} was written by tabcast {writer}, this is {tabcast.__version__}. Update it with: "
            "pip install --upgrade tabcast."
        )
    if number < FORMAT:
        lacks = (
            "did not save how a class is predicted from the probabilities"
            if number < 2
            else "saved probabilities of soft self-training that are too extreme"
        )
        raise ModelFileError(
            f"{path} was written by an earlier version of tabcast (format {number}, this is {FORMAT}), which {lacks}. "
            "Fit the table again."
        )
    if "digest" in note and note["digest"] != digest_entries(entries):
        raise ModelFileError(f"{path} is damaged or was changed by hand (its digest differs from the saved one).")
    return note


def _damaged(path: Path, note: dict[str, Any], error: Exception) -> ModelFileError:
    """The sentence for a file that does not hold together, with other versions as a possible reason."""
    differing = _differing_versions(note, PACKAGES)
    hint = f" It was written with {differing}." if differing else ""
    return ModelFileError(f"{path} is damaged or was changed by hand ({_reason(error)}).{hint}")


def _reason(error: Exception) -> str:
    """What an error says, on one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def _differing_versions(note: dict[str, Any], packages: Iterable[str]) -> str:
    """Packages that had another version when the file was written."""
    here, there = _installed_versions(), note.get("versions")
    return ", ".join(
        f"{name} {there[name]} (here {here.get(name, 'none')})"
        for name in packages
        if isinstance(there, dict) and name in there and there[name] != here.get(name)
    )


def _say_missing(path: Path, module: str) -> str:
    package = module.partition(".")[0]
    if package in EXTRAS:
        title, extra = EXTRAS[package]
        return f"{title} is needed for {path}. Install it with: pip install 'tabcast[{extra}]'."
    return f"The package {package} is needed for {path}, and is not installed."


def _installed_versions() -> dict[str, str]:
    """Versions of what a model is made of."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more types" if len(names) > 5 else "")


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
