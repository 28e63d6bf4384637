"""A fitted model in one file, in the format of skops: read again without running anything that is in the file."""

from __future__ import annotations

import hashlib
import io
import json
import os
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import skops.io
from numpy.typing import NDArray
from sklearn.exceptions import InconsistentVersionWarning

import tabcast
from tabcast.decisions._rule import DecisionRule
from tabcast.exceptions import TabcastWarning
from tabcast.files import Understanding
from tabcast.files._atomic import write_whole
from tabcast.models._adapted import Adaptation, AdaptedClassifier, NativeColumns
from tabcast.models._catalog import EnsembleBooster
from tabcast.self_training._deployed import AveragedClassifier, SoftenedClassifier
from tabcast.table._columns import CategoricalColumn, Columns, ContinuousColumn
from tabcast.table._encoders import Indicators, NormalScores, TableCodes
from tabcast.teachers._committee import IndicatorTrees

MODEL_NAME = "model.skops"  # in the folder of a run
NOTE = "tabcast.json"  # the entry of the file that anybody may read
OURS = (
    *(Adaptation, AdaptedClassifier, NativeColumns, AveragedClassifier, SoftenedClassifier, EnsembleBooster),
    *(CategoricalColumn, Columns, ContinuousColumn, IndicatorTrees, Indicators, NormalScores, TableCodes),
)
NETS = (
    "_mlp.MLP",
    "_scarf.SCARF",
    "_subtab.SubTab",
    "_vime.VIME",
    "_transformers.FTTransformer",
    "_transformers.SwitchTab",
)
# What a file may hold besides what skops trusts by itself. None of these types runs code of the file.
TRUSTED = {
    *(f"{one.__module__}.{one.__qualname__}" for one in OURS),
    *(f"tabcast.models.neural.{name}Classifier" for name in NETS),
    "tabcast.models.neural._cells.TableEncoder",
    "collections.OrderedDict",
    "functools.partial",  # gradient boosting checks its numeric columns with a partial of check_array
    "sklearn.utils.validation.check_array",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.tree._tree.Tree",
    "xgboost.core.Booster",
    "xgboost.sklearn.XGBClassifier",
    "lightgbm.basic.Booster",
    "lightgbm.sklearn.LGBMClassifier",
    "catboost.core.CatBoostClassifier",
}
EXTRAS = {"xgboost": "xgboost", "lightgbm": "lightgbm", "catboost": "catboost", "torch": "nn"}  # by package


class ModelFileError(ValueError):
    """A file that is not a model, is damaged, or holds what tabcast does not load."""


@dataclass(frozen=True)
class SavedModel:
    """A model with everything that is needed to predict a table.

    Parameters
    ----------
    classifier : classifier
        Fitted; takes what `understanding.features` makes of a table.
    understanding : Understanding
        How the training table was interpreted.
    decision : DecisionRule
        The rule by which a class follows from the probabilities.

    See Also
    --------
    load_model : Load a model.
    """

    classifier: Any
    understanding: Understanding
    decision: DecisionRule

    @property
    def classes(self) -> NDArray[Any]:
        """The classes, in the order of the columns of `predict_proba`.

        Returns
        -------
        ndarray of shape (n_classes,)
            The classes.
        """
        return np.asarray(self.classifier.classes_)


def save_model(path: str | os.PathLike[str], model: SavedModel) -> None:
    """Write a model to one file, which gets its name when it is whole; what could not be loaded again is refused."""
    note = {
        "tabcast": tabcast.__version__,
        "scikit-learn": version("scikit-learn"),
        "decision": model.decision.to_dict(),
        "understanding": model.understanding.to_dict(),
    }
    buffer = io.BytesIO()
    try:
        skops.io.dump(model.classifier, buffer, compression=zipfile.ZIP_DEFLATED)
        foreign = _find_foreign(buffer.getvalue())
    except Exception as error:  # whatever skops or an object says that cannot be taken apart
        raise ModelFileError(f"The model cannot be saved: {' '.join(str(error).split())}.") from error
    if foreign:
        raise ModelFileError(f"A model with {foreign} in it cannot be saved: tabcast would not load it again.")
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(NOTE, json.dumps({**note, "digest": _digest(archive, note)}, indent=1))
    with write_whole(Path(path)) as unfinished:
        unfinished.write_bytes(buffer.getbuffer())


def load_model(path: str | os.PathLike[str]) -> SavedModel:
    """Read the model of a run.

    Nothing in the file is run. It may hold what skops trusts by itself (estimators of scikit-learn, arrays, plain
    values), the types that tabcast's models consist of, and models of XGBoost, LightGBM and CatBoost in their own
    formats. Anything else is refused by name, and so is a file whose content is not the one that was saved. See
    docs/model_files.md for what this does not protect against.

    Parameters
    ----------
    path : str or path-like
        The file, or the folder of a run.

    Returns
    -------
    SavedModel
        The classifier, the interpretation of its training table, and its decision rule.

    Raises
    ------
    ModelFileError
        If the file is not a model of tabcast, is damaged, or holds anything that is not trusted.

    See Also
    --------
    load_run : Load everything that a run saved.

    Examples
    --------
    >>> from tabcast.runs import load_model
    >>> load_model("nowhere.skops")
    Traceback (most recent call last):
    tabcast.runs._model_file.ModelFileError: There is no file nowhere.skops.
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
    note = _read_note(path, data)
    try:
        foreign = _find_foreign(data)
        if foreign:
            raise ModelFileError(f"{path} was not loaded, because it holds {foreign}: no part of a tabcast model.")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InconsistentVersionWarning)  # one for each part of the model
            classifier = skops.io.loads(data, trusted=sorted(TRUSTED))
        model = SavedModel(
            classifier, Understanding.from_dict(note["understanding"]), DecisionRule.from_dict(note["decision"])
        )
        if model.decision.n_classes != len(model.classes):
            raise ValueError("its decision rule is not for its classes")
    except ModelFileError:
        raise
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        extra = f"'tabcast[{EXTRAS[package]}]'" if package in EXTRAS else package
        raise ModelFileError(f"{package} is needed for {path}. Install it with: pip install {extra}.") from error
    except Exception as error:  # whatever does not fit together, or does not fit the versions that are installed
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ModelFileError(f"{path} cannot be loaded ({reason}); {_say_versions(note)}.") from error
    if note["scikit-learn"] != version("scikit-learn"):
        warnings.warn(f"{path}: {_say_versions(note)}; its predictions may differ.", TabcastWarning, stacklevel=2)
    return model


def _find_foreign(data: bytes) -> str:
    """The types in a file that are not trusted, listed; empty where there are none."""
    return ", ".join(sorted(set(skops.io.get_untrusted_types(data=data)) - TRUSTED))


def _read_note(path: Path, data: bytes) -> dict[str, Any]:
    """What the file says about itself; refused if its content is not the one that was saved."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            note: dict[str, Any] = json.loads(archive.read(NOTE))
            if note.pop("digest") == _digest(archive, note):
                return note
    except Exception:  # not a zip file, cut short, without a note
        pass
    raise ModelFileError(f"{path} is not a model of tabcast, or is damaged.")


def _digest(archive: zipfile.ZipFile, note: Mapping[str, Any]) -> str:
    """A digest of all entries and of the note: it detects damage, and is no signature."""
    digest = hashlib.sha256(json.dumps(note, sort_keys=True).encode())
    for name in sorted(set(archive.namelist()) - {NOTE}):
        content = archive.read(name)
        digest.update(f"\n{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _say_versions(note: Mapping[str, Any]) -> str:
    """With what the file was written, and what is installed."""
    here = f"tabcast {tabcast.__version__} and scikit-learn {version('scikit-learn')}"
    return f"it was written with tabcast {note['tabcast']} and scikit-learn {note['scikit-learn']}, this is {here}"
